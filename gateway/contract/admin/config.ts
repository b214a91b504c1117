// Configuration and operations: the effective settings and the database backup. Contract 7.8.
import { z } from 'zod'
import { routes } from '../route.ts'

export const EffectiveEntry = z.object({
  key: z.string(),
  value: z.json(),
  redacted: z.boolean(),
  source: z.enum(['env', 'file', 'default']),
  default: z.json(),
  meaning: z.string().optional().describe('what the setting does'),
})
export type EffectiveEntry = z.infer<typeof EffectiveEntry>

export const config = routes({
  effective: {
    method: 'GET',
    path: '/admin-api/config/effective',
    access: 'superadmin',
    summary: 'Every setting with its value, source and default; secrets masked',
    reply: z.object({
      nodeEnv: z.string().nullable(),
      version: z.string(),
      runtime: z.string(),
      dbVersion: z.number().int(),
      entries: z.array(EffectiveEntry),
    }),
  },
  backup: {
    method: 'POST',
    path: '/admin-api/backup',
    access: 'superadmin',
    summary: 'Download a copy of the database',
    produces: ['application/octet-stream'],
    audit: 'backup.create',
    errors: ['BACKUP_FAILED', 'NOT_SUPPORTED'],
    rateLimit: 'backup',
  },
})

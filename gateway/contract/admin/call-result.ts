// What a call of a tool answers, wherever a record shows it. Contract 10.2.
import { z } from 'zod'

export const CallToolResult = z.object({
  content: z.array(z.record(z.string(), z.unknown())),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

export const OUTCOMES = ['success', 'error', 'refused', 'cancelled'] as const

// Verifies the whole audit chain without blocking the main thread.

import { AuditVerdict } from '#contract'
import type { Database } from '../storage/database.ts'
import type { Clock } from '../telemetry/clock.ts'
import { offload } from './offload.ts'

export async function verifyAudit(database: Database, clock: Clock): Promise<AuditVerdict> {
  let text = ''
  for await (const piece of offload(database, { kind: 'verify', at: new Date(clock.now()).toISOString() }))
    text += piece
  const headKey = database.auditKeyFile === null ? 'beside_database' : 'configured'
  return AuditVerdict.parse({ ...JSON.parse(text), ...(database.beside !== null && { headKey }) })
}

// Jobs off the main thread: verify the chain, or write an export in chunks of text.
import type { Query } from '../storage/schema.ts'
import type { AuditFilters, OfTeam } from './filter.ts'
import type { SignedHead } from './head.ts'
import { type ExportFormat, report } from './report.ts'
import { walkChain } from './walk.ts'

export type Job =
  | { readonly kind: 'verify'; readonly at: string }
  | ({
      readonly kind: 'export'
      readonly at: string
      readonly format: ExportFormat
      readonly filters: AuditFilters
    } & OfTeam)

export async function* runJob(job: Job, query: Query, signed: SignedHead): AsyncGenerator<string> {
  switch (job.kind) {
    case 'verify':
      yield JSON.stringify(await walkChain(query, signed, job.at))
      return
    case 'export':
      yield* report(job, query, signed)
  }
}

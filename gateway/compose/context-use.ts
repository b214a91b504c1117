// What lists and answers cost models, and kept results as people see them, on the admin API.
import type { MountTable } from '../admin/handlers.ts'
import { OBSERVATION } from '../contract/index.ts'
import { createContextUse } from '../operations/observation/context-use.ts'
import { createKeptResultViews } from '../operations/observation/kept-results.ts'
import { keptResultsOf } from '../storage/kept-results.ts'
import type { ReadWorker } from '../storage/read-worker.ts'
import type { Directory } from '../surfaces/directory.ts'
import type { CountTokens } from '../surfaces/token-counts.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type ContextDeps = {
  readonly mount: MountTable
  readonly directory: Directory
  readonly readWorker: ReadWorker
  readonly countTokens: CountTokens
}

export function mountContext(base: Foundation, calls: Calls, { mount, ...deps }: ContextDeps): void {
  const kept = keptResultsOf(base.database)
  mount(OBSERVATION.context, createContextUse({ ...base, ...calls, ...deps, keptInSession: kept.ofSession }))
  mount(
    OBSERVATION.keptResults,
    createKeptResultViews({ ...base, query: base.database.query, store: kept, results: calls.keptResults }),
  )
}

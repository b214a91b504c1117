// The operations behind the control-plane tools, and their actor.

import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { Backends } from '../operations/backends/backends.ts'
import type { Registration } from '../operations/backends/registration.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import type { Diagnoses } from '../operations/tools/diagnosis.ts'
import type { Tools } from '../operations/tools/tools.ts'
import type { By } from '../records/changes.ts'
import type { AuditTail } from './audit-tail.ts'
import type { SystemCaller } from './caller.ts'
import type { Figures } from './figures.ts'

export type Operations = {
  readonly backends: Backends
  readonly tools: Tools
  readonly bundles: Bundles
  readonly keys: McpKeys
  readonly registration: Registration
  readonly diagnoses: Diagnoses
  readonly figures: Figures
  readonly auditTail: AuditTail
}

/** A call that passed the gates. */
export type SysCall = {
  readonly operations: Operations
  readonly caller: SystemCaller
  readonly by: By
  /** The received arguments without reserved ones. */
  readonly given: Readonly<Record<string, unknown>>
}

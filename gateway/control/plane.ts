// A control-plane call: gates, the tool's operation, and a call row for every outcome.

import { GatewayError } from '../contract/error.ts'
import type { Spend } from '../http/limits.ts'
import type { CallToolResult } from '../outcome/outcome.ts'
import type { Reserved, Talk } from '../pipeline/call.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { asUnavailable } from '../storage/storage-error.ts'
import type { Log } from '../telemetry/log.ts'
import type { SystemCaller } from './caller.ts'
import { createGates, mayUseTool } from './gates.ts'
import type { Operations } from './operations.ts'
import type { Recorder } from './record.ts'
import { type SysError, sysError, sysResult } from './result.ts'
import type { SysTool } from './tool.ts'
import { SYS_TOOLS } from './tools.ts'

export type SysRequest = {
  readonly caller: SystemCaller
  readonly name: string
  /** Reserved ones removed. */
  readonly given: Readonly<Record<string, unknown>>
  readonly reserved: Reserved
  readonly requestId: string
  /** The client's address, for rate limits. */
  readonly ip: string
  readonly sessionHash: string | null
  readonly program?: string | null
  readonly traceId: string | null
  readonly bytes: number
  /** Elicitation of its client, if supported. */
  readonly talk: Talk | undefined
  readonly onCancel: (cancel: () => void) => void
}

export type Plane = ReturnType<typeof createPlane>

type PlaneDeps = {
  readonly operations: Operations
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly record: Recorder
  /** Consumes a permit of a route's rate limit; returns the refusal if exhausted. */
  readonly spend: Spend
  /** Resolves when ended sessions are stored as ended, even if the process is killed. */
  readonly endsStored: () => Promise<void>
  /** Throws while calls cannot be recorded. */
  readonly requireOpen: () => void
  readonly log: Pick<Log, 'error'>
  /** Monotonic. */
  readonly monotonic: () => number
}

const INTERNAL: SysError = {
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong inside the gateway; the log has this request id',
}

export function createPlane(parts: PlaneDeps) {
  const { operations, registry, record, spend, endsStored, requireOpen, log, monotonic } = parts
  const tools = new Map(SYS_TOOLS.map((tool) => [tool.name as string, tool]))
  const pass = createGates({ tools, registry, keys: operations.keys, bundles: operations.bundles })

  function errorOf(thrown: unknown, { name, requestId }: SysRequest): SysError {
    const known = asUnavailable(thrown) ?? thrown
    if (known instanceof GatewayError && known.code !== 'INTERNAL_ERROR')
      return { code: known.code, message: known.message }
    log.error('a control-plane call failed inside the gateway', { request_id: requestId, tool: name, error: thrown })
    return INTERNAL
  }

  type Answer = { readonly value: Readonly<Record<string, unknown>> } | { readonly refused: SysError }
  async function answered(request: SysRequest): Promise<Answer> {
    const { caller, given, requestId, ip } = request
    try {
      const verdict = await pass(request)
      if ('refused' in verdict) return verdict
      const { sameAs } = verdict.tool
      const over = sameAs?.rateLimit && (await spend(sameAs.rateLimit, ip, `${sameAs.method} ${sameAs.path}`))
      if (over) throw over
      const by = { actor: caller.actor, requestId }
      const value = await verdict.prepared.run({ operations, caller, by, given })
      if (!verdict.tool.listed.annotations.readOnlyHint) await endsStored()
      return { value }
    } catch (thrown) {
      return { refused: errorOf(thrown, request) }
    }
  }

  return {
    /** The tools of a caller's tier, by name. */
    visible: (caller: SystemCaller): readonly SysTool[] => SYS_TOOLS.filter((tool) => mayUseTool(caller, tool)),
    async call(request: SysRequest): Promise<CallToolResult> {
      requireOpen()
      const started = monotonic()
      const answer = await answered(request)
      const error = 'refused' in answer ? answer.refused : undefined
      const result = 'refused' in answer ? sysError(answer.refused, request.requestId) : sysResult(answer.value)
      const known = tools.has(request.name)
      await record({ request, known, error, durationMs: monotonic() - started, responseBytes: textOf(result).length })
      return result
    },
  }
}

const textOf = ({ content: [first] }: CallToolResult): string => (typeof first?.text === 'string' ? first.text : '')

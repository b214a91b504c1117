// Which calls enter the audit chain, and what their entries tell: never the arguments, only their hash. Contract 13.3.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { RESULT_TOOL } from '../../contract/names.ts'
import { REFUSAL_GATE, type RefusalCode } from '../../contract/refusal.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { Mark } from '../../storage/batch.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { argsHash } from '../args-hash.ts'
import type { ToolCall } from '../call.ts'
import type { ResultCall } from '../run-result.ts'

export type AuditedCall = Pick<
  ToolCall,
  'requestId' | 'caller' | 'surface' | 'backend' | 'tool' | 'args' | 'relayed' | 'acting' | 'actor'
>

export type CallEntry = {
  readonly actor: string
  readonly teamId: number | null
  readonly target: string
  readonly detail: Readonly<Record<string, unknown>>
}

export type CallAudit = {
  note(
    call: AuditedCall,
    outcome: Outcome,
    label: string,
    durationMs: number,
    facts: { readonly gated: boolean; readonly ticket: number | null },
  ): void
  /** A call that was kept off before its tool was looked for. */
  noteOutside(call: Pick<ToolCall, 'requestId' | 'caller' | 'surface' | 'calledAs'>): void
  /** A question to a kept result, which no configured gate stands before. */
  noteResult(call: ResultCall, outcome: Outcome, label: string, durationMs: number): void
  close(): Promise<void>
}
type Options = {
  readonly mode: 'off' | 'gated' | 'all'
  /** Appends them once, however often it is asked under one mark. */
  readonly append: (entries: readonly CallEntry[], mark: Mark) => Promise<void>
  readonly onError: (error: unknown, entries: number, lost: boolean) => void
  readonly closeMs?: number
}

const AT_MOST_EVERY_MS = 50
const AT_ONCE = 500
/** While the database is away, calls are refused within a second: what waits comes from the calls before. */
const MOST_WAITING = 20_000
const AGAIN_MS = 500
const CLOSE_MS = 5_000

/** Refusals by a configured gate; the others are routine. */
const GATED: ReadonlySet<RefusalCode> = new Set([
  'allowed_key',
  'key_scope',
  'guardrail_input',
  'confirm_required',
  'quarantine',
  'approval',
])

/** Whom the backend was called as, and through whom; of the token its hash. */
function identityOf({ acting, caller, actor }: AuditedCall) {
  if (acting === undefined) return {}
  const { mode, principal, issuer, tokenHash } = acting
  const actors = [caller.name, ...(actor === undefined ? [] : [actor])]
  return { identity: { mode, principal: principal.name, actors, issuer, tokenHash } }
}

function howItEnded(outcome: Outcome, label: string, durationMs: number) {
  const code = outcome.kind === 'refused' ? outcome.code : null
  const gate = code === null ? null : REFUSAL_GATE[code]
  return { outcome: label, code, gate, durationMs: Math.round(durationMs) }
}

export function createCallAudit({ mode, append, onError, closeMs = CLOSE_MS }: Options): CallAudit {
  const writer = randomUUID()
  let bursts = 0
  let waiting: CallEntry[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let closesAt = Number.POSITIVE_INFINITY

  /** Kept until the database takes them, or this process ends. */
  async function appended(batch: readonly CallEntry[]): Promise<void> {
    const mark = { writer, burst: ++bursts }
    for (let attempt = 1; ; attempt++)
      try {
        await append(batch, mark)
        return
      } catch (error) {
        const lost = !(error instanceof StorageError) || error.reason === 'closed' || performance.now() >= closesAt
        if (lost || attempt === 1) onError(error, batch.length, lost)
        if (lost) return
        await pause(AGAIN_MS)
      }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await appended(waiting.splice(0, AT_ONCE))
    flushing = undefined
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    flushing ??= drain()
  }

  function add(entry: CallEntry): void {
    if (waiting.length >= MOST_WAITING) {
      onError(new Error('Too many audit entries wait for the database'), 1, true)
      return
    }
    waiting.push(entry)
    if (!flushing) timer ??= setTimeout(flush, AT_MOST_EVERY_MS)
  }

  return {
    note(call, outcome, label, durationMs, { gated, ticket }) {
      const { requestId, caller, surface, backend, tool, args, relayed } = call
      const code = outcome.kind === 'refused' ? outcome.code : null
      if (mode === 'off' || (mode === 'gated' && !gated && (code === null || !GATED.has(code)))) return
      add({
        actor: caller.name,
        teamId: backend.teamId,
        target: relayed ? backend.name : `${backend.name}__${tool.name}`,
        detail: {
          request_id: requestId,
          ...howItEnded(outcome, label, durationMs),
          surface,
          ...(relayed && { method: relayed.method }),
          ...identityOf(call),
          argsHash: argsHash(backend.name, relayed?.method ?? tool.name, args),
          // The one it used, or the one it has to wait for: never one that the caller only named.
          approvalId: (outcome.kind === 'refused' ? outcome.approval?.id : undefined) ?? ticket,
        },
      })
    },
    noteOutside({ requestId, caller, surface, calledAs }) {
      if (mode === 'off') return
      add({
        actor: caller.name,
        teamId: caller.teamId,
        target: calledAs,
        detail: {
          request_id: requestId,
          outcome: 'refused',
          code: 'key_scope',
          gate: REFUSAL_GATE.key_scope,
          durationMs: 0,
          surface,
          argsHash: null,
          approvalId: null,
        },
      })
    },
    noteResult({ requestId, caller, surface, args, method }, outcome, label, durationMs) {
      if (mode !== 'all') return
      add({
        actor: caller.name,
        teamId: caller.teamId,
        target: RESULT_TOOL,
        detail: {
          request_id: requestId,
          ...howItEnded(outcome, label, durationMs),
          surface,
          ...(method !== null && { method }),
          argsHash: argsHash('', method ?? RESULT_TOOL, args),
          approvalId: null,
        },
      })
    },
    async close() {
      closesAt = performance.now() + closeMs
      flush()
      await flushing
    },
  }
}

// Which calls enter the audit chain, and what their entries tell: never the arguments, only their hash. Contract 13.3.
import { REFUSAL_GATE, type RefusalCode } from '../../contract/refusal.ts'
import { argsHash } from '../args-hash.ts'
import type { Outcome, ToolCall } from '../call.ts'

export type AuditedCall = Pick<ToolCall, 'requestId' | 'caller' | 'surface' | 'backend' | 'tool' | 'args'>

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
  close(): Promise<void>
}
type Options = {
  readonly mode: 'off' | 'gated' | 'all'
  readonly append: (entries: readonly CallEntry[]) => Promise<void>
  readonly onError: (error: unknown, entries: number) => void
}

const AT_MOST_EVERY_MS = 50

/** Refusals by a gate that somebody set up; the others are weather. */
const GATED: ReadonlySet<RefusalCode> = new Set([
  'allowed_key',
  'key_scope',
  'guardrail_input',
  'confirm_required',
  'quarantine',
  'approval',
])

export function createCallAudit({ mode, append, onError }: Options): CallAudit {
  let waiting: CallEntry[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length > 0)
      flushing = flushing.then(() => append(batch)).catch((error: unknown) => onError(error, batch.length))
    return flushing
  }

  function add(entry: CallEntry): void {
    waiting.push(entry)
    timer ??= setTimeout(() => void flush(), AT_MOST_EVERY_MS)
  }

  return {
    note({ requestId, caller, surface, backend, tool, args }, outcome, label, durationMs, { gated, ticket }) {
      const code = outcome.kind === 'refused' ? outcome.code : null
      if (mode === 'off' || (mode === 'gated' && !gated && (code === null || !GATED.has(code)))) return
      add({
        actor: caller.name,
        teamId: backend.teamId,
        target: `${backend.name}__${tool.name}`,
        detail: {
          request_id: requestId,
          outcome: label,
          code,
          gate: code === null ? null : REFUSAL_GATE[code],
          durationMs: Math.round(durationMs),
          surface,
          argsHash: argsHash(backend.name, tool.name, args),
          // The one it used, or the one it was told to wait for: never what the caller only said.
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
    close: flush,
  }
}

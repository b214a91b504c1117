// A backend inside the process, such as the PCG bridge: no address, no credential, the same outcome.

import type { PcgCode } from '#pcg-contract'
import type { FailureKind } from '../../contract/refusal.ts'
import type { CallToolResult, Outcome, Refused } from '../../outcome/outcome.ts'
import type { LocalBackend } from '../../registry/backend.ts'
import { milliseconds } from '../../text/amounts.ts'
import { foreignText, foreignValue, NOTHING_WITHHELD } from '../../text/foreign-text.ts'
import type { AdmitAgain } from '../0-admission/again.ts'
import type { ToolCall } from '../call.ts'
import type { Prepared } from './prepared.ts'

type Context = {
  readonly timeoutMs: number
  readonly shaping: Pick<Prepared, 'redact' | 'transform'>
  readonly structured: boolean
  readonly onStart: (cancel: () => void) => void
  readonly admitAgain: AdmitAgain
}

export async function sendLocal(
  local: LocalBackend,
  call: ToolCall,
  { timeoutMs, shaping: { redact, transform }, structured, onStart, admitAgain }: Context,
): Promise<Outcome> {
  const cancelled = new AbortController()
  let refused: Refused | undefined
  const stopped = Promise.withResolvers<Outcome>()
  const stop = (outcome: Outcome): void => {
    cancelled.abort()
    stopped.resolve(outcome)
  }
  onStart(() => stop({ kind: 'failed', failure: 'cancelled', text: 'Cancelled', retryable: false }))
  const timer = setTimeout(
    () =>
      stop({
        kind: 'failed',
        failure: 'timeout',
        text: `Timed out after ${milliseconds(timeoutMs)}`,
        retryable: false,
      }),
    timeoutMs,
  )
  const answered = local
    .call(call.tool.definition.sourceName, call.args, {
      actor: call.caller.name,
      program: call.program ?? undefined,
      requestId: call.requestId,
      session: call.sessionHash,
      source: call.edit ? 'ui' : 'mcp',
      ...call.edit,
      signal: cancelled.signal,
      onProgress: ({ progress, total, message }) => call.onProgress?.(progress, total, message),
      mayStart: async () => {
        refused = await admitAgain(call)
        return refused === undefined
      },
    })
    .then((answer): Outcome => {
      if (refused) return refused
      if (answer.ok) {
        const changed = transform ? transform(answer.result) : answer.result
        // A transform takes what it names; pictures would pass it by.
        const images = transform ? [] : (answer.images ?? [])
        return { kind: 'ok', result: resultOf(foreignValue(changed, { secrets: [], redact }), structured, images) }
      }
      return {
        kind: 'failed',
        failure: failureOf(answer.code),
        text: foreignText(answer.message, NOTHING_WITHHELD),
        retryable: answer.code === 'EDITOR_BUSY',
        details: { code: answer.code },
      }
    })
  try {
    return await Promise.race([answered, stopped.promise])
  } finally {
    clearTimeout(timer)
  }
}

function failureOf(code: PcgCode): FailureKind {
  if (code === 'EDITOR_BUSY') return 'editor_busy'
  return code === 'EDITOR_UNAVAILABLE' ? 'editor_unavailable' : 'upstream_error'
}

function resultOf(value: unknown, structured: boolean, images: readonly string[]): CallToolResult {
  const content = [
    { type: 'text', text: JSON.stringify(value ?? null) },
    ...images.map((data) => ({ type: 'image', data, mimeType: 'image/png' })),
  ]
  // A JSON object by the test; the results of a backend in the process are plain data.
  return structured && typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { content, structuredContent: value as Record<string, unknown> }
    : { content }
}

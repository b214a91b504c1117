// An answer that was written down: instead of the backend, or where the backend could not answer. Contract 8.9.
import { setTimeout as pause } from 'node:timers/promises'
import type { Mock } from '../../contract/admin/tool-features.ts'
import { failed } from '../../outcome/failed.ts'
import type { CallToolResult, Outcome } from '../../outcome/outcome.ts'
import type { ToolCall } from '../call.ts'
import type { Layer } from './layer.ts'

/** What it stands in for besides an upstream that failed: one that cannot be asked at all. */
const UNASKED: ReadonlySet<string> = new Set(['circuit_open', 'unreachable'])

/** Whether the backend did not answer, or answered that it is broken. */
function isAway(outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return UNASKED.has(outcome.code)
  if (outcome.kind === 'ok') return false
  const { failure, status = 0 } = outcome
  return failure === 'timeout' || failure === 'network' || (failure === 'upstream_status' && status >= 500)
}

function resultOf(response: Mock['response'], structured: boolean): CallToolResult {
  const text = typeof response === 'string' ? response : JSON.stringify(response)
  const isObject = typeof response === 'object' && response !== null && !Array.isArray(response)
  return { content: [{ type: 'text', text }], ...(isObject && structured ? { structuredContent: response } : {}) }
}

/** Undefined when the tool has none, or has it switched off. */
export function mock(config: Mock | undefined, structured: boolean): Layer | undefined {
  if (!config?.enabled) return undefined
  const { mode, response, isError, delayMs } = config
  const result = resultOf(response, structured)
  const from = { target: 'mock' } as const
  const outcome: Outcome = isError
    ? { ...failed('upstream_error', 'The mock answered an error', false), result, from }
    : { kind: 'ok', result, from }

  async function answered({ onCancel }: ToolCall): Promise<Outcome> {
    if (delayMs === 0) return outcome
    const stop = new AbortController()
    onCancel(() => stop.abort())
    const waited = pause(delayMs, true, { signal: stop.signal }).catch(() => false)
    return (await waited) ? outcome : failed('cancelled', 'Cancelled', false)
  }

  return {
    stage: 'mock',
    async answer(call, next, note) {
      if (mode === 'fallback') {
        const own = await next()
        if (!isAway(own)) return own
      }
      note('hit')
      return answered(call)
    },
  }
}

/** Whether it answers for a backend that is away. */
export const standsIn = (config: Mock | undefined): boolean => config?.enabled === true && config.mode === 'fallback'

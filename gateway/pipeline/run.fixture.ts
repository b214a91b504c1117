// A run with everything around it: a real breaker, room and destinations; what a test gives is asked for the rest.
import { createMemoryBudget } from '../net/memory-budget.ts'
import type { Failed, Outcome } from '../outcome/outcome.ts'
import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import type { AdmitAgain } from './0-admission/again.ts'
import { createBreakers } from './5-breaker/breakers.ts'
import type { Dispatch } from './7-dispatch/index.ts'
import type { CallRow } from './8-audit/call-log.ts'
import type { ToolCall } from './call.ts'
import { BARE, type Chain } from './chain.ts'
import { someTargets } from './pipeline.fixture.ts'
import { createRun } from './run.ts'

export const done: Outcome = { kind: 'ok', result: { content: [{ type: 'text', text: 'fine' }] } }
export const failed = (failure: Failed['failure'], more: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  failure,
  text: 'x',
  retryable: false,
  ...more,
})

export function aRig({
  chain = {},
  dispatch = async () => ({ outcome: done, attempts: 1 }),
  write = async () => undefined,
  admitAgain = async () => undefined,
  mostBytes = 1_000,
  traced = false,
}: {
  chain?: Partial<Chain>
  dispatch?: Dispatch
  write?: (row: CallRow) => Promise<void>
  admitAgain?: AdmitAgain
  mostBytes?: number
  traced?: boolean
} = {}) {
  let now = 0
  const logged: string[] = []
  const rows: CallRow[] = []
  const settled: (readonly [string, boolean])[] = []
  const kept: ToolCall[] = []
  const dispatched: ToolCall[] = []
  const breakers = createBreakers({
    settings: {
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: 1,
      CIRCUIT_BREAKER_WINDOW_MS: 60_000,
      CIRCUIT_BREAKER_RESET_TIMEOUT_MS: 1_000,
      CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: 500,
    },
    monotonic: () => now,
    onTransition: () => undefined,
  })
  const metrics = createMetrics()
  async function written(row: CallRow, then: (error?: unknown) => void): Promise<void> {
    try {
      await write(row)
    } catch (error) {
      then(error)
      return
    }
    rows.push(row)
    then()
  }
  const run = createRun({
    chainOf: () => ({
      ...BARE,
      ...chain,
    }),
    admitAgain,
    budgets: { settle: () => undefined, keepsAbove: () => undefined },
    keep: async () => undefined,
    quota: {
      settle(call, passed) {
        settled.push([call.requestId, passed])
        kept.push(call)
        return null
      },
    },
    breakers,
    targets: someTargets(),
    dispatch: (request) => {
      dispatched.push(request.call)
      return dispatch(request)
    },
    room: createMemoryBudget({ mostBytes, mostWorkBytes: mostBytes }),
    callLog: {
      requireOpen: () => undefined,
      write: (row, then) => void written(row, then),
    },
    audit: undefined,
    metrics,
    log: createLog({ format: 'json', level: 'debug', write: (line) => logged.push(line) }),
    monotonic: () => now,
    clock: { now: () => 1_000 },
    traced,
    onEnd: () => undefined,
  })
  return { run, rows, settled, kept, dispatched, breakers, metrics, logged, pass: (ms: number) => (now += ms) }
}

// What a call inside a script costs beside the call itself. The figure is the time of a script with calls, less the time of a script
// without any, less the time of the same calls one after another without a script, divided by their number. The tool answers at once, so that
// all that is left is the script: its isolate, the way out and back, JSON on both sides, and what the gateway notes for each call.

import { adminCaller } from '../../gateway/operations/tools/admin-caller.ts'
import { reservedOf } from '../../gateway/pipeline/0-admission/reserved.ts'
import type { CompositeCall } from '../../gateway/pipeline/composite/run-composite.ts'
import { createRunScript } from '../../gateway/pipeline/script/run-script.ts'
import { startSpan } from '../../gateway/telemetry/trace.ts'
import type { BenchRow } from './index.ts'
import { median } from './server.ts'

const CALLS = 1_000
const ROUNDS = 15
const EMPTY = 'export default async () => null'
const JS = {
  'one after another': `export default async () => { for (let at = 0; at < ${CALLS}; at++) await call('x__y', { at }) }`,
  'eight at once': `export default async () => {
    await callMany(Array.from({ length: ${CALLS} }, (_, at) => ({ tool: 'x__y', args: { at } })), { parallel: 8 })
  }`,
}

const answered = async () => ({ kind: 'ok', result: { content: [{ type: 'text', text: '{"v":1}' }] } }) as const
const runScript = createRunScript({
  runStep: answered,
  resolved: () => undefined,
  keep: async () => undefined,
  monotonic: () => performance.now(),
  clock: { now: () => Date.now() },
  log: { error: (text) => console.error(text) },
  settings: {
    SCRIPT_TIMEOUT_MS: 60_000,
    SCRIPT_CPU_MS: 30_000,
    SCRIPT_MEMORY_BYTES: 64 * 1_048_576,
    SCRIPT_MAX_CALLS: CALLS,
    MAX_RESPONSE_BYTES: 1_048_576,
    STRUCTURED_OUTPUT: true,
  },
})

const callOf = (js: string): CompositeCall => ({
  requestId: 'bench',
  surface: 'bundle',
  bundle: 'bench',
  sessionHash: null,
  caller: adminCaller({ name: 'bench', kind: 'disabled', role: 'admin', teamId: null }, { known: () => undefined }),
  calledAs: 'bench',
  args: {},
  reserved: reservedOf({}, null),
  requestBytes: 2,
  onCancel: () => undefined,
  onProgress: undefined,
  span: startSpan(null),
  composite: {
    id: 1,
    name: 'bench',
    description: null,
    enabled: true,
    teamId: null,
    revision: 1,
    createdAt: '',
    updatedAt: '',
    createdBy: null,
    inputSchema: { type: 'object' },
    steps: [{ targetClient: 'x', targetTool: 'y' }],
    output: null,
    script: { source: js, js, outputSchema: null, hash: '', author: '' },
    approved: true,
    approvedBy: null,
    approvedAt: null,
  },
})

async function millisecondsOf(js: string): Promise<number> {
  const call = callOf(js)
  const since = performance.now()
  const outcome = await runScript(call, {})
  const took = performance.now() - since
  if (outcome.kind !== 'ok') throw new Error(`The script failed: ${outcome.text}`)
  return took
}

async function withoutScript(): Promise<number> {
  const since = performance.now()
  for (let at = 0; at < CALLS; at++) await answered()
  return performance.now() - since
}

export async function scriptRows(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = []
  for (const [how, js] of Object.entries(JS)) {
    const times: number[] = []
    const starts: number[] = []
    const calls: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      starts.push(await millisecondsOf(EMPTY))
      times.push(await millisecondsOf(js))
      calls.push(await withoutScript())
    }
    const start = median(starts)
    const took = ((median(times) - start - median(calls)) * 1_000) / CALLS
    rows.push({
      label: `Overhead of a call inside a script, ${how}`,
      value: `${took.toFixed(0)} µs`,
      beside: `${start.toFixed(1)} ms to start a script`,
      aim: '≤ 100 µs',
      met: took <= 100,
    })
  }
  return rows
}

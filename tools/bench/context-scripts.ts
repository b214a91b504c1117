// What a call inside a script costs beside the call itself: the way out of its isolate and back.
import { runIsolated } from '../../gateway/pipeline/script/isolates.ts'
import type { BenchRow } from './index.ts'
import { median } from './server.ts'

const CALLS = 1_000
const ROUNDS = 9
const ANSWER = JSON.stringify({ isError: false, text: '{"v":1}', json: { v: 1 } })
const EMPTY = 'export default async () => {}'
const JS = {
  'one after another': `export default async () => { for (let at = 0; at < ${CALLS}; at++) await call('x__y', { at }) }`,
  'eight at once': `export default async () => {
    await callMany(Array.from({ length: ${CALLS} }, (_, at) => ({ tool: 'x__y', args: { at } })), { parallel: 8 })
  }`,
}

async function millisecondsOf(js: string): Promise<number> {
  const since = performance.now()
  const end = await runIsolated({
    js,
    input: '{}',
    startedMs: 0,
    limits: { timeoutMs: 60_000, cpuMs: 30_000, memoryBytes: 64 * 1_048_576, calls: CALLS, parallel: 8 },
    onAsked: async () => ANSWER,
    onLog: () => undefined,
    onCancel: () => undefined,
  })
  if ('failure' in end) throw new Error(`The script failed: ${end.failure.message}`)
  return performance.now() - since
}

export async function scriptRows(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = []
  for (const [how, js] of Object.entries(JS)) {
    const times: number[] = []
    const starts: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      starts.push(await millisecondsOf(EMPTY))
      times.push(await millisecondsOf(js))
    }
    const start = median(starts)
    const took = ((median(times) - start) * 1_000) / CALLS
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

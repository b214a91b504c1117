// Five minutes of three times the load a gateway can serve: what it still serves, how fast it refuses, when it is as before. Security case NF-08.
import { ask, GANTRY, gantryEnv, TOOL, UPSTREAM } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { endure, type Times } from './overload-load.ts'
import { keepOn, residentMiB, startServer } from './server.ts'

const GREEDY_KEY = 'bench-key-of-the-greedy-one'
/** A principal has ten times the budget of a session: enough of them that patience is never refused. */
const KEYS = Array.from({ length: 128 }, (_none, at) => `bench-key-of-a-patient-one-${at}`)
const PATIENT = 2_000
const PEAK_MS = 10_000
const OVERLOAD_MS = 300_000
const RECOVERY_MS = 60_000

/** With the default limit of calls, so that callers beyond it are refused with that reason; the address is the same for all, and has none. */
const env = { ...gantryEnv, MCP_API_KEYS: [...KEYS, GREEDY_KEY].join(','), RATE_LIMIT_MCP: '1000' }

const perSecond = ({ perSecond: rate }: Times): string => `${rate.toFixed(0)} /s`
const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

export const overload: BenchPart = {
  name: 'overload',
  async run() {
    const upstream = await startServer(UPSTREAM)
    const gantry = await startServer(GANTRY, env)
    try {
      keepOn(gantry.pid, 0)
      for (const pid of [upstream.pid, process.pid]) keepOn(pid, 1)
      await ask(gantry, 'POST', '/register', { name: 'items', base_url: upstream.url, tools: [TOOL] })
      const before = residentMiB(gantry.pid)
      const { peak, offeredPerSecond, served, refused, odd, normalAfterMs } = await endure({
        url: gantry.url,
        path: '/mcp/items',
        keys: KEYS,
        greedyKey: GREEDY_KEY,
        patient: PATIENT,
        peakMs: PEAK_MS,
        overloadMs: OVERLOAD_MS,
        recoveryMs: RECOVERY_MS,
      })
      const kept = served.perSecond / peak.perSecond
      const rows: BenchRow[] = [
        {
          label: `served of ${offeredPerSecond.toFixed(0)} calls a second`,
          value: perSecond(served),
          beside: `${perSecond(peak)} at its peak`,
          ratio: kept.toFixed(2),
          aim: '≥ 0.80',
          met: kept >= 0.8,
        },
        {
          label: 'p99 of what is served',
          value: ms(served.p99),
          beside: `p50 ${ms(served.p50)}, ${ms(peak.p99)} at its peak`,
        },
        {
          label: 'p99 of a refusal',
          value: ms(refused.p99),
          beside: `p50 ${ms(refused.p50)}, ${perSecond(refused)}`,
        },
        {
          label: 'as before after',
          value: normalAfterMs === undefined ? 'not at all' : ms(normalAfterMs),
          aim: '≤ 10 s',
          met: (normalAfterMs ?? Number.POSITIVE_INFINITY) <= 10_000,
        },
        {
          label: 'answers that were neither',
          value: [...odd.values()].reduce((sum, count) => sum + count, 0).toString(),
          beside: [...odd.keys()][0] ?? '',
          aim: 'none',
          met: odd.size === 0,
        },
        {
          label: 'memory afterwards',
          value: `${residentMiB(gantry.pid).toFixed(0)} MiB`,
          beside: `${before.toFixed(0)} MiB before`,
        },
      ]
      return rows
    } finally {
      keepOn(process.pid, 'all')
      await Promise.all([gantry.stop(), upstream.stop()])
    }
  },
}

// Start and memory of the built gateway beside a minimal translator, in fresh processes and in turns, on a core of their own.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ADMIN, aFolder, BARE, GANTRY, KEY } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { FEWEST_ROUNDS, quietRounds } from './quiet.ts'
import { AROUND, keepOn, MEASURED, median, residentMiB, startServer, wait } from './server.ts'

const ROUNDS = 5
const IDLE_MS = 3_000
const KEYS = { MCP_API_KEYS: KEY, ADMIN_API_KEYS: ADMIN }

type Sample = { readonly cpuMs: number; readonly startMs: number; readonly idleMiB: number }
type Round = { readonly bare: Sample; readonly existing: Sample; readonly empty: Sample }

function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * 10
}

async function sample(entry: string, env: Readonly<Record<string, string>>): Promise<Sample> {
  const server = await startServer(entry, env, MEASURED)
  const started = cpuMs(server.pid)
  await wait(IDLE_MS)
  const idleMiB = residentMiB(server.pid)
  await server.stop()
  return { cpuMs: started, startMs: server.startMs, idleMiB }
}

function* rows(rounds: readonly Round[]): Generator<BenchRow> {
  const lines = [
    ['start on an existing database, CPU', 'existing', 'cpuMs', 'ms', 1.4],
    ['start on an empty database, CPU', 'empty', 'cpuMs', 'ms', 2.5],
    ['start on an existing database, time', 'existing', 'startMs', 'ms', 1.4],
    ['idle memory (RSS)', 'existing', 'idleMiB', 'MiB', 1.4],
  ] as const
  for (const [label, which, what, unit, most] of lines) {
    const aim = `≤ ${most}`
    if (rounds.length < FEWEST_ROUNDS) {
      yield { label, value: 'noisy', aim }
      continue
    }
    const shown = (of: keyof Round) => `${median(rounds.map((round) => round[of][what])).toFixed(0)} ${unit}`
    const ratio = median(rounds.map((round) => round[which][what] / round.bare[what]))
    const beside = `${shown('bare')} beside`
    yield { label, value: shown(which), beside, ratio: ratio.toFixed(2), aim, met: ratio <= most }
  }
}

export const start: BenchPart = {
  name: 'start',
  async *run() {
    const existing = { ...KEYS, DB_PATH: path.join(aFolder(), 'existing.db') }
    keepOn(process.pid, AROUND)
    try {
      await sample(GANTRY, existing)
      const round = async (): Promise<Round> => ({
        bare: await sample(BARE, { UPSTREAM: 'http://127.0.0.1:9' }),
        existing: await sample(GANTRY, existing),
        empty: await sample(GANTRY, KEYS),
      })
      yield* rows(await quietRounds(ROUNDS, round))
    } finally {
      keepOn(process.pid, 'all')
    }
  },
}

// The built gateway beside a bare Fastify server with an open database, in turns: cold start, idle memory, /health.
import path from 'node:path'
import { GANTRY, KEY, PERSON } from './gateway.ts'
import type { BenchPart } from './index.ts'
import { median, residentMiB, startServer, throughput, wait } from './server.ts'

const ROUNDS = 5
const BARE = path.join(import.meta.dirname, 'bare.mjs')

type Sample = { readonly startMs: number; readonly idleMiB: number; readonly rate: number }

async function sample(entry: string, env: Readonly<Record<string, string>>): Promise<Sample> {
  const server = await startServer(entry, env)
  await wait(1_000)
  const idleMiB = residentMiB(server.pid)
  const rate = await throughput(server.url, '/health')
  await server.stop()
  return { startMs: server.startMs, idleMiB, rate }
}

export const house: BenchPart = {
  name: 'house',
  async run() {
    const pairs: { gantry: Sample; bare: Sample }[] = []
    const env = {
      BOOTSTRAP_ADMIN_USERNAME: PERSON.username,
      BOOTSTRAP_ADMIN_PASSWORD: PERSON.password,
      MCP_API_KEYS: KEY,
    }
    for (let round = 0; round < ROUNDS; round++)
      pairs.push({ gantry: await sample(GANTRY, env), bare: await sample(BARE, {}) })
    const row = (label: string, unit: string, of: (given: Sample) => number, aim: string) => ({
      label,
      unit,
      gantry: median(pairs.map(({ gantry }) => of(gantry))),
      bare: median(pairs.map(({ bare }) => of(bare))),
      ratio: median(pairs.map(({ gantry, bare }) => of(gantry) / of(bare))),
      aim,
    })
    return [
      row('cold start to /livez', 'ms', ({ startMs }) => startMs, '≤ 1.6'),
      row('idle memory (RSS)', 'MiB', ({ idleMiB }) => idleMiB, '≤ 1.5'),
      row('/health with every hook', 'answers/s', ({ rate }) => rate, '≥ 0.6'),
    ].map(({ label, unit, gantry, bare, ratio, aim }) => ({
      label,
      value: `${gantry.toFixed(0)} ${unit}`,
      beside: `${bare.toFixed(0)} ${unit} bare`,
      ratio: ratio.toFixed(2),
      aim,
    }))
  },
}

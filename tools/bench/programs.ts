// Local servers beside what they are compared with: a start beside a direct spawn, a call beside one to an HTTP MCP upstream.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { aFolder, ask, GANTRY, gantryEnv, UPSTREAM } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { type Load, measure } from './mcp-load.ts'
import { startMeasured, targetOf } from './plane.ts'
import { median, type Server, startServer, wait } from './server.ts'

const PROGRAM = path.join(import.meta.dirname, 'plane-program.mjs')
const ROUNDS = 5
const STARTS = 9
const LOAD: Load = { connections: 16, calls: 2_000 }
const WARM: Load = { connections: 16, calls: 4_000 }
const MOST_START_MS = 50
const MOST_CALL = 1.3
const HELLO = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'

/** From the spawn to the answer of the handshake. */
function spawned(): Promise<number> {
  const since = performance.now()
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.write(HELLO)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.stdout.once('data', () => {
      const tookMs = performance.now() - since
      child.once('exit', () => resolve(tookMs))
      child.stdin.end()
    })
  })
}

type State = { readonly startMs: number; readonly handshakeMs: number }

async function restarted(gantry: Server): Promise<number> {
  const route = '/admin-api/local-servers/program'
  const { startMs, handshakeMs } = JSON.parse(await ask(gantry, 'POST', `${route}/restart`, {})) as State
  return startMs + handshakeMs
}

async function listed(gantry: Server): Promise<void> {
  while (!(await ask(gantry, 'POST', '/admin-api/local-servers/program/restart', {})).includes('"state":"idle"'))
    await wait(50)
}

async function* rows(gantry: Server): AsyncIterable<BenchRow> {
  const direct: number[] = []
  const ours: number[] = []
  for (let start = 0; start < STARTS; start += 1) {
    direct.push(await spawned())
    ours.push(await restarted(gantry))
  }
  const over = median(ours) - median(direct)
  yield {
    label: 'start to handshake, ms',
    value: median(ours).toFixed(0),
    beside: `${median(direct).toFixed(0)} direct spawn`,
    aim: `≤ direct + ${MOST_START_MS} ms`,
    met: over <= MOST_START_MS,
  }
  const program = targetOf(gantry, 'program')
  const http = targetOf(gantry, 'http')
  for (const target of [program, http]) await measure(target, WARM)
  const pairs: { readonly mine: number; readonly base: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const base = (await measure(http, LOAD)).cpuUs
    pairs.push({ base, mine: (await measure(program, LOAD)).cpuUs })
  }
  const ratio = median(pairs.map(({ mine, base }) => mine / base))
  yield {
    label: 'CPU of a call, µs',
    value: median(pairs.map(({ mine }) => mine)).toFixed(0),
    beside: `${median(pairs.map(({ base }) => base)).toFixed(0)} HTTP MCP upstream`,
    ratio: ratio.toFixed(2),
    aim: `≤ ${MOST_CALL} ×`,
    met: ratio <= MOST_CALL,
  }
}

export const programs: BenchPart = {
  name: 'programs',
  async *run() {
    const file = path.join(aFolder(), 'servers.json')
    const entry = { command: process.execPath, args: [PROGRAM] }
    writeFileSync(file, JSON.stringify({ mcpServers: { program: entry } }), { mode: 0o600 })
    const upstream = await startServer(UPSTREAM)
    const gantry = await startMeasured(GANTRY, { ...gantryEnv, LOCAL_SERVERS_FILE: file })
    try {
      await listed(gantry)
      await ask(gantry, 'POST', '/register', { name: 'http', mcp_url: `${upstream.url}/mcp` })
      yield* rows(gantry)
    } finally {
      await gantry.stop()
      await upstream.stop()
    }
  },
}

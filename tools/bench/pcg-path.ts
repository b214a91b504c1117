// The point pipeline of `pcg-bridge/bench.ts` over MCP: HTTP, guards, rows, queue, worker; beside the loop written by hand.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { benchGraph, byHandMs, CELL } from '../../pcg-bridge/bench.ts'
import { emptyGraph } from '../../pcg-bridge/editor/document.ts'
import type { BenchRow } from './index.ts'
import { type Server, startServer, wait } from './server.ts'

const GANTRY = path.join(import.meta.dirname, '..', '..', 'dist', 'gateway', 'serve.js')
const KEY = 'bench-key-0123456789abcdef'
const SIZES = [1e4, 1e5, 1e6] as const
const LEAST_ROUNDS = 12
/** As long as the loop by hand runs: until the compiler is done with a thread that stays warm between runs. */
const LONG_ENOUGH_MS = 3000

async function call(server: Server, tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}/mcp/pcg`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${KEY}`,
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
  })
  const { result } = (await answer.json()) as {
    result?: { isError?: boolean; structuredContent?: Record<string, unknown> }
  } // the shape of the protocol
  if (!result?.structuredContent || result.isError) throw new Error(`${tool} failed: ${JSON.stringify(result)}`)
  return result.structuredContent
}

/** From the call to generate to the answer that it is done. */
async function generated(server: Server, actor_name: unknown): Promise<number> {
  await call(server, 'cleanup_pcg_component', { actor_name, remove_components: true })
  const since = performance.now()
  await call(server, 'generate_pcg_component', { actor_name })
  while ((await call(server, 'get_pcg_component_info', { actor_name }))['is_generating'] === true) await wait(1)
  return performance.now() - since
}

/** The best of the rounds in wall time: other load only adds to it. */
export async function pathRows(): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pcg-path-'))
  try {
    const graphs = path.join(folder, 'pcg-project', 'Content', 'PCG')
    mkdirSync(graphs, { recursive: true })
    const graph = JSON.stringify({ ...emptyGraph(), ...benchGraph })
    writeFileSync(path.join(graphs, 'Bench.pcg.json'), graph)
    const server = await startServer(GANTRY, {
      DATA_DIR: folder,
      PCG_ENABLED: 'true',
      MCP_API_KEYS: KEY,
      RATE_LIMIT_MCP: '1000000000',
      RATE_LIMIT_GLOBAL: '1000000000',
    })
    try {
      const rows: BenchRow[] = []
      for (const points of SIZES) {
        const side = (Math.sqrt(points) * CELL) / 2
        const { actor_name } = await call(server, 'spawn_pcg_volume', {
          extent: [side, side, 1000],
          pcg_graph_path: '/Game/PCG/Bench',
        })
        const times: number[] = []
        const until = performance.now() + LONG_ENOUGH_MS
        while (times.length < LEAST_ROUNDS || performance.now() < until) times.push(await generated(server, actor_name))
        const [ours, hand] = [Math.min(...times), byHandMs(points)]
        rows.push({
          label: `generate ${points.toLocaleString('en')} points over MCP`,
          value: `${ours.toFixed(1)} ms`,
          beside: `${hand.toFixed(1)} ms in a loop by hand`,
          ratio: (hand / ours).toFixed(2),
          aim: '≥ 0.9',
        })
      }
      return rows
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// The point pipeline of `pcg-bridge/bench.ts` over MCP: HTTP, guards, rows, queue, worker; beside the loop written by hand.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { benchGraph, byHandMs, CELL } from '../../pcg-bridge/bench.ts'
import { emptyGraph } from '../../pcg-bridge/editor/document.ts'
import { aFolder, callTool, GANTRY, gantryEnv } from './gateway.ts'
import type { BenchRow } from './index.ts'
import { type Server, startServer, wait } from './server.ts'

const SIZES = [1e4, 1e5, 1e6] as const
const LEAST_ROUNDS = 12
/** As long as the loop by hand runs: until the compiler is done with a thread that stays warm between runs. */
const LONG_ENOUGH_MS = 3000

/** From the call to generate to the answer that it is done. */
async function generated(server: Server, actor_name: unknown): Promise<number> {
  await callTool(server, 'cleanup_pcg_component', { actor_name, remove_components: true })
  const since = performance.now()
  await callTool(server, 'generate_pcg_component', { actor_name })
  while ((await callTool(server, 'get_pcg_component_info', { actor_name }))['is_generating'] === true) await wait(1)
  return performance.now() - since
}

/** The best of the rounds in wall time: other load only adds to it. */
export async function pathRows(): Promise<BenchRow[]> {
  const folder = aFolder()
  const graphs = path.join(folder, 'pcg-project', 'Content', 'PCG')
  mkdirSync(graphs, { recursive: true })
  writeFileSync(path.join(graphs, 'Bench.pcg.json'), JSON.stringify({ ...emptyGraph(), ...benchGraph }))
  const server = await startServer(GANTRY, { ...gantryEnv, DATA_DIR: folder, PCG_ENABLED: 'true' })
  try {
    const rows: BenchRow[] = []
    for (const points of SIZES) {
      const side = (Math.sqrt(points) * CELL) / 2
      const at = { extent: [side, side, 1000], pcg_graph_path: '/Game/PCG/Bench' }
      const { actor_name } = await callTool(server, 'spawn_pcg_volume', at)
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
}

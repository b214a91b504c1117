// The editor bridge: generation beside the same arithmetic by hand, a large graph, a steady stream of calls, memory.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchGeneration, peakColumnBytes } from '../../pcg-bridge/bench.ts'
import { benchNodes } from '../../pcg-bridge/bench-nodes.ts'
import type { CallContext, HostedEditor } from '../../pcg-bridge/contract/index.ts'
import { emptyGraph } from '../../pcg-bridge/editor/document.ts'
import { openEmbeddedEditor } from '../../pcg-bridge/embedded/index.ts'
import { createHosted } from '../../pcg-bridge/hosted/hosted.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { pathRows } from './pcg-path.ts'
import { reviewRows } from './pcg-review.ts'
import { sweepRow } from './pcg-sweep.ts'
import { timed } from './timed.ts'

const WHO: CallContext = { actor: 'bench', source: 'mcp' }
const CALLS_PER_SECOND = 20
/** A minute, or less when in a hurry. */
const SECONDS = Number(process.env.PCG_BENCH_SECONDS ?? 60)

async function withEditor<T>(
  prepare: (directory: string) => Promise<void>,
  work: (hosted: HostedEditor) => Promise<T>,
) {
  const directory = await mkdtemp(path.join(tmpdir(), 'pcg-bench-'))
  try {
    await prepare(directory)
    const editor = await openEmbeddedEditor({ directory })
    const hosted = createHosted({
      editor,
      sidecarDir: path.join(directory, 'layouts'),
      queueMax: 1000,
      callTimeoutMs: 60_000,
    })
    try {
      return await work(hosted)
    } finally {
      await hosted.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A chain of a thousand nodes, as its asset lies on disk. */
async function thousandNodes(directory: string): Promise<void> {
  const nodes = Array.from({ length: 1000 }, (_, at) => ({
    name: `Noise_${at}`,
    class: 'PCGDensityNoiseSettings',
    properties: {},
  }))
  const edges = nodes.slice(1).map(({ name }, at) => ({ from: `Noise_${at}`, fromPin: 'Out', to: name, toPin: 'In' }))
  const folder = path.join(directory, 'Content', 'PCG')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'Large.pcg.json'), JSON.stringify({ ...emptyGraph(), nodes, edges }))
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

function largeGraph(): Promise<BenchRow> {
  return withEditor(thousandNodes, async (hosted) => {
    const times: number[] = []
    const baseline: number[] = []
    for (let round = 0; round < 30; round++) {
      let answer: unknown
      times.push(
        await timed(async () => {
          answer = await hosted.tools.call('get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Large' }, WHO)
        }),
      )
      baseline.push(await timed(() => JSON.stringify(answer)))
    }
    return {
      label: 'get_pcg_graph_info on 1,000 nodes',
      value: `${median(times).toFixed(2)} ms`,
      beside: `${median(baseline).toFixed(2)} ms to write it as JSON`,
      ratio: (median(baseline) / median(times)).toFixed(2),
    }
  })
}

/** Edits at a steady pace, sent without waiting for each other. */
function steadyCalls(): Promise<BenchRow> {
  return withEditor(
    async () => undefined,
    async (hosted) => {
      await hosted.tools.call('create_pcg_graph', { name: 'Steady' }, WHO)
      const at = { pcg_graph_path: '/Game/PCG/Steady' }
      const total = SECONDS * CALLS_PER_SECOND
      const answers: Promise<{ readonly name: unknown; readonly ms: number }>[] = []
      const started = performance.now()
      for (let sent = 0; sent < total; sent++) {
        await sleep(Math.max(0, started + (sent * 1000) / CALLS_PER_SECOND - performance.now()))
        const since = performance.now()
        const call = hosted.tools.call('add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, WHO)
        answers.push(
          call.then((answer) => ({
            name: answer.ok ? answer.result['node_name'] : null,
            ms: performance.now() - since,
          })),
        )
      }
      const done = await Promise.all(answers)
      const named = new Set(done.flatMap(({ name }) => (name === null ? [] : [name])))
      const info = await hosted.tools.call('get_pcg_graph_info', at, WHO)
      const made = info.ok ? Number(info.result['node_count']) : 0
      const lost = total - named.size
      return {
        label: `${CALLS_PER_SECOND} edits/s for ${SECONDS} s`,
        value: `${lost} lost, ${made - named.size} doubled`,
        beside: `median ${median(done.map(({ ms }) => ms)).toFixed(0)} ms, worst ${Math.max(...done.map(({ ms }) => ms)).toFixed(0)} ms`,
        aim: '0 and 0',
      }
    },
  )
}

const RUNS = 40
/** What stands around a run: cleanup, generate and the polls until it ends, less what the nodes took. */
function aroundRun(): Promise<BenchRow> {
  return withEditor(
    async () => undefined,
    async (hosted) => {
      const call = async (name: string, args: Record<string, unknown>) => {
        const answer = await hosted.tools.call(name, args, WHO)
        if (!answer.ok) throw new Error(answer.message)
        return answer.result
      }
      const { asset_path: pcg_graph_path } = await call('create_pcg_graph', { name: 'Around' })
      const { node_name: from_node } = await call('add_pcg_node', {
        pcg_graph_path,
        node_type: 'PCGCreatePointsGridSettings',
      })
      await call('connect_pcg_nodes', { pcg_graph_path, from_node, to_node: 'Output' })
      const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 1000], pcg_graph_path })
      const around: number[] = []
      for (let run = 0; run < RUNS; run++)
        around.push(
          await timed(async () => {
            await call('cleanup_pcg_component', { actor_name, remove_components: true })
            await call('generate_pcg_component', { actor_name })
            while ((await call('get_pcg_component_info', { actor_name }))['is_generating'] === true) await sleep(1)
          }),
        )
      const before = process.cpuUsage()
      for (let run = 0; run < RUNS; run++) {
        await call('cleanup_pcg_component', { actor_name, remove_components: true })
        await call('generate_pcg_component', { actor_name })
        while ((await call('get_pcg_component_info', { actor_name }))['is_generating'] === true) await sleep(1)
      }
      const { user, system } = process.cpuUsage(before)
      return {
        label: 'around a run of 200 points: cleanup, generate, polls',
        value: `${((user + system) / 1000 / RUNS).toFixed(1)} ms of processor`,
        beside: `median ${median(around).toFixed(1)} ms of the clock`,
        aim: '≤ 60 ms',
      }
    },
  )
}

export const pcg: BenchPart = {
  name: 'pcg',
  async run() {
    // First: what earlier rounds left behind would be counted as there before.
    const peak = peakColumnBytes()
    const generation = benchGeneration().map(({ points, enginePointsPerSecond, byHandPointsPerSecond, ratio }) => ({
      label: `generate ${points.toLocaleString('en')} points`,
      value: `${(enginePointsPerSecond / 1e6).toFixed(2)} M points/s`,
      beside: `${(byHandPointsPerSecond / 1e6).toFixed(2)} M by hand`,
      ratio: ratio.toFixed(2),
      aim: '≥ 0.9',
    }))
    const nodes = benchNodes().map(({ node, engineMs, byHandMs, ratio }) => ({
      label: `1,000,000 points: ${node}`,
      value: `${engineMs.toFixed(1)} ms`,
      beside: `${byHandMs.toFixed(1)} ms in a loop by hand`,
      ratio: ratio.toFixed(2),
      aim: '≤ 1.5',
    }))
    const memory = {
      label: 'columns of a chain over 1,000,000 points, at most',
      value: `${(peak / 1_048_576).toFixed(0)} MiB`,
    }
    return [
      ...generation,
      ...(await pathRows()),
      ...nodes,
      ...reviewRows(),
      await sweepRow(),
      memory,
      await aroundRun(),
      await largeGraph(),
      await steadyCalls(),
    ]
  },
}

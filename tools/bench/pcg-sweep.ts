// A sweep on all cores beside the same runs on one.
import { availableParallelism } from 'node:os'
import { emptyGraph, firstLevel } from '../../pcg-bridge/editor/document.ts'
import type { Simulation } from '../../pcg-bridge/editor/simulation.ts'
import { threadsFor } from '../../pcg-bridge/editor/threads.ts'
import type { Job } from '../../pcg-bridge/embedded/generation/plan.ts'
import { testVolume } from '../../pcg-bridge/embedded/test-volume.ts'
import { runOnAllCores } from '../../pcg-bridge/embedded/worker-pool.ts'
import type { BenchRow } from './index.ts'
import { timed } from './timed.ts'

const PATH = '/Game/Sweep'
const RUNS = 4 * availableParallelism()
const MEASURE: Simulation['measure'] = { assertions: [], picture: 96, view: 'component' }

function jobs(): Job[] {
  const node = (name: string, type: string, properties: object) => ({
    name,
    class: type,
    properties: { ...properties },
  })
  const graph = {
    ...emptyGraph(),
    nodes: [
      node('Grid', 'PCGCreatePointsGridSettings', { GridExtents: [20_000, 20_000, 50] }),
      node('Noise', 'PCGAttributeNoiseSettings', {}),
      node('Move', 'PCGTransformPointsSettings', { RotationMax: [0, 360, 0] }),
    ],
    edges: [
      { from: 'Grid', fromPin: 'Out', to: 'Noise', toPin: 'In' },
      { from: 'Noise', fromPin: 'Out', to: 'Move', toPin: 'In' },
      { from: 'Move', fromPin: 'Out', to: 'DefaultOutputNode', toPin: 'Out' },
    ],
  }
  return Array.from({ length: RUNS }, (_, seed) => {
    const actor = testVolume(PATH, [25_000, 25_000, 1000], seed)
    const graphs = { [PATH.toLowerCase()]: graph }
    const actors = [...firstLevel().actors, actor]
    const plan = { root: PATH, graphs, overrides: {}, actor, seed, actors }
    return { plan, limits: { maxPoints: 5_000_000 }, measure: MEASURE }
  })
}

export async function sweepRow(): Promise<BenchRow> {
  const all = jobs()
  await runOnAllCores(all.slice(0, 1), undefined)
  const together = await timed(async () => void (await runOnAllCores(all, undefined)))
  const alone = await timed(async () => {
    // One thread for all: one job after the other, the thread stays.
    await runOnAllCores(all, undefined, undefined, 1)
  })
  const threads = threadsFor(RUNS)
  const times = alone / together
  return {
    label: `sweep of ${RUNS} runs, 160,000 points each`,
    value: `${together.toFixed(0)} ms on ${threads} cores`,
    beside: `${alone.toFixed(0)} ms on one`,
    ratio: times.toFixed(2),
    aim: `≥ 0.7 × ${threads} cores`,
    met: times >= 0.7 * threads,
  }
}

// Simulations of the embedded editor: plans of the open project with other values, run on all cores, nothing stored.

import type { Bounds } from '../contract/index.ts'
import type { ActorDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import type { Simulate, Simulation } from '../editor/simulation.ts'
import type { Job } from './generation/plan.ts'
import { planOf } from './generations.ts'
import { withValues } from './preview.ts'
import { actorAt, type EditorSession, type GraphRef, graphAt, runnableAt } from './session.ts'
import { testVolume } from './test-volume.ts'
import { runOnAllCores } from './worker-pool.ts'

/** An actor that is this box of the world. */
function inCell(actor: ActorDoc, { min, max }: Bounds): ActorDoc {
  const at = (axis: number, sign: number): number => ((max[axis] ?? 0) + sign * (min[axis] ?? 0)) / 2
  return {
    ...actor,
    location: [at(0, 1), at(1, 1), at(2, 1)],
    halfSize: [at(0, -1), at(1, -1), at(2, -1)],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
  }
}

function jobOf(session: EditorSession, maxPoints: number, wanted: Simulation, usualSeed: number): Job {
  const { graph, actor: name, halfSize, scale, cell, seed, values, version, measure } = wanted
  const found = name === null ? testVolume(graph, halfSize, seed ?? usualSeed) : actorAt(session, name)
  const { component } = found
  if (!component?.graph) throw new PcgError('COMPONENT_NOT_FOUND', `${found.name} has no PCG component with a graph`)
  const root = runnableAt(session, component.graph).graph.path
  if (root.toLowerCase() !== runnableAt(session, graph).graph.path.toLowerCase())
    throw new PcgError('INVALID_ARGUMENT', `${found.name} runs ${root}, not ${graph}`)
  let changed: GraphRef | undefined = version ? { ...graphAt(session, root), doc: version } : undefined
  for (const { node, name: field, value } of values)
    changed = withValues(
      session,
      { pcg_graph_path: root, node_name: node ?? undefined, values: { [field]: value } },
      changed,
    )
  const [sx, sy, sz] = found.scale
  const actor: ActorDoc = cell ? inCell(found, cell) : { ...found, scale: [sx * scale, sy * scale, sz] }
  const plan = planOf(session, actor, { ...component, seed: seed ?? component.seed }, changed)
  const others = plan.actors.filter((each) => each.name !== actor.name)
  return { plan: { ...plan, actors: [...others, actor] }, limits: { maxPoints }, measure }
}

export function createSimulate(session: EditorSession, maxPoints: number, usualSeed: number): Simulate {
  return (wanted, { signal, onProgress }) => {
    const jobs = wanted.map((each) => jobOf(session, maxPoints, each, usualSeed))
    return runOnAllCores(jobs, signal, (done) =>
      onProgress?.({ progress: done, total: jobs.length, message: `Run ${done} of ${jobs.length}` }),
    )
  }
}

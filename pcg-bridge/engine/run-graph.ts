// A graph of a file, generated once in a volume on the ground of a new project, with its assertions judged.
import { USUAL_SEED, USUAL_VOLUME } from '../contract/index.ts'
import { firstLevel, type GraphDoc } from '../editor/document.ts'
import type { Measured } from '../editor/simulation.ts'
import { measure } from '../embedded/generation/measure.ts'
import { testVolume } from '../embedded/test-volume.ts'
import { toAsset } from '../review/asset.ts'
import type { ReviewGraph } from '../review/graph.ts'
import { subgraphOf } from '../review/subgraph.ts'

/** In one data; as in an editor. */
const MAX_POINTS = 5_000_000
const UNNAMED = '/Game/Graph'

/** The graph and those that it embeds; `find` returns null for one that does not exist. */
function plannedGraphs(root: ReviewGraph, path: string, find: (path: string) => ReviewGraph | null) {
  const graphs: Record<string, GraphDoc> = {}
  const open: [string, ReviewGraph][] = [[path, root]]
  for (let next = open.shift(); next; next = open.shift()) {
    const [at, graph] = next
    if (graphs[at.toLowerCase()]) continue
    graphs[at.toLowerCase()] = toAsset(graph)
    for (const node of graph.nodes.values()) {
      const inner = subgraphOf(node)
      const found = inner === null ? null : find(inner)
      if (inner !== null && found === null) throw new Error(`it embeds ${inner}, which is not beside it`)
      if (inner !== null && found) open.push([inner, found])
    }
  }
  return graphs
}

export function runGraph(root: ReviewGraph, find: (path: string) => ReviewGraph | null): Measured {
  const path = root.path ?? UNNAMED
  const { volume = USUAL_VOLUME, seed = USUAL_SEED, assertions = [] } = root.tests ?? {}
  const actor = testVolume(path, volume, seed)
  const doc = toAsset(root)
  const plan = {
    root: path,
    graphs: plannedGraphs(root, path, find),
    overrides: {},
    actor,
    seed,
    actors: [...firstLevel().actors, actor],
  }
  // Assertions name nodes by their ids in the text, and the engine by their names.
  const named = doc.tests?.assertions ?? assertions
  return measure({ plan, limits: { maxPoints: MAX_POINTS } }, { assertions: named, picture: null, view: 'component' })
}

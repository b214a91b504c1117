// What the benchmarks run: a graph on one volume.
import { type ActorDoc, emptyGraph, type GraphDoc } from './editor/document.ts'

type BenchGraph = Pick<GraphDoc, 'nodes' | 'edges'> & { readonly halfSize: number; readonly seed: number }

export function benchPlan({ nodes, edges, halfSize, seed }: BenchGraph) {
  const actor: ActorDoc = {
    name: 'Volume',
    label: 'Volume',
    class: 'PCGVolume',
    location: [0, 0, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
    halfSize: [halfSize, halfSize, 1000],
    tags: [],
  }
  const graphs = { '/game/bench': { ...emptyGraph(), nodes, edges } }
  return { root: '/game/bench', graphs, overrides: {}, actor, seed, actors: [actor] }
}

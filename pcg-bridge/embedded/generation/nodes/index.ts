// Every class the embedded editor executes. Any other class passes its input through, with a warning.
import type { Execute, NodeTable } from '../context.ts'
import { actors } from './actors.ts'
import { attributes } from './attributes.ts'
import { bounds } from './bounds.ts'
import { clusters } from './clusters.ts'
import { conversions } from './conversions.ts'
import { copying } from './copy.ts'
import { density } from './density.ts'
import { filters } from './filters.ts'
import { flow } from './flow.ts'
import { grammarChoice } from './grammar-choice.ts'
import { grammars } from './grammars.ts'
import { grids } from './grids.ts'
import { hierarchy } from './hierarchy.ts'
import { isolineNodes } from './isolines.ts'
import { matching } from './matching.ts'
import { mathsNodes } from './maths.ts'
import { meshes } from './meshes.ts'
import { neighbors } from './neighbors.ts'
import { objects } from './objects.ts'
import { older } from './older.ts'
import { pathfindingNodes } from './pathfinding.ts'
import { paths } from './paths.ts'
import { polygonNodes } from './polygons.ts'
import { proxy } from './proxy.ts'
import { pruning } from './pruning.ts'
import { samplers } from './samplers.ts'
import { sets } from './sets.ts'
import { sources } from './sources.ts'
import { spawners } from './spawners.ts'
import { splineSamplers } from './spline-sampler.ts'
import { splines } from './splines.ts'
import { subgraphs } from './subgraphs.ts'
import { tables } from './tables.ts'
import { tags } from './tags.ts'
import { transforms } from './transforms.ts'
import { vectors } from './vectors.ts'

export const EXECUTE: NodeTable = {
  ...samplers,
  ...grids,
  ...transforms,
  ...copying,
  ...bounds,
  ...density,
  ...pruning,
  ...neighbors,
  ...clusters,
  ...attributes,
  ...tables,
  ...matching,
  ...conversions,
  ...mathsNodes,
  ...vectors,
  ...filters,
  ...sets,
  ...splineSamplers,
  ...splines,
  ...actors,
  ...tags,
  ...flow,
  ...spawners,
  ...subgraphs,
  ...hierarchy,
  ...grammars,
  ...grammarChoice,
  ...paths,
  ...polygonNodes,
  ...isolineNodes,
  ...pathfindingNodes,
  ...meshes,
  ...sources,
  ...objects,
  ...older,
  PCGIndirectionSettings: proxy((name) => executorOf(name)),
}

/** By class name, which comes from a file: names every object has are no classes. */
export function executorOf(className: string): Execute | undefined {
  return Object.hasOwn(EXECUTE, className) ? EXECUTE[className] : undefined
}

const LOOKS_AROUND = new Set([
  'PCGGetDynamicMeshDataSettings',
  'PCGGetPropertyFromObjectPathSettings',
  'PCGGetWaterSplineSettings',
  'PCGIndirectionSettings',
])
/** Its result depends on the other actors of the level. */
export function readsLevel(className: string): boolean {
  return Object.hasOwn(actors, className) || LOOKS_AROUND.has(className)
}

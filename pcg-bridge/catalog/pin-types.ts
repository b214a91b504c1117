// What may flow from one pin into another, by their data types.
import type { NodePin } from './node-type.ts'

const SPATIAL =
  'Point Spline LandscapeSpline Landscape Texture RenderTarget VirtualTexture Surface Volume Primitive DynamicMesh Polygon2D Composite'
const MEANING: Readonly<Record<string, string>> = {
  Spatial: SPATIAL,
  Concrete: SPATIAL.replace(' Composite', ''),
  PolyLine: 'Spline LandscapeSpline',
  BaseTexture: 'Texture RenderTarget',
  Surface: 'Surface Landscape Texture RenderTarget VirtualTexture Composite',
  Volume: 'Volume Composite',
}
function atoms(types: readonly string[]): Set<string> {
  return new Set(types.flatMap((type) => (MEANING[type] ?? type).split(' ')))
}

/** Data that can leave the one pin may enter the other. */
export function joinable(from: Pick<NodePin, 'types'>, to: Pick<NodePin, 'types'>): boolean {
  if (from.types.includes('Any') || to.types.includes('Any')) return true
  const accepted = atoms(to.types)
  return [...atoms(from.types)].some((type) => accepted.has(type))
}

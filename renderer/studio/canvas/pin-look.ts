// The colour and shape of each data type: types never differ by colour alone.
import type { NodePin } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import type { Side } from '../model/connect.ts'

type Look = { readonly name: string; readonly colour: string; readonly clip: string }

const CIRCLE = 'circle(50%)'
const LOOKS = {
  any: { name: 'Any', colour: 'var(--g-pin-any)', clip: CIRCLE },
  point: { name: 'Points', colour: 'var(--g-pin-point)', clip: CIRCLE },
  param: { name: 'Attributes', colour: 'var(--g-pin-param)', clip: 'polygon(50% 0, 100% 50%, 50% 100%, 0 50%)' },
  surface: { name: 'Surface', colour: 'var(--g-pin-surface)', clip: 'inset(10%)' },
  line: { name: 'Line', colour: 'var(--g-pin-line)', clip: 'polygon(0 0, 100% 50%, 0 100%)' },
  volume: {
    name: 'Volume',
    colour: 'var(--g-pin-volume)',
    clip: 'polygon(50% 0, 100% 25%, 100% 75%, 50% 100%, 0 75%, 0 25%)',
  },
  mesh: { name: 'Mesh', colour: 'var(--g-pin-mesh)', clip: 'polygon(50% 0, 100% 100%, 0 100%)' },
  spatial: {
    name: 'Spatial',
    colour: 'var(--g-pin-spatial)',
    clip: 'polygon(33% 0, 67% 0, 67% 33%, 100% 33%, 100% 67%, 67% 67%, 67% 100%, 33% 100%, 33% 67%, 0 67%, 0 33%, 33% 33%)',
  },
} as const satisfies Readonly<Record<string, Look>>

/** Every look, for the legend. */
export const LEGEND: readonly Look[] = Object.values(LOOKS)

const FAMILIES: Readonly<Record<string, keyof typeof LOOKS>> = {
  Point: 'point',
  Param: 'param',
  Surface: 'surface',
  Landscape: 'surface',
  Texture: 'surface',
  RenderTarget: 'surface',
  VirtualTexture: 'surface',
  BaseTexture: 'surface',
  PolyLine: 'line',
  Spline: 'line',
  LandscapeSpline: 'line',
  Polygon2D: 'line',
  Volume: 'volume',
  Primitive: 'volume',
  DynamicMesh: 'mesh',
  StaticMeshResource: 'mesh',
  Spatial: 'spatial',
  Concrete: 'spatial',
  Composite: 'spatial',
}

/** The first of several types determines the look. */
export function lookOf(types: readonly string[]): Look {
  return LOOKS[FAMILIES[types[0] ?? ''] ?? 'any']
}
export const colourOf = (types: readonly string[]): string => lookOf(types).colour

/** The tooltip of a pin. */
export function tellPin({ label, types, single, required }: NodePin, side: Side): string {
  const kinds = types.join(', ')
  if (side === 'out') return t('{label}: gives {kinds}', { label, kinds })
  return [
    `${label}: takes ${kinds}`,
    single ? 'one wire' : 'any number of wires',
    ...(required ? ['required'] : []),
  ].join(' · ')
}

/** The selectable colours; a stored colour can be any text, so others are ignored. */
export const HUES = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const
export type Hue = (typeof HUES)[number]
export function hueOf(name: string | undefined): Hue | undefined {
  return HUES.find((hue) => hue === name)
}

const CATEGORIES: Readonly<Record<string, Hue>> = {
  InputOutput: 'red',
  Sampler: 'green',
  Filter: 'purple',
  Density: 'purple',
  Spawner: 'orange',
  PointOps: 'blue',
  Spatial: 'teal',
  DynamicMesh: 'teal',
  Metadata: 'yellow',
  Param: 'yellow',
  GraphParameters: 'yellow',
  ControlFlow: 'pink',
  Subgraph: 'pink',
}
export const hueOfCategory = (category: string): Hue | undefined => CATEGORIES[category]

// Which shape stands for a mesh: the embedded editor has its name and the size of its points, not its triangles. Pure.
import { t } from '../../language/language.ts'
import type { Boxes } from './boxes.ts'
import type { Sheet } from './sheet.ts'

export const STAND_INS = ['tree', 'bush', 'rock', 'post', 'wall', 'ball', 'box'] as const
export type StandIn = (typeof STAND_INS)[number]

/** The first that fits the name; more special names first. */
const NAMES: readonly (readonly [StandIn, RegExp])[] = [
  ['rock', /rock|stone|boulder|cliff|pebble|debris|rubble/i],
  ['bush', /bush|shrub|grass|fern|flower|plant|hedge|crop|wheat|reed/i],
  ['post', /post|pole|lamp|pillar|column|mast|stump|trunk|log|cylinder|street_?light/i],
  ['tree', /tree|pine|fir|oak|birch|spruce|palm|maple|willow|conifer|cone/i],
  ['wall', /wall|fence|panel|plank|gate|door|window|railing/i],
  ['ball', /ball|sphere|globe/i],
  ['box', /box|cube|crate|house|building|block/i],
]

/** By the name of the asset; a name that says nothing is judged by its size, of which x, y and z are half extents. */
export function standInFor(mesh: string, [x, y, z]: readonly [number, number, number]): StandIn {
  const name = mesh.slice(mesh.lastIndexOf('/') + 1)
  const known = NAMES.find(([, pattern]) => pattern.test(name))
  if (known) return known[0]
  const [thin, wide] = [Math.min(x, y), Math.max(x, y)]
  if (z > 2.5 * wide) return 'post'
  if (wide > 3 * thin && z > thin) return 'wall'
  return 'box'
}

/** The shape of every box. */
export function shapesOf({ halves }: Boxes, meshOf: (row: number) => string): readonly StandIn[] {
  return Array.from({ length: halves.length / 3 }, (_, row) => {
    const half = (axis: number): number => halves[row * 3 + axis] ?? 1
    return standInFor(meshOf(row), [half(0), half(1), half(2)])
  })
}

const ASSET = /^\/[^\s]+\/[^/\s]+$/
/** The column that names the mesh of each row: that of a spawner is called as its settings say. */
function meshColumn(sheet: Sheet): readonly string[] | undefined {
  return sheet.columns
    .values()
    .flatMap(({ values }) => (Array.isArray(values) && ASSET.test(values[0] ?? '') ? [values] : []))
    .next().value
}

type Meshes = { readonly of?: (row: number) => string; readonly why?: string }

/** The mesh of each row, or why it is not known. `spawned`: the meshes of the node's entries. */
export function meshesOf(sheet: Sheet, spawned: readonly string[]): Meshes {
  const named = meshColumn(sheet)
  if (named) return { of: (row) => named[row] ?? '' }
  const [only, ...others] = new Set(spawned)
  if (only === undefined) return { why: t('Only the data of a mesh spawner has meshes') }
  return others.length === 0
    ? { of: () => only }
    : { why: t('The data does not name the mesh of each point: give the spawner an Out attribute name') }
}

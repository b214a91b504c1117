// Points below points: each is placed by its parent.
import { counted } from '../../../editor/counted.ts'
import { type Execute, flag, type NodeContext, type NodeTable, perPoints, str } from '../context.ts'
import { add } from '../curve.ts'
import { each, own, type Points } from '../points.ts'
import { multiply, type Quat, quatAt, rotate, setQuat, type Vec } from '../rotation.ts'
import { numbers, readSelector, textAt } from '../selector.ts'

function keysOf(given: Points, names: unknown): ((row: number) => string) | null {
  const list: unknown[] = Array.isArray(names) ? names : []
  const columns = list.flatMap((name) => readSelector(given, String(name)) ?? [])
  if (columns.length === 0 || columns.length < list.length) return null
  return (row) => columns.map((column) => textAt(column, row)).join('\n')
}

/** Always, never, or as an attribute of the point says; without that attribute nothing is opted in or out. */
function option(given: Points, context: NodeContext, name: string, attribute: string): (row: number) => boolean {
  const mode = str(context, name)
  if (mode === 'Always' || mode === 'Never') return () => mode === 'Always'
  const column = readSelector(given, str(context, attribute))
  const out = mode === 'OptOutByAttribute'
  const values = column ? numbers(column, given.count, 1) : new Float64Array(given.count)
  return (row) => (values[row] !== 0) !== out
}

const applyHierarchy: Execute = perPoints((given, context) => {
  const keyOf = keysOf(given, context.settings['PointKeyAttributes'])
  const above = keysOf(given, context.settings['ParentKeyAttributes'])
  const depths = readSelector(given, str(context, 'HierarchyDepthAttribute'))
  const relative = readSelector(given, str(context, 'RelativeTransformAttribute'))
  if (!keyOf || !above || !depths || relative?.width !== 10) {
    context.warn('The points lack the attributes of a hierarchy: keys, parent keys, depth, relative transform')
    return given
  }
  const rows = new Map(Array.from({ length: given.count }, (_, row) => [keyOf(row), row]))
  const depth = numbers(depths, given.count, 1)
  const local = numbers(relative, given.count, 10)
  const applies = option(given, context, 'ApplyHierarchy', 'ApplyHierarchyAttribute')
  const turns = option(given, context, 'ApplyParentRotation', 'ApplyParentRotationAttribute')
  const sizes = option(given, context, 'ApplyParentScale', 'ApplyParentScaleAttribute')
  const position = own(given.position, given.count, 3)
  const rotation = own(given.rotation, given.count, 4)
  const scale = own(given.scale, given.count, 3)
  const at = (list: Float64Array, start: number): Vec => [list[start] ?? 0, list[start + 1] ?? 0, list[start + 2] ?? 0]
  let orphans = 0
  const order = Array.from(depth.keys()).sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0) || a - b)
  for (const row of order) {
    if (!((depth[row] ?? 0) > 0) || !applies(row)) continue
    const parent = rows.get(above(row))
    if (parent === undefined || !((depth[parent] ?? 0) < (depth[row] ?? 0))) {
      orphans += 1
      continue
    }
    const turn: Quat = turns(row) ? quatAt(rotation, parent * 4) : [0, 0, 0, 1]
    const size: Vec = sizes(row) ? at(scale, parent * 3) : [1, 1, 1]
    const start = row * 10
    const offset = at(local, start)
    const moved = rotate(turn, [offset[0] * size[0], offset[1] * size[1], offset[2] * size[2]])
    position.set(add(at(position, parent * 3), moved), row * 3)
    setQuat(rotation, row * 4, multiply(turn, quatAt(local, start + 3)))
    scale.set(
      at(local, start + 7).map((value, k) => value * (size[k] ?? 1)),
      row * 3,
    )
  }
  if (orphans > 0 && flag(context, 'bWarnOnPointsWithInvalidParent'))
    context.warn(`${counted(orphans, 'point')} without a parent above: left in place`)
  return { ...given, position: each(position, 3), rotation: each(rotation, 4), scale: each(scale, 3) }
})

export const hierarchy: NodeTable = { PCGApplyHierarchySettings: applyHierarchy }

// Spawners: instances of meshes and actors, counted per asset; the points pass on.

import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  type NodeContext,
  type NodeTable,
  params,
  perPoints,
  points,
  pointsOn,
  str,
} from '../context.ts'
import { type Column, type Points, withAttribute } from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { readSelector, textAt } from '../selector.ts'

type Entry = { readonly mesh: string; readonly weight: number }

/** `{ MeshEntries: [{ Descriptor: { StaticMesh }, Weight }] }`, or `Mesh` instead of the descriptor. */
function entriesOf(parameters: unknown): Entry[] {
  const record = isRecord(parameters) ? parameters : {}
  const list: unknown = record['MeshEntries'] ?? record['mesh_entries']
  return (Array.isArray(list) ? list : []).filter(isRecord).flatMap((entry) => {
    const descriptor = isRecord(entry['Descriptor']) ? entry['Descriptor'] : entry
    const mesh =
      descriptor['StaticMesh'] ??
      descriptor['static_mesh'] ??
      descriptor['SkinnedAsset'] ??
      entry['Mesh'] ??
      entry['mesh']
    const weight = entry['Weight'] ?? entry['weight'] ?? 1
    return typeof mesh === 'string' && typeof weight === 'number' && weight > 0 ? [{ mesh, weight }] : []
  })
}

function attributeOf(parameters: unknown): string {
  const record = isRecord(parameters) ? parameters : {}
  const name = record['AttributeName'] ?? record['MeshAttribute']
  return typeof name === 'string' ? name : ''
}

/** The mesh of each point: drawn by weight, or read from an attribute. */
function meshes(given: Points, context: NodeContext): string[] | null {
  const parameters = context.settings['MeshSelectorParameters']
  const attribute = attributeOf(parameters)
  if (attribute !== '') {
    const column = readSelector(given, attribute)
    if (!column) context.warn(`'${attribute}' matches no attribute: no mesh is known`)
    return column ? Array.from({ length: given.count }, (_, row) => textAt(column, row)) : null
  }
  const entries = entriesOf(parameters)
  if (entries.length === 0) {
    context.warn('There are no mesh entries: set MeshSelectorParameters.MeshEntries')
    return null
  }
  const total = entries.reduce((sum, entry) => sum + entry.weight, 0)
  const { data, step } = given.seed
  return Array.from({ length: given.count }, (_, row) => {
    let left = fractionOf(next(seed2(context.seed, data[row * step] ?? 0))) * total
    return (entries.find((entry) => (left -= entry.weight) < 0) ?? entries.at(-1))?.mesh ?? ''
  })
}

export const spawnedMeshes =
  (component: string): Execute =>
  (context) =>
    pointsOn(context, 'In').map(({ points: given, tags }) => {
      const chosen = meshes(given, context)
      if (!chosen) return points(given, tags)
      const counts = new Map<string, number>()
      for (const mesh of chosen) counts.set(mesh, (counts.get(mesh) ?? 0) + 1)
      for (const [mesh, instances] of counts) if (mesh !== '') context.spawn(component, mesh, instances)
      const name = str(context, 'OutAttributeName')
      const column: Column = { type: 'SoftObjectPath', width: 0, texts: chosen, step: 1 }
      return points(name === '' || name === 'None' ? given : withAttribute(given, name, column), tags)
    })

function spawnActors(
  classOf: (given: Points, row: number, context: NodeContext) => string,
  component: string,
): Execute {
  return perPoints((given, context) => {
    const counts = new Map<string, number>()
    for (let row = 0; row < given.count; row++) {
      const name = classOf(given, row, context)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const [name, instances] of counts) {
      if (name === '' || name === 'None') context.warn('There is no actor class to spawn: set TemplateActorClass')
      else context.spawn(component, name, instances)
    }
    return given
  })
}

function byAttribute(selector: string, fallback: string, useName: string) {
  return (given: Points, row: number, context: NodeContext) => {
    const column = flag(context, useName) ? readSelector(given, str(context, selector)) : undefined
    return column ? textAt(column, row) : str(context, fallback)
  }
}

const createTarget: Execute = (context) => {
  const name = str(context, 'TemplateActorClass') || 'Actor'
  context.spawn('Actor', name, 1)
  const column: Column = { type: 'SoftObjectPath', width: 0, texts: [name], step: 0 }
  return [params({ count: 1, attributes: new Map([['ActorReference', column]]), last: 'ActorReference' })]
}

export const spawners: NodeTable = {
  PCGStaticMeshSpawnerSettings: spawnedMeshes('InstancedStaticMeshComponent'),
  PCGSpawnActorSettings: spawnActors(byAttribute('SpawnAttribute', 'TemplateActorClass', 'bSpawnByAttribute'), 'Actor'),
  PCGSpawnInstancedActorsSettings: spawnActors(
    byAttribute('SpawnAttributeSelector', 'ActorClass', 'bSpawnByAttribute'),
    'InstancedActors',
  ),
  PCGCreateTargetActor: createTarget,
}

// Objects of the level by their paths: properties, components added, skinned meshes, rivers.
import { type Execute, flag, type NodeTable, params, points, pointsOn, str } from '../context.ts'
import { tableOf } from '../data.ts'
import { type Column, joinTables, withAttribute } from '../points.ts'
import { readSelector, textAt, writeSelector } from '../selector.ts'
import { ofRivers, propertyOf } from './actors.ts'
import { spawnedMeshes } from './spawners.ts'

/** The object's own name, without folders and outer objects. */
const nameIn = (path: string): string => path.split(/[.:/]/).at(-1) ?? path

const property: Execute = (context) => {
  const given = context.settings['ObjectPathsToExtract']
  const listed = context.wired('In')
    ? context.input('In').flatMap((item) => {
        const table = tableOf(item.data)
        const column = table && readSelector(table, str(context, 'InputSource'))
        return table && column ? Array.from({ length: table.count }, (_, row) => textAt(column, row)) : []
      })
    : Array.isArray(given)
      ? given.map(String)
      : []
  const name = str(context, 'PropertyName')
  const target = str(context, 'OutputAttributeName')
  const attribute = target === '' || target.startsWith('@') ? name : target
  const tables = listed.flatMap((path) => {
    const actor = context.actors.find((one) => one.name === nameIn(path))
    if (path === '' && flag(context, 'bSilenceErrorOnEmptyObjectPath')) return []
    const column = actor && propertyOf(actor, name)
    if (!column)
      context.warn(actor ? `${actor.name} has no property '${name}' in this editor` : `There is no object '${path}'`)
    return column ? [{ count: 1, attributes: new Map([[attribute, column]]), last: attribute }] : []
  })
  if (tables.length === 0) return []
  return flag(context, 'bPersistAllData') ? tables.map((table) => params(table)) : [params(joinTables(tables))]
}

const addComponent: Execute = (context) =>
  pointsOn(context, 'In').map(({ points: given, tags }) => {
    const column = flag(context, 'bUseClassAttribute') ? readSelector(given, str(context, 'ClassAttribute')) : undefined
    const classes = Array.from({ length: given.count }, (_, row) =>
      column ? textAt(column, row) : str(context, 'TemplateComponentClass'),
    )
    const counts = Map.groupBy(classes, (name) => name)
    for (const [name, list] of counts) {
      if (name === '' || name === 'None') context.warn('There is no component class to add: set TemplateComponentClass')
      else context.spawn(name, name, list.length)
    }
    const target = str(context, 'ComponentReferenceAttribute')
    if (target === '') return points(given, tags)
    const named: Column = {
      type: 'SoftObjectPath',
      width: 0,
      texts: classes.map((name, row) => (name === '' ? '' : `${name}_${row}`)),
      step: 1,
    }
    return points(writeSelector(given, target, named) ?? withAttribute(given, target, named), tags)
  })

export const objects: NodeTable = {
  PCGGetPropertyFromObjectPathSettings: property,
  PCGAddComponentSettings: addComponent,
  PCGSkinnedMeshSpawnerSettings: spawnedMeshes('InstancedSkinnedMeshComponent'),
  PCGGetWaterSplineSettings: ofRivers,
}

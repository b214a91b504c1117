// Data from the actors of the level: ground, curves, volumes, primitives, and rays onto them.

import type { ActorDoc } from '../../../editor/document.ts'
import { isRecord } from '../../../editor/settings.ts'
import { type Execute, type NodeContext, type NodeTable, out, params, points, str } from '../context.ts'
import type { Data, Tagged } from '../data.ts'
import { type Column, pointsOf } from '../points.ts'
import { seedFromPosition } from '../random.ts'
import { fromRotator } from '../rotation.ts'
import { boxOf, dataOfActor, isGround, isVolume } from '../spatial.ts'
import { raycast } from './raycast.ts'

/** Self, or actors of the level by tag or class. */
export function chosen(context: NodeContext): readonly ActorDoc[] {
  const selector = context.settings['ActorSelector']
  const record = isRecord(selector) ? selector : {}
  const filter = record['ActorFilter']
  if (filter !== 'AllWorldActors') return [context.actor]
  const tag = record['ActorSelectionTag']
  const by = record['ActorSelection']
  const wanted = String(record['ActorSelectionClass'] ?? '')
  const found = context.actors.filter((actor) => {
    if (by === 'ByClass') return wanted !== '' && wanted.toLowerCase().includes(actor.class.toLowerCase())
    return typeof tag !== 'string' || tag === '' || tag === 'None' || actor.tags.includes(tag)
  })
  return record['bSelectMultiple'] === true ? found : found.slice(0, 1)
}

function overlaps(a: ActorDoc, context: NodeContext): boolean {
  const box = boxOf(a)
  return box.min.every(
    (low, k) => low <= (context.bounds.max[k] ?? 0) && (box.max[k] ?? 0) >= (context.bounds.min[k] ?? 0),
  )
}

function reference(actor: ActorDoc): Tagged {
  const column: Column = { type: 'SoftObjectPath', width: 0, texts: [actor.name], step: 0 }
  return params({ count: 1, attributes: new Map([['ActorReference', column]]), last: 'ActorReference' }, actor.tags)
}

function singlePoint(actor: ActorDoc): Tagged {
  // Its own box: the turn and size of the actor are those of the point.
  const half = actor.halfSize ?? [0, 0, 0]
  const made = pointsOf(1, {
    position: { data: Float64Array.from(actor.location), step: 0 },
    rotation: { data: Float64Array.from(fromRotator(...actor.rotation)), step: 0 },
    scale: { data: Float64Array.from(actor.scale), step: 0 },
    boundsMin: { data: Float64Array.from(half, (size) => -size), step: 0 },
    boundsMax: { data: Float64Array.from(half), step: 0 },
    seed: { data: Int32Array.of(seedFromPosition(...actor.location)), step: 0 },
  })
  return points(made, actor.tags)
}

function dataOf(kinds: readonly Data['kind'][] | null): Execute {
  return (context) => {
    const mode = str(context, 'Mode')
    const actors = chosen(context)
    const found = actors.flatMap((actor): Tagged[] => {
      if (mode === 'GetActorReference') return [reference(actor)]
      if (mode === 'GetSinglePoint') return [singlePoint(actor)]
      const data = dataOfActor(actor)
      return kinds === null || kinds.includes(data.kind) ? [out(data, actor.tags)] : []
    })
    if (found.length === 0) context.warn('No actor of the level matches: see ActorSelector')
    return found
  }
}

/** The ground below the component; the actor selector does not change it. */
const landscape: Execute = (context) => {
  const all = context.actors.filter((actor) => isGround(actor) && overlaps(actor, context))
  if (all.length === 0) context.warn('The level has no landscape under the actor')
  return all.map((actor) => out(dataOfActor(actor), actor.tags))
}

/** Ground, and the tops of boxes, but not volumes. */
function solids(context: NodeContext): Data[] {
  return context.actors
    .filter(
      (actor) => actor.name !== context.actor.name && !isVolume(actor) && actor.halfSize !== null && !actor.spline,
    )
    .map(dataOfActor)
}

const rayHit: Execute = (context) => {
  const parts = solids(context).filter((data) => data.kind === 'Landscape')
  const [only] = parts
  if (!only) {
    context.warn('The level has no ground to hit')
    return []
  }
  return [out(parts.length === 1 ? only : { kind: 'Composite', op: 'Union', mode: 'Maximum', parts })]
}

const volumetric: Execute = (context) => {
  const parts = solids(context).filter((data) => data.kind === 'Primitive')
  return parts.length === 0 ? [] : [out({ kind: 'Composite', op: 'Union', mode: 'Maximum', parts })]
}

/** A property of the actor by name: what the level holds of it. */
export function propertyOf(actor: ActorDoc, name: string): Column | undefined {
  const text: Readonly<Record<string, string>> = {
    name: actor.name,
    label: actor.label,
    actorlabel: actor.label,
    class: actor.class,
  }
  const vectors: Readonly<Record<string, readonly number[]>> = {
    location: actor.location,
    rotation: actor.rotation,
    scale: actor.scale,
  }
  const [word, triple] = [text[name.toLowerCase()], vectors[name.toLowerCase()]]
  if (triple) return { type: 'Vector', width: 3, data: Float64Array.from(triple), step: 0 }
  return word === undefined ? undefined : { type: 'String', width: 0, texts: [word], step: 0 }
}

const actorProperty: Execute = (context) =>
  chosen(context).flatMap((actor) => {
    const [name, given] = [str(context, 'PropertyName'), str(context, 'OutputAttributeName')]
    const attribute = given === '' || given.startsWith('@') ? name : given
    const column = propertyOf(actor, name)
    if (!column) {
      context.warn(`${actor.name} has no property '${name}' in this editor`)
      return []
    }
    return [params({ count: 1, attributes: new Map([[attribute, column]]), last: attribute }, actor.tags)]
  })

/** Curves of bodies of water: the selector chooses among them. */
export const ofRivers: Execute = (context) => {
  const found = chosen(context).filter((actor) => actor.class.startsWith('WaterBody') && actor.spline)
  if (found.length === 0) context.warn('No body of water of the level matches: see ActorSelector')
  return found.map((actor) => out(dataOfActor(actor), actor.tags))
}

export const actors: NodeTable = {
  PCGDataFromActorSettings: dataOf(null),
  PCGGetSplineSettings: dataOf(['Spline']),
  PCGGetVolumeSettings: dataOf(['Volume']),
  PCGGetPrimitiveSettings: dataOf(['Primitive']),
  PCGGetLandscapeSettings: landscape,
  PCGGetActorPropertySettings: actorProperty,
  PCGWorldRayHitSettings: rayHit,
  PCGWorldQuerySettings: volumetric,
  PCGWorldRaycastElementSettings: (context) => raycast(solids(context))(context),
}

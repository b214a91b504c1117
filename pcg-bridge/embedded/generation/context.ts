// What a node sees while it runs, and the shapes most nodes share: per data, per points.

import type { ActorDoc } from '../../editor/document.ts'
import type { Settings } from '../../editor/settings.ts'
import type { Budget } from './budget.ts'
import { type Data, type Tagged, tableOf, withTable } from './data.ts'
import type { ParameterValue } from './plan.ts'
import type { Points, Table } from './points.ts'
import type { Vec } from './rotation.ts'
import type { PictureSource, TableSource } from './sources.ts'
import type { WorldBox } from './spatial.ts'
import { toPoints } from './to-points.ts'

export type GraphInputs = ReadonlyMap<string, readonly Tagged[]>
export type Frame = {
  readonly path: string
  /** Parameters of this graph, of the graph that embeds it, of the root. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly upstream: Frame | null
  readonly depth: number
  readonly loopIndex: number | null
}

export type NodeContext = {
  readonly node: string
  readonly settings: Settings
  /** Mixed from the node's and the component's seed. */
  readonly seed: number
  readonly actor: ActorDoc
  readonly actors: readonly ActorDoc[]
  readonly bounds: WorldBox
  readonly budget: Budget
  readonly frame: Frame
  /** Data on a pin: edges in the order they were made, each with its data in order. */
  input(pin: string): readonly Tagged[]
  wired(pin: string): boolean
  readonly pins: { readonly inputs: readonly string[]; readonly outputs: readonly string[] }
  /** Names of the parameters of a graph. */
  parametersOf(path: string): readonly string[]
  warn(message: string): void
  /** Reports an error on the node: its output is dropped, the run goes on. */
  fail(message: string): void
  spawn(component: string, asset: string, instances: number): void
  /** A table or a picture of the project by its content path. */
  source(path: string): TableSource | PictureSource | null
  runGraph(
    path: string,
    inputs: GraphInputs,
    parameters: Settings,
    loopIndex: number | null,
  ): ReadonlyMap<string, readonly Tagged[]>
}
export type Execute = (context: NodeContext) => readonly Tagged[]
/** Class name → what it does. */
export type NodeTable = Readonly<Record<string, Execute>>

export function flag(context: NodeContext, name: string): boolean {
  return context.settings[name] === true
}
export function num(context: NodeContext, name: string): number {
  const value = context.settings[name]
  return typeof value === 'number' ? value : 0
}
export function str(context: NodeContext, name: string): string {
  const value = context.settings[name]
  return typeof value === 'string' ? value : ''
}
export function vec(context: NodeContext, name: string): Vec {
  return vecOf(context.settings[name])
}
export function vecOf(value: unknown): Vec {
  const [x, y, z]: unknown[] = Array.isArray(value) ? value : []
  return [typeof x === 'number' ? x : 0, typeof y === 'number' ? y : 0, typeof z === 'number' ? z : 0]
}

export function out(data: Data, tags: readonly string[] = [], pin = 'Out'): Tagged {
  return { data, pin, tags }
}
export function points(value: Points, tags: readonly string[] = [], pin = 'Out'): Tagged {
  return { data: { kind: 'Point', points: value }, pin, tags }
}
export function params(table: Table, tags: readonly string[] = [], pin = 'Out'): Tagged {
  return { data: { kind: 'Param', table }, pin, tags }
}

/** Everything on a pin as points: spatial data is evaluated. */
export function pointsOn(context: NodeContext, pin: string): readonly { points: Points; tags: readonly string[] }[] {
  return context.input(pin).map((item) => ({ points: toPoints(item.data, context), tags: item.tags }))
}

/** The usual node: each data on `In` becomes points, is changed, and leaves by `Out`. */
export function perPoints(change: (points: Points, context: NodeContext) => Points, pin = 'In'): Execute {
  return (context) => pointsOn(context, pin).map((item) => points(change(item.points, context), item.tags))
}

/** Each data that has rows is changed; what has none passes. */
export function perTable(change: (table: Table, context: NodeContext) => Table, pin = 'In'): Execute {
  return (context) =>
    context.input(pin).map((item) => {
      const table = tableOf(item.data)
      return out(table ? withTable(item.data, change(table, context)) : item.data, item.tags)
    })
}

/** Passes what is on the pins on, unchanged. */
export function passing(...pins: readonly string[]): Execute {
  return (context) => pins.flatMap((pin) => context.input(pin).map((item) => out(item.data, item.tags)))
}

/** `Forest, Rocks` or, when asked, also split at spaces. */
export function names(text: string, onSpace = false): string[] {
  return text
    .split(onSpace ? /[\s,]+/ : ',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function matches(operator: string, value: string, wanted: string): boolean {
  if (operator === 'Substring') return value.includes(wanted)
  if (operator !== 'Matches') return value === wanted
  return wildcard(wanted, value)
}

/** `*` and `?`, in time proportional to the lengths: a pattern cannot make it slow. */
function wildcard(pattern: string, text: string): boolean {
  let [p, t, star, mark] = [0, 0, -1, 0]
  while (t < text.length) {
    if (pattern[p] === '?' || (pattern[p] === text[t] && pattern[p] !== '*')) {
      p += 1
      t += 1
    } else if (pattern[p] === '*') {
      star = p
      mark = t
      p += 1
    } else if (star >= 0) {
      p = star + 1
      mark += 1
      t = mark
    } else return false
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}

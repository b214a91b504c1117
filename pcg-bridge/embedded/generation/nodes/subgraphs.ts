// Graphs within graphs: run once, run per data, and read the parameters of the graph one is in.

import { isRecord, type Settings } from '../../../editor/settings.ts'
import {
  type Execute,
  type Frame,
  flag,
  type GraphInputs,
  type NodeContext,
  type NodeTable,
  names,
  params,
  str,
} from '../context.ts'
import { type Tagged, tableOf } from '../data.ts'
import type { ParameterValue } from '../plan.ts'
import type { Column } from '../points.ts'

/** Pins of the node are pins of the graph inside; `In` is on every one. */
function inputsOf(context: NodeContext): Map<string, readonly Tagged[]> {
  return new Map(context.pins.inputs.map((pin) => [pin, context.input(pin).map((item) => ({ ...item, pin }))]))
}

function parameterOf(items: readonly Tagged[]): unknown {
  const table = items.map((item) => tableOf(item.data)).find((found) => found && found.count > 0)
  const column =
    table && (table.last === null ? [...table.attributes.values()].at(-1) : table.attributes.get(table.last))
  if (!column) return undefined
  if (column.texts) return column.texts[0]
  return column.type === 'Boolean' ? column.data[0] !== 0 : column.data[0]
}

/** Set on the node, or wired to a pin of the parameter's name. */
function parametersOf(context: NodeContext, path: string): Settings {
  const set = context.settings['ParameterOverrides']
  const wired = context.parametersOf(path).flatMap((name) => {
    const value = context.wired(name) ? parameterOf(context.input(name)) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...(isRecord(set) ? set : {}), ...Object.fromEntries(wired) }
}

function flat(result: ReadonlyMap<string, readonly Tagged[]>): Tagged[] {
  return [...result.values()].flat()
}

const subgraph: Execute = (context) => {
  const path = str(context, 'SubgraphOverride')
  if (path === '') {
    context.warn('No graph is set: set SubgraphOverride')
    return []
  }
  return flat(context.runGraph(path, inputsOf(context), parametersOf(context, path), null))
}

/** One run per data on the loop pins; feedback pins receive what the run before gave. */
const loop: Execute = (context) => {
  const path = str(context, 'SubgraphOverride')
  if (path === '') {
    context.warn('No graph is set: set SubgraphOverride')
    return []
  }
  const inputs = inputsOf(context)
  const split = flag(context, 'bTokenizeOnWhiteSpace')
  const feedback = names(str(context, 'FeedbackPins'), split)
  const listed = names(str(context, 'LoopPins'), split)
  const loopPins = listed.length > 0 ? listed : [...inputs.keys()].filter((pin) => !feedback.includes(pin)).slice(0, 1)
  const runs = Math.max(0, ...loopPins.map((pin) => inputs.get(pin)?.length ?? 0))
  const parameters = parametersOf(context, path)
  const collected: Tagged[] = []
  let carried = new Map(feedback.map((pin) => [pin, inputs.get(pin) ?? []]))
  for (let index = 0; index < runs; index++) {
    const given: GraphInputs = new Map(
      [...inputs].map(([pin, items]) => [
        pin,
        loopPins.includes(pin) ? items.slice(index, index + 1) : (carried.get(pin) ?? items),
      ]),
    )
    const result = context.runGraph(path, given, parameters, index)
    collected.push(...[...result].filter(([pin]) => !feedback.includes(pin)).flatMap(([, items]) => items))
    carried = new Map(feedback.map((pin) => [pin, result.get(pin) ?? []]))
  }
  return [...collected, ...[...carried].flatMap(([pin, items]) => items.map((item) => ({ ...item, pin })))]
}

export function constantColumn(value: ParameterValue): Column {
  if (typeof value === 'string') return { type: 'String', width: 0, texts: [value], step: 0 }
  const type = typeof value === 'boolean' ? 'Boolean' : 'Double'
  return { type, width: 1, data: Float64Array.of(Number(value)), step: 0 }
}

function parameterSet(
  name: string,
  attribute: string,
  value: ParameterValue | undefined,
  context: NodeContext,
): Tagged[] {
  if (value === undefined) {
    context.warn(`The graph has no parameter '${name}'`)
    return []
  }
  const key = attribute === '' || attribute === 'None' ? name : attribute
  return [params({ count: 1, attributes: new Map([[key, constantColumn(value)]]), last: key })]
}

function ownValue(frame: Frame, name: string): ParameterValue | undefined {
  return Object.hasOwn(frame.parameters, name) ? frame.parameters[name] : undefined
}

const graphParameter: Execute = (context) => {
  const name = str(context, 'PropertyName')
  return parameterSet(name, '', ownValue(context.frame, name), context)
}

const genericParameter: Execute = (context) => {
  const source = str(context, 'Source')
  let frame = context.frame
  if (source === 'Upstream') frame = frame.upstream ?? frame
  if (source === 'Root') while (frame.upstream) frame = frame.upstream
  const name = str(context, 'PropertyPath')
  return parameterSet(name, str(context, 'OutputAttributeName'), ownValue(frame, name), context)
}

const number = (name: string, value: number): Tagged =>
  params({ count: 1, attributes: new Map([[name, { ...constantColumn(value), type: 'Integer32' }]]), last: name })

export const subgraphs: NodeTable = {
  PCGSubgraphSettings: subgraph,
  PCGLoopSettings: loop,
  PCGUserParameterGetSettings: graphParameter,
  PCGGenericUserParameterGetSettings: genericParameter,
  PCGGetLoopIndexSettings: (context) => {
    const { loopIndex } = context.frame
    if (loopIndex === null && flag(context, 'bWarnIfCalledOutsideOfLoop'))
      context.warn('This graph does not run in a loop')
    return loopIndex === null ? [] : [number('LoopIndex', loopIndex)]
  },
  PCGGetSubgraphDepthSettings: (context) => [number('Depth', context.frame.depth)],
  PCGGetExecutionContextSettings: () => [number('IsRuntime', 0)],
}

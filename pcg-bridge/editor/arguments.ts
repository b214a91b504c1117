// What every editor asks of the input of a tool before it does anything.
import type { z } from 'zod'
import type { ParameterType as Types, ParameterValue as Values } from '../catalog/parameters.ts'
import { PcgError } from './pcg-error.ts'

type ParameterType = z.output<typeof Types>
type ParameterValue = z.output<typeof Values>

/** The largest world of the real editor, in centimetres. */
const FARTHEST = 8.8e9

/** Three numbers, zero where there are none. */
export function triple(
  what: string,
  given: readonly number[] | undefined,
  farthest = FARTHEST,
): [number, number, number] {
  const [x = 0, y = 0, z = 0] = given ?? []
  if ([x, y, z].some((value) => !Number.isFinite(value) || Math.abs(value) > farthest))
    throw new PcgError('INVALID_ARGUMENT', `${what} holds finite numbers of at most ${farthest} each`)
  return [x, y, z]
}

export function checkVolume({ name, extent }: { name?: string | undefined; extent?: number[] | undefined }): void {
  if (name !== undefined && !/^[\w-][\w -]{0,127}$/.test(name))
    throw new PcgError('INVALID_ARGUMENT', 'name has letters, digits, spaces, _ and -')
  if (extent?.some((size) => !(size > 0)))
    throw new PcgError('INVALID_ARGUMENT', 'Each of extent must be greater than 0')
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

function readNumber(text: string): number | undefined {
  const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** The value a text stands for, or nothing when it is of another type. */
function readValue(type: ParameterType, text: string): ParameterValue | undefined {
  switch (type) {
    case 'bool': {
      const word = text.trim().toLowerCase()
      return ['true', '1'].includes(word) ? true : ['false', '0'].includes(word) ? false : undefined
    }
    case 'int': {
      const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
      return value >= -2147483648 && value <= 2147483647 ? value : undefined
    }
    case 'float': {
      const value = readNumber(text)
      // Stored in single precision, so a value beyond it has none.
      const single = value === undefined ? undefined : Math.fround(value)
      return single !== undefined && Number.isFinite(single) ? single : undefined
    }
    case 'double':
      return readNumber(text)
    case 'string':
      return text
  }
}

export function parameterNamed<P extends { readonly name: string }>(parameters: readonly P[], name: string) {
  return parameters.find((item) => item.name.toLowerCase() === name.toLowerCase())
}

export function checkParameterName(name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_ ]{0,127}$/.test(name))
    throw new PcgError(
      'INVALID_ARGUMENT',
      'A parameter name starts with a letter and has letters, digits, spaces and _',
    )
}

/** The parameter of that name if there is one; otherwise checks that one may be added. */
export function parameterToAdd<P extends { readonly name: string }>(
  parameters: readonly P[],
  name: string,
  most: number,
): P | undefined {
  checkParameterName(name)
  const found = parameterNamed(parameters, name)
  if (!found && parameters.length >= most)
    throw new PcgError('INVALID_ARGUMENT', `A graph has at most ${most} parameters`)
  return found
}

/** The parameter of a graph that is to be set, and the value its text stands for. */
export function parameterSet<P extends { readonly name: string; readonly type: ParameterType }>(
  graph: { readonly name: string; readonly parameters: readonly P[] },
  { name, value: text }: { readonly name: string; readonly value?: string | undefined },
): { readonly found: P; readonly value: ParameterValue } {
  if (text === undefined)
    throw new PcgError('INVALID_ARGUMENT', "'value' is needed: the new value as text, such as true, 12 or 0.5")
  const found = parameterNamed(graph.parameters, name)
  if (!found)
    throw new PcgError(
      'PARAMETER_NOT_FOUND',
      `${graph.name} has no parameter '${name}': add it with add_pcg_graph_parameter first`,
    )
  const value = readValue(found.type, text)
  if (value === undefined) throw new PcgError('TYPE_MISMATCH', `'${text.slice(0, 80)}' does not read as ${found.type}`)
  return { found, value }
}

export function noNode(graph: { readonly name: string }, given: string): PcgError {
  return new PcgError('NODE_NOT_FOUND', `${graph.name} has no node '${given.slice(0, 120)}': see get_pcg_graph_info`)
}

/** Whether a node can be reached from another, along the edges. */
export function leadsTo<E>(
  edges: readonly E[],
  endsOf: (edge: E) => readonly [from: string, to: string],
  from: string,
  to: string,
): boolean {
  const seen = new Set<string>()
  const open = [from]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === to) return true
    if (seen.has(node)) continue
    seen.add(node)
    for (const edge of edges) {
      const [source, target] = endsOf(edge)
      if (source === node) open.push(target)
    }
  }
  return false
}

export const NOT_FOUND = 'PCG graph not found'

/** Why an instance does not open: it has no nodes of its own. */
export function instanceOf(instance: string, graph: string): string {
  return `${instance} is an instance of ${graph} and has no nodes of its own: open ${graph}`
}

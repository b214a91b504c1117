// Parameters of graphs: their list as the Input node holds it, and the values that a node sets for an embedded graph. Pure.
import type { NodeProperty, Output } from '#pcg-catalog'
import { isRecord, type PropertyRow, rowsFor, same, type Values } from './properties.ts'

type Parameter = Output<'get_pcg_graph_parameters'>['parameters'][number]

function propertyOf({ type, value }: Parameter): NodeProperty {
  switch (type) {
    case 'bool':
      return { kind: 'bool', default: value === true }
    case 'int':
      return { kind: 'int', default: Number(value) }
    case 'float':
    case 'double':
      return { kind: 'float', default: Number(value) }
    case 'string':
      return { kind: 'text', default: String(value) }
  }
}

const keyIn = (values: Values, name: string): string | undefined =>
  Object.keys(values).find((key) => key.toLowerCase() === name.toLowerCase())

/** A value that was stored as text is read by the type of the parameter. */
function typed({ type, value }: Parameter, given: unknown): unknown {
  if (given === undefined) return value
  if (typeof given !== 'string' || type === 'string') return given
  return type === 'bool' ? given.toLowerCase() === 'true' : Number(given)
}

/** One row for each parameter of an embedded graph; its own value is the default. */
export function parameterRows(parameters: readonly Parameter[], overrides: Values): readonly PropertyRow[] {
  const known = Object.fromEntries(parameters.map((parameter) => [parameter.name, propertyOf(parameter)]))
  const values = parameters.map((parameter) => {
    const key = keyIn(overrides, parameter.name)
    return [parameter.name, typed(parameter, key === undefined ? undefined : overrides[key])]
  })
  return rowsFor(known, [Object.fromEntries(values)])
}

/** The overrides with another value; the graph's own value removes the override. */
export function overridden(overrides: Values, { path, property }: PropertyRow, value: unknown): Values {
  const others = Object.entries(overrides).filter(([key]) => key.toLowerCase() !== path.toLowerCase())
  const own = 'default' in property && same(value, property.default)
  return Object.fromEntries(own ? others : [...others, [path, value]])
}

/** A parameter in the list of the Input node. */
export type Listed = { readonly name: string; readonly category: string }
type Given = { readonly Name: string; readonly Was?: string; readonly Category?: string }

/** Undefined where the editor does not list parameters there. */
export function listedIn(properties: Values): readonly Listed[] | undefined {
  const { Parameters: list } = properties
  if (!Array.isArray(list)) return undefined
  return list.filter(isRecord).map(({ Name, Category }) => ({ name: String(Name), category: String(Category ?? '') }))
}

const given = ({ name, category }: Listed): Given => ({
  Name: name,
  ...(category === '' ? {} : { Category: category }),
})

export const renamed = (list: readonly Listed[], name: string, to: string): readonly Given[] =>
  list.map((each) => (each.name === name ? { ...given(each), Name: to, Was: name } : given(each)))
export const without = (list: readonly Listed[], name: string): readonly Given[] =>
  list.filter((each) => each.name !== name).map(given)
export const categorised = (list: readonly Listed[], name: string, category: string): readonly Given[] =>
  list.map((each) => given(each.name === name ? { ...each, category } : each))

/** The parameters by category, in the order in which the categories first appear. */
export const byCategory = (list: readonly Listed[]): ReadonlyMap<string, readonly Listed[]> =>
  Map.groupBy(list, ({ category }) => category)

/** One place up or down among those of its category; undefined at the end. */
export function moved(list: readonly Listed[], name: string, by: -1 | 1): readonly Given[] | undefined {
  const from = list.findIndex((each) => each.name === name)
  const peers = list.flatMap(({ category }, at) => (category === list[from]?.category ? [at] : []))
  const to = peers[peers.indexOf(from) + by]
  const [one, other] = [list[from], to === undefined ? undefined : list[to]]
  if (!one || !other || to === undefined) return undefined
  return list.with(from, other).with(to, one).map(given)
}

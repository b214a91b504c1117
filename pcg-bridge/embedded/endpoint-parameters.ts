// The parameters of a graph as a property of its Input node: renamed, removed, ordered and put into categories as one list.
import { checkParameterName, parameterNamed } from '../editor/arguments.ts'
import type { GraphDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import { subgraphPath } from '../editor/pins.ts'
import { isRecord } from '../editor/settings.ts'
import type { EditorSession, GraphRef } from './session.ts'

const READER = 'PCGUserParameterGetSettings'

export const shownParameters = ({ parameters }: GraphDoc) =>
  parameters.map(({ name, type, category }) => ({
    Name: name,
    Type: type,
    ...(category === undefined ? {} : { Category: category }),
  }))

type Wanted = { readonly name: string; readonly was: string; readonly category: string | undefined }
function parseParameter(given: unknown): Wanted {
  const { Name: name, Was: was = name, Category: category = '' } = isRecord(given) ? given : { Name: given }
  if (typeof name !== 'string') throw new PcgError('INVALID_ARGUMENT', 'Each of Parameters has a Name')
  if (typeof was !== 'string' || typeof category !== 'string' || category.length > 128)
    throw new PcgError('TYPE_MISMATCH', `Was and Category of ${name} take texts of at most 128 characters`)
  return { name, was, category: category.trim() === '' ? undefined : category.trim() }
}

const sameName = (one: unknown, other: string): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()

/** Other assets that set or wire the parameter by its name. */
function usersOf(session: EditorSession, path: string, name: string): string[] {
  return [...session.store.assets.values()].flatMap(({ path: other, doc }) => {
    if (doc.kind === 'PCGGraphInstance')
      return sameName(doc.graph, path) && Object.keys(doc.overrides).some((key) => sameName(key, name)) ? [other] : []
    const uses = doc.nodes.some((node) => {
      if (!sameName(subgraphPath(node), path)) return false
      const set = node.properties['ParameterOverrides']
      const isSet = isRecord(set) && Object.keys(set).some((key) => sameName(key, name))
      return isSet || doc.edges.some((edge) => edge.to === node.name && sameName(edge.toPin, name))
    })
    return uses ? [other] : []
  })
}

/** The whole list: a parameter that it omits is removed; `Was` names the one that is renamed. */
export function mergeParameters(session: EditorSession, graph: GraphRef, given: unknown): GraphDoc {
  if (!Array.isArray(given)) throw new PcgError('TYPE_MISMATCH', 'Parameters takes a list')
  const wanted = given.map(parseParameter)
  const { parameters, nodes } = graph.doc
  for (const list of [wanted.map(({ name }) => name), wanted.map(({ was }) => was)])
    if (new Set(list.map((name) => name.toLowerCase())).size < list.length)
      throw new PcgError('INVALID_ARGUMENT', 'Two of Parameters have the same name')
  const kept = wanted.map(({ name, was, category }) => {
    const found = parameterNamed(parameters, was)
    if (!found)
      throw new PcgError('PARAMETER_NOT_FOUND', `${graph.name} has no parameter '${was}': add it with its type first`)
    const { category: _before, ...rest } = found
    if (found.name !== name) checkParameterName(name)
    return { was: found.name, is: { ...rest, name, ...(category === undefined ? {} : { category }) } }
  })
  const renamed = new Map(kept.flatMap(({ was, is }) => (was === is.name ? [] : [[was.toLowerCase(), is.name]])))
  const gone = parameters.filter(({ name }) => !kept.some(({ was }) => was === name))
  for (const { name } of [...gone, ...parameters.filter((each) => renamed.has(each.name.toLowerCase()))]) {
    const users = usersOf(session, graph.path, name)
    if (users.length > 0)
      throw new PcgError('INVALID_ARGUMENT', `'${name}' is set or wired in ${users.join(', ')}: release it there first`)
  }
  const reader = nodes.find(
    (node) => node.class === READER && gone.some(({ name }) => sameName(node.properties['PropertyName'], name)),
  )
  if (reader) throw new PcgError('INVALID_ARGUMENT', `${reader.name} reads the parameter: remove the node first`)
  return {
    ...graph.doc,
    parameters: kept.map(({ is }) => is),
    nodes: nodes.map((node) => {
      const now = node.class === READER ? renamed.get(String(node.properties['PropertyName']).toLowerCase()) : undefined
      return now === undefined ? node : { ...node, properties: { ...node.properties, PropertyName: now } }
    }),
  }
}

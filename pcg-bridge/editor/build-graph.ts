// Builds a graph from its description through the tools of an editor, and lists what the editor did not take.
import { isDeepStrictEqual } from 'node:util'
import { titleOfClass } from '../catalog/node-type.ts'
import type { CallContext, GraphDocument, PcgCode } from '../contract/index.ts'
import type { Lost } from '../contract/transfer.ts'
import { counted } from './counted.ts'
import {
  type EdgeToolName,
  type NodeToolName,
  type ParameterToolName,
  PcgError,
  type SettingsToolName,
  type Tools,
} from './editor.ts'
import { effective, findProperty, isRecord, nodeType, ofTheWindow, type Settings } from './settings.ts'

export type BuildTools = Pick<Tools, NodeToolName | SettingsToolName | EdgeToolName | ParameterToolName>
export type Built = {
  /** Names in the description → names in the editor. */
  readonly names: ReadonlyMap<string, string>
  readonly titles: Readonly<Record<string, string>>
  readonly edges: number
  readonly parameters: number
  readonly lost: readonly Lost[]
}
export type BuildOptions = {
  /** The graph to build in; empty. */
  readonly path: string
  /** Paths of embedded graphs in the source → in this editor. */
  readonly subgraphs: ReadonlyMap<string, string>
  readonly context: CallContext
  readonly step: (message: string) => void
}

const SUBGRAPH = 'SubgraphOverride'
/** Codes by which an editor refuses a part; any other failure ends the build. */
const REFUSALS: readonly PcgCode[] = [
  'NODE_TYPE_NOT_FOUND',
  'INVALID_ARGUMENT',
  'TYPE_MISMATCH',
  'PIN_NOT_FOUND',
  'PARAMETER_NOT_FOUND',
  'GRAPH_NOT_FOUND',
  'CYCLE',
  'EDITOR_ERROR',
]
export async function buildGraph(tools: BuildTools, document: GraphDocument, options: BuildOptions): Promise<Built> {
  const { path, context, step } = options
  const at = { pcg_graph_path: path }
  const lost: Lost[] = []
  const names = new Map<string, string>([
    ['Input', 'Input'],
    ['Output', 'Output'],
  ])
  /** False: refused, and listed as lost. */
  async function attempt(item: string, work: () => Promise<unknown>): Promise<boolean> {
    context.signal?.throwIfAborted()
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof PcgError) || !REFUSALS.includes(error.code)) throw error
      lost.push({ graph: document.path, item, reason: error.message })
      return false
    }
  }

  let parameters = 0
  for (const { name, type, value } of document.parameters) {
    const added = await attempt(`parameter ${name}`, async () => {
      await tools.add_pcg_graph_parameter({ ...at, name, type }, context)
      await tools.set_pcg_graph_parameter({ ...at, name, value: String(value) }, context)
    })
    if (added) parameters += 1
  }
  for (const end of ['Input', 'Output'] as const)
    if (document.pins[end].length > 0)
      await attempt(`pins of ${end}`, () =>
        tools.set_pcg_node_properties({ ...at, node_name: end, properties: { Pins: document.pins[end] } }, context),
      )

  for (const [index, node] of document.nodes.entries()) {
    step(`${index + 1} of ${counted(document.nodes.length, 'node')}`)
    await attempt(`node ${node.name}`, async () => {
      const { node_name } = await tools.add_pcg_node({ ...at, node_type: node.class }, context)
      names.set(node.name, node_name)
    })
    const made = names.get(node.name)
    if (made !== undefined)
      await setProperties(tools, options, { ...node, made, properties: redirected(node.properties, options) }, attempt)
  }

  let edges = 0
  for (const [index, [from, from_pin, to, to_pin]] of document.edges.entries()) {
    step(`${index + 1} of ${counted(document.edges.length, 'edge')}`)
    const item = `edge ${from}.${from_pin} → ${to}.${to_pin}`
    const [from_node, to_node] = [names.get(from), names.get(to)]
    if (from_node === undefined || to_node === undefined)
      lost.push({ graph: document.path, item, reason: `The node ${from_node === undefined ? from : to} is missing` })
    else if (
      await attempt(item, () => tools.connect_pcg_nodes({ ...at, from_node, from_pin, to_node, to_pin }, context))
    )
      edges += 1
  }
  return { names, titles: titlesOf(document, names), edges, parameters, lost }
}

type Node = GraphDocument['nodes'][number] & { readonly made: string }
type Attempt = (item: string, work: () => Promise<unknown>) => Promise<boolean>

/** Sends what the new node does not have already: in one call, or one by one to find what is refused. */
async function setProperties(
  tools: BuildTools,
  { path, context }: BuildOptions,
  node: Node,
  attempt: Attempt,
): Promise<void> {
  const at = { pcg_graph_path: path, node_name: node.made }
  const { properties: fresh } = await tools.get_pcg_node_properties(at, context)
  const known = Object.fromEntries(Object.keys(fresh).map((name) => [name, { kind: 'object', default: null } as const]))
  const usual = effective(nodeType(node.class), {})
  const wanted = Object.entries(node.properties).filter(([name, value]) => {
    const found = findProperty(known, name)
    if (found === undefined) return !isUsual(name, value, usual)
    return !isDeepStrictEqual(fresh[found], value) && !(value === null && !fresh[found])
  })
  const set = (properties: Settings) => tools.set_pcg_node_properties({ ...at, properties }, context)
  const [first, ...others] = wanted
  if (!first) return
  if (others.length > 0) {
    try {
      await set(Object.fromEntries(wanted))
      return
    } catch (error) {
      // Refused as a whole: the parts show which.
      if (!(error instanceof PcgError) || !REFUSALS.includes(error.code)) throw error
    }
  }
  for (const [name, value] of wanted) await attempt(`${node.name}.${name}`, () => set({ [name]: value }))
}

/** A setting that the other editor lacks is lost only if a user changed it. */
function isUsual(name: string, value: unknown, usual: Settings): boolean {
  if (ofTheWindow(name)) return true
  if (Object.hasOwn(usual, name)) return isDeepStrictEqual(usual[name], value)
  return !value || value === 'None' || (typeof value === 'object' && Object.values(value).every((each) => !each))
}

/** Embedded graphs by their paths in this editor. */
function redirected(properties: Settings, { subgraphs }: BuildOptions): Settings {
  const inner = properties[SUBGRAPH]
  const path = subgraphOf(inner)
  if (path === undefined) return properties
  return { ...properties, [SUBGRAPH]: subgraphs.get(path.toLowerCase()) ?? path }
}

/** The path of an embedded graph without its asset suffix; undefined for none. */
export function subgraphOf(value: unknown): string | undefined {
  const given = isRecord(value) ? value['Graph'] : value
  if (typeof given !== 'string' || !given.includes('/')) return undefined
  return (/'([^']*)'$/.exec(given)?.[1] ?? given).split('.')[0]
}

export function subgraphsOf({ nodes }: Pick<GraphDocument, 'nodes'>): string[] {
  return nodes.flatMap(({ properties }) => subgraphOf(properties[SUBGRAPH]) ?? [])
}

function titlesOf({ nodes }: GraphDocument, names: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(
    nodes.flatMap(({ name, title }) => {
      const made = names.get(name)
      return title === null || made === undefined ? [] : [[made, title] as const]
    }),
  )
}

/** The title if a person gave it. */
export function ownTitle(className: string, title: string): string | null {
  return title === (nodeType(className)?.title ?? titleOfClass(className)) ? null : title
}

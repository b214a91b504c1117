// Brings graphs of another editor into this one: all of them, or none when the editor fails on the way.
import type { CallContext, GraphDocument, TransferReport } from '../contract/index.ts'
import type { Lost } from '../contract/transfer.ts'
import { type BuildTools, type Built, buildGraph, subgraphsOf } from './build-graph.ts'
import { PcgError } from './editor.ts'

/** Where an editor builds graphs before they are visible. */
export type BuildSite = {
  /** Content path of a graph as this editor takes it; throws if it cannot. */
  pathFor(source: string): string
  has(path: string): Promise<boolean>
  /** An empty graph to build in. */
  begin(path: string, replaces: boolean): Promise<string>
  readonly tools: BuildTools
  /** The built graph takes its place; returns the names that nodes have there. */
  finish(built: string, path: string, titles: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>>
  /** Everything is built: makes it visible. */
  commit(): Promise<void>
  /** Removes what was begun. */
  abandon(): Promise<void>
}
export type ImportOptions = {
  /** Path of the first graph here; null: the path it has. */
  readonly path: string | null
  readonly replace: boolean
}
export type Imported = Pick<TransferReport, 'graph' | 'graphs'> & {
  readonly lost: Lost[]
  /** Of each graph that was built: the names of its nodes here. */
  readonly names: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** `documents`: the wanted graph, then those that it embeds. */
export async function importGraphs(
  site: BuildSite,
  documents: readonly GraphDocument[],
  { path, replace }: ImportOptions,
  context: CallContext,
): Promise<Imported> {
  const [root] = documents
  if (!root) throw new PcgError('INVALID_ARGUMENT', 'There is no graph to copy')
  const places = new Map(
    documents.map((each) => [each.path.toLowerCase(), site.pathFor(each === root && path !== null ? path : each.path)]),
  )
  const target = places.get(root.path.toLowerCase()) ?? root.path
  const exists = await site.has(target)
  if (exists && !replace)
    throw new PcgError('INVALID_ARGUMENT', `${target} exists in the target editor: choose another path, or replace it`)
  const graphs: TransferReport['graphs'] = []
  const lost: Lost[] = []
  const names = new Map<string, ReadonlyMap<string, string>>()
  try {
    for (const document of innerFirst(documents)) {
      const to = places.get(document.path.toLowerCase()) ?? document.path
      const counted = { from: document.path, to, nodes: 0, edges: 0, parameters: 0, comments: 0 }
      if (document !== root && (await site.has(to))) {
        graphs.unshift({ ...counted, outcome: 'kept' })
        continue
      }
      const replaces = document === root && exists
      const building = await site.begin(to, replaces)
      const step = (message: string) =>
        context.onProgress?.({ progress: graphs.length, total: documents.length, message: `${to}: ${message}` })
      const built = await buildGraph(site.tools, document, { path: building, subgraphs: places, context, step })
      lost.push(...built.lost)
      names.set(to, renamed(built, await site.finish(building, to, built.titles)))
      graphs.unshift({
        ...counted,
        outcome: replaces ? 'replaced' : 'created',
        nodes: built.names.size - 2,
        edges: built.edges,
        parameters: built.parameters,
      })
    }
    await site.commit()
  } catch (error) {
    await site.abandon()
    throw error
  }
  return { graph: target, graphs, lost, names }
}

function renamed({ names }: Built, final: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([source, made]) => [source, final.get(made) ?? made]))
}

/** Embedded graphs before the graphs that embed them. */
function innerFirst(documents: readonly GraphDocument[]): GraphDocument[] {
  const byPath = new Map(documents.map((each) => [each.path.toLowerCase(), each]))
  const done = new Set<GraphDocument>()
  const visit = (document: GraphDocument, above: readonly GraphDocument[]): void => {
    if (done.has(document) || above.includes(document)) return
    for (const inner of subgraphsOf(document)) {
      const found = byPath.get(inner.toLowerCase())
      if (found) visit(found, [...above, document])
    }
    done.add(document)
  }
  for (const document of documents) visit(document, [])
  return [...done]
}

// What can be compared and merged: the open graph as it is, a version of it, or a file of this computer.
import { queryOptions, useQueries } from '@tanstack/react-query'
import { fromAsset, fromDocument, parseText, type ReviewGraph, readAsset } from '#pcg-review'
import { api } from '../../api/api.ts'
import { documentQuery } from '../editor/queries.ts'

export type Source =
  | { readonly kind: 'now' }
  | { readonly kind: 'version'; readonly id: number }
  | { readonly kind: 'file'; readonly name: string; readonly graph: ReviewGraph }
export const NOW: Source = { kind: 'now' }

/** A text form, or a file of the embedded editor. */
export async function fileSource(file: File): Promise<Source> {
  const text = await file.text()
  const graph = /\.json$/i.test(file.name) ? fromAsset(readAsset(text)) : parseText(text).graph
  return { kind: 'file', name: file.name, graph }
}

/** A version is immutable. */
const versionQuery = (editor: string, id: number) =>
  queryOptions({
    queryKey: ['pcg', editor, 'version', id],
    staleTime: Infinity,
    queryFn: async () => (await api.pcg.snapshotDocument({ params: { name: editor, id: String(id) } })).documents,
  })

/** A version has no titles, positions and added pins: it is shown with those of the graph. */
function completed(version: ReviewGraph, now: ReviewGraph): ReviewGraph {
  const nodes = [...version.nodes].map(
    ([id, node]) => [id, { ...node, title: now.nodes.get(id)?.title ?? node.title }] as const,
  )
  return { ...version, path: now.path, nodes: new Map(nodes), pins: now.pins, layout: now.layout }
}

/** The graphs of sources, in their order; undefined while one is read. */
export function useSources(editor: string, graph: string, sources: readonly (Source | null)[]) {
  const versions = [...new Set(sources.flatMap((source) => (source?.kind === 'version' ? [source.id] : [])))]
  const [now, ...read] = useQueries({
    queries: [documentQuery(editor, graph), ...versions.map((id) => versionQuery(editor, id))],
  })
  const failed = [now, ...read].find((each) => each?.isError === true && !each.data)
  const [document] = now?.data ?? []
  const current = document && fromDocument(document).graph
  const graphs = sources.map((source) => {
    if (!source || !current) return undefined
    if (source.kind === 'now') return current
    // The name of a file says nothing about the path of its graph.
    if (source.kind === 'file') return { ...source.graph, path: current.path }
    const [kept] = read[versions.indexOf(source.id)]?.data ?? []
    return kept && completed(fromDocument(kept).graph, current)
  })
  return { graphs, error: failed?.error ?? null }
}

// The state of an editor as queries. The editor is the source of truth: its events invalidate them, gestures re-read.
import { type QueryClient, type QueryKey, queryOptions, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { ApiError, type PcgChange, type PcgEditor } from '#contract'
import { EditorEvent } from '#pcg-contract'
import { api } from '../../api/api.ts'
import { askAgain } from '../../api/ask-again.ts'
import { useTopic } from '../../api/live.ts'
import { callTool, look } from './calls.ts'
import { reasonAgainst } from './capabilities.ts'
import type { Selection } from './taking-back.ts'

const ROOT = 'pcg'

export const editorsQuery = queryOptions({
  queryKey: [ROOT, 'editors'],
  queryFn: async (): Promise<readonly PcgEditor[]> => {
    try {
      return (await api.pcg.list({ query: { limit: '200' } })).items
    } catch (error) {
      // A gateway without PCG has no such routes, hence no editors.
      if (error instanceof ApiError && error.status === 404) return []
      throw error
    }
  },
})

/** A disconnected editor is not queried: its breaker stays closed and the last read stays on screen. */
function asked<T>(editor: string, ask: () => Promise<T>): (context: { client: QueryClient }) => Promise<T> {
  return async ({ client }) => {
    // Cached until an event invalidates it.
    const editors = await client.fetchQuery({ ...editorsQuery, staleTime: Infinity })
    const known = editors.find(({ name }) => name === editor)
    const reason = known?.status === 'connecting' ? null : reasonAgainst(known, 'edit')
    if (reason !== null) throw new ApiError(409, { code: 'EDITOR_UNAVAILABLE', message: reason, request_id: '' })
    return ask()
  }
}

export const graphsQuery = (editor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'graphs'],
    queryFn: asked(editor, () => look(editor, 'list_pcg_graphs', {})),
  })

export const graphQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'graph', graph],
    queryFn: asked(editor, () => callTool(editor, 'get_pcg_graph_info', { pcg_graph_path: graph })),
  })

/**
 * The graph with all settings, as the linter and comparisons read it. It is current until an event says otherwise; a
 * gesture does not wait for it.
 */
export const documentQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'document', graph],
    staleTime: Infinity,
    queryFn: asked(
      editor,
      async () => (await api.pcg.exportGraph({ params: { name: editor }, query: { graph } })).documents,
    ),
  })

export const layoutQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'layout', graph],
    queryFn: () => api.pcg.layout({ params: { name: editor }, query: { graph } }),
  })

export const nodeQuery = (editor: string, graph: string, node: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'graph', graph, 'node', node],
    queryFn: asked(editor, () =>
      callTool(editor, 'get_pcg_node_properties', { pcg_graph_path: graph, node_name: node }),
    ),
  })

export const parametersQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'graph', graph, 'parameters'],
    queryFn: asked(editor, () => callTool(editor, 'get_pcg_graph_parameters', { pcg_graph_path: graph })),
  })

export const actorsQuery = (editor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'level', 'actors'],
    queryFn: asked(editor, () => look(editor, 'list_pcg_actors', {})),
  })

export const shapesQuery = (editor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'level', 'shapes'],
    queryFn: asked(editor, () => look(editor, 'get_pcg_level_shapes', { resolution: 129 })),
  })

/** Without the ground, which takes a real editor longest; not read again at each change of the level. */
export const tagsQuery = (editor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'tags'],
    staleTime: 60_000,
    queryFn: asked(editor, () => look(editor, 'get_pcg_level_shapes', { resolution: 2 })),
  })

export const componentQuery = (editor: string, actor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'level', 'component', actor],
    queryFn: asked(editor, () => callTool(editor, 'get_pcg_component_info', { actor_name: actor })),
  })

export const reportQuery = (editor: string, actor: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'level', 'report', actor],
    queryFn: asked(editor, () => look(editor, 'get_pcg_generation_report', { actor_name: actor })),
  })

export const historyQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'history', graph],
    queryFn: async () => (await api.pcg.history({ params: { name: editor }, query: { graph, limit: '200' } })).items,
  })

export const versionsQuery = (editor: string, graph: string) =>
  queryOptions({
    queryKey: [ROOT, editor, 'versions', graph],
    queryFn: async () => (await api.pcg.snapshots({ params: { name: editor }, query: { graph, limit: '200' } })).items,
  })

/** From a version to another one or to the current graph. */
export const diffQuery = (editor: string, graph: string, version: number, against: number | null) =>
  queryOptions({
    // The current graph changes with every edit; versions are immutable.
    queryKey: [ROOT, editor, ...(against === null ? ['graph', graph] : ['versions', graph]), 'diff', version, against],
    queryFn: () =>
      api.pcg.compareSnapshot({
        params: { name: editor, id: String(version) },
        query: { against: against === null ? 'current' : String(against) },
      }),
  })

/** A dry run of an undo, newest change first; the first refusal is reported. */
export const revertQuery = (editor: string, graph: string, selections: readonly Selection[]) =>
  queryOptions({
    queryKey: [ROOT, editor, 'history', graph, 'revert', selections],
    queryFn: async () => {
      const dry = selections.map((selection) =>
        api.pcg.undo({ params: { name: editor }, body: { ...selection, dryRun: true } }),
      )
      const answers = await Promise.all(dry)
      return {
        calls: answers.flatMap(({ calls }) => calls),
        failed: answers.find(({ failed }) => failed !== null)?.failed ?? null,
      }
    },
  })

/** The queries behind canvas and panels: graph, layout, and list of graphs. */
export function isOfGraph([root, of, kind, which, part]: QueryKey, editor: string, graph: string): boolean {
  if (root !== ROOT || of !== editor) return false
  return kind === 'graphs' || ((kind === 'graph' || kind === 'layout') && which === graph && part !== 'diff')
}

const StudioEvent = z.intersection(z.object({ at: z.string(), editor: z.string() }), EditorEvent)
export type StudioEvent = z.infer<typeof StudioEvent>

/** Calls `onEvent` for each event of an editor while the component is mounted. */
export function useEditorEvents(editor: string, listener: (event: StudioEvent) => void): void {
  useTopic('pcg', ({ data }) => {
    const { success, data: event } = StudioEvent.safeParse(data)
    if (success && event.editor === editor) listener(event)
  })
}

/** The page's own gestures re-read what they changed. */
type Known = { owns(change: PcgChange): boolean; layoutRevision(): number }

/** Invalidates the queries of an editor on its events. Mounted once, by the page. */
export function useFreshQueries(editor: string, graph: string, gestures: Known): void {
  const queries = useQueryClient()
  useEditorEvents(editor, (event) => {
    const known = event.type === 'graph.changed' && event.graph === graph ? gestures : NOTHING
    for (const key of staleBy(event, known)) askAgain(queries, [ROOT, ...key])
  })
}
const NOTHING: Known = { owns: () => false, layoutRevision: () => 0 }

export function staleBy(event: StudioEvent, known = NOTHING): readonly (readonly string[])[] {
  const { editor } = event
  switch (event.type) {
    case 'editor.status':
      // A disconnected editor is not queried: the last read stays on screen and its breaker stays closed.
      return event.status === 'connected' ? [['editors'], [editor]] : [['editors']]
    case 'editor.activity':
    case 'leases.changed':
      return [['editors']]
    case 'graph.changed': {
      const { graph, change, layoutRevision } = event
      if (layoutRevision !== undefined)
        return layoutRevision > known.layoutRevision() ? [[editor, 'layout', graph]] : []
      const lists = [
        [editor, 'versions', graph],
        [editor, 'graphs'],
      ]
      if (change && known.owns(change)) return lists
      return [
        ...lists,
        [editor, 'graph', graph],
        [editor, 'layout', graph],
        [editor, 'history'],
        [editor, 'level', 'report'],
      ]
    }
    case 'level.changed':
      return [[editor, 'level']]
    case 'generation':
      // One event per finished node; the last one covers them all.
      return event.phase === 'generating' ? [] : [[editor, 'level']]
    case 'call.started':
    case 'call.finished':
    case 'transfer':
    case 'log':
      return []
  }
}

/** Another author's event can restart a read; the gesture ends after this many restarts. */
const MOST_READINGS = 10

/** What a gesture may have changed; skips the layout if the save returned it. */
export type Touched = { edits: boolean; layout: boolean }

/** Re-reads what a gesture touched before the next one starts. */
export async function reread(queries: QueryClient, editor: string, graph: string, touched: Touched): Promise<void> {
  const layout = [ROOT, editor, 'layout', graph]
  const rest = [
    [ROOT, editor, 'graph', graph],
    [ROOT, editor, 'history', graph],
    [ROOT, editor, 'level'],
  ]
  const stale = [...(touched.layout ? [layout] : []), ...(touched.edits ? rest : [])]
  const keys = touched.edits ? [layout, ...rest] : [layout]
  await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  // An event restarts the query and discards the first answer.
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    const underWay = keys.flatMap((queryKey) =>
      queries.getQueryCache().findAll({ queryKey, type: 'active', fetchStatus: 'fetching' }),
    )
    if (underWay.length === 0) break
    await Promise.allSettled(underWay.map(async ({ promise }) => promise))
  }
  // Queries notify components in a later task; local values are kept until then.
  await new Promise((resolve) => setTimeout(resolve))
}

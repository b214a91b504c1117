// What the tools of the embedded editor share: the open project, its edits with history, its events.
import { isDeepStrictEqual } from 'node:util'
import type { CallContext, Change, EditorEvent, HostedEditor } from '../contract/index.ts'
import { instanceOf, NOT_FOUND } from '../editor/arguments.ts'
import { newest } from '../editor/changes.ts'
import { assetKey, assetName, contentPath } from '../editor/content-path.ts'
import type { ActorDoc, AssetDoc, GraphDoc, InstanceDoc, LevelDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import type { FindGraph } from '../editor/pins.ts'
import type { History } from './history.ts'
import type { Asset, Store } from './store.ts'

export type EditorSession = {
  readonly store: Store
  readonly history: History
  readonly findGraph: FindGraph
  emit(event: EditorEvent): void
}

export type GraphRef = { readonly path: string; readonly name: string; readonly doc: GraphDoc }
export type Saved = { readonly saved: boolean; readonly save_error: string | null }
export const UNCHANGED: Saved = { saved: false, save_error: null }

function assetAt(session: EditorSession, given: string): Asset | undefined {
  let content: string
  try {
    content = contentPath(given)
  } catch {
    // A text that cannot be a path names no graph: one answer for both.
    return undefined
  }
  return session.store.assets.get(assetKey(content))
}

/** A graph asset; a graph instance is not one. */
export function graphAt(session: EditorSession, given: string): GraphRef {
  const found = assetAt(session, given)
  if (found?.doc.kind === 'PCGGraphInstance')
    throw new PcgError('GRAPH_NOT_FOUND', instanceOf(found.path, found.doc.graph))
  if (!found || found.doc.kind !== 'PCGGraph') throw new PcgError('GRAPH_NOT_FOUND', NOT_FOUND)
  return { path: found.path, name: assetName(found.path), doc: found.doc }
}

/** For tools of parameters, which answer an instance as a graph that does not exist. */
export function parameterGraphAt(session: EditorSession, given: string): GraphRef {
  if (assetAt(session, given)?.doc.kind === 'PCGGraphInstance') throw new PcgError('GRAPH_NOT_FOUND', NOT_FOUND)
  return graphAt(session, given)
}

export function changesOf(session: EditorSession, query: Parameters<HostedEditor['history']>[0]): readonly Change[] {
  const changes = session.history.entries.map(({ change }) => change)
  return newest(changes, query.graph === undefined ? query : { ...query, graph: graphAt(session, query.graph).path })
}

export type Runnable = { readonly path: string; readonly graph: GraphRef; readonly overrides: InstanceDoc['overrides'] }

/** What a component may run: a graph, or an instance of one with its overrides. */
export function runnableAt(session: EditorSession, given: string): Runnable {
  const found = assetAt(session, given)
  if (!found) throw new PcgError('GRAPH_NOT_FOUND', NOT_FOUND)
  return found.doc.kind === 'PCGGraphInstance'
    ? { path: found.path, graph: graphAt(session, found.doc.graph), overrides: found.doc.overrides }
    : { path: found.path, graph: graphAt(session, given), overrides: {} }
}

export function identity(graph: { readonly path: string; readonly name: string }) {
  return { graph_name: graph.name, asset_path: graph.path }
}

export type Call = {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly context: CallContext
}

/** Replaces an asset, records the change, saves. A failed save leaves the edit in the open project. */
export async function commitGraph(session: EditorSession, path: string, doc: AssetDoc, call: Call): Promise<Saved> {
  const before = session.store.assets.get(assetKey(path))
  if (before && isDeepStrictEqual(before.doc, doc)) return UNCHANGED
  const asset = { path, doc }
  session.store.assets.set(assetKey(path), asset)
  const change = session.history.record(call, { graph: path }, before?.doc ?? null, doc)
  const error = await session.store.saveAsset(asset)
  if (error) session.emit({ type: 'log', level: 'error', text: `${path}: ${error}` })
  session.emit({ type: 'graph.changed', graph: path, change })
  return { saved: error === null, save_error: error }
}

/** For tools whose result has no field for a failed save: undoes the edit and fails the call. */
export async function commitOrRevert(session: EditorSession, path: string, doc: GraphDoc, call: Call): Promise<void> {
  const before = session.store.assets.get(assetKey(path))
  const { save_error } = await commitGraph(session, path, doc, call)
  if (save_error === null) return
  if (before) session.store.assets.set(assetKey(path), before)
  session.history.forgetLast()
  session.emit({ type: 'graph.changed', graph: path, change: null })
  throw new PcgError('EDITOR_ERROR', `Nothing was changed. ${save_error}`)
}

/** Edits a copy of the level; the open level is replaced when `edit` returns. */
export async function editLevel<T>(session: EditorSession, call: Call, edit: (level: LevelDoc) => T): Promise<T> {
  const before = session.store.level
  const draft = structuredClone(before)
  const result = edit(draft)
  if (isDeepStrictEqual(before, draft)) return result
  session.store.level = draft
  session.history.record(call, { level: true }, before, draft)
  const error = await session.store.saveLevel()
  if (error) session.emit({ type: 'log', level: 'error', text: `${session.store.levelPath}: ${error}` })
  session.emit({ type: 'level.changed' })
  return result
}

/** By label first, then by internal name. */
export function actorAt(session: EditorSession, given: string): ActorDoc {
  const { actors } = session.store.level
  const labelled = actors.filter((actor) => actor.label === given)
  if (labelled.length > 1)
    throw new PcgError(
      'INVALID_ARGUMENT',
      `${labelled.length} actors are labelled '${given}': use one of the names ${labelled.map((actor) => actor.name).join(', ')}`,
    )
  const found = labelled[0] ?? actors.find((actor) => actor.name.toLowerCase() === given.toLowerCase())
  if (!found) throw new PcgError('ACTOR_NOT_FOUND', `The level has no actor named '${given.slice(0, 120)}'`)
  return found
}

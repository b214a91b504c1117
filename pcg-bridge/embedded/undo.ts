// Takes changes back: all patches of the chosen changes or none, and never over what others changed since.
import type { CallContext, UndoResult, UndoSelection } from '../contract/index.ts'
import { assetKey } from '../editor/content-path.ts'
import type { AssetDoc, LevelDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import { advancedPin, pinsOf } from '../editor/pins.ts'
import { revert } from './history.ts'
import type { Entry, Patch } from './history-log.ts'
import { type Call, commitGraph, type EditorSession, editLevel } from './session.ts'

type Fields = Readonly<Record<string, unknown>>
function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function parameterCall({ key: name, field, before }: Patch, graph: Fields): UndoResult['calls'][number] {
  const [what] = field
  if (what === 'value') return { tool: 'set_pcg_graph_parameter', args: { ...graph, name, value: String(before) } }
  if (what === undefined && before !== undefined)
    return { tool: 'add_pcg_graph_parameter', args: { ...graph, name, type: record(before)['type'] ?? '' } }
  const properties = { Parameters: what === undefined ? `without ${name}` : { [what]: before ?? null } }
  return { tool: 'set_pcg_node_properties', args: { ...graph, node_name: 'Input', properties } }
}

/** What taking a patch back would be as a call of the twenty; some have none. */
function asCall(patch: Patch): UndoResult['calls'][number] {
  const graph = 'graph' in patch.target ? { pcg_graph_path: patch.target.graph } : {}
  const appears = patch.after === undefined
  if (patch.list === 'edges') {
    const [from_node = '', from_pin = '', to_node = '', to_pin = ''] = patch.key.split('\n')
    const tool = appears ? 'connect_pcg_nodes' : 'disconnect_pcg_nodes'
    return { tool, args: { ...graph, from_node, from_pin, to_node, to_pin } }
  }
  if (patch.list === 'nodes') {
    if (patch.field.length > 0)
      return {
        tool: 'set_pcg_node_properties',
        args: { ...graph, node_name: patch.key, properties: { [patch.field.at(-1) ?? '']: patch.before ?? null } },
      }
    return appears
      ? { tool: 'add_pcg_node', args: { ...graph, node_type: record(patch.before)['class'] ?? '' } }
      : { tool: 'remove_pcg_node', args: { ...graph, node_name: patch.key } }
  }
  if (patch.list === 'parameters') return parameterCall(patch, graph)
  if (patch.list === 'actors')
    return {
      tool: 'set_pcg_component_properties',
      args: { actor_name: patch.key, properties: { [patch.field.at(-1) ?? 'actor']: patch.before ?? null } },
    }
  return { tool: 'set_pcg_node_properties', args: { ...graph, properties: { Pins: patch.key } } }
}

function chosen(session: EditorSession, selection: UndoSelection): Entry[] {
  const standing = session.history.entries.filter(({ change }) => !change.undone)
  if ('changeId' in selection) return standing.filter(({ change }) => change.id === selection.changeId)
  if ('batchId' in selection) return standing.filter(({ change }) => change.batchId === selection.batchId)
  const last = standing.findLast(
    ({ change }) => change.actor === selection.author && change.undoable && change.tool !== 'undo',
  )
  return last ? [last] : []
}

/** Edges whose node or pin would be gone. */
function dangling(session: EditorSession, doc: AssetDoc | LevelDoc): string | null {
  if (doc.kind !== 'PCGGraph') return null
  const broken = doc.edges.find((edge) => {
    const [from, to] = [pinsOf(doc, edge.from, session.findGraph), pinsOf(doc, edge.to, session.findGraph)]
    const fromPin = from?.outputs.some((pin) => pin.label === edge.fromPin) ?? false
    const toPin =
      to?.inputs.some((pin) => pin.label === edge.toPin) ||
      advancedPin(doc, edge.to, edge.toPin, session.findGraph) !== undefined
    return !fromPin || !toPin
  })
  return broken ? `the edge ${broken.from}.${broken.fromPin} → ${broken.to}.${broken.toPin} was made since` : null
}

const LEVEL = '(level)'
export async function undo(
  session: EditorSession,
  selection: UndoSelection,
  context: CallContext,
  dryRun: boolean,
): Promise<UndoResult> {
  const selected = chosen(session, selection).reverse()
  const [first] = selected
  if (!first) throw new PcgError('INVALID_ARGUMENT', 'There is no such change to undo')
  // A graph that a batch created stays, without what the batch put into it: there is no tool that deletes one.
  const entries = selected.filter(({ change }) => change.undoable)
  if (entries.length === 0) throw new PcgError('INVALID_ARGUMENT', `${first.change.tool} cannot be undone`)
  const patches = entries.flatMap((entry) => [...entry.patches].reverse())
  const calls = patches.map(asCall)
  const drafts = new Map<string, AssetDoc | LevelDoc>()
  const fail = (index: number, reason: string): UndoResult => ({
    calls,
    applied: 0,
    failed: { index, message: `Nothing was undone: ${reason}` },
  })
  for (const [index, patch] of patches.entries()) {
    const key = 'graph' in patch.target ? patch.target.graph : LEVEL
    const open = 'graph' in patch.target ? session.store.assets.get(assetKey(key))?.doc : session.store.level
    if (!open) return fail(index, `${key} is gone`)
    const draft = drafts.get(key) ?? structuredClone(open)
    drafts.set(key, draft)
    const reason = revert(draft, patch)
    if (reason !== null) return fail(index, reason)
  }
  for (const draft of drafts.values()) {
    const reason = dangling(session, draft)
    if (reason !== null) return fail(0, reason)
  }
  if (dryRun) return { calls, applied: 0, failed: null }
  const call: Call = { tool: 'undo', args: { ...selection }, context }
  for (const [key, draft] of drafts)
    if (draft.kind === 'Level')
      await editLevel(session, call, (level) => Object.assign(level, { actors: draft.actors }))
    else await commitGraph(session, key, draft, call)
  session.history.markUndone(entries)
  return { calls, applied: patches.length, failed: null }
}

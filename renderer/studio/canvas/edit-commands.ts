// Commands that edit the graph: add, delete, connect, copy and paste.
import { ApiError } from '#contract'
import { t } from '../../language/language.ts'
import { counted } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { callTool } from '../editor/calls.ts'
import type { NodePlace } from '../model/arrangement.ts'
import { type Clip, clipOf, type Properties, parseClip, pasting } from '../model/clipboard.ts'
import { bestEdge } from '../model/connect.ts'
import { connecting, cutting, deleting } from '../model/edits.ts'
import { useStudio } from '../studio.ts'
import { type Bench, boxesOfChosen, type Standing } from './bench.ts'
import { type Chosen, choosing } from './chosen.ts'
import { boxesOf, commentId, rerouteId } from './flow.ts'
import { hold } from './hand.ts'
import type { Point } from './wires.ts'

export function extrasOf(
  { layout }: Pick<Standing, 'layout'>,
  { extras }: Pick<Chosen, 'extras'>,
): { readonly comments: ReadonlySet<string>; readonly reroutes: ReadonlySet<string> } {
  const of = (items: readonly { readonly id: string }[], name: (id: string) => string) =>
    new Set(items.flatMap(({ id }) => (extras.has(name(id)) ? [id] : [])))
  return { comments: of(layout.comments, commentId), reroutes: of(layout.reroutes, rerouteId) }
}

/** The gesture that deletes the selection; undefined when nothing in it can be deleted. */
const removal = (at: Standing, chosen: Chosen) =>
  deleting(at.view, at.layout, { nodes: chosen.nodes, edges: chosen.edges, ...extrasOf(at, chosen) })

export function remove(bench: Bench): void {
  void bench.perform(removal)
}

export function openAdd(bench: Bench): void {
  const screen = bench.pointer()
  const at = bench.flow.screenToFlowPosition(screen)
  const [only, ...more] = useStudio.getState().edges
  const edge = more.length === 0 ? bench.view.edges.find(({ id }) => id === only) : undefined
  hold({ picking: { kind: 'add', screen, at, ...(edge ? { join: { edge } } : {}) } })
}

export function openWire({ view }: Bench): void {
  const node = [...useStudio.getState().nodes].find((name) => view.nodes.has(name))
  if (node !== undefined) hold({ picking: { kind: 'wire', node } })
}

/** Connects the selected nodes from left to right by their best matching pins. */
export function connectChosen(bench: Bench): void {
  void bench.perform((at, chosen) => {
    const order = boxesOfChosen(at, chosen).toSorted((a, b) => a.x - b.x)
    const edges = order
      .slice(1)
      .flatMap(({ name }, index) => bestEdge(at.view, order[index]?.name ?? '', name) ?? [])
      .filter(({ id }) => !at.view.edges.some((edge) => edge.id === id))
    return edges.length > 0 ? connecting(at.view, at.layout, edges) : undefined
  })
}

export function breakWires(bench: Bench): void {
  void bench.perform(({ view, layout }, { nodes }) => {
    const edges = view.edges.filter(({ from, to }) => nodes.has(from) || nodes.has(to))
    return edges.length > 0 ? cutting(view, edges, layout) : undefined
  })
}

export async function chosenClip(editor: string, at: Standing, chosen: Chosen): Promise<Clip> {
  const { comments } = extrasOf(at, chosen)
  return clipFor(
    editor,
    at,
    chosen.nodes,
    at.layout.comments.filter(({ id }) => comments.has(id)),
  )
}

/** Reads between two gestures, never during one; undefined on a failure, which was reported. */
export async function readInTurn<T>(
  bench: Bench,
  read: (at: Standing, chosen: Chosen) => Promise<T>,
): Promise<T | undefined> {
  let found: T | undefined
  await bench.perform(async (at, chosen) => {
    found = await read(at, chosen)
    return undefined
  })
  return found
}

/** Nodes with their settings from the editor, the edges among them, and comments. */
export async function clipFor(
  editor: string,
  { view, layout, nodes }: Standing,
  chosen: Iterable<string>,
  comments: Standing['layout']['comments'],
): Promise<Clip> {
  const names = [...chosen].filter((name) => view.nodes.get(name)?.end === null)
  const stand = new Map(boxesOf(nodes).map(({ name, x, y }) => [name, { x, y }]))
  const places = new Map<string, NodePlace>(
    names.map((name) => [name, layout.nodes[name] ?? stand.get(name) ?? { x: 0, y: 0 }]),
  )
  const properties = new Map<string, Properties>()
  for (const name of names) {
    const args = { pcg_graph_path: view.path, node_name: name }
    properties.set(name, (await callTool(editor, 'get_pcg_node_properties', args)).properties)
  }
  return clipOf(view, places, properties, comments)
}

/** The clip, when the browser denies the clipboard; pasting within the studio still works. */
let kept: string | null = null
/** A pending copy, which the next paste waits for. */
let copying: Promise<string | null> | null = null

/** Queued like a gesture, so that it includes the edits made just before. */
export function copy(bench: Bench): Promise<unknown> {
  return copied((taken) => readInTurn(bench, async (at, chosen) => taken(await toClipboard(bench, at, chosen))))
}

export function cut(bench: Bench): Promise<unknown> {
  return copied((taken) =>
    bench.perform(async (at, chosen) => {
      const text = await toClipboard(bench, at, chosen)
      taken(text)
      const gesture = removal(at, chosen)
      const nodes = boxesOfChosen(at, chosen).length
      return text !== null && gesture
        ? { ...gesture, label: t('Cut {nodes}', { nodes: counted(nodes, 'node') }) }
        : undefined
    }),
  )
}

function copied(work: (taken: (text: string | null) => void) => Promise<unknown>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  copying = promise
  return work(resolve).finally(() => {
    // Resolves after a failure too, so that a paste does not wait forever.
    resolve(null)
    if (copying === promise) copying = null
  })
}

async function toClipboard({ editor, say }: Bench, at: Standing, chosen: Chosen): Promise<string | null> {
  const clip = await chosenClip(editor, at, chosen)
  if (clip.nodes.length === 0 && clip.comments.length === 0) return null
  const text = JSON.stringify(clip, null, 1)
  kept = null
  await navigator.clipboard.writeText(text).catch(() => {
    kept = text
  })
  say(t('Copied {nodes}', { nodes: counted(clip.nodes.length, 'node') }))
  return text
}

export function duplicate(bench: Bench): void {
  place(bench, async (at, chosen) => {
    const clip = await chosenClip(bench.editor, at, chosen)
    if (clip.nodes.length === 0) return undefined
    return {
      clip,
      label: t('Duplicate {nodes}', { nodes: counted(clip.nodes.length, 'node') }),
      moved: { x: 32, y: 32 },
    }
  })
}

/** `text` is the clipboard's content; a pending copy takes precedence. */
export async function pasteText(bench: Bench, text: string): Promise<void> {
  const to = bench.flow.screenToFlowPosition(bench.pointer())
  const given = parseClip((await copying) ?? text)
  const clip = typeof given === 'string' && kept !== null ? parseClip(kept) : given
  if (typeof clip === 'string') return refuse(clip)
  placeAt(bench, clip, t('Paste {nodes}', { nodes: counted(clip.nodes.length, 'node') }), to)
}

/** Adds a snippet with its corner at a graph position. */
export function addSnippet(bench: Bench, name: string, text: string, at: Point): void {
  const clip = parseClip(text)
  if (typeof clip === 'string') refuse(clip)
  else placeAt(bench, clip, t('Add {name}', { name }), at)
}

function refuse(message: string): void {
  notifyError(new ApiError(400, { code: 'INVALID_ARGUMENT', message, request_id: '' }))
}

function placeAt(bench: Bench, clip: Clip, label: string, to: Point): void {
  const spots = [...clip.nodes, ...clip.comments]
  const moved = {
    x: Math.round(to.x - Math.min(...spots.map(({ x }) => x))),
    y: Math.round(to.y - Math.min(...spots.map(({ y }) => y))),
  }
  if (spots.length > 0) place(bench, () => ({ clip, label, moved }))
}

export async function paste(bench: Bench): Promise<void> {
  await pasteText(bench, await navigator.clipboard.readText().catch(() => ''))
}

type Placing = { readonly clip: Clip; readonly label: string; readonly moved: Point }
function place(
  bench: Bench,
  placing: (at: Standing, chosen: Chosen) => Placing | undefined | Promise<Placing | undefined>,
): void {
  const choose = choosing()
  const comments: string[] = []
  let made: readonly string[] = []
  const newId = (): string => {
    const id = crypto.randomUUID()
    comments.push(commentId(id))
    return id
  }
  const done = bench.perform(async (at, chosen) => {
    const what = await placing(at, chosen)
    return (
      what &&
      pasting(what.clip, at.view, what.label, what.moved, newId, (names) => {
        made = names
      })
    )
  })
  void done.then((is) => is && choose(made, comments))
}

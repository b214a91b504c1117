// Commands that change what the graph makes: add, delete, wire, copy and paste.
import { ApiError } from '#contract'
import { notifyError } from '../../ui/notify.ts'
import { callTool } from '../editor/calls.ts'
import type { Gesture } from '../editor/gestures.ts'
import type { NodePlace } from '../model/arrangement.ts'
import { type Clip, clipOf, type Properties, parseClip, pasting } from '../model/clipboard.ts'
import { bestEdge } from '../model/connect.ts'
import { connecting, cutting, deleting } from '../model/edits.ts'
import { useStudio } from '../studio.ts'
import { type Bench, chosenBoxes, count, placeOf } from './bench.ts'
import { commentId, rerouteId } from './flow.ts'
import { hold, useHand } from './hand.ts'
import type { Point } from './wires.ts'

export function chosenExtras({ layout }: Bench): {
  readonly comments: ReadonlySet<string>
  readonly reroutes: ReadonlySet<string>
} {
  const { extras } = useHand.getState()
  const of = (items: readonly { readonly id: string }[], name: (id: string) => string) =>
    new Set(items.flatMap(({ id }) => (extras.has(name(id)) ? [id] : [])))
  return { comments: of(layout.comments, commentId), reroutes: of(layout.reroutes, rerouteId) }
}

/** What deletes all that is chosen now; none where nothing of it can be. */
function removal(bench: Bench): Gesture | undefined {
  const { nodes, edges } = useStudio.getState()
  return deleting(bench.view, bench.layout, { nodes, edges, ...chosenExtras(bench) })
}

export function remove(bench: Bench): void {
  const gesture = removal(bench)
  if (gesture) void bench.perform(gesture)
}

export function openAdd(bench: Bench): void {
  const screen = bench.pointer()
  const at = bench.flow.screenToFlowPosition(screen)
  const [only, ...more] = useStudio.getState().edges
  const edge = more.length === 0 ? bench.view.edges.find(({ id }) => id === only) : undefined
  hold({ picking: { kind: 'add', screen, at, ...(edge ? { join: { edge } } : {}) } })
}

export function openWire(): void {
  const [node] = useStudio.getState().nodes
  if (node !== undefined) hold({ picking: { kind: 'wire', node } })
}

/** From left to right, each to the next, by the pins that fit best. */
export function connectChosen(bench: Bench): void {
  const order = chosenBoxes(bench).toSorted((a, b) => a.x - b.x)
  const edges = order
    .slice(1)
    .flatMap(({ name }, index) => bestEdge(bench.view, order[index]?.name ?? '', name) ?? [])
    .filter(({ id }) => !bench.view.edges.some((edge) => edge.id === id))
  if (edges.length > 0) void bench.perform(connecting(bench.view, bench.layout, edges))
}

export function breakWires(bench: Bench): void {
  const { nodes } = useStudio.getState()
  const edges = bench.view.edges.filter(({ from, to }) => nodes.has(from) || nodes.has(to))
  if (edges.length > 0) void bench.perform(cutting(bench.view, edges, bench.layout))
}

export async function chosenClip(bench: Bench): Promise<Clip> {
  const { comments } = chosenExtras(bench)
  return clipFor(
    bench,
    useStudio.getState().nodes,
    bench.layout.comments.filter(({ id }) => comments.has(id)),
  )
}

/** Some nodes with their settings as the editor has them, the edges among them, and comments. */
export async function clipFor(
  bench: Bench,
  chosen: Iterable<string>,
  comments: Bench['layout']['comments'],
): Promise<Clip> {
  const { editor, view } = bench
  const names = [...chosen].filter((name) => view.nodes.get(name)?.end === null)
  const places = new Map<string, NodePlace>(names.map((name) => [name, placeOf(bench, name)]))
  const properties = new Map<string, Properties>()
  for (const name of names) {
    const args = { pcg_graph_path: view.path, node_name: name }
    properties.set(name, (await callTool(editor, 'get_pcg_node_properties', args)).properties)
  }
  return clipOf(view, places, properties, comments)
}

/** Where the browser gives no clipboard, copies go from graph to graph all the same. */
let kept: string | null = null

export async function copy(bench: Bench): Promise<boolean> {
  try {
    const clip = await chosenClip(bench)
    if (clip.nodes.length === 0 && clip.comments.length === 0) return false
    const text = JSON.stringify(clip, null, 1)
    kept = null
    await navigator.clipboard.writeText(text).catch(() => {
      kept = text
    })
    bench.say(`Copied ${count(clip.nodes.length, 'node')}`)
    return true
  } catch (error) {
    notifyError(error)
    return false
  }
}

export async function cut(bench: Bench): Promise<void> {
  // While it is copied something else may be chosen: what goes is what was copied.
  const gesture = removal(bench)
  const label = `Cut ${count(useStudio.getState().nodes.size, 'node')}`
  if (gesture && (await copy(bench))) void bench.perform({ ...gesture, label })
}

export async function duplicate(bench: Bench): Promise<void> {
  try {
    const clip = await chosenClip(bench)
    if (clip.nodes.length > 0)
      await place(bench, clip, `Duplicate ${count(clip.nodes.length, 'node')}`, { x: 32, y: 32 })
  } catch (error) {
    notifyError(error)
  }
}

export function pasteText(bench: Bench, text: string): void {
  const given = parseClip(text)
  const clip = typeof given === 'string' && kept !== null ? parseClip(kept) : given
  if (typeof clip === 'string') return refuse(clip)
  placeAt(bench, clip, `Paste ${count(clip.nodes.length, 'node')}`, bench.flow.screenToFlowPosition(bench.pointer()))
}

/** What was kept as a snippet, with its corner at a place of the graph. */
export function addSnippet(bench: Bench, name: string, text: string, at: Point): void {
  const clip = parseClip(text)
  if (typeof clip === 'string') refuse(clip)
  else placeAt(bench, clip, `Add ${name}`, at)
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
  if (spots.length > 0) void place(bench, clip, label, moved)
}

export async function paste(bench: Bench): Promise<void> {
  pasteText(bench, await navigator.clipboard.readText().catch(() => ''))
}

async function place(bench: Bench, clip: Clip, label: string, moved: { readonly x: number; readonly y: number }) {
  let made: readonly string[] = []
  const gesture = pasting(
    clip,
    bench.view,
    label,
    moved,
    () => crypto.randomUUID(),
    (names) => {
      made = names
    },
  )
  if (await bench.perform(gesture)) useStudio.getState().select(made)
}

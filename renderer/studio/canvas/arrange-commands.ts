// Commands that change the layout: align, distribute, auto-layout, comment, colour, collapse.

import { t } from '../../language/language.ts'
import { counted } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { type Alignment, aligned, distributed, onGrid, type Spots, straightened } from '../model/align.ts'
import { type Box, commentAround } from '../model/edits.ts'
import { aroundMiddle, type Ports } from '../model/layout.ts'
import { type Bench, boxesOfChosen, graphNodeOf, placing, type Standing } from './bench.ts'
import { chosenNow, isWriting } from './chosen.ts'
import { extrasOf } from './edit-commands.ts'
import { boxesOf, type Density, pinMiddle, ROOMY } from './flow.ts'
import { glide } from './glide.ts'
import { hold, useHand } from './hand.ts'
import type { Hue } from './pin-look.ts'

function move(bench: Bench, label: string, to: (boxes: readonly Box[], at: Standing) => Spots): void {
  void bench.perform((at, chosen) => {
    const spots = to(boxesOfChosen(at, chosen), at)
    return spots.size > 0 ? { label, arrange: placing(at, spots) } : undefined
  })
}

export const ALIGNS: Readonly<Record<Alignment, string>> = {
  left: t('Align left'),
  center: t('Align center'),
  right: t('Align right'),
  top: t('Align top'),
  middle: t('Align middle'),
  bottom: t('Align bottom'),
}

export function align(bench: Bench, how: Alignment): void {
  move(bench, ALIGNS[how], (boxes) => (boxes.length > 1 ? aligned(boxes, how) : new Map()))
}

export function distribute(bench: Bench, way: 'across' | 'down'): void {
  move(bench, way === 'across' ? t('Distribute across') : t('Distribute down'), (boxes) => distributed(boxes, way))
}

export function straighten(bench: Bench): void {
  move(bench, t('Straighten wires'), (boxes, at) =>
    straightened(boxes, at.view.edges, (edge, end) => {
      const data = graphNodeOf(at, edge[end])?.data
      const [pins, label] = end === 'from' ? [data?.outputs, edge.fromPin] : [data?.inputs, edge.toPin]
      return pinMiddle(data?.density ?? ROOMY, Math.max(0, pins?.findIndex((pin) => pin.label === label) ?? 0))
    }),
  )
}

export function snap(bench: Bench): void {
  move(bench, t('Snap to the grid'), onGrid)
}

export function nudge(bench: Bench, x: number, y: number): void {
  void bench.perform((at, chosen) => {
    const spots = boxesOfChosen(at, chosen).map((box) => [box.name, { x: box.x + x, y: box.y + y }] as const)
    if (spots.length === 0) return undefined
    return { label: t('Move {nodes}', { nodes: counted(spots.length, 'node') }), arrange: placing(at, spots) }
  })
}

/** Lays out the selection, or the whole graph when fewer than two nodes are selected. One at a time; Escape cancels. */
export async function layOut(bench: Bench): Promise<void> {
  if (useHand.getState().laying) return
  const chosen = boxesOfChosen(bench, chosenNow())
  const boxes = chosen.length > 1 ? chosen : boxesOf(bench.nodes)
  const nodes = new Map(bench.nodes.map((node) => [node.id, node]))
  const portsOf = (name: string): Ports => {
    const node = nodes.get(name)
    const ports = (pins: readonly { readonly label: string }[], density: Density) =>
      pins.map(({ label }, index) => ({ label, y: pinMiddle(density, index) }))
    return node?.type === 'graph'
      ? { inputs: ports(node.data.inputs, node.data.density), outputs: ports(node.data.outputs, node.data.density) }
      : { inputs: [], outputs: [] }
  }
  const control = new AbortController()
  const laying = { nodes: boxes.length, share: null, stop: () => control.abort() }
  hold({ laying })
  try {
    const { laidOut } = await import('./layout-engine.ts')
    const laid = await laidOut(
      { boxes, edges: bench.view.edges, portsOf },
      { signal: control.signal, onShare: (share) => hold({ laying: { ...laying, share } }) },
    )
    const label =
      boxes === chosen ? t('Lay out {nodes}', { nodes: counted(boxes.length, 'node') }) : t('Lay out the graph')
    const spots = aroundMiddle(laid, boxes)
    void bench
      .perform((at) => ({ label, arrange: placing(at, spots) }))
      .then((done) => done && bench.here() && bench.flow.fitView({ duration: glide(), maxZoom: 1 }))
  } catch (error) {
    if (control.signal.aborted) bench.say(t('The layout was stopped'))
    else notifyError(error)
  } finally {
    hold({ laying: null })
  }
}

export function frame(bench: Bench): void {
  const id = crypto.randomUUID()
  const { x, y } = bench.flow.screenToFlowPosition(bench.pointer())
  const spot = { x: Math.round(x), y: Math.round(y) }
  const done = bench.perform((at, chosen) => ({
    label: t('Add a comment'),
    arrange: { comments: { [id]: commentAround(id, boxesOfChosen(at, chosen), spot) } },
  }))
  // Does not take the focus from a field the user is typing in.
  void done.then((is) => is && bench.here() && !isWriting() && hold({ writing: id }))
}

export function colour(bench: Bench, hue: Hue | undefined): void {
  const painted = <T extends { readonly color?: string | undefined }>({ color: _color, ...rest }: T) => ({
    ...rest,
    ...(hue === undefined ? {} : { color: hue }),
  })
  void bench.perform((at, chosen) => {
    const boxes = boxesOfChosen(at, chosen)
    const { comments } = extrasOf(at, chosen)
    if (boxes.length + comments.size === 0) return undefined
    return {
      label: hue === undefined ? t('Remove the colour') : t('Colour {hue}', { hue }),
      arrange: {
        ...placing(
          at,
          boxes.map(({ name }) => [name, { color: hue }] as const),
        ),
        comments: Object.fromEntries(
          at.layout.comments.filter(({ id }) => comments.has(id)).map((comment) => [comment.id, painted(comment)]),
        ),
      },
    }
  })
}

/** Collapsed nodes hide unconnected pins. */
export function collapse(bench: Bench): void {
  void bench.perform((at, chosen) => {
    const names = boxesOfChosen(at, chosen).map(({ name }) => name)
    if (names.length === 0) return undefined
    const all = names.every((name) => at.layout.nodes[name]?.collapsed)
    return {
      label: all ? t('Show all pins') : t('Hide unused pins'),
      arrange: placing(
        at,
        names.map((name) => [name, { collapsed: !all }] as const),
      ),
    }
  })
}

export function reroute(bench: Bench, edge: string, at: { readonly x: number; readonly y: number }): void {
  const id = crypto.randomUUID()
  const [x, y] = [Math.round(at.x), Math.round(at.y)]
  void bench.perform(() => ({ label: t('Add a reroute'), arrange: { reroutes: { [id]: { id, edge, x, y } } } }))
}

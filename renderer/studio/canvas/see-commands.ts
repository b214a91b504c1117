// Commands for view and selection, which change nothing.

import { t } from '../../language/language.ts'
import { counted } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { callTool } from '../editor/calls.ts'
import type { NodeView } from '../model/graph.ts'
import { inFlow } from '../model/outline.ts'
import { type Direction, neighbour, otherEnds } from '../model/walk.ts'
import { usePanels } from '../panel-places.ts'
import { useStudio } from '../studio.ts'
import { type Bench, boxesOfChosen } from './bench.ts'
import { chosenNow } from './chosen.ts'
import { boxesOf } from './flow.ts'
import { glide } from './glide.ts'
import { hold, useHand } from './hand.ts'
import { tellPin } from './pin-look.ts'
import type { Point } from './wires.ts'

export const FIT_PADDING = 0.06

export function fit(bench: Bench): void {
  void bench.flow.fitView({ duration: glide(), maxZoom: 1, padding: FIT_PADDING })
}

export function frameChosen(bench: Bench): void {
  const nodes = boxesOfChosen(bench, chosenNow()).map(({ name }) => ({ id: name }))
  if (nodes.length === 0) fit(bench)
  else void bench.flow.fitView({ nodes, duration: glide(), maxZoom: 1, padding: 0.3 })
}

/** Centres the view on a point at the current zoom. */
function goTo({ flow }: Bench, { x, y }: Point): void {
  void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: glide() })
}

export function chooseAll(bench: Bench): void {
  useStudio.getState().select(bench.view.nodes.keys())
  bench.say(counted(bench.view.nodes.size, 'node'))
}

/** Cancels the current interaction, including a running layout. */
export function chooseNone(): void {
  useHand.getState().laying?.stop()
  useStudio.getState().select([])
  hold({ extras: new Set() })
}

/** Moves the selection along edges, or up and down; starts at the first node. */
export function walk(bench: Bench, way: Direction): void {
  // A removed node has no neighbours.
  const from = [...useStudio.getState().nodes].find((name) => bench.view.nodes.has(name))
  const boxes = boxesOf(bench.nodes)
  const to = from === undefined ? boxes[0]?.name : neighbour(bench.view, boxes, from, way)
  arrive(bench, to === undefined ? undefined : bench.view.nodes.get(to))
}

/** The next or previous node in the order of data; around at the end. */
export function walkAll(bench: Bench, by: 1 | -1): void {
  const nodes = inFlow(bench.view)
  const [chosen] = useStudio.getState().nodes
  const at = nodes.findIndex(({ name }) => name === chosen)
  arrive(bench, nodes.at((at < 0 && by < 0 ? 0 : at + by) % Math.max(1, nodes.length)))
}

/** Selects a node, moves the focus of the keyboard to it, and brings it into view. */
function arrive(bench: Bench, node: NodeView | undefined): void {
  if (!node) return bench.say(t('Nothing further'))
  useStudio.getState().select([node.name])
  hold({ focusing: node.name })
  const boxes = boxesOf(bench.nodes)
  const pins = [...node.inputs.map((pin) => tellPin(pin, 'in')), ...node.outputs.map((pin) => tellPin(pin, 'out'))]
  // The focus says the rest.
  bench.say(pins.join('. '))
  const box = boxes.find(({ name }) => name === node.name)
  const shown = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (!box || !shown) return
  const { x, y } = bench.flow.flowToScreenPosition({ x: box.x + box.w / 2, y: box.y + box.h / 2 })
  const inside = x > shown.left + 40 && x < shown.right - 40 && y > shown.top + 40 && y < shown.bottom - 40
  if (!inside) goTo(bench, { x: box.x + box.w / 2, y: box.y + box.h / 2 })
}

/** Selects and shows the other halves of the selected named reroutes. */
export function toOtherEnds(bench: Bench): void {
  const names = [...new Set([...useStudio.getState().nodes].flatMap((name) => otherEnds(bench.view, name)))]
  if (names.length === 0) return bench.say(t('No named reroute with another end is chosen'))
  useStudio.getState().select(names)
  frameChosen(bench)
  bench.say(names.map((name) => bench.view.nodes.get(name)?.title ?? name).join(', '))
}

/** Opens the graph of a subgraph node, or the settings of any other node. */
export async function enter(bench: Bench, name?: string): Promise<void> {
  const [chosen] = useStudio.getState().nodes
  const node = bench.view.nodes.get(name ?? chosen ?? '')
  if (!node) return
  if (node.end === null && node.category === 'Subgraph')
    try {
      const args = { pcg_graph_path: bench.view.path, node_name: node.name }
      const { properties } = await callTool(bench.editor, 'get_pcg_node_properties', args)
      const path = properties['SubgraphOverride']
      // Does nothing if the user opened another graph in the meantime.
      if (!bench.here()) return
      if (typeof path === 'string' && path !== '') return bench.open(path, [...bench.via, bench.view.path])
    } catch (error) {
      return notifyError(error)
    }
  usePanels.getState().showPanel('right', 'properties')
}

/** The menu of the selected node, or of the canvas, as a right click opens it. */
export function openMenu(bench: Bench): void {
  const [box] = boxesOfChosen(bench, chosenNow())
  const screen = box ? bench.flow.flowToScreenPosition({ x: box.x + box.w / 2, y: box.y + box.h }) : bench.pointer()
  hold({ menu: { of: box ? 'node' : 'canvas', screen } })
}

export function leave(bench: Bench): void {
  const parent = bench.via.at(-1)
  if (parent !== undefined) bench.open(parent, bench.via.slice(0, -1))
}

export function setBookmark(bench: Bench, slot: number): void {
  const { x, y, zoom } = bench.flow.getViewport()
  void bench.perform(() => ({
    label: t('Set bookmark {slot}', { slot }),
    arrange: { bookmarks: { [slot]: { slot, x, y, zoom } } },
  }))
}

export function goToBookmark(bench: Bench, slot: number): void {
  const mark = bench.layout.bookmarks.find((each) => each.slot === slot)
  if (mark) void bench.flow.setViewport({ x: mark.x, y: mark.y, zoom: mark.zoom }, { duration: glide() })
  else bench.say(t('Bookmark {slot} is not set', { slot }))
}

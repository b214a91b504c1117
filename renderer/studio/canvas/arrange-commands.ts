// Commands that change how the graph lies: in line, laid out, framed, coloured, narrower.
import { notifyError } from '../../ui/notify.ts'
import { type Alignment, aligned, distributed, onGrid, type Spots, straightened } from '../model/align.ts'
import { commentAround } from '../model/edits.ts'
import { aroundMiddle, type Ports } from '../model/layout.ts'
import { useStudio } from '../studio.ts'
import { type Bench, chosenBoxes, count, graphNodeOf, placing } from './bench.ts'
import { chosenExtras } from './edit-commands.ts'
import { boxesOf, type Density, pinMiddle, ROOMY } from './flow.ts'
import { glide } from './glide.ts'
import { hold, useHand } from './hand.ts'
import type { Hue } from './pin-look.ts'

function move(bench: Bench, label: string, spots: Spots): void {
  if (spots.size > 0) void bench.perform({ label, arrange: placing(bench, spots) })
}

export function align(bench: Bench, how: Alignment): void {
  const boxes = chosenBoxes(bench)
  if (boxes.length > 1) move(bench, `Align ${how}`, aligned(boxes, how))
}

export function distribute(bench: Bench, way: 'across' | 'down'): void {
  move(bench, `Distribute ${way}`, distributed(chosenBoxes(bench), way))
}

export function straighten(bench: Bench): void {
  const spots = straightened(chosenBoxes(bench), bench.view.edges, (edge, end) => {
    const data = graphNodeOf(bench, edge[end])?.data
    const [pins, label] = end === 'from' ? [data?.outputs, edge.fromPin] : [data?.inputs, edge.toPin]
    return pinMiddle(data?.density ?? ROOMY, Math.max(0, pins?.findIndex((pin) => pin.label === label) ?? 0))
  })
  move(bench, 'Straighten wires', spots)
}

export function snap(bench: Bench): void {
  move(bench, 'Snap to the grid', onGrid(chosenBoxes(bench)))
}

export function nudge(bench: Bench, x: number, y: number): void {
  const spots = new Map(chosenBoxes(bench).map((box) => [box.name, { x: box.x + x, y: box.y + y }]))
  move(bench, `Move ${count(spots.size, 'node')}`, spots)
}

/** All that is chosen; everything where fewer than two nodes are. One at a time: Escape stops it. */
export async function layOut(bench: Bench): Promise<void> {
  if (useHand.getState().laying) return
  const chosen = chosenBoxes(bench)
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
    hold({ laying: null })
    const label = boxes === chosen ? `Lay out ${count(boxes.length, 'node')}` : 'Lay out the graph'
    if (await bench.perform({ label, arrange: placing(bench, aroundMiddle(laid, boxes)) }))
      void bench.flow.fitView({ duration: glide(), maxZoom: 1 })
  } catch (error) {
    if (control.signal.aborted) bench.say('The layout was stopped')
    else notifyError(error)
  } finally {
    hold({ laying: null })
  }
}

export function frame(bench: Bench): void {
  const id = crypto.randomUUID()
  const at = bench.flow.screenToFlowPosition(bench.pointer())
  const comment = commentAround(id, chosenBoxes(bench), { x: Math.round(at.x), y: Math.round(at.y) })
  void bench.perform({ label: 'Add a comment', arrange: { comments: { [id]: comment } } }).then((done) => {
    if (done) hold({ writing: id })
  })
}

export function colour(bench: Bench, hue: Hue | undefined): void {
  const names = [...useStudio.getState().nodes].filter((name) => bench.view.nodes.has(name))
  const { comments } = chosenExtras(bench)
  const painted = <T extends { readonly color?: string | undefined }>({ color: _color, ...rest }: T) => ({
    ...rest,
    ...(hue === undefined ? {} : { color: hue }),
  })
  if (names.length + comments.size === 0) return
  void bench.perform({
    label: hue === undefined ? 'Take the colour away' : `Colour ${hue}`,
    arrange: {
      ...placing(
        bench,
        names.map((name) => [name, { color: hue }] as const),
      ),
      comments: Object.fromEntries(
        bench.layout.comments.filter(({ id }) => comments.has(id)).map((comment) => [comment.id, painted(comment)]),
      ),
    },
  })
}

/** Compact nodes hide the pins that nothing is wired to. */
export function collapse(bench: Bench): void {
  const names = [...useStudio.getState().nodes].filter((name) => bench.view.nodes.has(name))
  if (names.length === 0) return
  const all = names.every((name) => bench.layout.nodes[name]?.collapsed)
  void bench.perform({
    label: all ? 'Show all pins' : 'Hide unused pins',
    arrange: placing(
      bench,
      names.map((name) => [name, { collapsed: !all }] as const),
    ),
  })
}

export function reroute(bench: Bench, edge: string, at: { readonly x: number; readonly y: number }): void {
  const id = crypto.randomUUID()
  const [x, y] = [Math.round(at.x), Math.round(at.y)]
  void bench.perform({ label: 'Add a reroute', arrange: { reroutes: { [id]: { id, edge, x, y } } } })
}

// Pointer strokes beyond the library: Ctrl-drag cuts edges, Alt-drag from node to node connects them.
import { type MouseEvent, type PointerEvent, useRef, useState } from 'react'
import { t } from '../../language/language.ts'
import { bestEdge } from '../model/connect.ts'
import { connecting, cutting } from '../model/edits.ts'
import type { Bench } from './bench.ts'
import { crossed, type Point, wiresOf } from './wires.ts'

type Stroke = { readonly kind: 'cut' | 'wire'; readonly points: readonly Point[] }

/** The graph node at a screen position. */
export function nodeAt({ x, y }: Point): string | undefined {
  for (const element of document.elementsFromPoint(x, y)) {
    const box = element.closest<HTMLElement>('.react-flow__node-graph')
    if (box) return box.dataset['id']
  }
  return undefined
}

export function useStrokes(bench: Bench) {
  const [stroke, setStroke] = useState<Stroke | null>(null)
  const from = useRef<string | undefined>(undefined)
  const kindOf = (event: MouseEvent): Stroke['kind'] | undefined => {
    if (event.button !== 0 || !(event.target instanceof Element)) return undefined
    if (event.target.closest('.react-flow__panel')) return undefined
    if (event.altKey && event.target.closest('.react-flow__node-graph')) return 'wire'
    const onPane = event.target.closest('.react-flow__node') === null
    return (event.ctrlKey || event.metaKey) && onPane ? 'cut' : undefined
  }
  const finish = ({ kind, points }: Stroke): void => {
    const end = points.at(-1)
    if (kind === 'cut') {
      const line = points.map((point) => bench.flow.screenToFlowPosition(point, { snapToGrid: false }))
      const met = new Set(
        crossed(wiresOf(bench.view.edges, bench.nodes, bench.layout.reroutes), line).map(({ id }) => id),
      )
      return void bench.perform(({ view, layout }) => {
        const edges = view.edges.filter(({ id }) => met.has(id))
        return edges.length > 0 ? cutting(view, edges, layout) : undefined
      })
    }
    const [one, other] = [from.current, end && nodeAt(end)]
    if (one === undefined || other === undefined || one === other) return
    void bench.perform(({ view, layout }) => {
      const edge = bestEdge(view, one, other)
      if (!edge) bench.say(t('No pins of these two fit'))
      return edge && connecting(view, layout, [edge])
    })
  }
  return {
    stroke,
    handlers: {
      onPointerDownCapture(event: PointerEvent): void {
        const kind = kindOf(event)
        if (!kind) return
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        const point = { x: event.clientX, y: event.clientY }
        from.current = kind === 'wire' ? nodeAt(point) : undefined
        setStroke({ kind, points: [point] })
      },
      // The library also listens to mouse events.
      onMouseDownCapture(event: MouseEvent): void {
        if (kindOf(event)) event.stopPropagation()
      },
      onPointerMove(event: PointerEvent): void {
        if (!stroke) return
        const point = { x: event.clientX, y: event.clientY }
        setStroke({
          ...stroke,
          points: stroke.kind === 'cut' ? [...stroke.points, point] : [...stroke.points.slice(0, 1), point],
        })
      },
      onPointerUp(): void {
        if (stroke) finish(stroke)
        setStroke(null)
      },
      onPointerCancel: (): void => setStroke(null),
    },
  }
}

export function StrokeLine({ stroke }: { readonly stroke: Stroke | null }) {
  if (!stroke) return null
  return (
    <svg aria-hidden className="pointer-events-none fixed inset-0 z-40 size-full">
      <polyline
        points={stroke.points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        strokeWidth={2}
        stroke={stroke.kind === 'cut' ? 'var(--g-bad-solid)' : 'var(--g-ring)'}
      />
    </svg>
  )
}

// The minimap: one path per colour, redrawn after a read and not during a drag.
import { type ReactFlowState, useReactFlow, useStore } from '@xyflow/react'
import { type PointerEvent, useMemo, useRef } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { t } from '../../language/language.ts'
import type { CanvasNode } from './flow.ts'
import { hueOf, hueOfCategory } from './pin-look.ts'

type Area = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

/** The visible part of the graph. */
const seen = ({ transform: [x, y, zoom], width, height }: ReactFlowState): Area => ({
  x: -x / zoom,
  y: -y / zoom,
  w: width / zoom,
  h: height / zoom,
})

export function GraphMap({ nodes }: { readonly nodes: readonly CanvasNode[] }) {
  const svg = useRef<SVGSVGElement>(null)
  const { shapes, area } = useMemo(() => drawn(nodes), [nodes])
  const view = useStore(useShallow(seen))
  const flow = useReactFlow()
  const all = around(area, view)
  const go = ({ clientX, clientY, buttons }: PointerEvent): void => {
    const toGraph = svg.current?.getScreenCTM()?.inverse()
    if (buttons !== 1 || !toGraph) return
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(toGraph)
    void flow.setCenter(x, y, { zoom: flow.getZoom() })
  }
  return (
    <svg
      ref={svg}
      role="img"
      aria-label={t('Map of the graph')}
      viewBox={`${all.x} ${all.y} ${all.w} ${all.h}`}
      className="h-28 w-full shrink-0 cursor-grab rounded-md border border-line bg-surface"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={go}
      onWheel={({ deltaY }) => void flow.zoomTo(flow.getZoom() * 2 ** (-deltaY / 500))}
    >
      {[...shapes].map(([colour, d]) => (
        <path key={colour} d={d.join('')} fill={colour} />
      ))}
      <path
        d={`${rect(all)}${rect(view)}`}
        fillRule="evenodd"
        fill="color-mix(in oklab, var(--g-sunken) 70%, transparent)"
        className="pointer-events-none"
      />
    </svg>
  )
}

const rect = ({ x, y, w, h }: Area): string => `M${x} ${y}h${w}v${h}h${-w}z`

function drawn(nodes: readonly CanvasNode[]) {
  const shapes = new Map<string, string[]>()
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const node of nodes) {
    const { x, y } = node.position
    const [w, h] = [node.width ?? 0, node.height ?? 0]
    const colour = colourOf(node)
    if (colour !== null) {
      const shape = shapes.get(colour) ?? []
      shapes.set(colour, shape)
      shape.push(rect({ x, y, w, h }))
    }
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + w)
    bottom = Math.max(bottom, y + h)
  }
  return { shapes, area: left > right ? null : { x: left, y: top, w: right - left, h: bottom - top } }
}

function colourOf({ type, data }: CanvasNode): string | null {
  if (type === 'reroute') return null
  if (type === 'comment') return 'color-mix(in oklab, var(--g-line-strong) 40%, transparent)'
  const hue = hueOf(data.place.color) ?? hueOfCategory(data.node.category)
  return hue === undefined ? 'var(--g-line-strong)' : `var(--g-hue-${hue})`
}

/** The bounds of graph and view, with a margin. */
function around(area: Area | null, view: Area): Area {
  const a = area ?? view
  const [left, top] = [Math.min(a.x, view.x), Math.min(a.y, view.y)]
  const [w, h] = [Math.max(a.x + a.w, view.x + view.w) - left, Math.max(a.y + a.h, view.y + view.h) - top]
  const rim = Math.max(w, h) * 0.04
  return { x: left - rim, y: top - rim, w: w + 2 * rim, h: h + 2 * rim }
}

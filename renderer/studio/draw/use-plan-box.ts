// The part of the world that a plan shows: fits its content at first, then follows wheel, keys and buttons.
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'

export type Bounds = { readonly min: readonly [number, number]; readonly max: readonly [number, number] }
type Look = { readonly x: number; readonly y: number; readonly scale: number }

const MARGIN = 0.1

export function boundsOf(points: Iterable<readonly number[]>): Bounds | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x = 0, y = 0] of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return left > right ? null : { min: [left, top], max: [right, bottom] }
}

/** `scale` is centimetres per pixel; x and y are the centre. */
function fitted({ min, max }: Bounds, width: number, height: number): Look {
  const [w, h] = [Math.max(100, max[0] - min[0]), Math.max(100, max[1] - min[1])]
  const scale = Math.max(w / Math.max(1, width), h / Math.max(1, height)) * (1 + 2 * MARGIN)
  return { x: (min[0] + max[0]) / 2, y: (min[1] + max[1]) / 2, scale }
}

export function usePlanBox(root: RefObject<SVGSVGElement | null>, content: Bounds) {
  const [size, setSize] = useState({ width: 600, height: 300 })
  const [own, setOwn] = useState<Look | null>(null)
  const look = own ?? fitted(content, size.width, size.height)
  /** Keeps the world at that offset from the centre, in pixels. */
  function zoomAt(factor: number, dx = 0, dy = 0): void {
    const next = Math.min(10_000, Math.max(0.05, look.scale * factor))
    setOwn({ x: look.x + dx * (look.scale - next), y: look.y + dy * (look.scale - next), scale: next })
  }
  const onZoom = useEffectEvent(zoomAt)
  useEffect(() => {
    const element = root.current
    if (!element) return
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height })
    })
    watcher.observe(element)
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault()
      const { left, top, width, height } = element.getBoundingClientRect()
      onZoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event.clientX - left - width / 2, event.clientY - top - height / 2)
    }
    // React listens passively.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      watcher.disconnect()
      element.removeEventListener('wheel', onWheel)
    }
  }, [root])
  const { x, y, scale } = look
  return {
    scale,
    viewBox: [x - (size.width / 2) * scale, y - (size.height / 2) * scale, size.width * scale, size.height * scale]
      .map((part) => part.toFixed(2))
      .join(' '),
    zoomAt,
    fit: () => setOwn(null),
    /** Of the world, under a place of the window. */
    worldAt(clientX: number, clientY: number): readonly [number, number] {
      const { left = 0, top = 0, width = 0, height = 0 } = root.current?.getBoundingClientRect() ?? {}
      return [x + (clientX - left - width / 2) * scale, y + (clientY - top - height / 2) * scale]
    },
  }
}

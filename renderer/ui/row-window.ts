// The rows of a long list that are in view, in steps so that scrolling does not draw for every pixel.
import { type RefObject, useEffect, useState } from 'react'

type Range = { readonly from: number; readonly to: number }

/** Rows drawn beyond the view on either side; the window moves when half of them are used up. */
const BEYOND = 24
const STEP = BEYOND / 2

export function rangeOf(scrollTop: number, height: number, rowHeight: number, count: number): Range {
  const first = Math.floor(scrollTop / rowHeight / STEP) * STEP
  const shown = Math.ceil(height / rowHeight / STEP) * STEP
  const from = Math.min(Math.max(0, first - BEYOND), Math.max(0, count - shown - BEYOND))
  return { from, to: Math.min(count, first + shown + BEYOND + STEP) }
}

export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  long: boolean,
): Range {
  const [range, setRange] = useState<Range>({ from: 0, to: BEYOND * 3 })
  useEffect(() => {
    const element = scroller.current
    if (!long || !element) return undefined
    const look = (): void =>
      setRange((before) => {
        const next = rangeOf(element.scrollTop, element.clientHeight, rowHeight, count)
        return next.from === before.from && next.to === before.to ? before : next
      })
    look()
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroller, count, rowHeight, long])
  return long ? range : { from: 0, to: count }
}

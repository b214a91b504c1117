// Leaves out columns of a table that is narrower than they are, so that no list scrolls sideways.
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from 'react'
import type { Column } from './Table.tsx'

type Fit = { readonly of: string; readonly room: number; readonly left: ReadonlySet<string> }
const ALL: ReadonlySet<string> = new Set()

/** In the order in which they go: the spare ones, then from the right. The first, the growing one and the actions stay. */
function dispensable<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  const [, ...rest] = columns.filter(({ head, title }) => !head && title !== '')
  const others = rest.filter(({ grow }) => !grow).toReversed()
  return [...others.filter(({ spare }) => spare), ...others.filter(({ spare }) => !spare)]
}

/** `content` is what may change the width of a column; undefined if no row is shown. */
export function useFittingColumns<T>(
  scroller: RefObject<HTMLElement | null>,
  columns: readonly Column<T>[],
  content: unknown,
): readonly Column<T>[] {
  const of = columns.map(({ key }) => key).join(' ')
  const [fit, setFit] = useState<Fit>({ of, room: 0, left: ALL })
  const left = fit.of === of ? fit.left : ALL
  const shown = useMemo(() => columns.filter(({ key }) => !left.has(key)), [columns, left])
  const leaveOut = useEffectEvent(() => {
    const view = scroller.current
    if (!view || content === undefined) return
    let over = view.scrollWidth - view.clientWidth
    const next = new Set(left)
    for (const column of dispensable(shown)) {
      if (over <= 0) break
      next.add(column.key)
      over -= view.querySelectorAll('th')[shown.indexOf(column)]?.offsetWidth ?? 0
    }
    if (next.size > left.size) setFit({ of, room: view.clientWidth, left: next })
  })
  // After each drawing: any content may have made a column wider.
  // oxlint-disable-next-line react/set-state-in-effect -- widths are known only after drawing
  useLayoutEffect(() => leaveOut())
  const present = content !== undefined
  useEffect(() => {
    const view = scroller.current
    if (!view || !present) return
    const observer = new ResizeObserver(() => {
      const room = view.clientWidth
      // Columns come back where there is more room; where there is less, the effect above looks again.
      setFit((before) =>
        room === before.room ? before : { ...before, room, left: room > before.room ? ALL : before.left },
      )
    })
    observer.observe(view)
    return () => observer.disconnect()
  }, [scroller, present])
  return shown
}

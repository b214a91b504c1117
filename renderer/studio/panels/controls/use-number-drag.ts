// Dragging a number: one drag is one change. The data panel previews it; without one, and while edits generate
// automatically, its values are applied at once.
import { type PointerEvent, useEffect, useRef } from 'react'
import { canPreview, preview } from '../../inspect/preview.ts'
import { type NumberRange, scrubbed } from '../../model/scrub.ts'
import { isLive, liveDrag } from './live-drag.ts'
import { onEscape } from './on-escape.ts'
import type { Commit } from './use-held.ts'

/** A shorter drag is a click. */
const DRAG_PIXELS = 3

type Drag = {
  readonly from: number
  readonly value: number
  readonly end: () => void
  readonly live: ReturnType<typeof liveDrag<number>> | null
  readonly previews: boolean
  moved: boolean
}

export function useNumberDrag({
  shown,
  hold,
  release,
  commit,
  mixed,
  range,
  onCommit,
  onPreview,
}: {
  readonly shown: number
  readonly hold: (next: number) => void
  readonly release: () => void
  readonly commit: (next: number) => Promise<void>
  readonly mixed: boolean
  readonly range: NumberRange
  readonly onCommit: Commit<number>
  readonly onPreview?: ((value: number) => void) | undefined
}) {
  const drag = useRef<Drag | null>(null)
  // The form can unmount during a drag; Escape then has another meaning.
  useEffect(() => () => drag.current?.end(), [])
  const onPointerDown = (event: PointerEvent<HTMLInputElement>): void => {
    if (event.button !== 0 || document.activeElement === event.currentTarget) return
    // A click focuses the input, a drag does not.
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    const previews = onPreview !== undefined && canPreview()
    const live = !previews && isLive() && !mixed ? liveDrag(onCommit) : null
    drag.current = { from: event.clientX, value: shown, end: onEscape(letGo), live, previews, moved: false }
  }
  /** Back to the previous value, also where the drag applied others. */
  function letGo(): void {
    const now = drag.current
    now?.end()
    drag.current = null
    release()
    if (now?.moved) now.live?.put(now.value)
    if (now?.previews && now.moved) preview(null)
    void now?.live?.end()
  }
  const onPointerMove = (event: PointerEvent<HTMLInputElement>): void => {
    const now = drag.current
    if (!now) return
    now.moved ||= Math.abs(event.clientX - now.from) >= DRAG_PIXELS
    if (!now.moved) return
    const next = scrubbed(now.value, event.clientX - now.from, range, event)
    hold(next)
    if (next === shown) return
    now.live?.put(next)
    if (now.previews) onPreview?.(next)
  }
  const onPointerUp = (event: PointerEvent<HTMLInputElement>): void => {
    const now = drag.current
    drag.current = null
    if (!now) return
    now.end()
    if (now.moved && now.live) return void now.live.end().then(release)
    void now.live?.end()
    if (!now.moved) {
      event.currentTarget.focus()
      event.currentTarget.select()
    } else if (mixed || shown !== now.value) void commit(shown)
    else release()
  }
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: letGo }
}

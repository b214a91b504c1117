// Alignment guides of a drag: snaps to the nearest guide; Alt turns snapping off.
import { type NodeChange, type NodePositionChange, useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { Box } from '../model/edits.ts'
import { GUIDE_REACH, guided, within } from '../model/guides.ts'
import { useChoices } from './choices.ts'
import type { CanvasNode } from './flow.ts'
import { hold, useHand } from './hand.ts'

const NONE = { dx: 0, dy: 0 }
type Drag = { readonly others: readonly Box[]; readonly sizes: ReadonlyMap<string, Box> }

export function useGuides() {
  const store = useStoreApi()
  const drag = useRef<Drag | null>(null)
  const last = useRef(NONE)
  const alt = useAlt()

  /** `still` selects the nodes that do not move in this drag. */
  const begin = (boxes: readonly Box[], still: (name: string) => boolean): void => {
    last.current = NONE
    const others = boxes.filter(({ name }) => still(name))
    drag.current = useChoices.getState().snap ? null : { others, sizes: new Map(boxes.map((box) => [box.name, box])) }
  }

  const lead = (changes: readonly NodeChange<CanvasNode>[]): readonly NodeChange<CanvasNode>[] => {
    const now = drag.current
    const moves = changes.filter((change): change is NodePositionChange => change.type === 'position')
    if (!now || moves.length === 0) return changes
    // The last event of a drag repeats the pointer position; the snapped position stays.
    if (moves.some(({ dragging }) => dragging)) last.current = offsetOf(moves, now)
    const { dx, dy } = last.current
    return changes.map((change) =>
      change.type === 'position' && change.position
        ? { ...change, position: { x: change.position.x + dx, y: change.position.y + dy } }
        : change,
    )
  }

  const offsetOf = (moves: readonly NodePositionChange[], { others, sizes }: Drag): typeof NONE => {
    const dragged = moves.flatMap(({ id, position }) => {
      const size = sizes.get(id)
      return size && position ? [{ ...size, ...position }] : []
    })
    const { transform, width, height } = store.getState()
    const [x, y, zoom] = transform
    const view = { x: -x / zoom, y: -y / zoom, w: width / zoom, h: height / zoom }
    const found = guided(dragged, alt.current ? [] : within(others, view), GUIDE_REACH / zoom)
    if (found.lines.length > 0 || useHand.getState().guides.length > 0) hold({ guides: found.lines })
    return found
  }

  const end = (): void => {
    drag.current = null
    hold({ guides: [] })
  }

  return { begin, lead, end }
}

/** Node changes do not include modifier keys. */
function useAlt(): React.RefObject<boolean> {
  const held = useRef(false)
  useEffect(() => {
    const note = ({ altKey }: PointerEvent): void => {
      held.current = altKey
    }
    window.addEventListener('pointermove', note, { capture: true })
    return () => window.removeEventListener('pointermove', note, { capture: true })
  }, [])
  return held
}

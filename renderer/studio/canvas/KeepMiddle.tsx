// Keeps the centre of the view in place when a panel opens and the canvas shrinks.
import { type ReactFlowState, useReactFlow, useStore } from '@xyflow/react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useShallow } from 'zustand/react/shallow'

const sizeOf = ({ width, height }: ReactFlowState) => ({ width, height })

export function KeepMiddle() {
  const size = useStore(useShallow(sizeOf))
  const last = useRef(size)
  const flow = useReactFlow()
  const follow = useEffectEvent((now: typeof size): void => {
    const before = last.current
    last.current = now
    // Not mounted yet, or hidden.
    if (before.width * before.height * now.width * now.height === 0) return
    const { x, y, zoom } = flow.getViewport()
    const moved = { x: x + (now.width - before.width) / 2, y: y + (now.height - before.height) / 2 }
    if (moved.x !== x || moved.y !== y) void flow.setViewport({ ...moved, zoom })
  })
  useEffect(() => follow(size), [size])
  return null
}

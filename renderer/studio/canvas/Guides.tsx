// The alignment guides of a drag.
import { ViewportPortal } from '@xyflow/react'
import { useHand } from './hand.ts'

export function Guides() {
  const lines = useHand((state) => state.guides)
  if (lines.length === 0) return null
  return (
    <ViewportPortal>
      <svg
        aria-hidden
        data-guides={lines.length}
        width={1}
        height={1}
        className="pointer-events-none absolute top-0 left-0 overflow-visible"
      >
        {lines.map(({ fixed, at, from, to }) => (
          <line
            key={`${fixed} ${at}`}
            {...(fixed === 'x' ? { x1: at, x2: at, y1: from, y2: to } : { x1: from, x2: to, y1: at, y2: at })}
            stroke="var(--g-ring)"
            strokeDasharray="4 3"
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
    </ViewportPortal>
  )
}

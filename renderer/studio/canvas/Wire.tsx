// One edge: a curve through its reroutes in the colour of its data type, with its marks.
import { BaseEdge, type EdgeProps, useStore } from '@xyflow/react'
import { memo } from 'react'
import { PIN_SIZE, REROUTE_SIZE, type WireEdge } from './flow.ts'
import { useHand } from './hand.ts'
import { useOverlay } from './overlay.ts'
import { curve, inOrder } from './wires.ts'

const GHOSTS = { added: 'var(--g-ok-solid)', removed: 'var(--g-bad-solid)', changed: 'var(--g-warn-solid)' } as const

export const Wire = memo(function Wire({
  id,
  selected,
  data,
  sourceX,
  sourceY,
  targetX,
  targetY,
}: EdgeProps<WireEdge>) {
  const mark = useOverlay((state) => state.edges.get(id))
  const over = useHand((state) => state.over === id)
  const via = useStore(({ nodeLookup }) =>
    (data?.via ?? [])
      .flatMap((name) => nodeLookup.get(name)?.internals.positionAbsolute ?? [])
      .map(({ x, y }) => `${x + REROUTE_SIZE / 2},${y + REROUTE_SIZE / 2}`)
      .join(' '),
  )
  // The library reports the pin's border; the curve starts at its centre.
  const from = { x: sourceX - PIN_SIZE / 2, y: sourceY }
  const to = { x: targetX + PIN_SIZE / 2, y: targetY }
  const between = inOrder(pointsIn(via), from, to)
  const stroke = mark?.ghost
    ? GHOSTS[mark.ghost]
    : mark?.glow
      ? 'var(--g-brand)'
      : selected || over
        ? 'var(--g-ring)'
        : data?.colour
  return (
    <>
      <BaseEdge
        path={curve([from, ...between, to])}
        interactionWidth={16}
        style={{ strokeWidth: selected || over ? 4 : 2, ...(stroke === undefined ? {} : { stroke }) }}
        {...(mark?.ghost === 'removed' ? { strokeDasharray: '4 4' } : {})}
      />
      {mark?.heat !== undefined && (
        <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2} textAnchor="middle" className="fill-ink-2 text-2xs">
          {mark.heat}
        </text>
      )}
    </>
  )
})

function pointsIn(text: string) {
  if (text === '') return []
  return text.split(' ').map((pair) => {
    const [x = 0, y = 0] = pair.split(',').map(Number)
    return { x, y }
  })
}

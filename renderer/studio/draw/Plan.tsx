// The level from above: ground, splines, volumes, and the points or the rectangle under the hand. Unreal's x goes right, its y down.
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react'
import type { InspectionOutput } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { groundOf } from '../inspect/level.ts'
import { type Bounds, usePlanBox } from './use-plan-box.ts'

type Shapes = InspectionOutput<'get_pcg_level_shapes'>
type XY = readonly [x: number, y: number]
export type Rectangle = { readonly from: XY; readonly to: XY }
export type PlanVolume = { readonly name: string; readonly min: XY; readonly max: XY }

type PlanProps = {
  readonly shapes: Shapes | undefined
  readonly volumes: readonly PlanVolume[]
  readonly content: Bounds
  /** The points of the node that is drawn; null while a volume is. */
  readonly points: readonly XY[] | null
  readonly rectangle: Rectangle | null
  readonly locked: boolean
  readonly onMove: (at: number, to: XY, byKey: boolean) => void
  readonly onAdd: (at: number, to: XY) => void
  readonly onRemove: (at: number) => void
  readonly onRectangle: (rectangle: Rectangle) => void
}

const STEP_CM = 50
const KEYS: Readonly<Record<string, XY>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

export function Plan(props: PlanProps) {
  const { shapes, volumes, content, points, rectangle, locked } = props
  const root = useRef<SVGSVGElement>(null)
  const { scale, viewBox, zoomAt, fit, worldAt } = usePlanBox(root, content)
  const [draft, setDraft] = useState<Rectangle | null>(null)
  const frame = draft ?? rectangle
  const onPointerDown = (event: PointerEvent<SVGSVGElement>): void => {
    if (event.button !== 0 || locked) return
    const from = worldAt(event.clientX, event.clientY)
    if (points) return props.onAdd(points.length, from)
    event.currentTarget.setPointerCapture(event.pointerId)
    setDraft({ from, to: from })
  }
  const onPointerMove = ({ clientX, clientY }: PointerEvent): void =>
    setDraft((now) => now && { ...now, to: worldAt(clientX, clientY) })
  const onPointerUp = (): void => {
    // A click is no rectangle.
    const [w, h] = draft ? [draft.to[0] - draft.from[0], draft.to[1] - draft.from[1]] : [0, 0]
    if (draft && Math.min(Math.abs(w), Math.abs(h)) > 4 * scale) props.onRectangle(draft)
    setDraft(null)
  }
  return (
    <div className="relative min-h-0 min-w-0 grow bg-sunken">
      <svg
        ref={root}
        role="group"
        aria-label={t('Plan of the level')}
        viewBox={viewBox}
        className={cx('absolute inset-0 size-full touch-none', !locked && 'cursor-crosshair')}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
      >
        <Scenery shapes={shapes} volumes={volumes} scale={scale} />
        {frame && (
          <rect
            data-draft
            x={Math.min(frame.from[0], frame.to[0])}
            y={Math.min(frame.from[1], frame.to[1])}
            width={Math.abs(frame.to[0] - frame.from[0])}
            height={Math.abs(frame.to[1] - frame.from[1])}
            fill="color-mix(in srgb, var(--g-ring) 18%, transparent)"
            stroke="var(--g-ring)"
            strokeWidth={2 * scale}
          />
        )}
        {points && <Points {...props} points={points} scale={scale} worldAt={worldAt} />}
      </svg>
      <div className="absolute right-2 bottom-2 flex gap-1 rounded-md bg-raised p-0.5 shadow-card">
        <IconButton size="sm" label={t('Zoom in')} onClick={() => zoomAt(1 / 1.4)}>
          <Plus />
        </IconButton>
        <IconButton size="sm" label={t('Zoom out')} onClick={() => zoomAt(1.4)}>
          <Minus />
        </IconButton>
        <IconButton size="sm" label={t('Fit the plan')} onClick={fit}>
          <Maximize />
        </IconButton>
      </div>
    </div>
  )
}

type SceneryProps = Pick<PlanProps, 'shapes' | 'volumes'> & { readonly scale: number }

/** What is there already. */
function Scenery({ shapes, volumes, scale }: SceneryProps) {
  return (
    <>
      {shapes?.landscapes.map((landscape) => (
        <Ground key={landscape.actor_name} landscape={landscape} />
      ))}
      {shapes?.splines.map(({ actor_name, points: line }) => (
        <polyline
          key={actor_name}
          points={line.map(([x = 0, y = 0]) => `${x},${y}`).join(' ')}
          fill="none"
          stroke="#e0559b"
          strokeWidth={2 * scale}
        />
      ))}
      {volumes.map(({ name, min, max }) => (
        <rect
          key={name}
          x={min[0]}
          y={min[1]}
          width={max[0] - min[0]}
          height={max[1] - min[1]}
          fill="none"
          stroke="var(--g-ink-3)"
          strokeWidth={1.5 * scale}
          strokeDasharray={`${6 * scale} ${4 * scale}`}
        >
          <title>{name}</title>
        </rect>
      ))}
    </>
  )
}

type PointsProps = Pick<PlanProps, 'locked' | 'onMove' | 'onAdd' | 'onRemove'> & {
  readonly points: readonly XY[]
  readonly scale: number
  readonly worldAt: (x: number, y: number) => XY
}

/** Each point is a button: arrows move it, Insert adds one after it, Delete removes it. */
function Points({ points, scale, worldAt, locked, onMove, onAdd, onRemove }: PointsProps) {
  const [dragged, setDragged] = useState<{ readonly at: number; readonly to: XY } | null>(null)
  const places = points.map((point, at) => (dragged?.at === at ? dragged.to : point))
  function onKeyDown(event: KeyboardEvent, at: number, [x, y]: XY): void {
    const way = KEYS[event.key]
    const by = STEP_CM * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1)
    if (locked || !(way || event.key === 'Delete' || event.key === 'Insert')) return
    event.preventDefault()
    event.stopPropagation()
    if (way) onMove(at, [x + way[0] * by, y + way[1] * by], true)
    else if (event.key === 'Delete') onRemove(at)
    else onAdd(at + 1, [x + STEP_CM, y + STEP_CM])
  }
  return (
    <>
      <polyline
        points={places.map(([x, y]) => `${x},${y}`).join(' ')}
        fill="none"
        stroke="var(--g-ring)"
        strokeWidth={2 * scale}
        pointerEvents="none"
      />
      {places.map((place, at) => (
        <g
          // oxlint-disable-next-line react/no-array-index-key -- points have no other identity
          key={at}
          role="button"
          tabIndex={0}
          aria-label={t('Point {number} at {x}, {y}', {
            number: at + 1,
            x: Math.round(place[0]),
            y: Math.round(place[1]),
          })}
          aria-disabled={locked || undefined}
          className="group/point cursor-move outline-none"
          onKeyDown={(event) => onKeyDown(event, at, place)}
          onPointerDown={(event) => {
            event.stopPropagation()
            if (event.button !== 0 || locked) return
            event.currentTarget.setPointerCapture(event.pointerId)
            setDragged({ at, to: place })
          }}
          onPointerMove={({ clientX, clientY }) =>
            setDragged((now) => (now?.at === at ? { at, to: worldAt(clientX, clientY) } : now))
          }
          onPointerUp={() => {
            const [x, y] = points[at] ?? [0, 0]
            if (dragged?.at === at && Math.hypot(dragged.to[0] - x, dragged.to[1] - y) > 2 * scale)
              onMove(at, dragged.to, false)
            setDragged(null)
          }}
        >
          <circle
            cx={place[0]}
            cy={place[1]}
            r={6 * scale}
            strokeWidth={2 * scale}
            className="fill-surface stroke-ring group-focus-visible/point:fill-ring group-focus-visible/point:stroke-ink"
          />
          <text
            x={place[0] + 9 * scale}
            y={place[1] - 7 * scale}
            fontSize={11 * scale}
            className="pointer-events-none fill-ink select-none"
          >
            {at + 1}
          </text>
        </g>
      ))}
    </>
  )
}

/** The shading of the ground as a picture of one pixel per height. */
function Ground({ landscape }: { readonly landscape: Shapes['landscapes'][number] }) {
  const picture = useMemo(() => {
    const { columns, rows } = landscape
    const { colours } = groundOf(landscape)
    const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
    const pixels = new ImageData(columns, rows)
    for (let at = 0; at < columns * rows; at += 1)
      pixels.data.set([...colours.subarray(at * 3, at * 3 + 3), 255], at * 4)
    canvas.getContext('2d')?.putImageData(pixels, 0, 0)
    return canvas.toDataURL()
  }, [landscape])
  const [x = 0, y = 0] = landscape.min
  const [right = 0, bottom = 0] = landscape.max
  return (
    <image
      href={picture}
      x={x}
      y={y}
      width={right - x}
      height={bottom - y}
      preserveAspectRatio="none"
      opacity={0.55}
      pointerEvents="none"
    />
  )
}

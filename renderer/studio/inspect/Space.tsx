// The points in space: dots or boxes coloured by an attribute, the level around them, the previous run beside them.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { counted, formatCount } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorsQuery, editorsQuery, shapesQuery } from '../editor/queries.ts'
import { boxesOf } from './boxes.ts'
import { type Level, levelOf } from './level.ts'
import { type Actor, positionsOf, volumeOf } from './points.ts'
import { coloursOf, RAMP } from './ramp.ts'
import { numbersOf, type Sheet, shortNumber } from './sheet.ts'

const Viewport = lazy(async () => ({ default: (await import('./Viewport.tsx')).Viewport }))
/** Above this count boxes hide each other and are slow. */
const MOST_BOXES = 20_000

/** A row of a sample is not a row of the table. */
const NO_PICK = (): void => undefined

/** The level around the points; a real editor is asked for it only on request, because it takes seconds there. */
function useLevel(editor: string, actor: string, asked: boolean | null) {
  const { data: embedded } = useQuery({
    ...editorsQuery,
    select: (editors) => editors.some(({ name, driver }) => name === editor && driver === 'embedded'),
  })
  const on = asked ?? embedded === true
  const { data: shapes } = useQuery({ ...shapesQuery(editor), enabled: on })
  const { data: level } = useQuery(actorsQuery(editor))
  const shown: Level | null = useMemo(
    () => (on && shapes && level ? levelOf(shapes, level.actors, actor) : null),
    [on, shapes, level, actor],
  )
  return { on, shown }
}

export function Space({
  editor,
  sheet,
  earlier,
  total,
  by,
  actor,
  picked,
  onPick,
}: {
  readonly editor: string
  readonly sheet: Sheet
  /** Of the run before; null before the second one. */
  readonly earlier: Sheet | null
  /** More than the rows of the sheet if it is a sample. */
  readonly total: number
  readonly by: string | null
  readonly actor: Actor
  readonly picked: number | null
  readonly onPick: (row: number | null) => void
}) {
  const [top, setTop] = useState(false)
  const [boxes, setBoxes] = useState(false)
  const [comparing, setComparing] = useState(false)
  const [asked, setAsked] = useState<boolean | null>(null)
  const level = useLevel(editor, actor.actor_name, asked)
  const ghost = useMemo(() => (comparing && earlier ? positionsOf(earlier) : undefined) ?? null, [comparing, earlier])
  const positions = useMemo(() => positionsOf(sheet), [sheet])
  const summary = sheet.summaries.find(({ name }) => name === by)
  const range = useMemo(() => ({ min: summary?.min ?? 0, max: summary?.max ?? 1 }), [summary])
  const colours = useMemo(
    () => coloursOf(by === null ? undefined : numbersOf(sheet, by), sheet.loaded, range),
    [sheet, by, range],
  )
  const few = sheet.loaded <= MOST_BOXES
  const drawnBoxes = useMemo(
    () => (boxes && few && positions ? boxesOf(sheet, positions) : null),
    [sheet, positions, boxes, few],
  )
  const volume = useMemo(() => volumeOf(actor), [actor])
  const shown = useMemo(
    () => positions && { positions, colours, boxes: drawnBoxes, volume, level: level.shown, ghost },
    [positions, colours, drawnBoxes, volume, level.shown, ghost],
  )
  if (!shown) return null
  const sampled = sheet.loaded < total
  return (
    <section aria-label="Points" className="relative w-1/2 min-w-64 border-l border-line bg-sunken">
      <Suspense fallback={<Skeleton className="m-3 h-24" />}>
        <Viewport shown={shown} top={top} picked={sampled ? null : picked} onPick={sampled ? NO_PICK : onPick} />
      </Suspense>
      {sampled && (
        <p role="status" className="absolute top-2 left-2 rounded bg-raised px-2 py-1 text-2xs shadow-card">
          A sample of {formatCount(sheet.loaded)} of {formatCount(total)} points
        </p>
      )}
      {comparing && earlier && !sampled && (
        <p role="status" className="absolute top-2 left-2 rounded bg-raised px-2 py-1 text-2xs shadow-card">
          {changeOf(earlier.total, total)}
        </p>
      )}
      <div className="absolute top-2 right-2 flex gap-1">
        <Button size="sm" aria-pressed={level.on} onClick={() => setAsked(!level.on)}>
          Level
        </Button>
        <Button
          size="sm"
          aria-pressed={comparing}
          disabled={!earlier}
          title={earlier ? 'Shows the points of the run before in grey' : 'There is no earlier run in this panel yet'}
          onClick={() => setComparing(!comparing)}
        >
          Compare
        </Button>
        <Button size="sm" aria-pressed={top} onClick={() => setTop(!top)}>
          {top ? 'Perspective' : 'Top view'}
        </Button>
        <Button
          size="sm"
          aria-pressed={drawnBoxes !== null}
          disabled={!few}
          title={few ? undefined : `Boxes are drawn for at most ${formatCount(MOST_BOXES)} points`}
          onClick={() => setBoxes(!boxes)}
        >
          {drawnBoxes ? 'Dots' : 'Boxes'}
        </Button>
      </div>
      {by !== null && summary && (
        <div className="absolute bottom-2 left-2 rounded bg-raised px-2 py-1 text-2xs shadow-card">
          <p className="font-medium">{by}</p>
          <div aria-hidden style={{ background: RAMP }} className="my-0.5 h-1.5 w-40 rounded" />
          <p className="flex justify-between text-ink-2 tabular-nums">
            <span>{shortNumber(range.min)}</span>
            <span>{shortNumber(range.max)}</span>
          </p>
        </div>
      )}
    </section>
  )
}

/** How many points the run before had. */
function changeOf(before: number, now: number): string {
  const more = now - before
  const much = more === 0 ? 'as many' : `${formatCount(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'}`
  return `Grey: the run before, ${counted(before, 'point')}. Now ${much}`
}

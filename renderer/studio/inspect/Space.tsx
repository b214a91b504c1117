// The points in space: dots, boxes or meshes coloured by an attribute, the level around them, the previous run beside them.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { create } from 'zustand'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { counted, formatCount } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorsQuery, shapesQuery } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { boxesOf } from './boxes.ts'
import { type Level, levelOf } from './level.ts'
import { type Actor, positionsOf, volumeOf } from './points.ts'
import { coloursOf, RAMP } from './ramp.ts'
import { numbersOf, type Sheet, shortNumber } from './sheet.ts'
import { meshesOf, shapesOf } from './stand-ins.ts'

const Viewport = lazy(async () => ({ default: (await import('./Viewport.tsx')).Viewport }))
/** Above this count boxes and meshes hide each other and are slow. */
const MOST_BOXES = 20_000

type Drawn = { readonly as: 'points' | 'boxes' | 'meshes'; setAs(as: Drawn['as']): void }
/** Stays when the panel is maximised or docked. */
const useDrawn = create<Drawn>((set) => ({ as: 'points', setAs: (as) => set({ as }) }))

const MANY = t('Boxes and meshes are drawn for at most {count} points', { count: formatCount(MOST_BOXES) })

/** A row of a sample is not a row of the table. */
const NO_PICK = (): void => undefined

/** The level around the points; a real editor is asked for it only on request, because it takes seconds there. */
function useLevel(editor: string, actor: string, asked: boolean | null) {
  const embedded = useBuiltIn(editor)
  const on = asked ?? embedded === true
  const { data: shapes } = useQuery({ ...shapesQuery(editor), enabled: on })
  const { data: level } = useQuery(actorsQuery(editor))
  const shown: Level | null = useMemo(
    () => (on && shapes && level ? levelOf(shapes, level.actors, actor) : null),
    [on, shapes, level, actor],
  )
  return { on, shown }
}

type SpaceProps = {
  readonly editor: string
  readonly sheet: Sheet
  /** Of the run before; null before the second one. */
  readonly earlier: Sheet | null
  /** More than the rows of the sheet if it is a sample. */
  readonly total: number
  readonly by: string | null
  readonly actor: Actor
  /** The meshes that the node spawns, if it is a spawner. */
  readonly spawned: readonly string[]
  readonly picked: number | null
  readonly onPick: (row: number | null) => void
}

function useColours(sheet: Sheet, by: string | null) {
  const summary = sheet.summaries.find(({ name }) => name === by)
  const range = useMemo(() => ({ min: summary?.min ?? 0, max: summary?.max ?? 1 }), [summary])
  const colours = useMemo(
    () => coloursOf(by === null ? undefined : numbersOf(sheet, by), sheet.loaded, range),
    [sheet, by, range],
  )
  return { colours, range: summary ? range : null }
}

export function Space({ editor, sheet, earlier, total, by, actor, spawned, picked, onPick }: SpaceProps) {
  const [top, setTop] = useState(false)
  const { as, setAs } = useDrawn()
  const [comparing, setComparing] = useState(false)
  const [asked, setAsked] = useState<boolean | null>(null)
  const level = useLevel(editor, actor.actor_name, asked)
  const ghost = useMemo(() => (comparing && earlier ? positionsOf(earlier) : undefined) ?? null, [comparing, earlier])
  const positions = useMemo(() => positionsOf(sheet), [sheet])
  const { colours, range } = useColours(sheet, by)
  const few = sheet.loaded <= MOST_BOXES
  const meshes = useMemo(() => meshesOf(sheet, spawned), [sheet, spawned])
  const drawn = useMemo(
    () => (as !== 'points' && few && positions ? boxesOf(sheet, positions) : null),
    [sheet, positions, as, few],
  )
  const shapes = useMemo(
    () => (as === 'meshes' && drawn && meshes.of ? shapesOf(drawn, meshes.of) : null),
    [as, drawn, meshes.of],
  )
  const volume = useMemo(() => volumeOf(actor), [actor])
  const shown = useMemo(
    () => positions && { positions, colours, boxes: drawn, shapes, volume, level: level.shown, ghost },
    [positions, colours, drawn, shapes, volume, level.shown, ghost],
  )
  if (!shown) return null
  const sampled = sheet.loaded < total
  return (
    <section aria-label={t('Points')} className="relative w-1/2 min-w-64 border-l border-line bg-sunken">
      <Suspense fallback={<Skeleton className="m-3 h-24" />}>
        <Viewport shown={shown} top={top} picked={sampled ? null : picked} onPick={sampled ? NO_PICK : onPick} />
      </Suspense>
      <div role="status" className="absolute top-10 left-2 flex flex-col gap-1">
        {sampled && (
          <Note
            text={t('A sample of {count} of {count2} points', {
              count: formatCount(sheet.loaded),
              count2: formatCount(total),
            })}
          />
        )}
        {comparing && earlier && <Note text={changeOf(earlier.total, total)} />}
      </div>
      <div className="absolute top-2 left-2 flex flex-wrap gap-1">
        <Toggle label={t('Show level')} on={level.on} onChange={setAsked} />
        <Toggle
          label={t('Compare')}
          on={comparing}
          why={earlier ? undefined : t('There is no earlier run in this panel yet')}
          about={t('The points of the run before, in grey')}
          onChange={setComparing}
        />
        <Toggle label={t('Top view')} on={top} onChange={setTop} />
        <Toggle
          label={t('Boxes')}
          on={drawn !== null && shapes === null}
          why={few ? undefined : MANY}
          onChange={(on) => setAs(on ? 'boxes' : 'points')}
        />
        <Toggle
          label={t('Meshes')}
          on={shapes !== null}
          about={t('Shapes that stand for the meshes, by name and size: this editor has no geometry')}
          why={few ? meshes.why : MANY}
          onChange={(on) => setAs(on ? 'meshes' : 'points')}
        />
      </div>
      {by !== null && range && <Ramp by={by} range={range} />}
    </section>
  )
}

function Note({ text }: { readonly text: string }) {
  return <p className="w-fit rounded bg-raised px-2 py-1 text-2xs shadow-card">{text}</p>
}

function Toggle({
  label,
  on,
  about,
  why,
  onChange,
}: {
  readonly label: string
  readonly on: boolean
  readonly about?: string
  /** Why it is disabled. */
  readonly why?: string | undefined
  readonly onChange: (on: boolean) => void
}) {
  return (
    <Button
      size="sm"
      aria-pressed={on}
      disabled={why !== undefined}
      title={why ?? about}
      className="aria-pressed:bg-pressed"
      onClick={() => onChange(!on)}
    >
      {label}
    </Button>
  )
}

function Ramp({ by, range }: { readonly by: string; readonly range: { readonly min: number; readonly max: number } }) {
  return (
    <div className="absolute bottom-2 left-2 rounded bg-raised px-2 py-1 text-2xs shadow-card">
      <p className="font-medium">{by}</p>
      <div aria-hidden style={{ background: RAMP }} className="my-0.5 h-1.5 w-40 rounded" />
      <p className="flex justify-between text-ink-2 tabular-nums">
        <span>{shortNumber(range.min)}</span>
        <span>{shortNumber(range.max)}</span>
      </p>
    </div>
  )
}

/** How many points the run before had. */
function changeOf(before: number, now: number): string {
  const more = now - before
  const much =
    more === 0
      ? t('as many')
      : more > 0
        ? t('{count} more', { count: formatCount(more) })
        : t('{count} fewer', { count: formatCount(-more) })
  return t('Grey: the run before, {points}. Now {much}', { points: counted(before, 'point'), much })
}

// One data object: class, tags, column summaries, table and 3D view; the selected row is shared.
import { Eye } from 'lucide-react'
import { lazy, memo, type ReactNode, Suspense, useMemo, useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { formatCount } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { boxesOf } from './boxes.ts'
import { Columns } from './Columns.tsx'
import { DataTable } from './DataTable.tsx'
import { type Loader, type LoadState, PAGE_ROWS } from './loading.ts'
import { type Actor, positionsOf, volumeOf } from './points.ts'
import { coloursOf, RAMP } from './ramp.ts'
import { bytesOf, MOST_BYTES, numbersOf, roomOf, type Sheet, shortNumber } from './sheet.ts'

const Viewport = lazy(async () => ({ default: (await import('./Viewport.tsx')).Viewport }))
const MANY_ROWS = 100_000
const inMiB = (bytes: number): string => `${formatCount(Math.ceil(bytes / 2 ** 20))} MiB`
/** Redraws for a new sheet, not for each loaded page. */
const ColumnsOf = memo(Columns)
const TableOf = memo(DataTable)
const InSpace = memo(Space)
/** Above this count boxes hide each other and are slow. */
const MOST_BOXES = 20_000

export function DataView({
  bar,
  state: { sheet, sample, read, head, before, busy, error },
  loader,
  actor,
  empty,
}: {
  readonly bar: ReactNode
  readonly state: LoadState
  readonly loader: Loader
  readonly actor: Actor
  /** The reason for an empty result that is not an error. */
  readonly empty: string | null
}) {
  const [picked, setPicked] = useState<number | null>(null)
  const [colour, setColour] = useState<string | null>(null)
  const by = colour ?? (sheet?.columns.has('$Density') === true ? '$Density' : null)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 pb-2">
        {bar}
        {head?.data_class && <Badge tone="outline">{head.data_class}</Badge>}
        {head?.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        <div className="grow" />
        {sheet && <Loaded sheet={sheet} read={read} busy={busy} error={error} loader={loader} />}
      </div>
      {empty !== null ? (
        <EmptyState icon={Eye} title="No data yet" about={empty} />
      ) : error !== null && !sheet ? (
        <ErrorState error={error} onRetry={() => loader.more(1)} />
      ) : !sheet ? (
        <Skeleton className="m-3 h-24" />
      ) : sheet.total === 0 ? (
        <EmptyState
          icon={Eye}
          title="Empty"
          about={
            head?.data_count ? `This one of ${head.data_count} data has no row.` : 'The node made nothing on this pin.'
          }
        />
      ) : (
        <div className="flex min-h-0 grow">
          <div className="flex min-w-0 flex-1 flex-col">
            <ColumnsOf sheet={sheet} before={before} chosen={by} onChoose={setColour} />
            <TableOf sheet={sheet} picked={picked} onPick={setPicked} />
          </div>
          <InSpace
            sheet={sample ?? sheet}
            total={sheet.total}
            by={by}
            actor={actor}
            picked={picked}
            onPick={setPicked}
          />
        </div>
      )}
    </div>
  )
}

function Loaded({
  sheet,
  read,
  busy,
  error,
  loader,
}: {
  readonly sheet: Sheet
  readonly read: number
  readonly busy: boolean
  readonly error: unknown
  readonly loader: Loader
}) {
  const { loaded, total } = sheet
  const room = roomOf(sheet)
  if (busy && total > PAGE_ROWS)
    return (
      <div className="flex items-center gap-2 text-xs text-ink-2">
        <span role="status">
          {formatCount(read)} of {formatCount(total)} rows
        </span>
        <ProgressBar label="Rows" max={room} value={read} />
        <Button size="sm" onClick={loader.stop}>
          Stop
        </Button>
      </div>
    )
  return (
    <div className="flex items-center gap-2 text-xs text-ink-2">
      {error !== null && <ErrorNote error={error} />}
      <span role="status">
        {loaded === total
          ? `${formatCount(total)} rows`
          : `${formatCount(loaded)} of ${formatCount(total)} rows are loaded: sorting and filtering see these`}
      </span>
      {loaded < room && (
        <>
          {room > MANY_ROWS && loaded < MANY_ROWS && (
            <Button size="sm" busy={busy} onClick={() => loader.more(MANY_ROWS)}>
              Load {formatCount(MANY_ROWS)}
            </Button>
          )}
          <Button
            size="sm"
            busy={busy}
            title={room < total ? `More than ${inMiB(MOST_BYTES)} is not kept in a page` : undefined}
            onClick={() => loader.more(room)}
          >
            {room < total ? `Load ${formatCount(room)}` : 'Load all'} ({inMiB(Math.min(MOST_BYTES, bytesOf(sheet)))})
          </Button>
        </>
      )}
    </div>
  )
}

/** A row of a sample is not a row of the table. */
const NO_PICK = (): void => undefined

function Space({
  sheet,
  total,
  by,
  actor,
  picked,
  onPick,
}: {
  readonly sheet: Sheet
  /** More than the rows of the sheet if it is a sample. */
  readonly total: number
  readonly by: string | null
  readonly actor: Actor
  readonly picked: number | null
  readonly onPick: (row: number | null) => void
}) {
  const [top, setTop] = useState(false)
  const [boxes, setBoxes] = useState(false)
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
    () => positions && { positions, colours, boxes: drawnBoxes, volume },
    [positions, colours, drawnBoxes, volume],
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
      <div className="absolute top-2 right-2 flex gap-1">
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

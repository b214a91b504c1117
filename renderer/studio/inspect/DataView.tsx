// One data object: class, tags, column summaries, table and 3D view; the selected row is shared.
import { Eye } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { counted, formatCount } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Columns } from './Columns.tsx'
import { DataTable } from './DataTable.tsx'
import { type Loader, type LoadState, PAGE_ROWS } from './loading.ts'
import type { Actor } from './points.ts'
import type { Previewed } from './preview.ts'
import { Space } from './Space.tsx'
import { bytesOf, MOST_BYTES, roomOf, type Sheet } from './sheet.ts'

const MANY_ROWS = 100_000
const inMiB = (bytes: number): string => t('{count} MiB', { count: formatCount(Math.ceil(bytes / 2 ** 20)) })
/** Redraws for a new sheet, not for each loaded page. */
const ColumnsOf = memo(Columns)
const TableOf = memo(DataTable)
const InSpace = memo(Space)

export function DataView({
  bar,
  editor,
  state: { sheet: made, sample, earlier, read, head, before, busy, error },
  previewed,
  loader,
  actor,
  spawned,
  empty,
}: {
  readonly bar: ReactNode
  readonly editor: string
  readonly state: LoadState
  readonly previewed: Previewed | null
  readonly loader: Loader
  readonly actor: Actor
  readonly spawned: readonly string[]
  /** The reason for an empty result that is not an error. */
  readonly empty: string | null
}) {
  const [picked, setPicked] = useState<number | null>(null)
  const sheet = previewed?.sheet ?? made
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
        {previewed && <Badge tone="info">{t('Preview: not generated')}</Badge>}
        {sheet && <Loaded sheet={sheet} read={read} busy={busy} error={error} loader={loader} />}
      </div>
      {empty !== null ? (
        <EmptyState icon={Eye} title={t('No data yet')} about={empty} />
      ) : error !== null && !sheet ? (
        <ErrorState error={error} onRetry={() => loader.more(1)} />
      ) : !sheet ? (
        <Skeleton className="m-3 h-24" />
      ) : sheet.total === 0 ? (
        <EmptyState
          icon={Eye}
          title={t('Empty')}
          about={
            head?.data_count
              ? t('This one of {data_count} data has no row.', { data_count: head.data_count })
              : t('The node made nothing on this pin.')
          }
        />
      ) : (
        <div className="flex min-h-0 grow">
          <div className="flex min-w-0 flex-1 flex-col">
            <ColumnsOf sheet={sheet} before={before} chosen={by} onChoose={setColour} />
            <TableOf sheet={sheet} picked={picked} onPick={setPicked} />
          </div>
          <InSpace
            editor={editor}
            earlier={earlier}
            sheet={previewed?.sheet ?? sample ?? sheet}
            total={previewed?.total ?? sheet.total}
            by={by}
            actor={actor}
            spawned={spawned}
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
          {t('{count} of {count2} rows', { count: formatCount(read), count2: formatCount(total) })}
        </span>
        <ProgressBar label={t('Rows')} max={room} value={read} />
        <Button size="sm" onClick={loader.stop}>
          {t('Stop')}
        </Button>
      </div>
    )
  return (
    <div className="flex items-center gap-2 text-xs text-ink-2">
      {error !== null && <ErrorNote error={error} />}
      <span role="status">
        {loaded === total
          ? counted(total, 'row')
          : t('{count} of {rows} loaded: sorting and filtering see these', {
              count: formatCount(loaded),
              rows: counted(total, 'row'),
            })}
      </span>
      {loaded < room && (
        <>
          {room > MANY_ROWS && loaded < MANY_ROWS && (
            <Button size="sm" busy={busy} onClick={() => loader.more(MANY_ROWS)}>
              {t('Load {count}', { count: formatCount(MANY_ROWS) })}
            </Button>
          )}
          <Button
            size="sm"
            busy={busy}
            title={
              room < total ? t('More than {inMiB} is not kept in a page', { inMiB: inMiB(MOST_BYTES) }) : undefined
            }
            onClick={() => loader.more(room)}
          >
            {room < total ? t('Load {count}', { count: formatCount(room) }) : t('Load all')} (
            {inMiB(Math.min(MOST_BYTES, bytesOf(sheet)))})
          </Button>
        </>
      )}
    </div>
  )
}

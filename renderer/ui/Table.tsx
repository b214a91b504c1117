// The table: sticky header, sorting, arrow keys, empty, loading and error states, virtual rows.
import type { UseQueryResult } from '@tanstack/react-query'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { t } from '../language/language.ts'
import { cx } from './cx.ts'
import { ErrorState } from './ErrorState.tsx'
import { useRowWindow } from './row-window.ts'
import { Skeleton } from './Skeleton.tsx'
import { GROWS, type RowEvents, TableRow } from './TableRow.tsx'
import { useFittingColumns } from './use-fitting-columns.ts'

export type Column<T> = {
  readonly key: string
  readonly title: string
  /** Replaces the title in the header. */
  readonly head?: ReactNode
  readonly cell: (row: T) => ReactNode
  /** The sort key of a row. */
  readonly sortBy?: (row: T) => string | number
  /** A Tailwind width class: minimum width, and width if another column grows. */
  readonly width?: string
  /** Takes the remaining width; longer content is truncated, so that the table never is. */
  readonly grow?: boolean
  readonly align?: 'right'
  /** Left out of a narrow table before the others. */
  readonly spare?: boolean
}

/** The state of a table whose rows are the answer of one query. */
export const queried = ({ isPending, error, refetch }: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>) => ({
  loading: isPending,
  error,
  onRetry: () => void refetch(),
})

type Sort = { readonly key: string; readonly descending: boolean }

export type TableProps<T> = {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string | number
  readonly onOpen?: (row: T) => void
  /** Child rows, kept below their parent; left and right keys collapse and expand. */
  readonly nested?: (row: T) => readonly T[]
  readonly onExpand?: (row: T, expanded: boolean) => void
  readonly openKey?: string | number | undefined
  readonly loading?: boolean
  readonly error?: unknown
  readonly onRetry?: () => void
  readonly empty: ReactNode
  /** Content below the last row, such as a loader. */
  readonly foot?: ReactNode
  readonly className?: string
  /** Scrolls sideways: its columns are data, and none may be left out. */
  readonly sideways?: boolean
  /** Called with the scroll offset. */
  readonly onScrolled?: (top: number) => void
}

/** Rows have one line and a fixed height per density. */
const USUAL_HEIGHT = 36
/** Shorter lists render all rows, for find-in-page and printing. */
const DRAWN_AT_ONCE = 250

export function Table<T>(props: TableProps<T>) {
  const { label, rowKey, onOpen, openKey } = props
  const [sort, setSort] = useState<Sort>()
  const [focused, setFocused] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const wanted = useRef<number>(undefined)
  const rows = useRows(props, sort)
  const long = rows.length > DRAWN_AT_ONCE
  const shown = rows.length > 0 || props.loading === true
  const fitting = useFittingColumns(scroller, props.columns, shown && !props.sideways ? rows : undefined)
  const columns = props.sideways ? props.columns : fitting
  const rowHeight = useRowHeight(body, rows.length > 0 && !props.loading)
  const { from, to } = useRowWindow(scroller, rows.length, rowHeight, long)
  const scrollTo = (index: number): void => scrollToRow(scroller.current, index, rowHeight)
  const events = useLatest<RowEvents<T>>({ onOpen, onKeyDown, onFocus: setFocused })
  useWantedFocus(body, wanted, long)
  useReveal(openKey, (key) => rows.findIndex((row) => rowKey(row) === key), scrollTo)

  if (props.error && rows.length === 0) return <ErrorState error={props.error} onRetry={props.onRetry} />
  // No row so far; loading more may add one that passes the page's filter.
  if (!props.loading && rows.length === 0)
    return (
      <>
        {props.empty}
        {props.foot}
      </>
    )

  function onKeyDown(event: KeyboardEvent, index: number, row: T) {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' && onOpen) onOpen(row)
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') props.onExpand?.(row, event.key === 'ArrowRight')
    const next = nextRow(event.key, index, rows.length)
    if (next === undefined) return
    event.preventDefault()
    wanted.current = next
    if (long) scrollTo(next)
    setFocused(next)
  }

  const drawn = rows.slice(from, to)
  const below = (rows.length - from - drawn.length) * rowHeight

  return (
    <div
      ref={scroller}
      onScroll={props.onScrolled && (({ currentTarget }) => props.onScrolled?.(currentTarget.scrollTop))}
      className={cx('@container overflow-auto', props.className)}
    >
      <table
        aria-label={label}
        aria-busy={props.loading}
        aria-rowcount={long ? rows.length + 1 : undefined}
        className="w-full border-separate border-spacing-0 text-left"
      >
        <Heads columns={columns} sort={sort} onSort={setSort} />
        <tbody ref={body}>
          {from > 0 && <tr aria-hidden style={{ height: from * rowHeight }} />}
          {props.loading ? (
            <LoadingRows columns={columns.length} />
          ) : (
            drawn
              .map((row, at) => [row, from + at] as const)
              .map(([row, index]) => (
                <TableRow
                  key={rowKey(row)}
                  row={row}
                  index={index}
                  columns={columns}
                  numbered={long}
                  reachable={index === Math.min(focused, rows.length - 1)}
                  current={openKey === rowKey(row)}
                  opens={onOpen !== undefined}
                  events={events}
                />
              ))
          )}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
      {props.foot}
    </div>
  )
}

function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}

function useRows<T>({ rows, columns, nested }: TableProps<T>, sort: Sort | undefined): readonly T[] {
  return useMemo(() => {
    const outer = sorted(rows, columns, sort)
    return nested ? outer.flatMap((row) => [row, ...nested(row)]) : outer
  }, [rows, columns, sort, nested])
}

/** Focuses the target row, rendering it first if needed. */
function useWantedFocus(
  body: RefObject<HTMLElement | null>,
  wantedRef: RefObject<number | undefined>,
  long: boolean,
): void {
  useEffect(() => {
    if (wantedRef.current === undefined) return
    const target = body.current?.querySelector<HTMLTableRowElement>(`[data-index="${wantedRef.current}"]`)
    if (!target) return
    wantedRef.current = undefined
    target.focus({ preventScroll: long })
    if (!long) target.scrollIntoView({ block: 'nearest' })
  })
}

/** Scrolls to the row that is open by URL or chart. */
function useReveal(
  openKey: string | number | undefined,
  indexOf: (key: string | number) => number,
  scrollTo: (index: number) => void,
): void {
  const reveal = useEffectEvent((key: string | number) => {
    const at = indexOf(key)
    if (at >= 0) scrollTo(at)
  })
  useEffect(() => {
    if (openKey !== undefined) reveal(openKey)
  }, [openKey])
}

/** Scrolls into view below the sticky header. */
function scrollToRow(view: HTMLElement | null, index: number, rowHeight: number): void {
  if (!view) return
  const top = index * rowHeight
  if (top < view.scrollTop) view.scrollTop = top
  else if (top + rowHeight * 2 > view.scrollTop + view.clientHeight)
    view.scrollTop = top + rowHeight * 2 - view.clientHeight
}

function useRowHeight(body: RefObject<HTMLElement | null>, filled: boolean): number {
  const [height, setHeight] = useState(USUAL_HEIGHT)
  useEffect(() => {
    const root = document.documentElement
    const measure = (): void => {
      const row = body.current?.querySelector<HTMLElement>('tr[data-index]')
      if (row) setHeight(row.getBoundingClientRect().height)
    }
    if (filled) measure()
    const observer = new MutationObserver(measure)
    observer.observe(root, { attributeFilter: ['data-density'] })
    return () => observer.disconnect()
  }, [body, filled])
  return height
}

type Sorting = { readonly sort: Sort | undefined; readonly onSort: (sort: Sort) => void }

function Heads<T>({ columns, ...sorting }: Sorting & { readonly columns: readonly Column<T>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <Head key={column.key} column={column} {...sorting} />
        ))}
      </tr>
    </thead>
  )
}

function Head<T>({ column, sort, onSort }: Sorting & { readonly column: Column<T> }) {
  const active = sort?.key === column.key ? sort : undefined
  const direction = active ? (active.descending ? 'descending' : 'ascending') : undefined
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={cx(
        'sticky top-0 z-10 h-8 border-b border-line bg-surface px-3 text-xs font-medium whitespace-nowrap text-ink-3 first:pl-6 last:pr-6',
        column.align === 'right' && 'text-right',
        column.grow ? GROWS : column.width,
      )}
    >
      {column.sortBy ? (
        <button
          type="button"
          className="-mx-1 inline-flex items-center gap-1 rounded px-1 hover:text-ink"
          onClick={() =>
            onSort({ key: column.key, descending: active ? !active.descending : column.align === 'right' })
          }
        >
          {column.title}
          {active && (active.descending ? <ArrowDown className="size-3" /> : <ArrowUp className="size-3" />)}
        </button>
      ) : (
        (column.head ?? (column.title || <span className="sr-only">{t('Actions')}</span>))
      )}
      {/* A spacer holds the minimum width: a growing column would take it. */}
      {column.width && <span aria-hidden className={cx('-mx-3 hidden @6xl:block', column.width)} />}
    </th>
  )
}

const LOADING_ROWS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-3/5', 'w-1/2', 'w-3/4', 'w-2/5', 'w-2/3'] as const

function LoadingRows({ columns }: { readonly columns: number }) {
  return LOADING_ROWS.map((width, row) => (
    <tr key={`${row}-${width}`} className="h-9">
      {Array.from({ length: columns }, (_, column) => (
        <td key={`${column}`} className="border-b border-line px-3 first:pl-6 last:pr-6">
          <Skeleton className={cx('h-3.5', width)} />
        </td>
      ))}
    </tr>
  ))
}

/** The target of a key; undefined for other keys. */
function nextRow(key: string, index: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, index + 1)
    case 'ArrowUp':
      return Math.max(0, index - 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

function sorted<T>(rows: readonly T[], columns: readonly Column<T>[], sort: Sort | undefined): readonly T[] {
  const by = columns.find((column) => column.key === sort?.key)?.sortBy
  if (!sort || !by) return rows
  const order = (a: T, b: T): number => {
    const [left, right] = [by(a), by(b)]
    return typeof left === 'number' && typeof right === 'number'
      ? left - right
      : String(left).localeCompare(String(right))
  }
  return rows.toSorted((a, b) => (sort.descending ? order(b, a) : order(a, b)))
}

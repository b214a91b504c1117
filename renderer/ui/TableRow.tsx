// A memoized table row, so that scrolling renders new rows only.
import { type KeyboardEvent, memo, type RefObject } from 'react'
import { cx } from './cx.ts'
import type { Column } from './Table.tsx'

/** A max-width of 0 lets a cell truncate its content. */
export const GROWS = 'w-full max-w-0 min-w-44'

/** The table's current callbacks. */
export type RowEvents<T> = {
  readonly onOpen: ((row: T) => void) | undefined
  readonly onKeyDown: (event: KeyboardEvent, index: number, row: T) => void
  readonly onFocus: (index: number) => void
}

type RowProps<T> = {
  readonly row: T
  readonly index: number
  readonly columns: readonly Column<T>[]
  readonly numbered: boolean
  readonly reachable: boolean
  readonly current: boolean
  readonly opens: boolean
  readonly events: RefObject<RowEvents<T>>
}

function Row<T>({ row, index, columns, numbered, reachable, current, opens, events }: RowProps<T>) {
  return (
    <tr
      data-index={index}
      aria-rowindex={numbered ? index + 2 : undefined}
      tabIndex={reachable ? 0 : -1}
      aria-current={current || undefined}
      onFocus={() => events.current.onFocus(index)}
      onKeyDown={(event) => events.current.onKeyDown(event, index, row)}
      onClick={opens ? () => events.current.onOpen?.(row) : undefined}
      className={cx('group h-9 -outline-offset-2 hover:bg-hover aria-current:bg-pressed', opens && 'cursor-default')}
    >
      {columns.map((column) => (
        <td
          key={column.key}
          className={cx(
            'border-b border-line px-3 py-1.5 whitespace-nowrap first:pl-6 last:pr-6',
            column.grow && GROWS,
            column.align === 'right' && 'text-right',
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

// `memo` loses the generic type; the props are unchanged.
export const TableRow = memo(Row) as typeof Row

// The loaded rows: sorted by a click on a header, filtered by a word or a comparison, one selected.
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from '../../language/language.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount } from '../../ui/format.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { filteredRows, filterProblem, type Sheet, type SheetColumn, shortNumber } from './sheet.ts'

/** The maximum height of an element in browsers. */
const MOST_DRAWN = 500_000

export function DataTable({
  sheet,
  picked,
  onPick,
}: {
  readonly sheet: Sheet
  readonly picked: number | null
  readonly onPick: (row: number | null) => void
}) {
  const [filter, setFilter] = useState('')
  const rows = useMemo(() => filteredRows(sheet, filter), [sheet, filter])
  const columns = useMemo(() => [NUMBER, ...[...sheet.columns.values()].map(columnOf)], [sheet])
  const problem = filterProblem(sheet, filter)
  return (
    <>
      <div className="flex shrink-0 items-center gap-3 px-3 py-1.5">
        <SearchInput
          label={t('Filter the rows')}
          placeholder={'$Density > 0.5'}
          value={filter}
          onChange={setFilter}
          width="w-56"
        />
        <p role="status" className="min-w-0 truncate text-xs text-ink-2">
          {[
            problem ?? (filter !== '' && t('{count} match.', { count: formatCount(rows.length) })),
            rows.length > MOST_DRAWN && t('The first {count} are listed.', { count: formatCount(MOST_DRAWN) }),
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
        {picked !== null && <Picked sheet={sheet} row={picked} hidden={filter !== '' && !rows.includes(picked)} />}
      </div>
      <Table<number>
        label={t('Rows')}
        className="min-h-0 grow"
        sideways
        columns={columns}
        rows={rows.length > MOST_DRAWN ? rows.slice(0, MOST_DRAWN) : rows}
        rowKey={(row) => row}
        onOpen={(row) => onPick(row === picked ? null : row)}
        openKey={picked ?? undefined}
        empty={<EmptyState icon={Search} title={t('No row matches')} about={t('Among the loaded rows.')} />}
      />
    </>
  )
}

const NUMBER: Column<number> = {
  key: '#',
  title: '#',
  cell: (row) => <span className="text-ink-3 tabular-nums">{row}</span>,
  sortBy: (row) => row,
}

function columnOf({ name, values, type }: SheetColumn): Column<number> {
  const numeric = !Array.isArray(values)
  return {
    key: name,
    title: name,
    cell: (row) => <span className="font-mono text-2xs tabular-nums">{textOf(values[row], type)}</span>,
    sortBy: (row) => values[row] ?? (numeric ? 0 : ''),
    ...(numeric ? { align: 'right' as const } : {}),
  }
}

function textOf(value: string | number | undefined, type: string): string {
  if (typeof value !== 'number') return value ?? ''
  return type === 'Boolean' ? String(value !== 0) : shortNumber(value)
}

/** Also if the filter hides its row. */
function Picked({ sheet, row, hidden }: { readonly sheet: Sheet; readonly row: number; readonly hidden: boolean }) {
  const shown = [...sheet.columns.values()].slice(0, 3)
  return (
    <p className="min-w-0 grow truncate text-right text-xs text-ink-2">
      <span className="font-medium text-ink">
        {hidden ? t('Point {row} (hidden by the filter)', { row }) : t('Point {row}', { row })}
      </span>{' '}
      {shown.map(({ name, values, type }) => `${name} ${textOf(values[row], type)}`).join(' · ')}
    </p>
  )
}

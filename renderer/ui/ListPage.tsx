// The page of a list that is found through by a word of one's own: its head, its search in the address, its table.
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useUrlParams } from '../url-params.ts'
import { EmptyState } from './EmptyState.tsx'
import { PageHeader } from './PageHeader.tsx'
import type { Paged } from './paged.tsx'
import { SearchInput } from './SearchInput.tsx'
import { type Column, Table } from './Table.tsx'

export function ListPage<T>({
  title,
  about,
  action,
  noun,
  placeholder,
  list,
  wordsOf,
  columns,
  rowKey,
  onOpen,
  empty,
  children,
}: {
  readonly title: string
  readonly about: string
  readonly action?: ReactNode
  /** What one of them is called. */
  readonly noun: string
  readonly placeholder: string
  readonly list: Paged<T>
  /** What a row is found by. */
  readonly wordsOf: (row: T) => string
  readonly columns: readonly Column<T>[]
  readonly rowKey: (row: T) => string | number
  readonly onOpen?: (row: T) => void
  readonly empty: ReactNode
  /** What opens above the page. */
  readonly children?: ReactNode
}) {
  const [params, change] = useUrlParams()
  const wanted = (params.q ?? '').toLowerCase()
  const shown = wanted === '' ? list.rows : list.rows.filter((row) => wordsOf(row).toLowerCase().includes(wanted))
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={title} about={about} actions={action} />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label={`Find a ${noun}`}
          placeholder={placeholder}
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
        {list.loaded && list.rows.length > 0 && (
          <span className="text-xs text-ink-3">
            {shown.length} of {list.rows.length}
            {list.more && ' loaded'}
          </span>
        )}
      </search>
      <Table
        className="min-h-0 grow"
        label={title}
        columns={columns}
        {...list.table}
        rows={shown}
        rowKey={rowKey}
        {...(onOpen ? { onOpen } : {})}
        empty={
          wanted ? (
            <EmptyState icon={Search} title={`No ${noun} matches`} about={`None goes by “${params.q}”.`} />
          ) : (
            empty
          )
        }
      />
      {children}
    </div>
  )
}

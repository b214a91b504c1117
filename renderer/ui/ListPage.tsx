// The page of a list: head, search in the address, table, and the empty state.
import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { useUrlParams } from '../url-params.ts'
import { Button, buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { PageHeader } from './PageHeader.tsx'
import type { Paged } from './paged.tsx'
import { SearchInput } from './SearchInput.tsx'
import { Table, type TableProps } from './Table.tsx'

type Rows<T> = Pick<TableProps<T>, 'columns' | 'rowKey' | 'onOpen' | 'nested' | 'onExpand'>
type Adding = { readonly label: string } & ({ readonly onAdd: () => void } | { readonly to: string })

function AddButton({ add }: { readonly add: Adding }) {
  if ('to' in add)
    return (
      <Link to={add.to} className={buttonClass({ look: 'strong' })}>
        <Plus />
        {add.label}
      </Link>
    )
  return (
    <Button look="strong" onClick={add.onAdd}>
      <Plus />
      {add.label}
    </Button>
  )
}

export function ListPage<T>({
  title,
  about,
  add,
  noun,
  label = title,
  placeholder,
  list,
  wordsOf,
  filters,
  filtered = false,
  empty,
  children,
  ...rows
}: Rows<T> & {
  readonly title: string
  readonly about: string
  /** How a new one is made, by those who may. */
  readonly add?: Adding | false
  /** What one of them is called. */
  readonly noun: string
  /** Of the table, where it says more than the title. */
  readonly label?: string
  readonly placeholder: string
  readonly list: Paged<T>
  /** What a row is found by; absent where the gateway has done the finding. */
  readonly wordsOf?: (row: T) => string
  /** What else narrows the list down, and whether it does. */
  readonly filters?: ReactNode
  readonly filtered?: boolean
  readonly empty: Pick<ComponentProps<typeof EmptyState>, 'icon' | 'title' | 'about'>
  /** What opens above the page. */
  readonly children?: ReactNode
}) {
  const [params, change] = useUrlParams()
  const action = add && <AddButton add={add} />
  const wanted = (params.q ?? '').toLowerCase()
  const shown = wordsOf && wanted ? list.rows.filter((row) => wordsOf(row).toLowerCase().includes(wanted)) : list.rows
  const narrowed = wanted !== '' || filtered
  const none = list.loaded && list.rows.length === 0 && !narrowed
  // Of an empty list the action stands below. Not before that is known: a button that goes takes the focus with it that a
  // dialog is to give back.
  const placed = narrowed || !list.table.loading
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={title} about={about} actions={placed && !none && action} />
      {!none && (
        <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
          <SearchInput
            label={`Find a ${noun}`}
            placeholder={placeholder}
            value={params.q ?? ''}
            onChange={(q) => change({ q })}
          />
          {filters}
          {list.loaded && wordsOf && (
            <span className="text-xs whitespace-nowrap text-ink-3">
              {shown.length} of {list.rows.length}
              {list.more && ' loaded'}
            </span>
          )}
        </search>
      )}
      <Table
        className="min-h-0 grow"
        label={label}
        {...list.table}
        {...rows}
        rows={shown}
        empty={
          narrowed ? (
            <EmptyState
              icon={Search}
              title={`No ${noun} matches`}
              about={
                wanted ? `No results for “${params.q}”${filtered ? ' in this state' : ''}.` : 'Try another filter.'
              }
            />
          ) : (
            <EmptyState {...empty} action={action} />
          )
        }
      />
      {children}
    </div>
  )
}

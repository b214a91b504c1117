// The page of a list: head, search in the address, table, and the empty state.
import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { t } from '../language/language.ts'
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
  const [params, change] = useUrlParams()
  const opened = useRef(false)
  const wanted = params.new !== undefined
  // The palette leads here with the form open.
  useEffect(() => {
    if (wanted && !opened.current && 'onAdd' in add) {
      add.onAdd()
      change({ new: undefined })
    }
    opened.current = wanted
  })
  if ('to' in add)
    return (
      <Link to={add.to} data-new className={buttonClass({ look: 'strong' })}>
        <Plus />
        {add.label}
      </Link>
    )
  return (
    <Button look="strong" data-new onClick={add.onAdd}>
      <Plus />
      {add.label}
    </Button>
  )
}

function noResults(q: string, filtered: boolean): string {
  if (q === '') return t('Try another filter.')
  return filtered ? t('No results for “{q}” in this state.', { q }) : t('No results for “{q}”.', { q })
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
  /** The action that adds a record, if permitted. */
  readonly add?: Adding | false
  /** The noun of a record. */
  readonly noun: string
  /** The table's label, if more specific than the title. */
  readonly label?: string
  readonly placeholder: string
  readonly list: Paged<T>
  /** The searched text of a row; absent with server-side search. */
  readonly wordsOf?: (row: T) => string
  /** Additional filters, and whether any is active. */
  readonly filters?: ReactNode
  readonly filtered?: boolean
  readonly empty: Pick<ComponentProps<typeof EmptyState>, 'icon' | 'title' | 'about'>
  /** Dialogs of the page. */
  readonly children?: ReactNode
}) {
  const [params, change] = useUrlParams()
  const action = add && <AddButton add={add} />
  const wanted = (params.q ?? '').toLowerCase()
  const shown = wordsOf && wanted ? list.rows.filter((row) => wordsOf(row).toLowerCase().includes(wanted)) : list.rows
  const narrowed = wanted !== '' || filtered
  const none = list.loaded && list.rows.length === 0 && !narrowed
  // An empty list shows the action below. Only once known: a button that disappears would lose the focus that a
  // dialog must restore.
  const placed = narrowed || !list.table.loading
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={title} about={about} actions={placed && !none && action} />
      {!none && (
        <search className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-6 pb-3">
          <SearchInput
            label={t('Find a {noun}', { noun })}
            placeholder={placeholder}
            value={params.q ?? ''}
            onChange={(q) => change({ q })}
          />
          {filters}
          {list.loaded && wordsOf && (
            <span className="text-xs whitespace-nowrap text-ink-3">
              {list.more
                ? t('{shown} of {all} loaded', { shown: shown.length, all: list.rows.length })
                : t('{shown} of {all}', { shown: shown.length, all: list.rows.length })}
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
              title={t('No {noun} matches', { noun })}
              about={noResults(params.q ?? '', filtered)}
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

// The members of a record: list, add, remove.

import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { buttonColumn } from './columns.tsx'
import { type Question, useAsk } from './Dialog.tsx'
import { ErrorNote } from './ErrorState.tsx'
import { Finder, type Matches } from './Finder.tsx'
import type { Paged } from './paged.tsx'
import { type Column, Table } from './Table.tsx'

type Giving<T> = {
  readonly label: string
  /** Names the kind of record in the cache. */
  readonly queryKey: readonly string[]
  readonly find: (q: string) => Promise<Matches<T>>
  /** Filters candidates. */
  readonly may?: (row: T) => boolean
  readonly aboutOf: (row: T) => string
  readonly none: string
  readonly onAdd: (row: T) => Promise<unknown>
  readonly onTake: (row: T) => Question
}

export function MemberList<T>({
  title,
  about,
  list,
  mine,
  nameOf,
  columns,
  empty,
  give,
}: {
  readonly title: string
  readonly about: string
  readonly list: Paged<T>
  readonly mine: (row: T) => boolean
  readonly nameOf: (row: T) => string
  readonly columns: readonly Column<T>[]
  readonly empty: ReactNode
  /** False for read-only users. */
  readonly give: Giving<T> | false
}) {
  const ask = useAsk()
  const own = list.rows.filter(mine)
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col overflow-hidden">
      <header className="border-b border-line px-6 py-3">
        <h2 className="text-sm font-semibold">{title}</h2>
        <p className="mt-0.5 text-xs text-ink-2">{about}</p>
        {give && <Adder mine={mine} nameOf={nameOf} {...give} />}
      </header>
      <Table
        className="max-h-[26rem]"
        label={title}
        {...list.table}
        rows={own}
        rowKey={nameOf}
        columns={[...columns, ...(give ? [takeColumn(nameOf, (row) => ask(give.onTake(row)))] : [])]}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">{empty}</p>}
      />
    </section>
  )
}

const takeColumn = <T,>(nameOf: (row: T) => string, onClick: (row: T) => void): Column<T> =>
  buttonColumn({
    text: () => t('Remove…'),
    label: (row) => t('Remove {name}', { name: nameOf(row) }),
    onClick,
  })

function Adder<T>({
  label,
  queryKey,
  find,
  mine,
  may = () => true,
  nameOf,
  aboutOf,
  none,
  onAdd,
}: Omit<Giving<T>, 'onTake'> & {
  readonly mine: (row: T) => boolean
  readonly nameOf: (row: T) => string
}) {
  // Maps the found name back to its record.
  const found = useRef(new Map<string, T>())
  const [picked, setPicked] = useState<T | null>(null)
  const add = useMutation({ mutationFn: onAdd, onSuccess: () => setPicked(null) })
  return (
    <div className="mt-3 flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <Finder
          label={label}
          hideLabel
          className="grow"
          value={picked === null ? null : { value: nameOf(picked), label: nameOf(picked) }}
          placeholder={label}
          queryKey={queryKey}
          none={none}
          find={async (q) => {
            const { items, more } = await find(q)
            const others = items.filter((row) => !mine(row) && may(row))
            for (const row of others) found.current.set(nameOf(row), row)
            return {
              more,
              items: others.map((row) => ({ value: nameOf(row), label: nameOf(row), about: aboutOf(row) })),
            }
          }}
          onPick={({ value }) => setPicked(found.current.get(value) ?? null)}
        />
        <Button disabled={picked === null} busy={add.isPending} onClick={() => picked !== null && add.mutate(picked)}>
          <Plus />
          {t('Add')}
        </Button>
      </div>
      {add.error && <ErrorNote error={add.error} />}
    </div>
  )
}

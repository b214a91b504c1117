// What belongs to a record, as a list that one picks into and takes out of.
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import type { Question } from './Dialog.tsx'
import { ErrorNote } from './ErrorState.tsx'
import { Picker } from './Picker.tsx'
import type { Paged } from './paged.tsx'
import type { Option } from './Select.tsx'
import { type Column, Table } from './Table.tsx'

type Giving<T> = {
  readonly label: string
  readonly options: readonly Option<string>[]
  readonly onAdd: (row: T) => Promise<void>
  readonly onTake: (row: T) => Question
  readonly onAsk: (question: Question) => void
}

export function Belongings<T>({
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
  /** Absent for whoever only looks. */
  readonly give?: Giving<T>
}) {
  const own = list.rows.filter(mine)
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col overflow-hidden">
      <header className="border-b border-line px-6 py-3">
        <h2 className="text-sm font-semibold">{title}</h2>
        <p className="mt-0.5 text-xs text-ink-2">{about}</p>
        {give && <Adder list={list} nameOf={nameOf} {...give} />}
      </header>
      <Table
        className="max-h-[26rem]"
        label={title}
        {...list.table}
        rows={own}
        rowKey={nameOf}
        columns={[...columns, ...(give ? [takeColumn(nameOf, give)] : [])]}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">{empty}</p>}
      />
    </section>
  )
}

function takeColumn<T>(nameOf: (row: T) => string, { onTake, onAsk }: Giving<T>): Column<T> {
  return {
    key: 'take',
    title: '',
    width: 'w-24',
    align: 'right',
    cell: (row) => (
      <Button
        size="sm"
        look="quiet-danger"
        className="-my-1.5"
        aria-label={`Take ${nameOf(row)} out`}
        onClick={() => onAsk(onTake(row))}
      >
        Take out…
      </Button>
    ),
  }
}

function Adder<T>({
  list,
  nameOf,
  label,
  options,
  onAdd,
}: {
  readonly list: Paged<T>
  readonly nameOf: (row: T) => string
  readonly label: string
  readonly options: readonly Option<string>[]
  readonly onAdd: (row: T) => Promise<void>
}) {
  const [picked, setPicked] = useState<string | null>(null)
  const row = list.rows.find((each) => nameOf(each) === picked)
  const add = useMutation({ mutationFn: onAdd, onSuccess: () => setPicked(null) })
  return (
    <div className="mt-3 flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <Picker
          label={label}
          hideLabel
          className="grow"
          value={picked}
          options={options}
          placeholder={options.length === 0 ? 'Nobody and nothing left to add' : label}
          disabled={options.length === 0}
          onPick={setPicked}
        />
        <Button disabled={!row} busy={add.isPending} onClick={() => row && add.mutate(row)}>
          <Plus />
          Add
        </Button>
      </div>
      {add.error && <ErrorNote error={add.error} />}
    </div>
  )
}

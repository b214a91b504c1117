// The page of all records of one kind: the list, who may add one, the dialog that edits one, and where a row leads.
import { useNavigate } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { mayUse, type Page } from '#contract'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import { menuColumn } from './columns.tsx'
import type { RecordDialogProps } from './form/RecordForm.tsx'
import { ListPage } from './ListPage.tsx'
import { type Paging, usePaged } from './paged.tsx'

/** Which record the dialog of a list edits: a new one, or one by its key, so that the form sees the changes of others. */
function useEditing<R>(rows: readonly R[], keyOf: (row: R) => string | number) {
  const [key, setKey] = useState<string | number | null>(null)
  const [adding, setAdding] = useState(false)
  const record = rows.find((row) => keyOf(row) === key)
  return {
    add: () => setAdding(true),
    change: (row: R) => setKey(keyOf(row)),
    dialog: {
      open: adding || record !== undefined,
      record,
      onClose: () => {
        setKey(null)
        setAdding(false)
      },
    },
  }
}

type Keyed = { readonly id: number } | { readonly name: string }
const keyOf = (record: Keyed): string | number => ('id' in record ? record.id : record.name)

export function RecordsPage<R extends Keyed>({
  queryKey,
  read,
  againMs,
  writer,
  addAt,
  path,
  columns,
  renderMenu,
  renderDialog,
  ...page
}: Omit<ComponentProps<typeof ListPage<R>>, 'list' | 'add' | 'rowKey' | 'onOpen' | 'children'> & {
  readonly queryKey: readonly unknown[]
  readonly read: (query: Paging) => Promise<Page<R>>
  readonly againMs?: number
  /** Who may add and change records. */
  readonly writer: Parameters<typeof mayUse>[1]
  /** The page that adds a record, instead of a dialog. */
  readonly addAt?: `/${string}`
  /** The page of one record is below it. */
  readonly path?: `/${string}`
  /** The actions of a row; for records without a page. */
  readonly renderMenu?: (record: R, onChange: () => void) => ReactNode
  /** Adds a record, or changes the one it receives. */
  readonly renderDialog?: (props: RecordDialogProps<R>) => ReactNode
}) {
  const writes = mayUse(useActor(), writer)
  const navigate = useNavigate()
  const list = usePaged(queryKey, read, { againMs })
  const editing = useEditing(list.rows, keyOf)
  const label = t('New {noun}', { noun: page.noun })
  const actions = renderMenu && writes && menuColumn<R>((record) => renderMenu(record, () => editing.change(record)))
  return (
    <ListPage
      {...page}
      list={list}
      columns={actions ? [...columns, actions] : columns}
      rowKey={keyOf}
      add={writes && (addAt === undefined ? { label, onAdd: editing.add } : { label, to: addAt })}
      {...(path && { onOpen: (record: R) => void navigate({ to: `${path}/${keyOf(record)}` }) })}
    >
      {renderDialog?.(editing.dialog)}
    </ListPage>
  )
}

// The page of one record with a name: its creator, change and delete, the dialog that changes it, and content.
import { Pencil } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { mayUse } from '#contract'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { DeleteRecord } from './DeleteRecord.tsx'
import type { RecordDialogProps } from './form/RecordForm.tsx'
import { formatActor, formatMoment } from './format.ts'
import { OneRecord } from './OneRecord.tsx'
import { PageHeader } from './PageHeader.tsx'

type Made = {
  readonly id: number
  readonly name: string
  readonly createdAt: string
  readonly createdBy: string | null
}
type Props<R> = {
  /** Who may change and delete it. */
  readonly writer: Parameters<typeof mayUse>[1]
  /** The label of the change action. */
  readonly change?: string
  /** The consequences of a deletion. */
  readonly deletion: string
  readonly onDelete: (record: R) => Promise<unknown>
  readonly renderDialog: (props: RecordDialogProps<R>) => ReactNode
  readonly children: (record: R, writes: boolean) => ReactNode
}

export function RecordPage<R extends Made>({
  writer,
  change,
  deletion,
  onDelete,
  renderDialog,
  children,
  ...one
}: Props<R> & Omit<ComponentProps<typeof OneRecord<R>>, 'children' | 'plural' | 'param'>) {
  const page = { writer, change, deletion, onDelete, renderDialog, children, kind: one.kind, noun: one.noun }
  return (
    <OneRecord {...one} param="id">
      {(record) => <Loaded key={record.id} record={record} {...page} />}
    </OneRecord>
  )
}

function Loaded<R extends Made>({
  record,
  kind,
  noun,
  writer,
  change = t('Change…'),
  deletion,
  onDelete,
  renderDialog,
  children,
}: Omit<Props<R>, 'change'> & {
  readonly change: string | undefined
  readonly record: R
  readonly kind: string
  readonly noun: string
}) {
  const writes = mayUse(useActor(), writer)
  const [changing, setChanging] = useState(false)
  const { name, createdAt, createdBy } = record
  const at = formatMoment(createdAt)
  return (
    <div className="max-w-[104rem] pb-10">
      <PageHeader
        title={name}
        about={createdBy ? t('Made {at} by {actor}', { at, actor: formatActor(createdBy) }) : t('Made {at}', { at })}
        actions={
          writes && (
            <>
              <Button onClick={() => setChanging(true)}>
                <Pencil />
                {change}
              </Button>
              <DeleteRecord name={name} noun={noun} about={deletion} list={`/${kind}`} run={() => onDelete(record)} />
            </>
          )
        }
      />
      {children(record, writes)}
      {renderDialog({ open: changing, record, onClose: () => setChanging(false) })}
    </div>
  )
}

// The header of a record's page: name, creator, change and delete.
import { Pencil } from 'lucide-react'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { DeleteRecord, type Deletion } from './DeleteRecord.tsx'
import { formatActor, formatMoment } from './format.ts'
import { PageHeader } from './PageHeader.tsx'

export function RecordHead({
  record: { name, createdAt, createdBy },
  administers,
  change = t('Change…'),
  onChange,
  deletion,
}: {
  readonly record: { readonly name: string; readonly createdAt: string; readonly createdBy: string | null }
  readonly administers: boolean
  /** The label of the change action. */
  readonly change?: string
  readonly onChange: () => void
  readonly deletion: Deletion
}) {
  return (
    <PageHeader
      title={name}
      about={
        createdBy
          ? t('Made {at} by {actor}', { at: formatMoment(createdAt), actor: formatActor(createdBy) })
          : t('Made {at}', { at: formatMoment(createdAt) })
      }
      actions={
        administers && (
          <>
            <Button onClick={onChange}>
              <Pencil />
              {change}
            </Button>
            <DeleteRecord name={name} {...deletion} />
          </>
        )
      }
    />
  )
}

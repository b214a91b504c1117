// The actions of a key.
import { Ban, RefreshCcw } from 'lucide-react'
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { useKeyChanges } from './use-key-changes.ts'

export function KeyMenu({
  record,
  onRotate,
  onRemoved,
}: {
  readonly record: KeyRecord
  readonly onRotate: () => void
  readonly onRemoved?: () => void
}) {
  const { setEnabled, revoke, remove } = useKeyChanges()
  const { label, enabled } = record
  const ended = record.revokedAt !== null
  return (
    <RecordMenu
      name={label}
      entries={[
        { label: t('Rotate key…'), icon: RefreshCcw, disabled: ended, run: onRotate },
        {
          label: t('Revoke…'),
          icon: Ban,
          disabled: ended,
          ask: {
            title: t('Revoke “{label}”?', { label }),
            about: t(
              'Clients using it are disconnected within a second, including open streams. It cannot be reactivated. Its record stays.',
            ),
            confirm: t('Revoke key'),
            run: () => revoke(record),
          },
        },
      ]}
      toggle={{
        on: enabled,
        labels: [t('Switch off'), t('Switch on')],
        disabled: ended,
        run: (on) => setEnabled(record, on),
      }}
      deletion={{
        noun: t('key'),
        about: t('It stops working at once, and its record is deleted. Its actions stay in the audit log.'),
        run: async () => {
          await remove(record)
          onRemoved?.()
        },
      }}
    />
  )
}

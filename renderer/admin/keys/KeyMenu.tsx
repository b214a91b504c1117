// The actions of a key.
import { Ban, RefreshCcw } from 'lucide-react'
import type { KeyRecord } from '#contract'
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
        { label: 'Rotate key…', icon: RefreshCcw, disabled: ended, run: onRotate },
        {
          label: 'Revoke…',
          icon: Ban,
          disabled: ended,
          ask: {
            title: `Revoke “${label}”?`,
            about:
              'Clients using it are disconnected within a second, including open streams. It cannot be reactivated. Its record stays.',
            confirm: 'Revoke key',
            run: () => revoke(record),
          },
        },
      ]}
      toggle={{
        on: enabled,
        labels: ['Switch off', 'Switch on'],
        disabled: ended,
        run: (on) => setEnabled(record, on),
      }}
      deletion={{
        noun: 'key',
        about: 'It stops working at once, and its record is deleted. Its actions stay in the audit log.',
        run: async () => {
          await remove(record)
          onRemoved?.()
        },
      }}
    />
  )
}

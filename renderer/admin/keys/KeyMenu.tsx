// What can be done with one key.
import { Ban, Power, PowerOff, RefreshCcw, Trash2 } from 'lucide-react'
import type { KeyRecord } from '#contract'
import type { Question } from '../../ui/Dialog.tsx'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useKeyChanges } from './use-key-changes.ts'

export type KeyActions = {
  readonly onAsk: (question: Question) => void
  readonly onRotate: (key: KeyRecord) => void
}

export function KeyMenu({ record, onAsk, onRotate }: KeyActions & { readonly record: KeyRecord }) {
  const { setEnabled, revoke, remove } = useKeyChanges()
  const ended = record.revokedAt !== null
  return (
    <RowMenu name={record.label}>
      <MenuItem icon={<RefreshCcw />} disabled={ended} onSelect={() => onRotate(record)}>
        Rotate key…
      </MenuItem>
      <MenuItem
        icon={record.enabled ? <PowerOff /> : <Power />}
        disabled={ended}
        onSelect={() => void setEnabled(record, !record.enabled).catch(notifyError)}
      >
        {record.enabled ? 'Switch off' : 'Switch on'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Ban />}
        disabled={ended}
        onSelect={() =>
          onAsk({
            title: `Revoke “${record.label}”?`,
            about:
              'Clients that use it are cut off within a second, open streams too, and it can never work again. Its record stays.',
            confirm: 'Revoke key',
            run: () => revoke(record),
          })
        }
      >
        Revoke…
      </MenuItem>
      <MenuItem
        danger
        icon={<Trash2 />}
        onSelect={() =>
          onAsk({
            title: `Delete “${record.label}”?`,
            about: 'It stops working at once, and its record goes too. What was done with it stays in the audit log.',
            confirm: 'Delete key',
            run: () => remove(record),
          })
        }
      >
        Delete…
      </MenuItem>
    </RowMenu>
  )
}

// What can be done with one WebSocket target.
import { Pencil, Power, PowerOff, Trash2, Unplug } from 'lucide-react'
import type { WsTarget } from '#contract'
import { turned } from '../../api/use-records.ts'
import type { Question } from '../../ui/Dialog.tsx'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

export type WsTargetActions = {
  readonly onAsk: (question: Question) => void
  readonly onChange: (target: WsTarget) => void
}

export function WsTargetMenu({ target, onAsk, onChange }: WsTargetActions & { readonly target: WsTarget }) {
  const { change, disconnectAll, remove } = useWsTargetChanges()
  const { name, enabled, activeConnections } = target
  return (
    <RowMenu name={name}>
      <MenuItem icon={<Pencil />} onSelect={() => onChange(target)}>
        Change…
      </MenuItem>
      <MenuItem
        icon={enabled ? <PowerOff /> : <Power />}
        onSelect={() => void change(target, { enabled: !enabled }, `${name} ${turned(!enabled)}`).catch(notifyError)}
      >
        {enabled ? 'Disable' : 'Enable'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Unplug />}
        disabled={activeConnections === 0}
        onSelect={() =>
          onAsk({
            title: `Disconnect everybody from ${name}?`,
            about: 'Each of its connections is closed. Clients may connect again: to keep them out, disable it.',
            confirm: 'Disconnect all',
            run: () => disconnectAll(name),
          })
        }
      >
        Disconnect all…
      </MenuItem>
      <MenuItem
        danger
        icon={<Trash2 />}
        onSelect={() =>
          onAsk({
            title: `Delete ${name}?`,
            about: 'Its connections are closed, and its address leads nowhere. To keep its settings, disable it.',
            confirm: 'Delete target',
            run: () => remove(target),
          })
        }
      >
        Delete…
      </MenuItem>
    </RowMenu>
  )
}

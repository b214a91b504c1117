// What can be done with one WebSocket target.
import { Pencil, Power, PowerOff, Trash2, Unplug } from 'lucide-react'
import type { WsTarget } from '#contract'
import { turned } from '../../api/use-records.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { useWsTargetChanges } from './use-ws-target-changes.ts'

export function WsTargetMenu({ target, onChange }: { readonly target: WsTarget; readonly onChange: () => void }) {
  const { change, disconnectAll, remove } = useWsTargetChanges()
  const { name, enabled, activeConnections } = target
  return (
    <RecordMenu
      name={name}
      entries={[
        { label: 'Change…', icon: Pencil, run: onChange },
        {
          label: enabled ? 'Disable' : 'Enable',
          icon: enabled ? PowerOff : Power,
          run: () => change(target, { enabled: !enabled }, `${name} ${turned(!enabled)}`),
        },
        {
          label: 'Disconnect all…',
          icon: Unplug,
          disabled: activeConnections === 0,
          ask: {
            title: `Disconnect all clients from ${name}?`,
            about: 'Each of its connections is closed. Clients may connect again: to keep them out, disable it.',
            confirm: 'Disconnect all',
            run: () => disconnectAll(name),
          },
        },
        {
          label: 'Delete…',
          icon: Trash2,
          ask: {
            title: `Delete ${name}?`,
            about: 'Its connections are closed, and its address leads nowhere. To keep its settings, disable it.',
            confirm: 'Delete target',
            run: () => remove(target),
          },
        },
      ]}
    />
  )
}

// What can be done with one alert rule.
import { Pencil, Power, PowerOff, Send, Trash2 } from 'lucide-react'
import type { AlertRule } from '#contract'
import { turned } from '../../api/use-records.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { useAlertChanges } from './use-alert-changes.ts'

export function AlertMenu({ rule, onChange }: { readonly rule: AlertRule; readonly onChange: () => void }) {
  const { change, test, remove } = useAlertChanges()
  const { name, enabled } = rule
  return (
    <RecordMenu
      name={name}
      entries={[
        { label: 'Send a test', icon: Send, run: () => test(rule) },
        { label: 'Change…', icon: Pencil, run: onChange },
        {
          label: enabled ? 'Disable' : 'Enable',
          icon: enabled ? PowerOff : Power,
          run: () => change(rule, { enabled: !enabled }, `${name} ${turned(!enabled)}`),
        },
        {
          label: 'Delete…',
          icon: Trash2,
          ask: {
            title: `Delete ${name}?`,
            about: 'No webhook is called for it any more. To keep the rule, disable it.',
            confirm: 'Delete rule',
            run: () => remove(rule),
          },
        },
      ]}
    />
  )
}

// What can be done with one alert rule.
import { Pencil, Power, PowerOff, Send, Trash2 } from 'lucide-react'
import type { AlertRule } from '#contract'
import { turned } from '../../api/use-records.ts'
import type { Question } from '../../ui/Dialog.tsx'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useAlertChanges } from './use-alert-changes.ts'

export type AlertActions = {
  readonly onAsk: (question: Question) => void
  readonly onChange: (rule: AlertRule) => void
}

export function AlertMenu({ rule, onAsk, onChange }: AlertActions & { readonly rule: AlertRule }) {
  const { change, test, remove } = useAlertChanges()
  const { name, enabled } = rule
  return (
    <RowMenu name={name}>
      <MenuItem icon={<Send />} onSelect={() => void test(rule).catch(notifyError)}>
        Send a test
      </MenuItem>
      <MenuItem icon={<Pencil />} onSelect={() => onChange(rule)}>
        Change…
      </MenuItem>
      <MenuItem
        icon={enabled ? <PowerOff /> : <Power />}
        onSelect={() => void change(rule, { enabled: !enabled }, `${name} ${turned(!enabled)}`).catch(notifyError)}
      >
        {enabled ? 'Disable' : 'Enable'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash2 />}
        onSelect={() =>
          onAsk({
            title: `Delete ${name}?`,
            about: 'Nobody is told any more. To keep the rule, disable it.',
            confirm: 'Delete rule',
            run: () => remove(rule),
          })
        }
      >
        Delete…
      </MenuItem>
    </RowMenu>
  )
}

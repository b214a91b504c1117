// The alert rules: condition, state, and the last delivery to the webhook.

import { BellRing, Send } from 'lucide-react'
import type { AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { Badge } from '../../ui/Badge.tsx'
import { nameColumn, stateColumn, timeColumn } from '../../ui/columns.tsx'
import { RecordMenu } from '../../ui/Menu.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { AlertDialog } from './AlertDialog.tsx'
import { EVENTS } from './labels.ts'
import { useAlertChanges } from './use-alert-changes.ts'

const COLUMNS: readonly Column<AlertRule>[] = [
  nameColumn(
    'Rule',
    ({ name }) => name,
    ({ webhookUrl }) => <span className="font-mono">{webhookUrl}</span>,
  ),
  stateColumn(
    ({ enabled, state }) =>
      !enabled ? ['neutral', 'Disabled'] : state === 'firing' ? ['bad', 'Firing'] : ['ok', 'Quiet'],
    { width: 'w-28' },
  ),
  {
    key: 'event',
    title: 'Condition',
    width: 'w-64',
    sortBy: ({ eventType }) => EVENTS[eventType].label,
    cell: ({ eventType, client }) => (
      <span className="whitespace-nowrap">
        {EVENTS[eventType].label}
        <span className="text-ink-3"> · {client ?? 'every backend'}</span>
      </span>
    ),
  },
  timeColumn('fired', 'Last fired', ({ lastFiredAt }) => lastFiredAt),
  {
    key: 'delivery',
    title: 'Last delivery',
    width: 'w-56',
    sortBy: ({ lastDelivery }) => lastDelivery?.at ?? '',
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? (
        <span className="text-ink-3">None yet</span>
      ) : lastDelivery.ok ? (
        <Badge tone="ok">Delivered</Badge>
      ) : (
        <Badge tone="bad">{lastDelivery.error ?? 'Failed'}</Badge>
      ),
  },
]

export function AlertsPage() {
  const { setEnabled, test, remove } = useAlertChanges()
  return (
    <RecordsPage
      title="Alerts"
      about="Rules that watch your backends and notify a webhook when something goes wrong."
      noun="rule"
      label="Alert rules"
      placeholder="Name, backend or address"
      queryKey={['alerts']}
      read={(query) => api.alerts.list({ query })}
      writer="admin"
      wordsOf={({ name, client, webhookUrl }) => `${name} ${client ?? ''} ${webhookUrl}`}
      columns={COLUMNS}
      renderMenu={(rule, onChange) => (
        <RecordMenu
          name={rule.name}
          entries={[{ label: 'Send a test', icon: Send, run: () => test(rule) }]}
          onChange={onChange}
          toggle={{ on: rule.enabled, run: (on) => setEnabled(rule, on) }}
          deletion={{
            noun: 'rule',
            about: 'No webhook is called for it any more. To keep the rule, disable it.',
            run: () => remove(rule),
          }}
        />
      )}
      renderDialog={(props) => <AlertDialog {...props} />}
      empty={{
        icon: BellRing,
        title: 'No alert rule yet',
        about: 'Create a rule for high error rates, traffic spikes or unreachable backends.',
      }}
    />
  )
}

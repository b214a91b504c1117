// The alert rules: condition, state, and the last delivery to the webhook.

import { BellRing, Send } from 'lucide-react'
import type { AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
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
    t('Rule'),
    ({ name }) => name,
    ({ webhookUrl }) => <span className="font-mono">{webhookUrl}</span>,
  ),
  stateColumn(
    ({ enabled, state }) =>
      !enabled ? ['neutral', t('Disabled')] : state === 'firing' ? ['bad', t('Firing')] : ['ok', t('Quiet')],
    { width: 'w-28' },
  ),
  {
    key: 'event',
    title: t('Condition'),
    width: 'w-64',
    sortBy: ({ eventType }) => EVENTS[eventType].label,
    cell: ({ eventType, client }) => (
      <span className="whitespace-nowrap">
        {EVENTS[eventType].label}
        <span className="text-ink-3"> · {client ?? t('every backend')}</span>
      </span>
    ),
  },
  timeColumn('fired', t('Last fired'), ({ lastFiredAt }) => lastFiredAt),
  {
    key: 'delivery',
    title: t('Last delivery'),
    width: 'w-56',
    sortBy: ({ lastDelivery }) => lastDelivery?.at ?? '',
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? (
        <span className="text-ink-3">{t('None yet')}</span>
      ) : lastDelivery.ok ? (
        <Badge tone="ok">{t('Delivered')}</Badge>
      ) : (
        <Badge tone="bad">{lastDelivery.error ?? t('Failed')}</Badge>
      ),
  },
]

export function AlertsPage() {
  const { setEnabled, test, remove } = useAlertChanges()
  return (
    <RecordsPage
      title={t('Alerts')}
      about={t('Rules that watch your backends and notify a webhook when something goes wrong.')}
      noun={t('rule')}
      label={t('Alert rules')}
      placeholder={t('Name, backend or address')}
      queryKey={['alerts']}
      read={(query) => api.alerts.list({ query })}
      writer="admin"
      wordsOf={({ name, client, webhookUrl }) => `${name} ${client ?? ''} ${webhookUrl}`}
      columns={COLUMNS}
      renderMenu={(rule, onChange) => (
        <RecordMenu
          name={rule.name}
          entries={[{ label: t('Send a test'), icon: Send, run: () => test(rule) }]}
          onChange={onChange}
          toggle={{ on: rule.enabled, run: (on) => setEnabled(rule, on) }}
          deletion={{
            noun: t('rule'),
            about: t('No webhook is called for it any more. To keep the rule, disable it.'),
            run: () => remove(rule),
          }}
        />
      )}
      renderDialog={(props) => <AlertDialog {...props} />}
      empty={{
        icon: BellRing,
        title: t('No alert rule yet'),
        about: t('Create a rule for high error rates, traffic spikes or unreachable backends.'),
      }}
    />
  )
}

// The alert rules: condition, state, and the last delivery to the webhook.
import { BellRing } from 'lucide-react'
import { type AlertRule, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { menuColumn, nameColumn, stateColumn, timeColumn } from '../../ui/columns.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useEditing } from '../../ui/use-editing.ts'
import { AlertDialog } from './AlertDialog.tsx'
import { AlertMenu } from './AlertMenu.tsx'
import { EVENTS } from './labels.ts'

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

const menuOf = (onChange: (rule: AlertRule) => void) =>
  menuColumn<AlertRule>((rule) => <AlertMenu rule={rule} onChange={() => onChange(rule)} />)

export function AlertsPage() {
  const administers = mayUse(useActor(), 'admin')
  const list = usePaged(['alerts'], (paging) => api.alerts.list({ query: paging }))
  const { add: addOne, change, dialog } = useEditing(list.rows, ({ id }) => id)
  const add = administers && { label: 'New rule', onAdd: addOne }
  return (
    <ListPage
      title="Alerts"
      about="Rules that watch your backends and notify a webhook when something goes wrong."
      add={add}
      noun="rule"
      label="Alert rules"
      placeholder="Name, backend or address"
      list={list}
      wordsOf={({ name, client, webhookUrl }) => `${name} ${client ?? ''} ${webhookUrl}`}
      columns={administers ? [...COLUMNS, menuOf(change)] : COLUMNS}
      rowKey={({ id }) => id}
      empty={{
        icon: BellRing,
        title: 'No alert rule yet',
        about: 'Create a rule for high error rates, traffic spikes or unreachable backends.',
      }}
    >
      <AlertDialog {...dialog} />
    </ListPage>
  )
}

// The alert rules: what each watches, whether it holds, and how its webhook took what it was told last.
import { BellRing, Plus } from 'lucide-react'
import { useState } from 'react'
import { type AlertRule, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { nameColumn, timeColumn } from '../../ui/columns.tsx'
import { Confirm, type Question } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { AlertDialog } from './AlertDialog.tsx'
import { type AlertActions, AlertMenu } from './AlertMenu.tsx'
import { EVENTS } from './labels.ts'

const COLUMNS: readonly Column<AlertRule>[] = [
  nameColumn(
    'Rule',
    ({ name }) => name,
    ({ webhookUrl }) => <span className="font-mono">{webhookUrl}</span>,
  ),
  {
    key: 'state',
    title: 'State',
    width: 'w-28',
    sortBy: ({ enabled, state }) => `${enabled}${state}`,
    cell: ({ enabled, state }) =>
      !enabled ? (
        <Badge dot>Disabled</Badge>
      ) : state === 'firing' ? (
        <Badge tone="bad" dot>
          Firing
        </Badge>
      ) : (
        <Badge tone="ok" dot>
          Quiet
        </Badge>
      ),
  },
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

const actionsColumn = (actions: AlertActions): Column<AlertRule> => ({
  key: 'actions',
  title: '',
  width: 'w-14',
  align: 'right',
  cell: (rule) => <AlertMenu rule={rule} {...actions} />,
})

export function AlertsPage() {
  const administers = mayUse(useActor(), 'admin')
  const [question, setQuestion] = useState<Question | null>(null)
  /** By its id, so that the form sees what others make of it. */
  const [changing, setChanging] = useState<number | null>(null)
  const [adding, setAdding] = useState(false)
  const list = usePaged(['alerts'], (paging) => api.alerts.list({ query: paging }))
  const rule = list.rows.find(({ id }) => id === changing)
  const add = administers && (
    <Button look="strong" onClick={() => setAdding(true)}>
      <Plus />
      New rule
    </Button>
  )
  return (
    <ListPage
      title="Alerts"
      about="Rules that watch your backends and notify a webhook when something goes wrong."
      action={add}
      noun="rule"
      label="Alert rules"
      placeholder="Name, backend or address"
      list={list}
      wordsOf={({ name, client, webhookUrl }) => `${name} ${client ?? ''} ${webhookUrl}`}
      columns={
        administers
          ? [...COLUMNS, actionsColumn({ onAsk: setQuestion, onChange: ({ id }) => setChanging(id) })]
          : COLUMNS
      }
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          icon={BellRing}
          title="No alert rule yet"
          about="Create a rule for high error rates, traffic spikes or unreachable backends."
          action={add}
        />
      }
    >
      <AlertDialog open={adding} rule={undefined} onClose={() => setAdding(false)} />
      <AlertDialog open={rule !== undefined} rule={rule} onClose={() => setChanging(null)} />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </ListPage>
  )
}

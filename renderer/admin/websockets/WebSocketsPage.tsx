// The list of WebSocket targets with their connections.

import { Unplug } from 'lucide-react'
import type { WsTarget } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { limitColumn, nameColumn } from '../../ui/columns.tsx'
import { formatBytes, formatCount, formatSpan } from '../../ui/format.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import { ServedAt } from '../../ui/ServedAt.tsx'
import type { Column } from '../../ui/Table.tsx'
import { BreakerState } from '../backends/BackendState.tsx'
import { useWsTargetChanges } from './use-ws-target-changes.ts'
import { WsTargetDialog } from './WsTargetDialog.tsx'

/** Connections change without an event, so poll. */
const AGAIN_MS = 5_000
const AS_SET = { none: t('default'), width: 'w-32' }

const COLUMNS: readonly Column<WsTarget>[] = [
  nameColumn(
    t('Target'),
    ({ name }) => name,
    ({ backendWsUrl }) => <span className="font-mono">{backendWsUrl}</span>,
  ),
  {
    key: 'state',
    title: t('State'),
    width: 'w-28',
    sortBy: ({ enabled, circuitBreakerState }) => `${enabled}${circuitBreakerState}`,
    cell: ({ enabled, circuitBreakerState }) =>
      !enabled ? (
        <Badge dot>{t('Disabled')}</Badge>
      ) : circuitBreakerState === 'closed' ? (
        <Badge tone="ok" dot>
          {t('Ready')}
        </Badge>
      ) : (
        <BreakerState state={circuitBreakerState} />
      ),
  },
  {
    key: 'path',
    title: t('Served at'),
    width: 'w-52',
    cell: ({ name }) => <ServedAt path={`/ws-proxy/${name}`} />,
  },
  {
    key: 'connections',
    title: t('Connected'),
    width: 'w-32',
    align: 'right',
    sortBy: ({ activeConnections }) => activeConnections,
    cell: ({ activeConnections, maxConnections }) => (
      <span className="whitespace-nowrap">
        {formatCount(activeConnections)}
        {maxConnections !== null && (
          <span className="text-ink-3"> {t('of {count}', { count: formatCount(maxConnections) })}</span>
        )}
      </span>
    ),
  },
  limitColumn('message', t('Message'), ({ maxMessageBytes }) => maxMessageBytes, { ...AS_SET, format: formatBytes }),
  limitColumn('idle', t('Idle'), ({ idleTimeoutMs }) => idleTimeoutMs, { ...AS_SET, format: formatSpan }),
]

export function WebSocketsPage() {
  const { setEnabled, disconnectAll, remove } = useWsTargetChanges()
  return (
    <RecordsPage
      title={t('WebSockets')}
      about={t('WebSocket servers behind the gateway’s keys and limits.')}
      noun={t('target')}
      label={t('WebSocket targets')}
      placeholder={t('Name or address')}
      queryKey={['ws-targets']}
      read={(query) => api.wsTargets.list({ query })}
      againMs={AGAIN_MS}
      writer="admin"
      wordsOf={({ name, backendWsUrl }) => `${name} ${backendWsUrl}`}
      columns={COLUMNS}
      renderMenu={(target, onChange) => (
        <RecordMenu
          name={target.name}
          onChange={onChange}
          toggle={{ on: target.enabled, run: (on) => setEnabled(target, on) }}
          entries={[
            {
              label: t('Disconnect all…'),
              icon: Unplug,
              disabled: target.activeConnections === 0,
              ask: {
                title: t('Disconnect all clients from {name}?', { name: target.name }),
                about: t('All connections are closed. Clients can reconnect; disable the target to prevent that.'),
                confirm: t('Disconnect all'),
                run: () => disconnectAll(target.name),
              },
            },
          ]}
          deletion={{
            noun: t('target'),
            about: t(
              'Its connections are closed and its address stops working. To keep its settings, disable it instead.',
            ),
            run: () => remove(target),
          }}
        />
      )}
      renderDialog={(props) => <WsTargetDialog {...props} />}
      empty={{
        icon: Unplug,
        title: t('No WebSocket target yet'),
        about: t('Add a target. Clients connect to /ws-proxy/<name> with a key of the gateway.'),
      }}
    />
  )
}

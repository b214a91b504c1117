// The list of WebSocket targets with their connections.

import { Unplug } from 'lucide-react'
import type { WsTarget } from '#contract'
import { api } from '../../api/api.ts'
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
const AS_SET = { none: 'default', width: 'w-32' }

const COLUMNS: readonly Column<WsTarget>[] = [
  nameColumn(
    'Target',
    ({ name }) => name,
    ({ backendWsUrl }) => <span className="font-mono">{backendWsUrl}</span>,
  ),
  {
    key: 'state',
    title: 'State',
    width: 'w-28',
    sortBy: ({ enabled, circuitBreakerState }) => `${enabled}${circuitBreakerState}`,
    cell: ({ enabled, circuitBreakerState }) =>
      !enabled ? (
        <Badge dot>Disabled</Badge>
      ) : circuitBreakerState === 'closed' ? (
        <Badge tone="ok" dot>
          Ready
        </Badge>
      ) : (
        <BreakerState state={circuitBreakerState} />
      ),
  },
  {
    key: 'path',
    title: 'Served at',
    width: 'w-52',
    cell: ({ name }) => <ServedAt path={`/ws-proxy/${name}`} />,
  },
  {
    key: 'connections',
    title: 'Connected',
    width: 'w-32',
    align: 'right',
    sortBy: ({ activeConnections }) => activeConnections,
    cell: ({ activeConnections, maxConnections }) => (
      <span className="whitespace-nowrap">
        {formatCount(activeConnections)}
        {maxConnections !== null && <span className="text-ink-3"> of {formatCount(maxConnections)}</span>}
      </span>
    ),
  },
  limitColumn('message', 'Message', ({ maxMessageBytes }) => maxMessageBytes, { ...AS_SET, format: formatBytes }),
  limitColumn('idle', 'Idle', ({ idleTimeoutMs }) => idleTimeoutMs, { ...AS_SET, format: formatSpan }),
]

export function WebSocketsPage() {
  const { setEnabled, disconnectAll, remove } = useWsTargetChanges()
  return (
    <RecordsPage
      title="WebSockets"
      about="WebSocket servers behind the gateway’s keys and limits."
      noun="target"
      label="WebSocket targets"
      placeholder="Name or address"
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
              label: 'Disconnect all…',
              icon: Unplug,
              disabled: target.activeConnections === 0,
              ask: {
                title: `Disconnect all clients from ${target.name}?`,
                about: 'All connections are closed. Clients can reconnect; disable the target to prevent that.',
                confirm: 'Disconnect all',
                run: () => disconnectAll(target.name),
              },
            },
          ]}
          deletion={{
            noun: 'target',
            about:
              'Its connections are closed and its address stops working. To keep its settings, disable it instead.',
            run: () => remove(target),
          }}
        />
      )}
      renderDialog={(props) => <WsTargetDialog {...props} />}
      empty={{
        icon: Unplug,
        title: 'No WebSocket target yet',
        about: 'Add a target. Clients connect to /ws-proxy/<name> with a key of the gateway.',
      }}
    />
  )
}

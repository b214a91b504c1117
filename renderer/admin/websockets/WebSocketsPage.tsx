// The WebSocket targets: where each leads, who is connected now, and their end.
import { Unplug } from 'lucide-react'
import { mayUse, type WsTarget } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { limitColumn, menuColumn, nameColumn } from '../../ui/columns.tsx'
import { formatBytes, formatCount, formatSpan } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { ServedAt } from '../../ui/ServedAt.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useEditing } from '../../ui/use-editing.ts'
import { BreakerState } from '../backends/BackendState.tsx'
import { WsTargetDialog } from './WsTargetDialog.tsx'
import { WsTargetMenu } from './WsTargetMenu.tsx'

/** Connections come and go without an event. */
const AGAIN_MS = 5_000
const AS_SET = { none: 'as set', width: 'w-32' }

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

const menuOf = (onChange: (target: WsTarget) => void) =>
  menuColumn<WsTarget>((target) => <WsTargetMenu target={target} onChange={() => onChange(target)} />)

export function WebSocketsPage() {
  const actor = useActor()
  const administers = mayUse(actor, 'admin')
  const list = usePaged(['ws-targets'], (paging) => api.wsTargets.list({ query: paging }), AGAIN_MS)
  const { add: addOne, change, dialog } = useEditing(list.rows, ({ name }) => name)
  const add = administers && { label: 'New target', onAdd: addOne }
  return (
    <ListPage
      title="WebSockets"
      about="Servers that speak over WebSockets, reached through the gateway with its keys and within its limits."
      add={add}
      noun="target"
      label="WebSocket targets"
      placeholder="Name or address"
      list={list}
      wordsOf={({ name, backendWsUrl }) => `${name} ${backendWsUrl}`}
      columns={administers ? [...COLUMNS, menuOf(change)] : COLUMNS}
      rowKey={({ name }) => name}
      empty={{
        icon: Unplug,
        title: 'No WebSocket target yet',
        about: 'Name one, and clients reach it at /ws-proxy/ and its name, with a key of the gateway.',
      }}
    >
      <WsTargetDialog {...dialog} />
    </ListPage>
  )
}

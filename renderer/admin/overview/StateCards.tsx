// The cards of the overview. Zeros are shown as zeros.
import { Link } from '@tanstack/react-router'
import {
  ActivitySquare,
  Ban,
  Boxes,
  CircuitBoard,
  KeyRound,
  Radio,
  Server,
  ShieldCheck,
  ShieldQuestion,
  Wrench,
} from 'lucide-react'
import { mayUse, type Overview } from '#contract'
import { useActor } from '../../api/session.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Legend, Parts } from './Card.tsx'

export function StateCards({ overview }: { readonly overview: Overview }) {
  const { clients, tools, circuitBreakers, bundles, keys, sessions, monitors, approvals } = overview
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-3 2xl:grid-cols-5">
      <Card title="Backends" icon={Server} value={clients.total} note={`${formatCount(clients.live)} live`}>
        <Parts
          parts={[
            { label: 'Healthy', value: clients.healthy, tone: 'ok' },
            { label: 'Degraded', value: clients.degraded, tone: 'warn' },
            { label: 'Unreachable', value: clients.unreachable, tone: 'bad' },
            { label: 'Disabled', value: clients.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Card title="Tools" icon={Wrench} value={tools.total} note={available(tools)}>
        <Legend
          parts={[
            { label: 'Quarantined', value: tools.quarantined, tone: 'bad' },
            { label: 'Missing', value: tools.missing, tone: 'warn' },
            { label: 'Disabled', value: tools.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Card title="Circuit breakers" icon={CircuitBoard} value={circuitBreakers.open} note="open">
        <Legend
          parts={[
            { label: 'Half open', value: circuitBreakers.halfOpen, tone: 'warn' },
            { label: 'Closed', value: circuitBreakers.closed, tone: 'ok' },
          ]}
        />
      </Card>
      <Card title="Approvals" icon={ShieldQuestion} value={approvals.pending} note="waiting for a decision">
        <Legend
          parts={[
            { label: 'Monitors failing', value: monitors.failing, tone: 'bad' },
            { label: 'Drifted', value: monitors.drifted, tone: 'warn' },
          ]}
        />
      </Card>
      <Posture posture={overview.posture} />
      <Card title="Bundles" icon={Boxes} value={bundles.total} note={`${formatCount(bundles.enabled)} enabled`}>
        <Legend parts={[{ label: 'Composites', value: overview.composites.total, tone: 'info' }]} />
      </Card>
      <Card title="Keys" icon={KeyRound} value={keys.active} note="active">
        <Legend parts={[{ label: 'Expire soon', value: keys.expiringSoon, tone: 'warn' }]} />
      </Card>
      <Card
        title="MCP sessions"
        icon={Radio}
        value={sessions.streamable}
        note={`of ${formatCount(sessions.max)} at most`}
      >
        <Legend
          parts={[
            { label: 'WebSockets', value: overview.wsProxy.activeConnections, tone: 'info' },
            { label: 'Cached answers', value: overview.responseCache.entries, tone: 'info' },
          ]}
        />
      </Card>
      <Refusals refusals={overview.refusals24h} refused={overview.calls24h.refused} />
      <Card
        title="Clients"
        icon={ActivitySquare}
        value={overview.mcpClientConnected ? 'Connected' : 'None yet'}
        note={overview.mcpClientConnected ? 'an MCP client has been here' : undefined}
      >
        {overview.adminUsers !== null && (
          <Legend parts={[{ label: 'Admin users', value: overview.adminUsers, tone: 'info' }]} />
        )}
      </Card>
    </div>
  )
}

function available(tools: Overview['tools']): string {
  return `${formatCount(Math.max(0, tools.total - tools.disabled - tools.missing))} available`
}

const WORST = {
  critical: { text: 'Critical', tone: 'bad' },
  warning: { text: 'Warnings', tone: 'warn' },
  info: { text: 'Notes', tone: 'info' },
} as const

function Posture({ posture }: { readonly posture: Overview['posture'] }) {
  const actor = useActor()
  const worst = posture.worst && WORST[posture.worst]
  return (
    <Card
      title="Security posture"
      icon={ShieldCheck}
      value={worst ? worst.text : 'Sound'}
      note={posture.count === 0 ? 'no findings' : `${posture.count} ${posture.count === 1 ? 'finding' : 'findings'}`}
    >
      {worst && <Legend parts={[{ label: 'Findings', value: posture.count, tone: worst.tone }]} />}
      {posture.count > 0 && mayUse(actor, 'auditor') && (
        <Link
          to="/settings"
          search={{ view: 'posture' }}
          className="mt-2 inline-block rounded text-xs font-medium text-link hover:underline"
        >
          See what to do
        </Link>
      )}
    </Card>
  )
}

function Refusals({ refusals, refused }: { readonly refusals: Overview['refusals24h']; readonly refused: number }) {
  const top = refusals.toSorted((a, b) => b.count - a.count).slice(0, 3)
  return (
    <Card title="Refusals" icon={Ban} value={refused} note="last 24 hours">
      <ul className="flex flex-col gap-1 text-xs">
        {top.map(({ code, count }) => (
          <li key={code} className="flex justify-between gap-3">
            <code className="truncate font-mono text-ink-2">{code}</code>
            <span className="font-medium">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
      {top.length === 0 && <p className="text-xs text-ink-3">No call was refused.</p>}
    </Card>
  )
}

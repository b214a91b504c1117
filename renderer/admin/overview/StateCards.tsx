// What there is: backends, tools, bundles, keys, sessions. Counts of zero are left out.
import { Link } from '@tanstack/react-router'
import { Boxes, KeyRound, Radio, Server, ShieldCheck, Wrench } from 'lucide-react'
import { mayUse, type Overview } from '#contract'
import { useActor } from '../../api/session.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Legend, type Part, Parts } from './Card.tsx'

export function StateCards({ overview }: { readonly overview: Overview }) {
  const { clients, tools, bundles, keys, sessions, adminUsers } = overview
  const actor = useActor()
  const people: readonly Part[] =
    adminUsers === null ? [] : [{ label: 'Admin users', value: adminUsers, tone: 'neutral', to: '/users' }]
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-3">
      <Card
        title="Backends"
        to="/backends"
        icon={Server}
        value={clients.total}
        note={`${formatCount(clients.live)} live`}
      >
        <Parts
          parts={[
            { label: 'Healthy', value: clients.healthy, tone: 'ok' },
            { label: 'Degraded', value: clients.degraded, tone: 'warn' },
            { label: 'Unreachable', value: clients.unreachable, tone: 'bad' },
            { label: 'Disabled', value: clients.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Card title="Tools" to="/tools" icon={Wrench} value={tools.total} note={available(tools)}>
        <Legend
          parts={[
            { label: 'Quarantined', value: tools.quarantined, tone: 'bad' },
            { label: 'Missing', value: tools.missing, tone: 'warn' },
            { label: 'Disabled', value: tools.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Posture posture={overview.posture} />
      <Card
        title="Bundles"
        to="/bundles"
        icon={Boxes}
        value={bundles.total}
        note={`${formatCount(bundles.enabled)} enabled`}
      >
        <Legend
          parts={[{ label: 'Composites', value: overview.composites.total, tone: 'neutral', to: '/composites' }]}
        />
      </Card>
      <Card title="Keys" to="/keys" icon={KeyRound} value={keys.active} note="active">
        <Legend parts={[{ label: 'Expire soon', value: keys.expiringSoon, tone: 'warn' }, ...people]} />
      </Card>
      <Card
        title="MCP sessions"
        to={mayUse(actor, 'operator') ? '/mcp-sessions' : undefined}
        icon={Radio}
        value={sessions.streamable}
        note={overview.mcpClientConnected ? `of ${formatCount(sessions.max)} at most` : 'no client has connected yet'}
      >
        <Legend
          parts={[
            { label: 'WebSockets', value: overview.wsProxy.activeConnections, tone: 'neutral', to: '/websockets' },
            { label: 'Cached answers', value: overview.responseCache.entries, tone: 'neutral' },
          ]}
        />
      </Card>
    </div>
  )
}

function available(tools: Overview['tools']): string {
  return `${formatCount(Math.max(0, tools.total - tools.disabled - tools.missing))} available`
}

const WORST = {
  critical: 'Critical',
  warning: 'Warnings',
  info: 'Notes',
} as const

function Posture({ posture }: { readonly posture: Overview['posture'] }) {
  const actor = useActor()
  return (
    <Card
      title="Security posture"
      icon={ShieldCheck}
      value={posture.worst ? WORST[posture.worst] : 'Sound'}
      note={posture.count === 0 ? 'no findings' : `${posture.count} ${posture.count === 1 ? 'finding' : 'findings'}`}
    >
      {posture.count > 0 && mayUse(actor, 'auditor') && (
        <Link
          to="/settings"
          search={{ view: 'posture' }}
          className="inline-block rounded text-xs font-medium text-link hover:underline"
        >
          See what to do
        </Link>
      )}
    </Card>
  )
}

// What there is: backends, tools, bundles, keys, sessions. Counts of zero are left out.
import { Link } from '@tanstack/react-router'
import { Boxes, KeyRound, Radio, Server, ShieldCheck, Wrench } from 'lucide-react'
import { mayUse, type Overview } from '#contract'
import { useActor } from '../../api/session.ts'
import { plural, t } from '../../language/language.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Legend, type Part, Parts } from './Card.tsx'

export function StateCards({ overview }: { readonly overview: Overview }) {
  const { clients, tools, bundles, keys, sessions, adminUsers } = overview
  const actor = useActor()
  const people: readonly Part[] =
    adminUsers === null ? [] : [{ label: t('Admin users'), value: adminUsers, tone: 'neutral', to: '/users' }]
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-3">
      <Card
        title={t('Backends')}
        to="/backends"
        icon={Server}
        value={clients.total}
        note={t('{count} live', { count: formatCount(clients.live) })}
      >
        <Parts
          parts={[
            { label: t('Healthy'), value: clients.healthy, tone: 'ok' },
            { label: t('Degraded'), value: clients.degraded, tone: 'warn' },
            { label: t('Unreachable'), value: clients.unreachable, tone: 'bad' },
            { label: t('Disabled'), value: clients.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Card title={t('Tools')} to="/tools" icon={Wrench} value={tools.total} note={available(tools)}>
        <Legend
          parts={[
            { label: t('Quarantined'), value: tools.quarantined, tone: 'bad' },
            { label: t('Missing'), value: tools.missing, tone: 'warn' },
            { label: t('Disabled'), value: tools.disabled, tone: 'neutral' },
          ]}
        />
      </Card>
      <Posture posture={overview.posture} />
      <Card
        title={t('Bundles')}
        to="/bundles"
        icon={Boxes}
        value={bundles.total}
        note={t('{count} enabled', { count: formatCount(bundles.enabled) })}
      >
        <Legend
          parts={[{ label: t('Composites'), value: overview.composites.total, tone: 'neutral', to: '/composites' }]}
        />
      </Card>
      <Card title={t('Keys')} to="/keys" icon={KeyRound} value={keys.active} note={t('active')}>
        <Legend parts={[{ label: t('Expire soon'), value: keys.expiringSoon, tone: 'warn' }, ...people]} />
      </Card>
      <Card
        title={t('MCP sessions')}
        to={mayUse(actor, 'operator') ? '/mcp-sessions' : undefined}
        icon={Radio}
        value={sessions.streamable}
        note={
          overview.mcpClientConnected
            ? t('of {count} at most', { count: formatCount(sessions.max) })
            : t('no client has connected yet')
        }
      >
        <Legend
          parts={[
            { label: t('WebSockets'), value: overview.wsProxy.activeConnections, tone: 'neutral', to: '/websockets' },
            { label: t('Cached answers'), value: overview.responseCache.entries, tone: 'neutral' },
          ]}
        />
      </Card>
    </div>
  )
}

function available(tools: Overview['tools']): string {
  return t('{count} available', { count: formatCount(Math.max(0, tools.total - tools.disabled - tools.missing)) })
}

const WORST = {
  critical: t('Critical'),
  warning: t('Warnings'),
  info: t('Notes'),
} as const

function Posture({ posture }: { readonly posture: Overview['posture'] }) {
  const actor = useActor()
  return (
    <Card
      title={t('Security posture')}
      icon={ShieldCheck}
      value={posture.worst ? WORST[posture.worst] : t('Sound')}
      note={posture.count === 0 ? t('no findings') : plural(posture.count, '{count} finding', '{count} findings')}
    >
      {posture.count > 0 && mayUse(actor, 'auditor') && (
        <Link
          to="/settings"
          search={{ view: 'posture' }}
          className="inline-block rounded text-xs font-medium text-link hover:underline"
        >
          {t('See what to do')}
        </Link>
      )}
    </Card>
  )
}

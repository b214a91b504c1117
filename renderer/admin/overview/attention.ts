// What needs attention now, the worst first. Pure.
import type { Overview, UsageOfClient } from '#contract'
import { plural, t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'
import { formatShare } from '../../ui/format.ts'

export type Attention = {
  readonly key: string
  readonly tone: Tone
  readonly text: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

/** A backend that fails this share of its calls, of at least so many. */
const FAILING_SHARE = 0.1
const FAILING_LEAST = 5

type Counted = readonly [key: string, count: number, tone: Tone, text: (count: number) => string, to: string]

const COUNTS = ({ clients, tools, circuitBreakers, approvals, monitors, keys }: Overview): readonly Counted[] => [
  [
    'unreachable',
    clients.unreachable,
    'bad',
    (count) => plural(count, '{count} backend is unreachable', '{count} backends are unreachable'),
    '/backends',
  ],
  [
    'breakers',
    circuitBreakers.open,
    'bad',
    (count) => plural(count, '{count} circuit breaker is open', '{count} circuit breakers are open'),
    '/backends',
  ],
  [
    'monitors',
    monitors.failing,
    'bad',
    (count) => plural(count, '{count} monitor is failing', '{count} monitors are failing'),
    '/monitors',
  ],
  [
    'quarantine',
    tools.quarantined,
    'bad',
    (count) => plural(count, '{count} tool is in quarantine', '{count} tools are in quarantine'),
    '/tools',
  ],
  [
    'approvals',
    approvals.pending,
    'info',
    (count) => plural(count, '{count} call waits for approval', '{count} calls wait for approval'),
    '/approvals',
  ],
  [
    'degraded',
    clients.degraded,
    'warn',
    (count) => plural(count, '{count} backend is degraded', '{count} backends are degraded'),
    '/backends',
  ],
  [
    'drifted',
    monitors.drifted,
    'warn',
    (count) => plural(count, '{count} tool changed its schema', '{count} tools changed their schema'),
    '/monitors',
  ],
  [
    'missing',
    tools.missing,
    'warn',
    (count) => plural(count, '{count} tool is missing at its source', '{count} tools are missing at their source'),
    '/tools',
  ],
  [
    'keys',
    keys.expiringSoon,
    'warn',
    (count) => plural(count, '{count} key expires soon', '{count} keys expire soon'),
    '/keys',
  ],
]

export function attentionOf(
  overview: Overview,
  firing: number,
  clients: readonly UsageOfClient[] = [],
): readonly Attention[] {
  const alerts: Counted = [
    'alerts',
    firing,
    'bad',
    (count) => plural(count, '{count} alert is firing', '{count} alerts are firing'),
    '/alerts',
  ]
  const counts = [alerts, ...COUNTS(overview)].flatMap(([key, count, tone, text, to]) =>
    count > 0 ? [{ key, tone, text: text(count), to }] : [],
  )
  const failing = clients.flatMap(({ client, calls, errors, refused }): readonly Attention[] => {
    const made = calls - refused
    return made >= FAILING_LEAST && errors / made >= FAILING_SHARE
      ? [
          {
            key: `failing ${client}`,
            tone: 'bad',
            text: t('{client} fails {errors} of its calls', { client, errors: formatShare(errors, made) }),
            to: `/backends/${client}`,
          },
        ]
      : []
  })
  const posture: readonly Attention[] =
    overview.posture.worst === 'critical'
      ? [
          {
            key: 'posture',
            tone: 'bad',
            text: plural(overview.posture.count, '{count} security finding', '{count} security findings'),
            to: '/settings',
            search: { view: 'posture' },
          },
        ]
      : []
  const order: readonly Tone[] = ['bad', 'info', 'warn']
  return [...counts, ...failing, ...posture].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}

// What needs attention now, the worst first. Pure.
import type { Overview, UsageOfClient } from '#contract'
import { t } from '../../language/language.ts'
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

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

type Counted = readonly [count: number, tone: Tone, one: string, many: string, to: string, search?: Attention['search']]

const COUNTS = ({ clients, tools, circuitBreakers, approvals, monitors, keys }: Overview): readonly Counted[] => [
  [clients.unreachable, 'bad', t('backend is unreachable'), t('backends are unreachable'), '/backends'],
  [circuitBreakers.open, 'bad', t('circuit breaker is open'), t('circuit breakers are open'), '/backends'],
  [monitors.failing, 'bad', t('monitor is failing'), t('monitors are failing'), '/monitors'],
  [tools.quarantined, 'bad', t('tool is in quarantine'), t('tools are in quarantine'), '/tools'],
  [approvals.pending, 'info', t('call waits for approval'), t('calls wait for approval'), '/approvals'],
  [clients.degraded, 'warn', t('backend is degraded'), t('backends are degraded'), '/backends'],
  [monitors.drifted, 'warn', t('tool changed its schema'), t('tools changed their schema'), '/monitors'],
  [tools.missing, 'warn', t('tool is missing at its source'), t('tools are missing at their source'), '/tools'],
  [keys.expiringSoon, 'warn', t('key expires soon'), t('keys expire soon'), '/keys'],
]

export function attentionOf(
  overview: Overview,
  firing: number,
  clients: readonly UsageOfClient[] = [],
): readonly Attention[] {
  const alerts: Counted = [firing, 'bad', t('alert is firing'), t('alerts are firing'), '/alerts']
  const counts = [alerts, ...COUNTS(overview)].flatMap(([count, tone, one, many, to, search]) =>
    count > 0 ? [{ key: one, tone, text: counted(count, one, many), to, ...(search && { search }) }] : [],
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
            text: counted(overview.posture.count, 'security finding', 'security findings'),
            to: '/settings',
            search: { view: 'posture' },
          },
        ]
      : []
  const order: readonly Tone[] = ['bad', 'info', 'warn']
  return [...counts, ...failing, ...posture].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}

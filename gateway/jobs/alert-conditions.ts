// The conditions of alert rules, and their webhook payloads. Pure: readings come in. Contract 10.6, 11.3.
import { ALERT_DEFAULTS, type AlertEvent } from '../contract/admin/alerts.ts'
import type { BreakerState } from '../pipeline/5-breaker/breaker.ts'
import type { Lately } from '../storage/usage.ts'

/** The fields of a backend that alerts use. */
export type Watched = {
  readonly name: string
  readonly teamId: number | null
  readonly enabled: boolean
  readonly evicted: boolean
  readonly lastError: string | null
  readonly breaker: BreakerState
}
export type Windows = { readonly errorsMs: number; readonly recentMs: number; readonly baselineMs: number }
export type AlertInputs = {
  readonly backends: readonly Watched[]
  readonly lately: ReadonlyMap<string, Omit<Lately, 'client'>>
  readonly drifted: readonly { readonly client: string; readonly tool: string }[]
  /** Connections of people that must be made again. */
  readonly lost: readonly { readonly client: string; readonly person: string }[]
  readonly windows: Windows
}
/** A rule, and what it last reported. */
export type Rule = {
  readonly eventType: AlertEvent
  readonly threshold: number | null
  readonly minCalls: number | null
  readonly client: string | null
  readonly teamId: number | null
  readonly affected: readonly string[]
}
type Found = {
  readonly holds: boolean
  /** Backends, or tools as `client__tool`; empty for numeric rules. */
  readonly affected: readonly string[]
  readonly detail: (added: readonly string[]) => Record<string, unknown>
}
export type Verdict = {
  readonly holds: boolean
  readonly affected: readonly string[]
  /** Those not reported before. */
  readonly added: readonly string[]
  readonly detail: Readonly<Record<string, unknown>>
}

const MINUTE_MS = 60_000
const perMinute = (perMs: number): number => Number((perMs * MINUTE_MS).toPrecision(6))

const NO_CALLS = { made: 0, errors: 0, recent: 0, baseline: 0 }

function sumOf({ lately }: AlertInputs, backends: readonly Watched[]): Omit<Lately, 'client'> {
  return backends.reduce((sum, { name }) => {
    const one = lately.get(name) ?? NO_CALLS
    return {
      made: sum.made + one.made,
      errors: sum.errors + one.errors,
      recent: sum.recent + one.recent,
      baseline: sum.baseline + one.baseline,
    }
  }, NO_CALLS)
}

const names = (backends: readonly Watched[]): string[] => backends.map(({ name }) => name)

type Condition = (rule: Rule, facts: AlertInputs, mine: readonly Watched[]) => Found

const CONDITIONS: Readonly<Record<AlertEvent, Condition>> = {
  circuit_breaker_open({ affected: received }, _facts, mine) {
    // Half-open counts as open: a backend that fails its probes is reported once, not per probe.
    const open = mine.filter(
      ({ name, breaker }) => breaker === 'open' || (breaker === 'half_open' && received.includes(name)),
    )
    const clients = names(open)
    return { holds: open.length > 0, affected: clients, detail: (added) => ({ clients, added }) }
  },

  client_unreachable(_rule, _facts, mine) {
    const away = mine.filter(({ enabled, evicted }) => enabled && evicted)
    const lastErrors = Object.fromEntries(
      away.flatMap(({ name, lastError }) => (lastError === null ? [] : [[name, lastError] as const])),
    )
    const clients = names(away)
    return { holds: away.length > 0, affected: clients, detail: (added) => ({ clients, added, lastErrors }) }
  },

  error_rate(rule, facts, mine) {
    const { threshold, minCalls } = limitsOf(rule, 'error_rate')
    const { made: calls, errors } = sumOf(facts, mine)
    const errorRate = calls === 0 ? 0 : errors / calls
    const detail = { client: rule.client, errorRate, calls, errors, threshold, minCalls }
    return {
      holds: calls >= minCalls && errorRate >= threshold,
      affected: [],
      detail: () => ({ ...detail, windowMs: facts.windows.errorsMs }),
    }
  },

  usage_spike(rule, facts, mine) {
    const { threshold: factor, minCalls } = limitsOf(rule, 'usage_spike')
    const { recentMs, baselineMs } = facts.windows
    const { recent: recentCalls, baseline } = sumOf(facts, mine)
    // Without earlier calls, one call per window counts as usual.
    const usual = baseline === 0 ? 1 / recentMs : baseline / Math.max(1, baselineMs - recentMs)
    const [recentRatePerMin, baselineRatePerMin] = [recentCalls / recentMs, usual].map(perMinute)
    const detail = { client: rule.client, recentCalls, recentRatePerMin, baselineRatePerMin, factor, minCalls }
    return {
      holds: recentCalls >= minCalls && recentCalls / recentMs >= factor * usual,
      affected: [],
      detail: () => detail,
    }
  },

  schema_drift(_rule, { drifted }, mine) {
    const known = new Set(names(mine))
    const tools = drifted.flatMap(({ client, tool }) => (known.has(client) ? [`${client}__${tool}`] : []))
    return { holds: tools.length > 0, affected: tools, detail: (added) => ({ tools, added }) }
  },

  connection_lost(_rule, { lost }, mine) {
    const known = new Set(names(mine))
    const connections = lost.flatMap(({ client, person }) => (known.has(client) ? [`${client} ${person}`] : []))
    return { holds: connections.length > 0, affected: connections, detail: (added) => ({ connections, added }) }
  },
}

function limitsOf({ threshold, minCalls }: Rule, event: keyof typeof ALERT_DEFAULTS) {
  const usual = ALERT_DEFAULTS[event]
  return { threshold: threshold ?? usual.threshold, minCalls: minCalls ?? usual.minCalls }
}

/** A rule covers the backends of its team, or a single one. */
export function judge(rule: Rule, facts: AlertInputs): Verdict {
  const mine = facts.backends.filter(
    ({ name, teamId }) =>
      (rule.teamId === null || teamId === rule.teamId) && (rule.client === null || name === rule.client),
  )
  const { holds, affected, detail } = CONDITIONS[rule.eventType](rule, facts, mine)
  const received = new Set(rule.affected)
  const added = affected.filter((one) => !received.has(one))
  return { holds, affected, added, detail: detail(added) }
}

// The rate-limit families as a table, and the budgets behind them.
import { GatewayError } from '../contract/error.ts'
import type { RateFamily } from '../contract/route.ts'
import { addressKey } from './client-address.ts'
import type { HttpSettings } from './http-settings.ts'
import { createRateWindow, type RateWindow, type Verdict, WINDOW_MS } from './rate-window.ts'

export type Tier = 'global' | RateFamily

type Family = {
  readonly limit: NumberSetting
  readonly buckets: NumberSetting
  readonly perRoute?: true
  /** All addresses together get this many times the limit of one. */
  readonly together?: number
}
type NumberSetting = {
  [K in keyof HttpSettings]: HttpSettings[K] extends number ? K : never
}[keyof HttpSettings]

const FAMILIES: Readonly<Record<Tier, Family>> = {
  global: { limit: 'RATE_LIMIT_GLOBAL', buckets: 'RATE_LIMIT_MAX_BUCKETS_GLOBAL' },
  login: { limit: 'RATE_LIMIT_LOGIN', buckets: 'RATE_LIMIT_MAX_BUCKETS_LOGIN' },
  register: { limit: 'RATE_LIMIT_REGISTER', buckets: 'RATE_LIMIT_MAX_BUCKETS_REGISTER', perRoute: true },
  backup: { limit: 'RATE_LIMIT_BACKUP', buckets: 'RATE_LIMIT_MAX_BUCKETS_BACKUP' },
  sso: { limit: 'RATE_LIMIT_SSO', buckets: 'RATE_LIMIT_MAX_BUCKETS_SSO' },
  expensive: { limit: 'RATE_LIMIT_EXPENSIVE', buckets: 'RATE_LIMIT_MAX_BUCKETS_EXPENSIVE', perRoute: true },
  // Tokens guessed from many addresses count as one guesser, and each guess is a database lookup.
  install_link: { limit: 'RATE_LIMIT_INSTALL_LINK', buckets: 'RATE_LIMIT_MAX_BUCKETS_INSTALL_LINK', together: 50 },
  llms: { limit: 'RATE_LIMIT_LLMS_TXT', buckets: 'RATE_LIMIT_MAX_BUCKETS_LLMS' },
}
const TIERS = Object.keys(FAMILIES) as Tier[] // the keys of a Record<Tier, …>

/** What the metrics of contract 14 count. */
export type RateObserver = {
  readonly limited: (tier: string) => void
  readonly evicted: (tier: string) => void
}

export type Limits = {
  /** One request of an address: undefined when it fits its budget, else the refusal to answer. */
  readonly spend: (tier: Tier, ip: string, route?: string) => GatewayError | undefined
  /** A budget of another kind (MCP, tool, end user), counted by the same rules and swept with the rest. */
  readonly window: (tier: string, maxBuckets: number) => RateWindow
  /** Keys in use now, by tier. */
  readonly sizes: () => Readonly<Record<string, number>>
  readonly close: () => void
}

export function rateLimited(tier: string, limit: number, verdict: Extract<Verdict, { allowed: false }>): GatewayError {
  const seconds = Math.ceil(verdict.retryAfterMs / 1000)
  return new GatewayError('RATE_LIMITED', `Too many requests; try again in ${seconds} s`, {
    details: { limit, windowMs: WINDOW_MS, tier },
    retryAfterMs: verdict.retryAfterMs,
  })
}

export function createLimits(settings: HttpSettings, now: () => number, observe?: RateObserver): Limits {
  const windows = new Map<string, RateWindow>()
  const window = (tier: string, maxBuckets: number): RateWindow => {
    const made = createRateWindow({ maxBuckets, now, onEvicted: () => observe?.evicted(tier) })
    windows.set(tier, made)
    return made
  }
  const families = new Map(
    TIERS.map((tier) => {
      const { limit: setting, buckets, perRoute, together } = FAMILIES[tier]
      const limit = settings[setting]
      // One bucket for all: the counts of addresses stay what they are.
      const everybody = together && { window: createRateWindow({ maxBuckets: 1, now }), limit: limit * together }
      return [tier, { window: window(tier, settings[buckets]), limit, perRoute, everybody }]
    }),
  )
  const timer = setInterval(() => {
    for (const each of windows.values()) each.sweep()
  }, settings.RATE_LIMIT_CLEANUP_INTERVAL_MS)
  timer.unref()

  return {
    window,
    spend: (tier, ip, route = '') => {
      const family = families.get(tier)
      if (family === undefined) return undefined
      const key = family.perRoute ? `${addressKey(ip)} ${route}` : addressKey(ip)
      const own = family.window.take(key, family.limit)
      const { verdict, limit } =
        own.allowed && family.everybody
          ? { verdict: family.everybody.window.take('', family.everybody.limit), limit: family.everybody.limit }
          : { verdict: own, limit: family.limit }
      if (verdict.allowed) return undefined
      observe?.limited(tier)
      return rateLimited(tier, limit, verdict)
    },
    sizes: () => Object.fromEntries([...windows].map(([tier, each]) => [tier, each.size()])),
    close: () => clearInterval(timer),
  }
}

// The rate-limit families as a table, and the budgets behind them.
import { GatewayError } from '../contract/error.ts'
import type { RateFamily } from '../contract/route.ts'
import { addressKey } from './client-address.ts'
import type { HttpSettings } from './http-settings.ts'
import { createRateWindow, type Verdict, WINDOW_MS } from './rate-window.ts'
import {
  createSharedLimits,
  type OnOutage,
  type SharedLimitsOptions,
  type SharedVerdict,
  type Take,
} from './shared-limits.ts'

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

/** A promise only where instances share limits and permits have to be leased. */
type Soon<T> = T | Promise<T>
export type Spend = (tier: Tier, ip: string, route?: string) => Soon<GatewayError | undefined>

export type Budget = {
  /** Takes one of each, in order up to the first refusal; all or none where instances share limits. */
  readonly take: (takes: readonly Take[]) => Soon<SharedVerdict>
  /** What `take` would say now; nothing is spent. */
  readonly look: (take: Take) => Verdict
}

export type Limits = {
  /** One request of an address: undefined when it fits its budget, else the refusal to answer. */
  readonly spend: Spend
  /** A budget of another kind (MCP, tool, end user), counted by the same rules and swept with the rest. */
  readonly window: (tier: string, maxBuckets: number) => Budget
  /** How limits are kept while their store does not answer. */
  readonly degraded: () => OnOutage | undefined
  /** Keys in use now, by tier. */
  readonly sizes: () => Readonly<Record<string, number>>
  readonly close: () => Promise<void>
}

/** Set where instances share limits. */
export type ShareLimits = Pick<SharedLimitsOptions, 'store' | 'onOutage' | 'instances' | 'onDegraded'>

const ALLOWED = { allowed: true } as const

function rateLimited(tier: string, limit: number, verdict: Extract<Verdict, { allowed: false }>): GatewayError {
  const seconds = Math.ceil(verdict.retryAfterMs / 1000)
  return new GatewayError('RATE_LIMITED', `Too many requests; try again in ${seconds} s`, {
    details: { limit, windowMs: WINDOW_MS, tier },
    retryAfterMs: verdict.retryAfterMs,
  })
}

const familyKey = (perRoute: true | undefined, ip: string, route: string): string =>
  perRoute ? `${addressKey(ip)} ${route}` : addressKey(ip)

export function createLimits(
  settings: HttpSettings,
  monotonic: () => number,
  observe?: RateObserver,
  share?: ShareLimits,
): Limits {
  return share ? sharedLimits(settings, monotonic, observe, share) : ownLimits(settings, monotonic, observe)
}

/** Of several instances together. */
function sharedLimits(
  settings: HttpSettings,
  monotonic: () => number,
  observe: RateObserver | undefined,
  share: ShareLimits,
): Limits {
  const buckets = new Map<string, number>(TIERS.map((tier) => [tier, settings[FAMILIES[tier].buckets]]))
  const shared = createSharedLimits({
    ...share,
    monotonic,
    maxBuckets: (tier) => buckets.get(tier) ?? settings.RATE_LIMIT_MAX_BUCKETS_GLOBAL,
    ...(observe && { onEvicted: observe.evicted }),
  })
  return {
    ...shared,
    window(tier, maxBuckets) {
      buckets.set(tier, maxBuckets)
      return { take: (takes) => shared.take(tier, takes), look: (take) => shared.look(tier, take) }
    },
    spend(tier, ip, route = '') {
      const { limit: setting, perRoute, together } = FAMILIES[tier]
      const limit = settings[setting]
      const takes: Take[] = [{ key: familyKey(perRoute, ip, route), limit }]
      if (together) takes.push({ key: 'all addresses', limit: limit * together })
      const refusal = (verdict: SharedVerdict): GatewayError | undefined => {
        if (verdict.allowed) return undefined
        observe?.limited(tier)
        return rateLimited(tier, verdict.limit, verdict)
      }
      const taken = shared.take(tier, takes)
      return taken instanceof Promise ? taken.then(refusal) : refusal(taken)
    },
  }
}

function ownLimits(settings: HttpSettings, monotonic: () => number, observe: RateObserver | undefined): Limits {
  const windows = new Map<string, ReturnType<typeof createRateWindow>>()
  const window = (tier: string, maxBuckets: number) => {
    const made = createRateWindow({ maxBuckets, monotonic, onEvicted: () => observe?.evicted(tier) })
    windows.set(tier, made)
    return made
  }
  const families = new Map(
    TIERS.map((tier) => {
      const { limit: setting, buckets, perRoute, together } = FAMILIES[tier]
      const limit = settings[setting]
      // One bucket for all: the counts of addresses stay what they are.
      const allAddresses = together && {
        window: createRateWindow({ maxBuckets: 1, monotonic }),
        limit: limit * together,
      }
      return [tier, { window: window(tier, settings[buckets]), limit, perRoute, allAddresses }]
    }),
  )
  const timer = setInterval(() => {
    for (const each of windows.values()) each.sweep()
  }, settings.RATE_LIMIT_CLEANUP_INTERVAL_MS)
  timer.unref()

  return {
    window(tier, maxBuckets) {
      const own = window(tier, maxBuckets)
      return {
        take(takes) {
          for (const { key, limit } of takes) {
            const verdict = own.take(key, limit)
            if (!verdict.allowed) return { ...verdict, limit }
          }
          return ALLOWED
        },
        look: ({ key, limit }) => own.look(key, limit),
      }
    },
    spend: (tier, ip, route = '') => {
      const family = families.get(tier)
      if (family === undefined) return undefined
      const own = family.window.take(familyKey(family.perRoute, ip, route), family.limit)
      const { verdict, limit } =
        own.allowed && family.allAddresses
          ? {
              verdict: family.allAddresses.window.take('', family.allAddresses.limit),
              limit: family.allAddresses.limit,
            }
          : { verdict: own, limit: family.limit }
      if (verdict.allowed) return undefined
      observe?.limited(tier)
      return rateLimited(tier, limit, verdict)
    },
    degraded: () => undefined,
    sizes: () => Object.fromEntries([...windows].map(([tier, each]) => [tier, each.size()])),
    close: () => {
      clearInterval(timer)
      return Promise.resolve()
    },
  }
}

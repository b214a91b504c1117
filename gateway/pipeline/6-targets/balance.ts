// Which server of a pool is next, and how each of them has been. Contract 9.2.

import type { Outcome } from '../../outcome/outcome.ts'
import { verdictOf } from '../5-breaker/verdict.ts'
import type { Member, PoolRoute } from './route.ts'

export type MemberHealth = {
  readonly state: 'up' | 'cooldown'
  readonly inFlight: number
  readonly lastError: string | null
}

export type Balancer = ReturnType<typeof createBalancer>

type Options = {
  readonly cooldownMs: number
  /** Monotonic. */
  readonly monotonic: () => number
  readonly random: () => number
}
type ServerState = { inFlight: number; coolUntil: number; lastError: string | null; credit: number; turn: number }
type Known = { turn: number; readonly members: Map<Member['key'], ServerState> }

export function createBalancer({ cooldownMs, monotonic, random }: Options) {
  const pools = new Map<string, Known>()

  function known(client: string): Known {
    const found = pools.get(client) ?? { turn: 0, members: new Map() }
    pools.set(client, found)
    return found
  }

  function kept({ members }: Known, key: Member['key']): ServerState {
    const found = members.get(key) ?? {
      inFlight: 0,
      coolUntil: Number.NEGATIVE_INFINITY,
      lastError: null,
      credit: 0,
      turn: 0,
    }
    members.set(key, found)
    return found
  }

  /** Of several that were never asked the first. */
  function longestUnasked(pool: Known, from: readonly Member[]): Member | undefined {
    const [first, ...rest] = from
    if (first === undefined) return undefined
    const found = rest.reduce((a, b) => (kept(pool, b.key).turn < kept(pool, a.key).turn ? b : a), first)
    kept(pool, found.key).turn = ++pool.turn
    return found
  }

  const choose: Record<PoolRoute['strategy'], (pool: Known, from: readonly Member[]) => Member | undefined> = {
    'round-robin': longestUnasked,
    random: (_pool, from) => from[Math.floor(random() * from.length)],
    // In turns among those who have the fewest.
    'least-conn'(pool, from) {
      const fewest = Math.min(...from.map(({ key }) => kept(pool, key).inFlight))
      const free = from.filter(({ key }) => kept(pool, key).inFlight === fewest)
      return longestUnasked(pool, free)
    },
    // The server with the largest open share is next, and pays for it: as many turns as it has weight, and evenly spread.
    weighted(pool, from) {
      const [first, ...rest] = from
      if (first === undefined) return undefined
      for (const { key, weight } of from) kept(pool, key).credit += weight
      const best = rest.reduce((a, b) => (kept(pool, b.key).credit > kept(pool, a.key).credit ? b : a), first)
      kept(pool, best.key).credit -= from.reduce((sum, { weight }) => sum + weight, 0)
      return best
    },
  }

  return {
    /** Not the one before, where there is another. */
    next(client: string, { strategy, members }: PoolRoute, before: Member | undefined): Member {
      const pool = known(client)
      const others = members.length > 1 ? members.filter(({ key }) => key !== before?.key) : members
      const up = others.filter(({ key }) => kept(pool, key).coolUntil <= monotonic())
      const chosen = choose[strategy](pool, up.length > 0 ? up : others)
      if (chosen === undefined) throw new Error('a pool without servers was asked for one')
      return chosen
    },
    /** It is asked now; the returned function says how that ended. */
    begin(client: string, { key }: Member): (outcome: Outcome | undefined) => void {
      const member = kept(known(client), key)
      member.inFlight++
      return (outcome) => {
        member.inFlight--
        if (outcome?.kind !== 'failed') return
        if (verdictOf(outcome) !== 'failure') return
        member.coolUntil = monotonic() + cooldownMs
        // Its message may hold anything; how it failed does not.
        member.lastError = outcome.status === undefined ? outcome.text : `HTTP ${outcome.status}`
      }
    },
    healthOf(client: string, key: Member['key']): MemberHealth {
      const member = pools.get(client)?.members.get(key)
      return {
        state: member && member.coolUntil > monotonic() ? 'cooldown' : 'up',
        inFlight: member?.inFlight ?? 0,
        lastError: member?.lastError ?? null,
      }
    },
    forget: (client: string): void => void pools.delete(client),
  }
}

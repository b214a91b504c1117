// Calls that may go to another server than their backend's own: which one, and what became of it. Contract 9.1, 9.2.

import type { From, Outcome } from '../../outcome/outcome.ts'
import type { Base } from '../../records/base.ts'
import type { Backend } from '../../registry/backend.ts'
import type { BackendServer } from '../../registry/targets.ts'
import type { Attempt } from '../7-dispatch/retry.ts'
import { outcomeLabel } from '../8-audit/count.ts'
import type { ToolCall } from '../call.ts'
import { type Balancer, createBalancer } from './balance.ts'
import type { Member, PoolRoute, SecondRoute } from './route.ts'

/** For a call that a second server takes. */
export type Second = { readonly kind: 'second'; readonly as: SecondRoute['kind']; readonly target: BackendServer }
export type Destination = Second | PoolRoute

export type Targets = {
  /** Whose turn it is: a share of the calls of a canary, all those that come to a failover. */
  pick(call: ToolCall, route: SecondRoute, isAway: boolean): Second | undefined
  /** Each attempt of a call at its destination; those at a pool go to another server each. */
  attempts(to: Destination, call: ToolCall, send: Send): Attempts
  healthOf: Balancer['healthOf']
  /** Of the second server a backend has now. */
  statsOf(backend: Backend): { readonly calls: number; readonly errors: number }
  /** What became of a call that a second server took. */
  note(call: ToolCall, to: Second, outcome: Outcome): void
  forget(client: string): void
}
type Send = (target: BackendServer | undefined) => Attempt | Promise<Attempt>
type Attempts = () => Promise<Attempt>

type Options = Pick<Base, 'random' | 'metrics'> & {
  readonly settings: { readonly LB_TARGET_COOLDOWN_MS: number }
  /** Monotonic. */
  readonly monotonic: () => number
}
type Stats = { readonly baseUrl: string; calls: number; errors: number }

const NOTHING: Stats = { baseUrl: '', calls: 0, errors: 0 }

function answeredBy(target: From['target'], attempt: Attempt): Attempt {
  const { outcome } = attempt
  return outcome.kind === 'refused'
    ? attempt
    : { ...attempt, outcome: { ...outcome, from: { ...outcome.from, target } } }
}

export function createTargets({ settings, monotonic, random, metrics }: Options): Targets {
  const balancer = createBalancer({ cooldownMs: settings.LB_TARGET_COOLDOWN_MS, monotonic, random })
  const stats = new Map<string, Stats>()

  function pooled(route: PoolRoute, { backend }: ToolCall, send: Send) {
    let before: Member | undefined
    return async (): Promise<Attempt> => {
      const member = balancer.next(backend.name, route, before)
      before = member
      const isOwn = member.key === 'primary'
      metrics.inc('mcp_lb_requests_total', { client: backend.name, member: isOwn ? 'primary' : 'pool' })
      const end = balancer.begin(backend.name, member)
      let outcome: Outcome | undefined
      try {
        const attempt = await send(member.target)
        outcome = attempt.outcome
        return isOwn ? attempt : answeredBy(member.key, attempt)
      } finally {
        end(outcome)
      }
    }
  }

  return {
    pick({ backend }, route, isAway) {
      const isTheirs = route.kind === 'failover' ? isAway : !isAway && random() * 100 < route.percent
      const target = isTheirs ? 'secondary' : 'primary'
      metrics.inc('mcp_canary_requests_total', { client: backend.name, mode: route.kind, target })
      return isTheirs ? { kind: 'second', as: route.kind, target: route.target } : undefined
    },
    attempts(to, call, send) {
      if (to.kind === 'pool') return pooled(to, call, send)
      return async () => answeredBy(to.as, await send(to.target))
    },
    healthOf: balancer.healthOf,
    note({ backend: { name } }, { target: { baseUrl } }, outcome) {
      const known = stats.get(name)
      const kept = known?.baseUrl === baseUrl ? known : { baseUrl, calls: 0, errors: 0 }
      stats.set(name, kept)
      kept.calls++
      if (outcomeLabel(outcome) === 'error') kept.errors++
    },
    statsOf({ name, canary }) {
      const { baseUrl, calls, errors } = stats.get(name) ?? NOTHING
      return baseUrl === canary?.baseUrl ? { calls, errors } : { calls: 0, errors: 0 }
    },
    forget(client) {
      stats.delete(client)
      balancer.forget(client)
    },
  }
}

// Which of the servers of its backend the calls of a tool may go to. Contract 8.13, 9.1, 9.2.
import type { Backend, Tool } from '../../registry/backend.ts'
import type { BackendServer, Pool } from '../../registry/targets.ts'
import { pinPermitted } from '../1-ssrf/index.ts'

/** One of the servers a pool chooses from; without a target it is the backend's own. */
export type Member = {
  readonly key: 'primary' | `pool:${number}`
  readonly weight: number
  readonly target?: BackendServer
}
export type PoolRoute = {
  readonly kind: 'pool'
  readonly strategy: Pool['strategy']
  /** Those that may be dialled: never empty in a call, the guard sees to it. */
  readonly members: readonly Member[]
}
/** A second server, beside the backend's own or instead of it. */
export type SecondRoute = { readonly target: BackendServer; readonly permitted: boolean } & (
  | { readonly kind: 'canary'; readonly percent: number }
  | { readonly kind: 'failover' }
)
export type ServerChoice = PoolRoute | SecondRoute

/** Undefined for nearly every tool: its calls go to the backend's own server. */
export function routeOf({ canary, lb, kind }: Backend, { config, definition }: Tool): ServerChoice | undefined {
  // An operation that lives elsewhere than the rest of its backend has no counterpart on its other servers.
  if (kind !== 'rest' || (canary === null && lb === null) || definition.baseUrl !== undefined) return undefined
  // Nor has a WebSocket of its own.
  if (config.ws?.enabled) return undefined
  const { routing } = config
  const pool = lb && routing?.loadBalancing !== 'off' ? poolOf(lb, routing?.lbStrategy) : undefined
  if (pool || !canary?.enabled) return pool
  const second = { target: canary, permitted: pinPermitted(canary.pin) }
  if (canary.mode === 'failover') return routing?.failover === 'off' ? undefined : { kind: 'failover', ...second }
  if (routing?.canary === 'off') return undefined
  return { kind: 'canary', percent: routing?.canaryWeight ?? canary.weight, ...second }
}

/** A pool without another server is not a pool. */
function poolOf(
  { enabled, targets, primaryWeight, strategy }: Pool,
  own: Pool['strategy'] | undefined,
): PoolRoute | undefined {
  const used = enabled ? targets.filter((target) => target.enabled) : []
  if (used.length === 0) return undefined
  const others = used
    .filter(({ pin }) => pinPermitted(pin))
    .map((target): Member => ({ key: `pool:${target.id}`, weight: target.weight, target }))
  const members: readonly Member[] = primaryWeight > 0 ? [{ key: 'primary', weight: primaryWeight }, ...others] : others
  return { kind: 'pool', strategy: own ?? strategy, members }
}

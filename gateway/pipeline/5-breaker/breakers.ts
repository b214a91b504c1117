// One breaker per backend, under its own limits or the gateway's; failures are counted per tool too, which opens nothing.
import type { ClientGuards } from '../../contract/admin/clients.ts'
import type { Backend } from '../../registry/backend.ts'
import { Breaker, type BreakerLimits, type BreakerState } from './breaker.ts'

export type BreakerSettings = {
  readonly CIRCUIT_BREAKER_FAILURE_THRESHOLD: number
  readonly CIRCUIT_BREAKER_WINDOW_MS: number
  readonly CIRCUIT_BREAKER_RESET_TIMEOUT_MS: number
  readonly CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: number
}

export type Breakers = {
  of(backend: Backend): Breaker
  /** Undefined until a call went through it: an unused breaker is closed. */
  find(name: string): Breaker | undefined
  noteToolFailure(client: string, tool: string): void
  toolFailuresInWindow(client: string, tool: string, windowMs: number): number
  forget(name: string): void
}

type Options = {
  readonly settings: BreakerSettings
  readonly monotonic: () => number
  readonly onTransition: (client: string, from: BreakerState, to: BreakerState, followed: boolean) => void
}

const MOST_KEPT = 1_000

export function createBreakers({ settings, monotonic, onTransition }: Options): Breakers {
  const breakers = new Map<string, { readonly breaker: Breaker; guards: ClientGuards | null }>()
  const toolFailures = new Map<string, number[]>()

  const limitsOf = (guards: ClientGuards | null): BreakerLimits => ({
    failureThreshold: guards?.circuitBreaker?.failureThreshold ?? settings.CIRCUIT_BREAKER_FAILURE_THRESHOLD,
    windowMs: guards?.circuitBreaker?.windowMs ?? settings.CIRCUIT_BREAKER_WINDOW_MS,
    resetTimeoutMs: guards?.circuitBreaker?.resetTimeoutMs ?? settings.CIRCUIT_BREAKER_RESET_TIMEOUT_MS,
    halfOpenTimeoutMs: guards?.circuitBreaker?.halfOpenTimeoutMs ?? settings.CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS,
  })

  return {
    of({ name, guards }) {
      const known = breakers.get(name)
      if (known) {
        // The snapshot is replaced when configuration changes, so its identity suffices.
        if (known.guards !== guards) {
          known.guards = guards
          known.breaker.setLimits(limitsOf(guards))
        }
        return known.breaker
      }
      const breaker = new Breaker({
        limits: limitsOf(guards),
        monotonic,
        onTransition: (from, to, followed) => onTransition(name, from, to, followed),
      })
      breakers.set(name, { breaker, guards })
      return breaker
    },
    find: (name) => breakers.get(name)?.breaker,
    noteToolFailure(client, tool) {
      const key = `${client}__${tool}`
      const times = toolFailures.get(key) ?? []
      times.push(monotonic())
      if (times.length > MOST_KEPT) times.shift()
      toolFailures.set(key, times)
    },
    toolFailuresInWindow(client, tool, windowMs) {
      const since = monotonic() - windowMs
      return (toolFailures.get(`${client}__${tool}`) ?? []).filter((at) => at > since).length
    },
    forget(name) {
      breakers.delete(name)
      for (const key of toolFailures.keys()) if (key.startsWith(`${name}__`)) toolFailures.delete(key)
    },
  }
}

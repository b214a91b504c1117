// What one tool's calls pass, computed once per configuration: a feature that is off is not in the list.
import type { Backend, Registry, Tool } from '../registry/backend.ts'
import { availability, keyAllowlist, keyScope } from './0-admission/admit.ts'
import { createValidator, type Validator } from './0-admission/validator.ts'
import { ssrf } from './1-ssrf/index.ts'
import { inputGuardrails } from './2-guardrails/index.ts'
import { type Approvals, approval, approvalUse } from './3-policy/approval.ts'
import { confirmation } from './3-policy/confirmation.ts'
import { type Quarantines, quarantine } from './3-policy/quarantine.ts'
import { type RateTaker, toolRateLimit } from './3-policy/rate-limit.ts'
import { type Scan, scanResponse } from './5-dispatch/scan.ts'
import type { Guard } from './call.ts'

export type NamedGuard = { readonly stage: string; readonly guard: Guard }

export type Chain = {
  /** Before the arguments are looked at. */
  readonly admission: readonly NamedGuard[]
  readonly validate: Validator
  /** SSRF, then guardrails, over the arguments as they were sent. */
  readonly guards: readonly NamedGuard[]
  /** Over the arguments as they were validated. */
  readonly policy: readonly NamedGuard[]
  /** What is used up by a call that passed everything else. */
  readonly spend: readonly NamedGuard[]
  /** Of the answer. */
  readonly scan: Scan | undefined
  readonly sensitive: boolean
}

type Options = {
  readonly registry: Pick<Registry, 'isLive' | 'isEvicted' | 'isLeaving'>
  readonly rates: RateTaker
  /** Of the caller and not of the tool: it is in every chain. */
  readonly quota: Guard
  readonly quarantines: Quarantines
  readonly approvals: Approvals
  /** Of the wall. */
  readonly now: () => number
  readonly autoGateWriteMethods: boolean
}

/** Explicit per tool, else by method when the gateway is told to (contract 5.11). */
export function isSensitive(tool: Tool, autoGateWriteMethods: boolean): boolean {
  const { method } = tool.definition
  return tool.config.sensitive ?? (autoGateWriteMethods && (method === 'PUT' || method === 'DELETE'))
}

const named = (stage: string, guard: Guard | undefined): NamedGuard[] => (guard ? [{ stage, guard }] : [])

export function createChains({
  registry,
  rates,
  quota,
  quarantines,
  approvals,
  now,
  autoGateWriteMethods,
}: Options): (backend: Backend, tool: Tool) => Chain {
  // Snapshots are replaced, never changed: the chain of a tool lives as long as the tool does.
  const chains = new WeakMap<Tool, { readonly backend: Backend; readonly chain: Chain }>()
  const available = availability(registry)
  // State and no configuration: they are asked for every tool.
  const quarantined = named('quarantine', quarantine(quarantines, now))
  const approved = named('approval', approval(approvals))
  const spend = named('approval', approvalUse(approvals))

  return (backend, tool) => {
    const known = chains.get(tool)
    if (known?.backend === backend) return known.chain
    const { guards, guardrails } = tool.config
    const sensitive = isSensitive(tool, autoGateWriteMethods)
    const chain: Chain = {
      admission: [
        ...named('availability', available),
        ...named('admission', keyAllowlist(guards)),
        ...named('admission', keyScope),
      ],
      validate: createValidator(tool, backend.kind),
      guards: [...named('ssrf', ssrf(backend, tool)), ...named('guardrails', inputGuardrails(guardrails))],
      policy: [
        ...named('quota', quota),
        ...named('confirm', sensitive ? confirmation : undefined),
        ...quarantined,
        ...approved,
        ...named('rate_limit', toolRateLimit(backend, tool, guards, rates)),
      ],
      spend,
      scan: guardrails?.scanResponses ? scanResponse : undefined,
      sensitive,
    }
    chains.set(tool, { backend, chain })
    return chain
  }
}

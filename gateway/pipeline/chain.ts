// What the calls of one tool pass, and what relayed requests pass, computed once per configuration: a feature that is off is not in the list.

import { isPersonal } from '../identity/acting.ts'
import type { Refused } from '../outcome/outcome.ts'
import { type Scan, scanResponse } from '../outcome/scan.ts'
import type { Backend, Registry, Tool } from '../registry/backend.ts'
import type { Clock } from '../telemetry/clock.ts'
import { availability, keyAllowlist, keyScope, reachable, switchedOn } from './0-admission/admit.ts'
import { createValidator, type Validator } from './0-admission/validator.ts'
import { ssrf } from './1-ssrf/index.ts'
import { inputGuardrails } from './2-guardrails/index.ts'
import { type ApprovalGates, type Approvals, approvalGates } from './3-policy/approval.ts'
import { confirmation } from './3-policy/confirmation.ts'
import type { IdentityStages } from './3-policy/identity.ts'
import { type Quarantines, quarantine } from './3-policy/quarantine.ts'
import { type RateTaker, toolRateLimit } from './3-policy/rate-limit.ts'
import type { Layer } from './4-answers/layer.ts'
import type { LayersOf } from './4-answers/layers.ts'
import { standsIn } from './4-answers/mock.ts'
import { routeOf, type ServerChoice } from './6-targets/route.ts'
import { isBesideTools } from './beside-tools.ts'
import type { Guard, ToolCall } from './call.ts'

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
  /** From the outermost inwards; empty for most tools. */
  readonly layers: readonly Layer[]
  /** Asked where a layer may answer for a backend that is away. */
  readonly reach: ((call: ToolCall) => Refused | undefined) | undefined
  /** Where else than to the backend's own server its calls may go. */
  readonly route: ServerChoice | undefined
  /** Of the answer. */
  readonly scan: Scan | undefined
  /** Whether it is sensitive, in quarantine or under approval, as of now. */
  readonly gated: () => boolean
  /** Informed of the outcome of each call, where hits in a row put the tool into quarantine. */
  readonly watch: Quarantines['note'] | undefined
  readonly ticketOf: ApprovalGates['usedBy']
}

type Options = {
  readonly registry: Pick<Registry, 'isLive' | 'isEvicted' | 'isLeaving'>
  readonly rates: RateTaker
  /** Of the caller and not of the tool: it is in every chain. */
  readonly quota: Guard
  readonly quarantines: Quarantines
  readonly approvals: Approvals
  readonly clock: Clock
  readonly autoGateWriteMethods: boolean
  readonly layersOf: LayersOf
  readonly identity: IdentityStages
}

/** Whether the configuration asks for it; other parts may as well. */
export const isApprovalAsked = ({ config }: Tool): boolean => config.approval?.required === true

/** Explicit per tool, else by method when the gateway is configured so (contract 5.11). */
export function isSensitive(tool: Tool, autoGateWriteMethods: boolean): boolean {
  const { method } = tool.definition
  return tool.config.sensitive ?? (autoGateWriteMethods && (method === 'PUT' || method === 'DELETE'))
}

/** Whether something answers for the tool while its backend is away. */
export const isStoodInFor = (backend: Backend, tool: Tool): boolean =>
  standsIn(tool.config.mock) || routeOf(backend, tool)?.kind === 'failover'

/** No schema, and none of what is set up for a tool and has no meaning beside it. */
export const BARE: Chain = {
  admission: [],
  validate: (args) => ({ ok: true, args }),
  guards: [],
  policy: [],
  spend: [],
  layers: [],
  reach: undefined,
  route: undefined,
  scan: undefined,
  gated: () => false,
  watch: undefined,
  ticketOf: () => null,
}

const named = (stage: string, guard: Guard | undefined): NamedGuard[] => (guard ? [{ stage, guard }] : [])

export function createChains({
  registry,
  rates,
  quota,
  quarantines,
  approvals,
  clock,
  autoGateWriteMethods,
  layersOf,
  identity,
}: Options): (backend: Backend, tool: Tool) => Chain {
  // Snapshots are replaced, never changed: the chain of a tool lives as long as the tool does.
  const chains = new WeakMap<Tool, { readonly backend: Backend; readonly chain: Chain }>()
  const available = availability(registry)
  const [on, reached] = [switchedOn(registry), reachable(registry)]
  // State and no configuration: they are asked for every tool.
  const quarantined = named('quarantine', quarantine(quarantines, clock))
  const gates = approvalGates(approvals)
  const approved = named('approval', gates.judge)
  const spend = named('approval', gates.use)

  /** Before anything is used up by a call that has no identity. */
  const identified = (backend: Backend) => named('identity', isPersonal(backend) ? identity.guard : undefined)
  const actingOf = (backend: Backend): readonly Layer[] => (isPersonal(backend) ? [identity.layer] : [])

  const relayQuota: Guard = (call) => (call.relayed?.kind === 'request' ? quota(call) : undefined)
  const relayChain = (backend: Backend, beside: Tool): Chain => ({
    ...BARE,
    admission: [
      ...named('availability', available),
      ...named('admission', keyAllowlist(beside.config.guards)),
      ...named('admission', keyScope),
    ],
    guards: [
      ...named('ssrf', ssrf(backend, beside)),
      ...named('guardrails', inputGuardrails(beside.config.guardrails)),
    ],
    policy: [...named('quota', relayQuota), ...identified(backend)],
    layers: actingOf(backend),
  })

  function toolChain(backend: Backend, tool: Tool): Chain {
    const { guards, guardrails } = tool.config
    const sensitive = isSensitive(tool, autoGateWriteMethods)
    const route = routeOf(backend, tool)
    const stoodIn = isStoodInFor(backend, tool)
    const scan = guardrails?.scanResponses ? scanResponse : undefined
    return {
      admission: [
        ...named('availability', stoodIn ? on : available),
        ...named('admission', keyAllowlist(guards)),
        ...named('admission', keyScope),
      ],
      validate: createValidator(tool, backend.kind),
      guards: [...named('ssrf', ssrf(backend, tool, route)), ...named('guardrails', inputGuardrails(guardrails))],
      policy: [
        ...named('quota', quota),
        ...named('confirm', sensitive ? confirmation : undefined),
        ...quarantined,
        ...approved,
        ...named('rate_limit', toolRateLimit(backend, tool, guards, rates)),
        ...identified(backend),
      ],
      spend,
      reach: stoodIn ? reached : undefined,
      route,
      layers: [...actingOf(backend), ...layersOf(backend, tool, sensitive || isApprovalAsked(tool), scan)],
      scan,
      gated: sensitive ? () => true : () => approvals.needed(tool) || quarantines.marks(tool),
      watch: tool.config.quarantinePolicy?.enabled ? quarantines.note : undefined,
      ticketOf: gates.usedBy,
    }
  }

  return (backend, tool) => {
    const known = chains.get(tool)
    if (known?.backend === backend) return known.chain
    const chain = isBesideTools(tool) ? relayChain(backend, tool) : toolChain(backend, tool)
    chains.set(tool, { backend, chain })
    return chain
  }
}

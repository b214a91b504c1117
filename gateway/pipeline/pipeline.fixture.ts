// Backends, tools and calls as values, for the tests of the guard stack and the surfaces.
import { type Account, createMemoryBudget } from '../net/memory-budget.ts'
import { someBackend, someTool } from '../registry/backend.fixture.ts'
import type { Backend, Pins, Tool } from '../registry/backend.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { startSpan } from '../telemetry/trace.ts'
import type { Approvals } from './3-policy/approval.ts'
import type { IdentityStages } from './3-policy/identity.ts'
import type { Quarantines } from './3-policy/quarantine.ts'
import { createTargets, type Targets } from './6-targets/index.ts'
import type { Caller, ToolCall } from './call.ts'

/** No backend of these tests is called as people. */
export const noIdentity: IdentityStages = {
  guard: () => undefined,
  layer: { stage: 'identity', answer: (_call, next) => next() },
}

export const aTool = (name: string, given: Partial<Tool> = {}, definition: Partial<Tool['definition']> = {}): Tool =>
  someTool({ client: 'shop', name, ...given }, { method: 'GET', path: [`/${name}`], ...definition })

export const somePins = (address = '127.0.0.1', allowPrivate = true): Pins => ({
  base: {
    origin: 'http://shop.test',
    hostname: 'shop.test',
    port: 80,
    tls: false,
    addresses: [address],
    reach: { allowPrivate },
  },
  servers: {},
})

export const aBackend = (name = 'shop', given: Partial<Backend> = {}): Backend =>
  someBackend({ name, baseUrl: 'http://shop.test/api', pins: somePins(), ...given })

export function aCaller(given: Partial<Caller> = {}): Caller {
  return {
    name: 'mcp-env:12345678',
    kind: 'env',
    keyHash: 'aa',
    keyId: null,
    elevated: false,
    consumerId: null,
    teamId: null,
    adminRole: null,
    bundles: null,
    mayReach: () => true,
    person: null,
    namesPeople: false,
    onEnd: null,
    ...given,
  }
}

export function aCall(given: Partial<ToolCall> = {}): ToolCall {
  const tool = given.tool ?? aTool('get')
  return {
    requestId: 'request-1',
    span: startSpan(null),
    surface: 'shard',
    bundle: null,
    sessionHash: null,
    caller: aCaller(),
    calledAs: tool.name,
    backend: aBackend(),
    tool,
    args: {},
    reserved: { confirm: false, approvalId: null, endUser: null },
    requestBytes: 10,
    meta: undefined,
    onCancel: () => undefined,
    onProgress: undefined,
    ...given,
  }
}

/** There is room for all it takes. */
export const anAccount = (): Account => createMemoryBudget({ mostBytes: 1e9, mostWorkBytes: 1e9 }).account()

/** Asks nothing, except for what is given. */
export const someApprovals = (given: Partial<Approvals> = {}): Approvals => ({
  needed: () => Object.keys(given).length > 0,
  request: async () => undefined,
  judge: async () => undefined,
  consume: async () => undefined,
  whenDecided: () => () => undefined,
  ...given,
})

/** Holds nothing back and records nothing, except for what is given. */
export const someQuarantines = (given: Partial<Quarantines> = {}): Quarantines => ({
  of: () => undefined,
  marks: () => false,
  note: () => undefined,
  ...given,
})
export const someTargets = (given: Partial<Parameters<typeof createTargets>[0]> = {}): Targets =>
  createTargets({
    settings: { LB_TARGET_COOLDOWN_MS: 30_000 },
    monotonic: () => 0,
    random: () => 0,
    metrics: createMetrics(),
    ...given,
  })

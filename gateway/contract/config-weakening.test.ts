// What counts as weaker: every field of a document has a row, and each kind of field is compared in both directions.
import { describe, expect, it } from 'vitest'
import { ClientGuards } from './admin/clients.ts'
import { Cache, Capture, Coalesce, QuarantinePolicy } from './admin/tool-features.ts'
import { Guardrails } from './admin/tool-guards.ts'
import { ConfigDoc, ConfigGuards, ConfigTool, SECTIONS, type ConfigTool as Tool } from './config-document.ts'
import { weakenings as allWeakenings } from './config-weakening.ts'
import { WEAKENING_RULES } from './weakening-rules.ts'
import type { Defaults } from './weaker.ts'

const DEFAULTS: Defaults = {
  TOOL_CALL_TIMEOUT_MS: 30_000,
  APPROVAL_TTL_MS: 86_400_000,
  APPROVAL_USE_TTL_MS: 3_600_000,
  CIRCUIT_BREAKER_FAILURE_THRESHOLD: 3,
  CIRCUIT_BREAKER_WINDOW_MS: 60_000,
  CIRCUIT_BREAKER_RESET_TIMEOUT_MS: 30_000,
  WS_PROXY_DEFAULT_MAX_CONNECTIONS: 10,
  WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES: 1_048_576,
  WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS: 300_000,
}
const weakenings = (before: ConfigDoc, after: ConfigDoc) => allWeakenings(before, after, DEFAULTS)

type Shaped = { readonly shape: Readonly<Record<string, unknown>> }

const keysOf = (rules: unknown): string[] => Object.keys(rules as object).sort()
const innerOf = (rules: Readonly<Record<string, unknown>>, key: string): string[] =>
  keysOf((rules[key] as { rules: object }).rules)

describe('the table', () => {
  it('has a row for every field of every section, so that a new guard is not forgotten (security case ST-12)', () => {
    for (const section of SECTIONS) {
      if (section === 'tools') continue
      const list = ConfigDoc.shape[section].unwrap() as unknown as { element: Shaped }
      const fields = Object.keys(list.element.shape).filter((key) => !(section === 'clients' && key === 'tools'))
      expect({ [section]: keysOf(WEAKENING_RULES[section]) }).toEqual({ [section]: fields.sort() })
    }
    expect(keysOf(WEAKENING_RULES.tools)).toEqual(keysOf(ConfigTool.shape))
  })

  it.each<[string, Shaped]>([
    ['guards', ConfigGuards],
    ['guardrails', Guardrails],
    ['quarantinePolicy', QuarantinePolicy],
    ['cache', Cache],
    ['coalesce', Coalesce],
    ['capture', Capture],
  ])('has a row for every field of %s', (key, { shape }) => {
    expect(innerOf(WEAKENING_RULES.tools, key)).toEqual(keysOf(shape))
  })

  it('has a row for every field of the breaker', () => {
    const { circuitBreaker } = ClientGuards.shape
    const guards = WEAKENING_RULES.clients.guards as unknown as { rules: Record<string, unknown> }
    expect(innerOf(guards.rules, 'circuitBreaker')).toEqual(keysOf(circuitBreaker.unwrap().unwrap().shape))
  })
})

const doc = (tool: Partial<Tool>): ConfigDoc => ({
  kind: 'gantry.config',
  version: 1,
  clients: [{ name: 'shop', tools: [{ name: 'buy', ...tool }] }],
})
const approval = { required: true, levels: 2, approvers: ['ann'] }
const policy = {
  enabled: true,
  consecutiveThreshold: 3,
  action: 'block',
  recoveryMode: 'manual',
  cooldownMs: 60_000,
} as const
const mock = { enabled: true, mode: 'always', response: 'no', isError: false, delayMs: 0 } as const
const rails = { denyPatterns: ['a', 'b'], blockSecrets: true, scanResponses: true }

describe('a tool is weaker with', () => {
  it.each<[string, Partial<Tool>, Partial<Tool>, string]>([
    ['a higher rate limit', { guards: { rateLimitPerMin: 1 } }, { guards: { rateLimitPerMin: 2 } }, 'rateLimitPerMin'],
    ['no rate limit', { guards: { rateLimitPerMin: 1 } }, {}, 'rateLimitPerMin'],
    [
      'a limit for each principal',
      { guards: { rateLimitScope: 'tool' } },
      { guards: { rateLimitScope: 'principal' } },
      'rateLimitScope',
    ],
    ['a longer timeout', { guards: { timeoutMs: 1 } }, { guards: { timeoutMs: 2 } }, 'timeoutMs'],
    [
      'another key',
      { guards: { allowedKeyHashes: ['a'] } },
      { guards: { allowedKeyHashes: ['a', 'b'] } },
      'allowedKeyHashes',
    ],
    ['every key', { guards: { allowedKeyHashes: ['a'] } }, { guards: { allowedKeyHashes: [] } }, 'allowedKeyHashes'],
    ['fewer deny patterns', { guardrails: rails }, { guardrails: { ...rails, denyPatterns: ['a'] } }, 'denyPatterns'],
    ['secrets let through', { guardrails: rails }, { guardrails: { ...rails, blockSecrets: false } }, 'blockSecrets'],
    ['no scan', { guardrails: rails }, { guardrails: { ...rails, scanResponses: false } }, 'scanResponses'],
    ['no approval', { approval }, {}, 'required'],
    ['an approval that is off', { approval }, { approval: { ...approval, required: false } }, 'required'],
    ['fewer approvers needed', { approval }, { approval: { ...approval, levels: 1 } }, 'levels'],
    ['any approver', { approval }, { approval: { ...approval, approvers: [] } }, 'approvers'],
    ['no sensitivity', { sensitive: true }, { sensitive: null }, 'sensitive'],
    ['an exemption from sensitivity', {}, { sensitive: false }, 'sensitive'],
    ['less redaction', { redactPaths: ['a', 'b'] }, { redactPaths: ['b'] }, 'redactPaths'],
    ['no quarantine policy', { quarantinePolicy: policy }, {}, 'enabled'],
    [
      'a milder quarantine',
      { quarantinePolicy: policy },
      { quarantinePolicy: { ...policy, action: 'observe' } },
      'action',
    ],
    [
      'a patient quarantine',
      { quarantinePolicy: policy },
      { quarantinePolicy: { ...policy, consecutiveThreshold: 4 } },
      'consecutiveThreshold',
    ],
    ['itself on again', { enabled: false }, {}, 'enabled'],
    ['a timeout above the default', {}, { guards: { timeoutMs: 600_000 } }, 'timeoutMs'],
    ['a longer wait for an approval', { approval }, { approval: { ...approval, ttlMs: 604_800_000 } }, 'ttlMs'],
    ['a longer use of an approval', { approval }, { approval: { ...approval, useTtlMs: 86_400_000 } }, 'useTtlMs'],
    ['answers captured', {}, { capture: { enabled: true, args: 'none', preview: true } }, 'preview'],
    ['a mock that is gone', { mock }, {}, 'mock'],
    ['a mock for failures only', { mock }, { mock: { ...mock, mode: 'fallback' } }, 'mock'],
    [
      'an argument that is free',
      { transform: { enabled: true, request: [{ op: 'set', path: 'limit', value: 5 }] } },
      { transform: { enabled: true, request: [] } },
      'transform',
    ],
    [
      'a field shown that was covered',
      { transform: { enabled: true, response: [{ op: 'set', path: 'card', value: '****' }] } },
      {},
      'transform',
    ],
  ])('%s, and not the other way round', (_what, strict, weak, field) => {
    expect(weakenings(doc(strict), doc(weak)).map(({ path }) => path.split('/').at(-1))).toEqual([field])
    expect(weakenings(doc(weak), doc(strict))).toEqual([])
    expect(weakenings(doc(strict), doc(strict))).toEqual([])
  })
})

it('a consumer that goes takes its quota with it, and one that is new weakens nothing', () => {
  const consumer = { name: 'c', monthlyQuota: 5, endUserRateLimitPerMin: null }
  const [none, some] = [
    { kind: 'gantry.config', version: 1, consumers: [] } as ConfigDoc,
    { kind: 'gantry.config', version: 1, consumers: [consumer] } as ConfigDoc,
  ]
  expect(weakenings(some, none)).toEqual([
    { path: '/consumers/c/monthlyQuota', before: 5, after: null, reason: 'monthly quota removed' },
  ])
  expect(weakenings(none, some)).toEqual([])
})

const withSection = (section: keyof ConfigDoc, items: readonly object[]): ConfigDoc => ({
  kind: 'gantry.config',
  version: 1,
  [section]: items,
})
const fieldsOf = (
  section: keyof ConfigDoc,
  before: readonly object[],
  after: readonly object[],
): (string | undefined)[] =>
  weakenings(withSection(section, before), withSection(section, after)).map(({ path }) => path.split('/').at(-1))

const breaker = (circuitBreaker: object | undefined) => [{ name: 'shop', guards: { circuitBreaker } }]
const composite = (...tools: string[]) => [
  {
    name: 'c',
    description: null,
    enabled: true,
    inputSchema: {},
    output: null,
    steps: tools.map((targetTool) => ({ targetClient: 'shop', targetTool })),
  },
]
const alert = (more: object) => [
  {
    name: 'a',
    eventType: 'error_rate',
    enabled: true,
    threshold: null,
    minCalls: null,
    client: null,
    webhookUrl: 'https://hook.example/',
    ...more,
  },
]
const schedule = (more: object) => [
  {
    targetType: 'client',
    clientName: 'shop',
    toolName: null,
    action: 'enable',
    cron: '* * * * *',
    timezone: 'UTC',
    enabled: true,
    note: null,
    ...more,
  },
]
const socket = (more: object) => [
  {
    name: 's',
    backendWsUrl: 'wss://s.example/',
    maxConnections: null,
    maxMessageBytes: null,
    idleTimeoutMs: null,
    enabled: true,
    ...more,
  },
]

describe('a document is weaker with', () => {
  it.each<[string, keyof ConfigDoc, readonly object[], readonly object[], string]>([
    [
      'a breaker above the default',
      'clients',
      breaker(undefined),
      breaker({ failureThreshold: 1000 }),
      'failureThreshold',
    ],
    ['a breaker that forgets at once', 'clients', breaker(undefined), breaker({ windowMs: 1000 }), 'windowMs'],
    ['a breaker that closes at once', 'clients', breaker({}), breaker({ resetTimeoutMs: 0 }), 'resetTimeoutMs'],
    ['another tool in a composite', 'composites', composite('a'), composite('a', 'b'), 'steps'],
    ['a schedule that enables', 'schedules', [], schedule({}), 'enabled'],
    ['a schedule that enables, on again', 'schedules', schedule({ enabled: false }), schedule({}), 'enabled'],
    ['no schedule that disables', 'schedules', schedule({ action: 'disable' }), [], 'enabled'],
    ['an alert above the default', 'alertRules', alert({}), alert({ threshold: 1 }), 'threshold'],
    ['an alert that waits for more calls', 'alertRules', alert({}), alert({ minCalls: 1_000_000_000 }), 'minCalls'],
    ['an alert of one backend', 'alertRules', alert({}), alert({ client: 'shop' }), 'client'],
    [
      'an alert of another event',
      'alertRules',
      alert({ threshold: 3, minCalls: 20 }),
      alert({ eventType: 'usage_spike' }),
      'eventType',
    ],
    ['no alert', 'alertRules', alert({}), [], 'enabled'],
    [
      'more connections of a socket',
      'wsProxyTargets',
      socket({}),
      socket({ maxConnections: 10_000 }),
      'maxConnections',
    ],
    [
      'larger messages of a socket',
      'wsProxyTargets',
      socket({}),
      socket({ maxMessageBytes: 1_073_741_824 }),
      'maxMessageBytes',
    ],
    ['a socket that idles', 'wsProxyTargets', socket({}), socket({ idleTimeoutMs: 86_400_000 }), 'idleTimeoutMs'],
  ])('%s', (_what, section, strict, weak, field) => {
    expect(fieldsOf(section, strict, weak)).toEqual([field])
    expect(fieldsOf(section, weak, weak)).toEqual([])
  })

  it.each<[string, keyof ConfigDoc, readonly object[], readonly object[]]>([
    ['limits below the defaults', 'clients', breaker(undefined), breaker({ failureThreshold: 1, windowMs: 120_000 })],
    ['a schedule that disables', 'schedules', [], schedule({ action: 'disable' })],
    ['no schedule that enables', 'schedules', schedule({}), []],
    ['a new alert of one backend', 'alertRules', [], alert({ client: 'shop', threshold: 1 })],
    ['a composite of fewer tools', 'composites', composite('a', 'b'), composite('b')],
  ])('but not with %s', (_what, section, before, after) => {
    expect(fieldsOf(section, before, after)).toEqual([])
  })
})

// What counts as weaker: every field of a document has a row, and each kind of field is compared in both directions.
import { describe, expect, it } from 'vitest'
import { ClientGuards } from './admin/clients.ts'
import { Cache, Capture, Coalesce, QuarantinePolicy } from './admin/tool-features.ts'
import { Guardrails } from './admin/tool-guards.ts'
import { ConfigDoc, ConfigGuards, ConfigTool, SECTIONS, type ConfigTool as Tool } from './config-document.ts'
import { WEAKENING_RULES, weakenings } from './config-weakening.ts'

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

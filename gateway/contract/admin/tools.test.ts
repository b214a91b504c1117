// What the per-tool configuration takes, at both ends of every bound.
import { describe, expect, it } from 'vitest'
import { QuarantinePolicy } from './tool-features.ts'
import { Guardrails } from './tool-guards.ts'
import { ToolPatch } from './tools.ts'

type Bound = readonly [
  name: string,
  patch: (value: never) => object,
  taken: readonly unknown[],
  refused: readonly unknown[],
]
const text = (length: number): string => 'x'.repeat(length)
const inKey = (key: string, field: string) => (value: unknown) => ({ [key]: { [field]: value } })
const guards = (field: string) => inKey('guards', field)
const overrides = (field: string) => inKey('overrides', field)
const guardrails = (field: string) => inKey('guardrails', field)
const quarantine = (field: string) => inKey('quarantinePolicy', field)
const list = <T>(length: number, item: T): T[] => Array.from({ length }, () => item)

function bounds(rows: readonly Bound[]): void {
  it.each(rows)('%s', (_name, patch, taken, refused) => {
    const fits = (value: unknown): boolean => ToolPatch.safeParse(patch(value as never)).success // a wrong type is a case
    expect([taken.filter((value) => !fits(value)), refused.filter(fits)]).toEqual([[], []])
  })
}

describe('guards keep their bounds [ct.8.2.bounds]', () => {
  bounds([
    ['rateLimitPerMin', guards('rateLimitPerMin'), [1, 1_000_000_000, null], [0, 1_000_000_001, 1.5, '1', true]],
    ['rateLimitScope', guards('rateLimitScope'), ['tool', 'principal'], ['caller', null, '']],
    ['timeoutMs', guards('timeoutMs'), [1, 600_000, null], [0, 600_001, -1, '1']],
    ['allowedApiKeys', guards('allowedApiKeys'), [list(200, 'k'), [], null], [list(201, 'k'), [''], [1], 'k']],
    ['allowedKeyIds', guards('allowedKeyIds'), [list(200, 1), [], null], [list(201, 1), [0], ['1'], 1]],
    ['guards', (value) => ({ guards: value }), [null, false, {}], [true, [], { allowedKeyHashes: [] }]],
  ])
})

describe('overrides keep their lengths [ct.8.3.fields]', () => {
  const described = (description: unknown) => ({ overrides: { params: { id: { description } } } })
  const hint = (value: unknown) => ({ overrides: { annotations: { readOnlyHint: value } } })
  bounds([
    ['displayName', overrides('displayName'), ['a', text(64), null], ['', text(65), 'a__b', 'a.b', 'é', 1]],
    ['title', overrides('title'), ['', text(80), null], [text(81), 1]],
    ['description', overrides('description'), ['', text(4096), null], [text(4097), 1]],
    ['a parameter', described, ['', text(2048)], [text(2049), null]],
    ['a hint', hint, [true, false], [1, 'true', null]],
    ['the hints', overrides('annotations'), [{}, null], [{ title: 'not here' }, { zzz: true }]],
  ])
})

describe('guardrails keep their bounds [ct.8.4.bounds]', () => {
  bounds([
    ['denyPatterns', guardrails('denyPatterns'), [[], list(20, text(200))], [list(21, 'x'), [text(201)], [''], [1]]],
    ['blockSecrets', guardrails('blockSecrets'), [true, false], [null, 1, 'true']],
    ['scanResponses', guardrails('scanResponses'), [true, false], [null, 1, 'true']],
    [
      'redactPaths',
      (value) => ({ redactPaths: value }),
      [list(100, text(256)), [], null],
      [list(101, 'x'), [text(257)]],
    ],
  ])
  it('and are off unless switched on', () => {
    expect(Guardrails.parse({})).toEqual({ denyPatterns: [], blockSecrets: false, scanResponses: false })
  })
})

describe('a quarantine keeps its bounds [ct.8.8.bounds]', () => {
  bounds([
    ['consecutiveThreshold', quarantine('consecutiveThreshold'), [1, 100], [0, 101, 1.5, null]],
    ['action', quarantine('action'), ['block', 'force_approval', 'observe'], ['allow', null]],
    ['recoveryMode', quarantine('recoveryMode'), ['auto', 'manual'], ['never', null]],
    ['cooldownMs', quarantine('cooldownMs'), [1_000, 604_800_000], [999, 604_800_001, null]],
    ['enabled', quarantine('enabled'), [true, false], [null, 1]],
    ['quarantinePolicy', (value) => ({ quarantinePolicy: value }), [null, false, {}], [true, [], { zzz: 1 }]],
  ])
  it('and has its defaults', () => {
    expect(QuarantinePolicy.parse({})).toEqual({
      consecutiveThreshold: 3,
      action: 'block',
      recoveryMode: 'manual',
      cooldownMs: 300_000,
      enabled: true,
    })
  })
})

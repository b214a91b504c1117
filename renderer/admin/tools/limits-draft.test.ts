// What is typed as a tool's limits becomes exactly that change, or a problem at its field.
import { describe, expect, it } from 'vitest'
import { changeOf, limitsOf } from './limits-draft.ts'

const before = limitsOf({
  guards: {
    rateLimitPerMin: 60,
    rateLimitScope: 'principal',
    timeoutMs: 5000,
    allowedKeyHashes: ['of a key of the environment'],
    allowedKeyIds: [3],
  },
  config: { guardrails: { denyPatterns: ['DROP TABLE'], blockSecrets: true, scanResponses: true } },
  sensitive: false,
  sensitiveSource: 'none',
})

describe('the limits of a tool', () => {
  it('name what is no number at its field, instead of taking the limit away', () => {
    for (const [text, message] of [
      ['sixty', 'must be a whole number'],
      ['1.5', 'must be a whole number'],
      ['1e400', 'must be a whole number'],
    ] as const)
      expect(changeOf(before, { ...before, rate: text }).problems).toEqual({ 'guards.rateLimitPerMin': message })
    expect(Object.keys(changeOf(before, { ...before, rate: '-5' }).problems)).toEqual(['guards.rateLimitPerMin'])
    expect(changeOf(before, { ...before, timeout: '5s' }).problems).toEqual({
      'guards.timeoutMs': 'must be a whole number',
    })
    expect(Object.keys(changeOf(before, { ...before, timeout: '600001' }).problems)).toEqual(['guards.timeoutMs'])
  })

  it('name the line of a wrong pattern', () => {
    const { problems } = changeOf(before, { ...before, deny: `fine\n${'x'.repeat(201)}` })
    expect(problems['guardrails.denyPatterns']).toMatch(/^line 2: /)
  })

  it('are taken away by an empty field', () => {
    expect(changeOf(before, { ...before, rate: ' ' })).toEqual({
      patch: { guards: { rateLimitPerMin: null, rateLimitScope: 'principal', timeoutMs: 5000 } },
      problems: {},
    })
  })

  it('keep who may call where that was not changed, and forget hashes only where they were taken out', () => {
    const rest = { rateLimitPerMin: 60, rateLimitScope: 'principal', timeoutMs: 5000 }
    expect(changeOf(before, { ...before, keyIds: [3, 8] }).patch).toEqual({
      guards: { ...rest, allowedKeyIds: [3, 8] },
    })
    expect(changeOf(before, { ...before, keyIds: [], hashes: 0 }).patch).toEqual({
      guards: { ...rest, allowedKeyIds: [], allowedApiKeys: null },
    })
    expect(changeOf({ ...before, hashes: 0 }, before).patch).toEqual({ guards: rest })
  })

  it('keep the other guardrails when a pattern changes, and patterns when another guardrail does', () => {
    expect(changeOf(before, { ...before, deny: 'DROP TABLE\nrm -rf' }).patch).toEqual({
      guardrails: { denyPatterns: ['DROP TABLE', 'rm -rf'], blockSecrets: true, scanResponses: true },
    })
    expect(changeOf(before, { ...before, blockSecrets: false }).patch).toEqual({
      guardrails: { denyPatterns: ['DROP TABLE'], blockSecrets: false, scanResponses: true },
    })
    expect(changeOf(before, { ...before, deny: '', blockSecrets: false, scanResponses: false }).patch).toEqual({
      guardrails: null,
    })
  })

  it('hide values by their paths, one a line, and name the line of a wrong one', () => {
    const hiding = { ...before, redact: '**.password\n\ncard.number' }
    expect(changeOf(before, hiding)).toEqual({
      patch: { redactPaths: ['**.password', 'card.number'] },
      problems: {},
    })
    expect(changeOf(hiding, { ...hiding, redact: '' }).patch).toEqual({ redactPaths: null })
    const { problems } = changeOf(before, { ...before, redact: `fine\n${'x'.repeat(257)}` })
    expect(problems).toEqual({ redactPaths: expect.stringMatching(/^line 2: /) })
  })

  it('make calls wait for people, with what is said of it in minutes, and stop it whole', () => {
    const asking = { ...before, approval: true, levels: '2', approvers: 'Ann, bob', waits: '60', usable: '0.5' }
    expect(changeOf(before, asking)).toEqual({
      patch: {
        approval: { required: true, levels: 2, approvers: ['Ann', 'bob'], ttlMs: 3_600_000, useTtlMs: 30_000 },
      },
      problems: {},
    })
    expect(changeOf(asking, { ...asking, approval: false }).patch).toEqual({ approval: null })
    expect(changeOf(before, { ...asking, levels: 'two', approvers: 'a b!', waits: '0', usable: '' }).problems).toEqual({
      'approval.levels': 'must be a whole number',
      'approval.approvers': expect.stringContaining('must start'),
      'approval.ttlMs': expect.stringContaining('60000'),
    })
  })

  it('change nothing where nothing was changed', () => {
    expect(changeOf(before, before)).toEqual({ patch: {}, problems: {} })
  })
})

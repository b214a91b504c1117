// Typed limits become exactly that change, or a problem at their field.
import { describe, expect, it } from 'vitest'
import { checkedIn, type Draft, draftOf } from '../../ui/form/fields.ts'
import { LIMITS_FORM, limitsOf } from './limits-form.tsx'
import { patchOf } from './tool-patch.ts'

const { fields } = LIMITS_FORM
const changeOf = (from: Draft, to: Draft) => ({
  patch: patchOf(fields, from, to),
  problems: checkedIn(LIMITS_FORM, to).problems,
})
const stored = limitsOf({
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
const before = draftOf(fields, stored)
const rate = 'guards.rateLimitPerMin'

describe('the limits of a tool', () => {
  it('report an invalid number at its field instead of removing the limit', () => {
    for (const [text, message] of [
      ['sixty', 'must be a whole number'],
      ['1.5', 'must be a whole number'],
      ['1e400', 'must be a whole number'],
    ] as const)
      expect(changeOf(before, { ...before, [rate]: text }).problems).toEqual({ 'guards.rateLimitPerMin': message })
    expect(Object.keys(changeOf(before, { ...before, [rate]: '-5' }).problems)).toEqual(['guards.rateLimitPerMin'])
    expect(changeOf(before, { ...before, 'guards.timeoutMs': '5s' }).problems).toEqual({
      'guards.timeoutMs': 'must be a whole number',
    })
    expect(Object.keys(changeOf(before, { ...before, 'guards.timeoutMs': '600001' }).problems)).toEqual([
      'guards.timeoutMs',
    ])
  })

  it('report the line of an invalid pattern', () => {
    const { problems } = changeOf(before, { ...before, 'guardrails.denyPatterns': `fine\n${'x'.repeat(201)}` })
    expect(problems['guardrails.denyPatterns']).toMatch(/^line 2: /)
  })

  it('are removed by an empty field', () => {
    expect(changeOf(before, { ...before, [rate]: ' ' })).toEqual({
      patch: { guards: { rateLimitPerMin: null } },
      problems: {},
    })
  })

  it('keep allowed keys unless changed, and drop hashes only when removed', () => {
    expect(changeOf(before, { ...before, 'guards.allowedKeyIds': [3, 8] }).patch).toEqual({
      guards: { allowedKeyIds: [3, 8] },
    })
    expect(changeOf(before, { ...before, 'guards.allowedKeyIds': [], 'guards.allowedApiKeys': 0 }).patch).toEqual({
      guards: { allowedKeyIds: [], allowedApiKeys: null },
    })
  })

  it('change guardrails independently', () => {
    expect(changeOf(before, { ...before, 'guardrails.denyPatterns': 'DROP TABLE\nrm -rf' }).patch).toEqual({
      guardrails: { denyPatterns: ['DROP TABLE', 'rm -rf'], blockSecrets: true, scanResponses: true },
    })
    expect(changeOf(before, { ...before, 'guardrails.blockSecrets': false }).patch).toEqual({
      guardrails: { denyPatterns: ['DROP TABLE'], blockSecrets: false, scanResponses: true },
    })
    const none = { 'guardrails.denyPatterns': '', 'guardrails.blockSecrets': false, 'guardrails.scanResponses': false }
    expect(changeOf(before, { ...before, ...none }).patch).toEqual({ guardrails: null })
  })

  it('parse redact paths by line, and report the line of an invalid one', () => {
    const hiding = { ...before, redactPaths: '**.password\n\ncard.number' }
    expect(changeOf(before, hiding)).toEqual({
      patch: { redactPaths: ['**.password', 'card.number'] },
      problems: {},
    })
    expect(changeOf(hiding, { ...hiding, redactPaths: '' }).patch).toEqual({ redactPaths: null })
    const { problems } = changeOf(before, { ...before, redactPaths: `fine\n${'x'.repeat(257)}` })
    expect(problems).toEqual({ redactPaths: expect.stringMatching(/^line 2: /) })
  })

  it('set approvals with times in minutes, and remove them completely', () => {
    const asking = {
      ...before,
      'approval.required': true,
      'approval.levels': '2',
      'approval.approvers': 'Ann, bob',
      'approval.ttlMs': '60',
      'approval.useTtlMs': '0.5',
    }
    expect(changeOf(before, asking)).toEqual({
      patch: {
        approval: { required: true, levels: 2, approvers: ['Ann', 'bob'], ttlMs: 3_600_000, useTtlMs: 30_000 },
      },
      problems: {},
    })
    expect(changeOf(asking, { ...asking, 'approval.required': false }).patch).toEqual({ approval: null })
    expect(
      changeOf(before, {
        ...asking,
        'approval.levels': 'two',
        'approval.approvers': 'a b!',
        'approval.ttlMs': '0',
        'approval.useTtlMs': '',
      }).problems,
    ).toEqual({
      'approval.levels': 'must be a whole number',
      'approval.approvers': expect.stringContaining('must start'),
      'approval.ttlMs': expect.stringContaining('60000'),
    })
  })

  it('send nothing without changes', () => {
    expect(changeOf(before, before)).toEqual({ patch: {}, problems: {} })
  })
})

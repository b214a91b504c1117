// The key of an answer: equal for what is asked alike, and never for what is not.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical } from '../args-hash.ts'
import type { ToolCall } from '../call.ts'
import { aBackend, aCall, aCaller, aTool } from '../pipeline.fixture.ts'
import { answerKey, versionOf } from './answer-key.ts'

const mine = (given: Partial<ToolCall>): string =>
  answerKey(aCall({ tool: TOOL, backend: BACKEND, ...given }), 'principal')
const TOOL = aTool('get')
const BACKEND = aBackend()
const reserved = (endUser: string | null) => ({ confirm: false, approvalId: null, endUser })

/** As they come from the wire, where there is no negative zero that a backend would be told of. */
const fromWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the key of an answer', () => {
  it('is the same for arguments that are the same, however they are ordered', () => {
    expect(mine({ args: { a: 1, b: { c: [1, 2], d: null } } })).toBe(
      mine({ args: { b: { d: null, c: [1, 2] }, a: 1 } }),
    )
    expect(mine({ args: { a: -0 } })).toBe(mine({ args: { a: 0 } }))
  })

  it.each<[string, object, object]>([
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['a border that moved', { a: 'b:c' }, { 'a:b': 'c' }],
    ['two spellings of one letter', { a: '\u00e9' }, { a: 'e\u0301' }],
    ['another order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['nothing and null', {}, { a: null }],
    ['a level more', { a: { b: 1 } }, { a: [{ b: 1 }] }],
  ])('tells apart %s', (_what, one, other) => {
    expect(mine({ args: { ...one } })).not.toBe(mine({ args: { ...other } }))
  })

  it('is written alike for two values exactly when they are alike (security case CA-03)', () => {
    const small = fc.jsonValue({ maxDepth: 3 }).map(fromWire)
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(canonical(one) === canonical(other)).toBe(isDeepStrictEqual(one, other))
        expect(canonical(fromWire(one))).toBe(canonical(one))
      }),
      { numRuns: 500 },
    )
  })

  it('is of one caller and one end user, unless everybody may have the answer [ct.19.20.cache] (security cases CA-01, JW-10)', () => {
    const keys = [
      mine({}),
      mine({ caller: aCaller({ name: 'mcp-env:87654321' }) }),
      mine({ caller: aCaller({ kind: 'jwt' }) }),
      mine({ reserved: reserved('ann') }),
      mine({ reserved: reserved('bob') }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    const shared = (given: Partial<ToolCall>) => answerKey(aCall({ tool: TOOL, backend: BACKEND, ...given }), 'shared')
    expect(shared({ caller: aCaller({ name: 'another' }), reserved: reserved('ann') })).toBe(shared({}))
    expect(shared({})).not.toBe(mine({}))
  })

  it('covers what else the answer depends on: the tool, the backend and its address, as they are now [ct.8.5.key] (security case CA-01)', () => {
    const versions = [
      versionOf(BACKEND, aTool('get')),
      versionOf(BACKEND, aTool('get', { revision: 2 })),
      versionOf(BACKEND, aTool('get', { config: { redactPaths: ['a'] } })),
      versionOf(BACKEND, aTool('get', {}, { method: 'HEAD' })),
      versionOf(BACKEND, aTool('other')),
      // A credential is set: the backend's revision moves with it.
      versionOf(aBackend('shop', { revision: 2 }), aTool('get')),
      versionOf(aBackend('shop', { baseUrl: 'http://elsewhere.test' }), aTool('get')),
      versionOf(aBackend('bank'), aTool('get')),
    ]
    expect(new Set(versions).size).toBe(versions.length)
    expect(versionOf(aBackend(), aTool('get'))).toBe(versions[0])
  })

  it('knows what travels beside the arguments of an upstream, but not what is of one request', () => {
    const upstream = (meta: Record<string, unknown> | undefined) =>
      mine({ backend: aBackend('shop', { kind: 'mcp' }), meta })
    expect(upstream({ locale: 'fr' })).not.toBe(upstream(undefined))
    const ofOne = { progressToken: 7, traceparent: '00-1', 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    expect(upstream(ofOne)).toBe(upstream(undefined))
    expect(mine({ meta: { locale: 'fr' } })).toBe(mine({}))
  })
})

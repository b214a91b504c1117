// Key scopes: nothing by default, each pair separately.
import { describe, expect, it } from 'vitest'
import type { KeyScopes } from '../contract/admin/mcp-keys.ts'
import { compileReach, everything } from './key-scope.ts'

const TEAMS: Readonly<Record<string, number | null>> = { shop: 1, bank: 2, free: null }
const reach = (scopes: KeyScopes, allowedTools: readonly string[] | null = null, teamId: number | null = null) =>
  compileReach({ scopes, allowedTools, teamId }, (client) => TEAMS[client])
const reached = (...given: Parameters<typeof reach>): string[] => {
  const { mayReach } = reach(...given)
  return ['shop__get', 'shop__put', 'bank__get', 'free__get', 'gone__get'].filter(
    (name) => mayReach(...(name.split('__') as [string, string])), // two parts, as written above
  )
}

describe('a scope', () => {
  it.each<[KeyScopes]>([
    [{}],
    [{ clients: [] }],
    [{ clients: [], tools: [], bundles: [] }],
    [{ clients: ['nope'] }],
    [{ clients: ['Shop', 'sho', 'shop '] }],
    [{ tools: ['shop__ge', 'shop__get__', 'sho__pget'] }],
    [{ clients: ['__proto__', 'constructor'] }],
    // Names are literal, never patterns.
    [{ clients: ['*', '**', 's*', '[', 'sh?p', '.*'], tools: ['shop__*', '*__get', 's*p__g*t'], bundles: [] }],
  ])('%j reaches nothing (security case RX-07) [ct.2.4.empty]', (scopes) => {
    expect(reached(scopes)).toEqual([])
  })

  it('null permits everything, and is shared by all unlimited keys [ct.2.4.null]', () => {
    expect(reached(null)).toHaveLength(5)
    expect(reach(null).mayReach).toBe(everything)
  })

  it('permits what any of its lists names', () => {
    expect(reached({ clients: ['shop'] })).toEqual(['shop__get', 'shop__put'])
    expect(reached({ tools: ['shop__put', 'bank__get'] })).toEqual(['shop__put', 'bank__get'])
    expect(reached({ clients: ['bank'], tools: ['shop__get'] })).toEqual(['shop__get', 'bank__get'])
  })

  it('splits a name at its first __, so that no two pairs collide (security case AZ-07)', () => {
    const { mayReach } = reach({ tools: ['a__b__c'] })
    expect([mayReach('a', 'b__c'), mayReach('a__b', 'c')]).toEqual([true, false])
  })

  it('with bundles is limited to them, and narrowed by the rest', () => {
    expect(reach({ bundles: ['kit'] }).bundles).toEqual(new Set(['kit']))
    expect(reached({ bundles: ['kit'] })).toHaveLength(5)
    expect(reached({ bundles: ['kit'], clients: ['bank'] })).toEqual(['bank__get'])
    expect(reach({ clients: ['bank'], bundles: [] }).bundles).toBeNull()
  })
})

describe('the tools a key is allowed', () => {
  it('apply in addition to its scopes, and an empty list allows none', () => {
    expect(reached(null, ['shop__get', 'bank__get'])).toEqual(['shop__get', 'bank__get'])
    expect(reached({ clients: ['shop'] }, ['shop__get', 'bank__get'])).toEqual(['shop__get'])
    expect(reached(null, [])).toEqual([])
  })
})

describe("a team's key", () => {
  it.each<[KeyScopes]>([[null], [{ clients: ['shop', 'bank', 'free', 'gone'] }], [{ bundles: ['kit'] }]])(
    'with the scopes %j reaches the backends of its team only',
    (scopes) => {
      expect(reached(scopes, null, 1)).toEqual(['shop__get', 'shop__put'])
    },
  )
})

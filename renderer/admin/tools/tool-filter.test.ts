// Which tools match a filter.
import { describe, expect, it } from 'vitest'
import type { ToolRow } from '#contract'
import { filterOf, matcherOf } from './tool-filter.ts'

const row = (over: Partial<ToolRow>): ToolRow => ({
  client: 'shop',
  tool: 'listOrders',
  sourceName: 'listOrders',
  listedName: 'listOrders',
  alias: null,
  title: 'List orders',
  description: 'All orders of a customer',
  method: 'GET',
  kind: 'rest',
  enabled: true,
  clientEnabled: true,
  live: true,
  missing: false,
  tags: [],
  annotations: { readOnlyHint: true },
  sensitive: false,
  sensitiveSource: 'none',
  requiresApproval: false,
  features: [],
  ...over,
})

const TOOLS = [
  row({}),
  row({ tool: 'deleteOrder', title: 'Delete', method: 'DELETE', annotations: {}, sensitive: true, tags: ['danger'] }),
  row({ client: 'crm', tool: 'findPerson', enabled: false, features: ['guards'] }),
]
const left = (params: Record<string, string>): string[] =>
  TOOLS.filter(matcherOf(filterOf(params)).matches).map(({ tool }) => tool)

describe('the filter of tools', () => {
  it('reports an invalid pattern and matches nothing', () => {
    const { problem, matches } = matcherOf(filterOf({ q: '/(/' }))
    expect(problem).toMatch(/regular expression/i)
    expect(TOOLS.some(matches)).toBe(false)
  })

  it('ignores an unknown flag', () => {
    expect(left({ flag: 'nonsense' })).toHaveLength(3)
  })

  it('requires every word, anywhere', () => {
    expect(left({ q: 'shop order' })).toEqual(['listOrders', 'deleteOrder'])
    expect(left({ q: 'delete crm' })).toEqual([])
  })

  it('matches a pattern against the name, with or without its backend', () => {
    expect(left({ q: '/^shop__(list|find)/' })).toEqual(['listOrders'])
    expect(left({ q: '/PERSON$/i' })).toEqual(['findPerson'])
    expect(left({ q: '/^list/' })).toEqual(['listOrders'])
  })

  it('combines backend, method, tag and flag', () => {
    expect(left({ client: 'shop', method: 'DELETE' })).toEqual(['deleteOrder'])
    expect(left({ tag: 'danger', flag: 'sensitive' })).toEqual(['deleteOrder'])
    expect(left({ flag: 'off' })).toEqual(['findPerson'])
    expect(left({ flag: 'guarded' })).toEqual(['findPerson'])
    expect(left({ flag: 'writes', client: 'shop' })).toEqual(['deleteOrder'])
  })
})

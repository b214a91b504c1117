// What a team calls after a search is ranked higher for that team, fades, and is bounded.
import { expect, it } from 'vitest'
import type { Searchable } from './search-index.ts'
import { createSearchLearning, learnedName } from './search-learning.ts'
import { searchTools } from './search-tools.ts'

const DAY_MS = 86_400_000

function rig() {
  let now = 0
  const learning = createSearchLearning(() => now)
  const used = (team: number | null, query: string, tool: string): void => {
    learning.searched(`of ${team}`, team, query)
    learning.called(`of ${team}`, tool)
  }
  return { learning, used, pass: (ms: number) => void (now += ms) }
}

it('a tool gains from searches with words of the same stem, of its team only', () => {
  const { learning, used } = rig()
  used(1, 'send invoices', 'shop__bill')
  used(1, 'send an invoice', 'shop__bill')
  const gain = learning.gains(1, 'invoice')?.get('shop__bill') ?? 0
  expect(gain).toBeCloseTo(2 / 6)
  expect(learning.gains(2, 'invoice')).toBeUndefined()
  expect(learning.gains(null, 'invoice')).toBeUndefined()
  expect(learning.gains(1, 'weather')).toBeUndefined()
  // One word of five is another subject.
  expect(learning.gains(1, 'invoice weather alerts coastal towns')).toBeUndefined()
})

it('fades by half in two weeks', () => {
  const { learning, used, pass } = rig()
  used(1, 'invoice', 'shop__bill')
  const before = learning.gains(1, 'invoice')?.get('shop__bill') ?? 0
  pass(14 * DAY_MS)
  const after = learning.gains(1, 'invoice')?.get('shop__bill') ?? 0
  expect([before, after]).toEqual([1 / 5, 0.5 / 4.5])
})

it('a search explains three calls within ten minutes', () => {
  const { learning, pass } = rig()
  learning.searched('s', 1, 'invoice')
  for (const tool of ['a', 'b', 'c', 'd']) learning.called('s', tool)
  expect([...(learning.gains(1, 'invoice')?.keys() ?? [])]).toEqual(['a', 'b', 'c'])
  learning.searched('s', 1, 'weather')
  pass(600_001)
  learning.called('s', 'e')
  expect(learning.gains(1, 'weather')).toBeUndefined()
  learning.called('unknown', 'f')
})

it('keeps so many tools of a word and so many words', () => {
  const { learning, used } = rig()
  for (let at = 0; at < 30; at += 1) used(1, 'invoice', `tool ${at}`)
  expect(learning.gains(1, 'invoice')?.size).toBe(20)
  for (let at = 0; at < 5_001; at += 1) used(1, `zz${at.toString(36)}q`, 'other')
  expect(learning.gains(1, 'invoice')).toBeUndefined()
})

it('a search finds what was called after it, by words that the tool does not have', () => {
  const entry = (name: string, description: string) =>
    ({
      listed: { name, title: '', description, inputSchema: {}, annotations: {} },
      backend: { name: 'shop' },
    }) as unknown as Searchable // what a search reads of a listed tool
  const tools = [entry('bill', 'Charges a customer'), entry('invoice_list', 'Lists invoices')]
  const { learning, used } = rig()
  const found = (team: number): readonly string[] => {
    const result = searchTools(tools, { query: 'invoice' }, (query) => learning.gains(team, query))
    const { matches = [] } = (result?.structuredContent ?? {}) as { matches?: readonly { name: string }[] } // contract 5.7
    return matches.map(({ name }) => name)
  }
  expect(found(1)).toEqual(['invoice_list'])
  const [bill] = tools
  if (bill !== undefined) used(1, 'invoice', learnedName(bill))
  expect(found(1)).toEqual(['invoice_list', 'bill'])
  expect(found(2)).toEqual(['invoice_list'])
})

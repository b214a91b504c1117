// Settings by subject.
import { expect, it } from 'vitest'
import type { EffectiveEntry } from '#contract'
import { groupsOf, textOf } from './groups.ts'

const entry = (key: string): EffectiveEntry => ({ key, value: 1, redacted: false, source: 'default', default: 1 })

it('groups every setting', () => {
  const keys = ['HOST', 'RATE_LIMIT_GLOBAL', 'SOMETHING_NEW', 'MCP_API_KEYS', 'MCP_LIST_PAGE_SIZE']
  const groups = groupsOf(keys.map(entry))
  expect(groups.flatMap((group) => group.entries.map(({ key }) => key)).toSorted()).toEqual(keys.toSorted())
  expect(groups.map((group) => group.title)).toEqual(['Server', 'Callers', 'MCP endpoints', 'Limits', 'Other'])
})

it('shows a missing value as a dash', () => {
  expect(textOf(null)).toBe('–')
  expect(textOf('')).toBe('–')
  expect(textOf(false)).toBe('false')
  expect(textOf(['a', 1])).toBe('["a",1]')
})

// Actors and targets of audit entries as they are shown.
import { expect, it } from 'vitest'
import { actorName, targetName } from './entry-names.ts'

it.each([
  [{ actor: 'maria' }, 'maria'],
  [{ actor: 'mcp-key:2', actorLabel: 'Claude Code' }, 'Claude Code'],
  [{ actor: 'mcp-key:2' }, 'Key 2'],
  [{ actor: 'bearer:795af68d' }, 'Admin key 795af68d'],
  [{ actor: 'mcp-env:9a8ca647' }, 'Environment key 9a8ca647'],
  [{ actor: 'desktop:max' }, 'Desktop of max'],
])('%j is %s', (entry, name) => {
  expect(actorName(entry)).toBe(name)
})

it('a target is its label, its name, or a dash', () => {
  expect([{ target: '2', targetLabel: 'CI' }, { target: 'pets' }, { target: '' }].map(targetName)).toEqual([
    'CI',
    'pets',
    '–',
  ])
})

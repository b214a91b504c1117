// The changes of an import, by item and in words.
import { expect, it } from 'vitest'
import { actionOf, changedItems, changeWords, turned } from './changed-items.ts'

const CHANGES = [
  { path: '/bundles/a', kind: 'added', before: null, after: { name: 'a' } },
  {
    path: '/bundles/b/tools',
    kind: 'changed',
    before: [{ client: 'x', tool: 'one' }],
    after: [{ client: 'x', tool: 'two' }],
  },
  { path: '/bundles/b/enabled', kind: 'changed', before: true, after: false },
  { path: '/clients/pets/tools/list/guards', kind: 'added', before: null, after: { rateLimitPerMin: 5 } },
  { path: '/schedules/pets disable 0 22 * * * Europe~1Berlin', kind: 'removed', before: {}, after: null },
] as const

it('groups changes by item, with its name in words', () => {
  expect(changedItems(CHANGES).map(({ kind, name, changes }) => [kind, name, changes.length])).toEqual([
    ['added', 'bundle a', 0],
    ['changed', 'bundle b', 2],
    ['changed', 'tool list of pets', 1],
    ['removed', 'schedule pets disable 0 22 * * * Europe/Berlin', 0],
  ])
})

it('says what the import does to each', () => {
  const pointer = '/clients/pets/tools/list'
  const tool = { path: pointer, kind: 'added', before: null, after: {} } as const
  expect(changedItems([...CHANGES, tool]).map(actionOf)).toEqual([
    'Add bundle a',
    'Change bundle b',
    'Configure tool list of pets',
    'Remove schedule pets disable 0 22 * * * Europe/Berlin',
  ])
})

it('shows what a list gains and loses, and values as words', () => {
  const [, b, tool] = changedItems(CHANGES)
  const words = (item = b) => item?.changes.map((change) => changeWords(change, item.pointer))
  expect(words()).toEqual([
    { field: 'tools', removed: ['x__one'], added: ['x__two'] },
    { field: 'enabled', removed: ['yes'], added: ['no'] },
  ])
  expect(words(tool)).toEqual([{ field: 'guards', removed: [], added: ['{"rateLimitPerMin":5}'] }])
})

it('leaves the tools out with their backend, and takes the backend with a tool', () => {
  const items = ['/clients/a', '/clients/a/tools/x', '/clients/ab', '/bundles/a'].map((pointer) => ({
    pointer,
    kind: 'changed' as const,
    name: pointer,
    changes: [],
  }))
  const left = turned(items, new Set(['/bundles/a']), '/clients/a', false)
  expect([...left]).toEqual(['/bundles/a', '/clients/a', '/clients/a/tools/x'])
  expect([...turned(items, left, '/clients/a/tools/x', true)]).toEqual(['/bundles/a'])
  expect([...turned(items, left, '/clients/a', true)]).toEqual(['/bundles/a'])
})

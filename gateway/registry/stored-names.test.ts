// Names across re-discovery: an operation keeps its name when others are added or removed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepName, uniqueNames } from '../discovery/names.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import { withKeptNames } from './stored-names.ts'

type Operation = { readonly id: string; readonly at: string; readonly says?: string }

/** As named by discovery, in its order. */
function discovered(operations: readonly Operation[]): readonly DiscoveredTool[] {
  const take = uniqueNames()
  return operations.map(({ id, at, says = '' }) => ({
    name: take(keepName(id)),
    sourceName: id,
    description: says,
    method: 'GET',
    endpoint: at,
    inputSchema: { type: 'object' },
    places: {},
  }))
}
const storedAs = (tools: readonly DiscoveredTool[]) =>
  tools.map((tool) => ({ name: tool.name, definition: () => tool }))
const again = (before: readonly DiscoveredTool[], operations: readonly Operation[]) =>
  withKeptNames(storedAs(before), discovered(operations))
const names = (tools: readonly DiscoveredTool[]) =>
  Object.fromEntries(tools.map(({ name, endpoint, description }) => [`${endpoint}${description}`, name]))

const [A, B, C, D] = ['/a', '/b', '/c', '/d'].map((at) => ({ id: 'get', at })) as [
  Operation,
  Operation,
  Operation,
  Operation,
]

describe('a number', () => {
  const before = discovered([A, B, C])

  it('stays when the previous operation is removed', () => {
    expect(names(again(before, [B, C]))).toEqual({ '/b': 'get_2', '/c': 'get_3' })
    expect(names(again(before, [A, C]))).toEqual({ '/a': 'get', '/c': 'get_3' })
  })

  it('stays when the order changes, or one is inserted before it', () => {
    expect(names(again(before, [C, A, B]))).toEqual({ '/a': 'get', '/b': 'get_2', '/c': 'get_3' })
    expect(names(again(before, [D, A, B, C]))).toEqual({ '/a': 'get', '/b': 'get_2', '/c': 'get_3', '/d': 'get_4' })
  })

  it('of a removed operation is not reused', () => {
    const [dot, space, mark] = ['a.b', 'a b', 'a?b'].map((id) => ({ id, at: `/${id}` })) as [
      Operation,
      Operation,
      Operation,
    ]
    expect(names(again(discovered([dot, space]), [space, mark]))).toEqual({ '/a b': 'a_b_2', '/a?b': 'a_b_3' })
    expect(names(again(before, [A, C, D]))).toEqual({ '/a': 'get', '/c': 'get_3', '/d': 'get_4' })
    // It may be the same one moved: its guards follow its name.
    expect(names(again(discovered([A, B]), [A, D]))).toEqual({ '/a': 'get', '/d': 'get_2' })
  })

  it('of twins follows their content, then their order', () => {
    const twins = discovered([
      { ...A, says: ' one' },
      { ...A, says: ' two' },
    ])
    expect(names(again(twins, [{ ...A, says: ' two' }]))).toEqual({ '/a two': 'get_2' })
    expect(
      names(
        again(twins, [
          { ...A, says: ' three' },
          { ...A, says: ' two' },
        ]),
      ),
    ).toEqual({
      '/a three': 'get',
      '/a two': 'get_2',
    })
  })
})

it('names that only look numbered are unchanged', () => {
  const plain = [
    { id: 'item_1', at: '/1' },
    { id: 'item_2', at: '/2' },
  ]
  const tools = discovered(plain.slice(1))
  expect(withKeptNames(storedAs(discovered(plain)), tools)).toBe(tools)
})

it('a mutation keeps its name when a query of that name is added or removed', () => {
  const graphql = (operation: 'query' | 'mutation', name: string, sourceName = name): DiscoveredTool => ({
    name: sourceName,
    sourceName,
    description: '',
    inputSchema: {},
    places: {},
    graphql: { operation, operationName: name, document: '' },
  })
  const both = [graphql('query', 'pet'), graphql('mutation', 'pet', 'mutation_pet')]
  const alone = [graphql('mutation', 'pet')]
  expect(withKeptNames(storedAs(both), alone)).toMatchObject([{ name: 'mutation_pet', sourceName: 'mutation_pet' }])
  expect(withKeptNames(storedAs(alone), both)).toMatchObject([
    { name: 'pet_2', graphql: { operation: 'query' } },
    { name: 'pet', graphql: { operation: 'mutation' } },
  ])
})

it('names are unique, and no known operation loses its name', () => {
  const operation = fc.record({
    id: fc.constantFrom('get', 'g.t', 'g_t', 'get_2', 'get_3'),
    at: fc.constantFrom('/a', '/b', '/c'),
  })
  const unlike = fc.uniqueArray(operation, { selector: ({ id, at }) => id + at, maxLength: 10 })
  fc.assert(
    fc.property(unlike, unlike, (first, second) => {
      const before = discovered(first)
      const after = again(before, second)
      expect(new Set(after.map(({ name }) => name)).size).toBe(after.length)
      const nameOf = new Map(before.map(({ sourceName, endpoint, name }) => [`${sourceName} ${endpoint}`, name]))
      for (const { sourceName, endpoint, name } of after)
        expect(nameOf.get(`${sourceName} ${endpoint}`) ?? name).toBe(name)
    }),
  )
})

// A person's own GraphQL document: one operation and its variables, or a reason in words.
import { expect, it } from 'vitest'
import { readDocument } from './graphql-document.ts'

it('is one operation with its name and variables, and may have fragments', () => {
  expect(readDocument('query pets($first: Int, $kind: Kind!) { pets { ...f } } fragment f on Pet { name }')).toEqual({
    operation: 'query',
    name: 'pets',
    variables: ['first', 'kind'],
  })
  expect(readDocument('{ pets }')).toEqual({ operation: 'query', name: undefined, variables: [] })
  expect(readDocument('mutation { feed }')).toMatchObject({ operation: 'mutation' })
})

it.each([
  ['{ pets', 'is not GraphQL'],
  ['', 'is not GraphQL'],
  ['query a { x } query b { x }', 'must hold one operation'],
  ['fragment f on Pet { name }', 'must hold one operation'],
  ['type Pet { name: String }', 'must hold one operation'],
  ['{ x } type Pet { name: String }', 'nothing of a schema'],
  ['{ a '.repeat(9_000), 'is not GraphQL'],
  ['{a'.repeat(32_000), 'is not GraphQL'],
])('%s says what is wrong', (text, problem) => {
  expect(readDocument(text.slice(0, 65_536))).toMatchObject({
    problem: expect.stringMatching(new RegExp(`${problem}|nests too deep`)),
  })
})

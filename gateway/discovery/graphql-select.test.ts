// A caller's own selection: read strictly, kept within its bounds, and never more than a selection.
import fc from 'fast-check'
import { buildSchema, introspectionFromSchema, Kind, parse, validate, visit } from 'graphql'
import { describe, expect, it } from 'vitest'
import { discoverGraphql } from './graphql.ts'
import { readSelection, SELECT } from './graphql-select.ts'
import { buildRequest } from './request.ts'

const SDL = `
  interface Node { id: ID! }
  type Person implements Node { id: ID! name: String friend(close: Boolean): Person text(of: [String!], at: At): String any: Any }
  type Robot implements Node { id: ID! model: Int }
  union Any = Person | Robot
  input At { x: Int, y: Float }
  type Added { person: Person query: Query }
  type Query implements Node { id: ID! person(id: ID!): Person count: Int node(id: ID!): Node }
  type Mutation { add(name: String!): Added }
`
const schema = buildSchema(SDL)
const LIMITS = { includeMutations: true, maxTypes: 100, selectionMaxDepth: 2, inputMaxDepth: 3, maxTools: 100 }
const { tools } = discoverGraphql({ data: introspectionFromSchema(schema) }, LIMITS)
const tool = (name: string) => {
  const found = tools.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}
const ROOTS = { fields: ['query'], types: ['Query', 'Mutation'] }

/** The document of a call of `person` that asks for this. */
function documentOf(selection: unknown, name = 'person'): string {
  const built = buildRequest(tool(name), { id: '1', [SELECT]: selection })
  if (!built.ok) return `${built.problem.path} ${built.problem.message}`
  const { body } = built.request
  const content = body && 'content' in body ? String(body.content) : ''
  return (JSON.parse(content) as { query: string }).query
}

describe('refuses', () => {
  it.each<[string, unknown, string]>([
    ['what is no text', 7, 'must be text'],
    ['nothing', '', 'must name a field'],
    ['empty braces', '{ }', 'must name a field'],
    ['a second operation', '{ id } mutation { add(name: "x") { person { id } } }', 'must be one selection set'],
    [
      'a second operation without braces',
      'id } } mutation x { add(name: "x") { person { id }',
      'must be one selection set',
    ],
    ['the end of its own operation', '{ id } } query other { count ', 'must be one selection set'],
    ['a fragment that is defined elsewhere', '{ ...More }', 'must write its fragments out'],
    ['a fragment definition', '{ id } fragment More on Person { id }', 'must be one selection set'],
    ['a variable', '{ friend(close: $close) { id } }', 'values where it has variables'],
    ['a directive', '{ id @include(if: true) }', 'must not have directives'],
    ['a directive on a fragment', '{ ... on Person @defer { id } }', 'must not have directives'],
    ['the schema', '{ __schema { types { name } } }', 'must not ask for __schema'],
    ['the schema under another name', '{ a: __type(name: "Query") { name } }', 'must not ask for __type'],
    ['the way back to the root', '{ query { count } }', 'must not go back to the root'],
    ['the same under another name', '{ a: query { count } }', 'must not go back to the root'],
    ['the same by a fragment', '{ ... on Query { count } }', 'must not go back to Query'],
    ['an unknown character', '{ id ; }', 'is not GraphQL at character 5'],
    ['a text that does not end', '{ text(of: "a) }', 'is not GraphQL'],
    ['a block text that does not end', '{ text(of: """a) }', 'is not GraphQL'],
    ['braces that do not close', '{ id', 'at its end'],
    ['empty parentheses', '{ friend() { id } }', 'empty parentheses'],
    ['more depth than is sensible', `${'{ friend '.repeat(12)}{ id }${' }'.repeat(12)}`, 'nested more than 10'],
    ['the same by fragments', `${'{ ... '.repeat(600)}{ id }${' }'.repeat(600)}`, 'nested more than 10'],
    ['deep values', `{ text(of: ${'['.repeat(5_000)}${']'.repeat(5_000)}) }`, 'nested more than 32'],
    ['more fields than are sensible', `{ ${'id '.repeat(600)} }`, 'more than 500 fields'],
    ['more text than is sensible', `{ ${' '.repeat(20_000)} id }`, 'must not be longer'],
  ])('%s', (_what, selection, message) => {
    const read = readSelection(selection, ROOTS)
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining(message) })
  })

  it('a text made to be read slowly, in no time', () => {
    for (const text of ['# , '.repeat(4_000), '"'.repeat(16_000), `"""${'\\"""'.repeat(4_000)}`, '#'.repeat(16_000)])
      expect(readSelection(text, ROOTS).ok).toBe(false)
  })
})

describe('a selection', () => {
  it('replaces the default one, and nothing else of the document', () => {
    expect(documentOf(undefined)).toBe(tool('person').graphql?.document)
    expect(documentOf('{ id }')).toBe('query person($id: ID!) { person(id: $id) { id } }')
    expect(documentOf('id name')).toBe('query person($id: ID!) { person(id: $id) { id name } }')
    expect(documentOf('{ person { id, name } }', 'add')).toBe(
      'mutation add($name: String!) { add(name: $name) { person { id name } } }',
    )
  })

  it('may have other names, arguments, fragments written out, comments', () => {
    const given = `{ # what we want
      first: friend(close: true) { id, friend { name } }
      text(of: ["a } b", """block " text"""], at: { x: -1, y: 1.5e3 })
      any { __typename ... on Robot { model } ... { __typename } }
    }`
    const document = documentOf(given)
    expect(document).toBe(
      'query person($id: ID!) { person(id: $id) { first: friend(close: true) { id friend { name } } text(of: ["a } b", """block " text"""], at: {x: -1, y: 1.5e3}) any { __typename ... on Robot { model } ... { __typename } } } }',
    )
    expect(validate(schema, parse(document))).toEqual([])
  })

  it('is offered where there is something to select, and says of what', () => {
    expect(tool('person').inputSchema).toMatchObject({
      description: '"__select" may hold a selection set of Person to ask for instead of the default, such as "{ id }".',
      required: ['id'],
    })
    expect(Object.keys(tool('person').inputSchema['properties'] ?? {})).toEqual(['id'])
    expect(tool('count').inputSchema).toEqual({ type: 'object', properties: {} })
    expect(documentOf('{ id }', 'count')).toBe('query count { count }')
    expect(tool('person').graphql?.select?.roots).toEqual({ fields: ['query'], types: ['Query', 'Mutation'] })
  })

  it('an accepted text is one selection of one operation to the library too', () => {
    const words = [
      '{ } ( ) [ ] : ... $ @ ! & = | , # " """ \\ \\" 1 -0 "x" """y"""'.split(' '),
      'id name friend on Person query mutation fragment __typename'.split(' '),
      ['\n', '{ id }', 'friend { id }', '(close: true)', '... on Robot { model }', 'a: name', '\u2028', '\ufeff', 'é'],
    ].flat()
    const word = fc.constantFrom(...words)
    let taken = 0
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), fc.boolean(), (words, braced) => {
        const text = words.join(' ')
        const read = readSelection(braced ? `{ ${text} }` : text, ROOTS)
        if (!read.ok) return
        taken += 1
        const { definitions } = parse(`query q { root ${read.text} }`)
        expect(definitions).toHaveLength(1)
        const [operation] = definitions
        if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`it became a ${operation?.kind}`)
        expect(operation.operation).toBe('query')
        expect(operation.selectionSet.selections).toHaveLength(1)
        const never = (): never => {
          throw new Error(`it let through more than fields: ${read.text}`)
        }
        visit(operation, { Directive: never, Variable: never, FragmentSpread: never })
      }),
      { numRuns: 5_000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

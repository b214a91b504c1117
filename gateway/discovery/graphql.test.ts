// Every query and mutation becomes a tool whose document the schema accepts.
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  graphqlSync,
  introspectionFromSchema,
  parse,
  validate,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { corpus, corpusJson } from './corpora.fixture.ts'
import { discoverGraphql, type GraphqlOptions } from './graphql.ts'

const LIMITS: GraphqlOptions = {
  includeMutations: true,
  maxTypes: 2000,
  selectionMaxDepth: 2,
  inputMaxDepth: 3,
  maxTools: 100,
}
const discover = (sdl: string, options: Partial<GraphqlOptions> = {}) => {
  const schema = buildSchema(sdl)
  const { tools, skipped } = discoverGraphql({ data: introspectionFromSchema(schema) }, { ...LIMITS, ...options })
  for (const tool of tools)
    expect(validate(schema, parse(tool.graphql?.document ?? '')), tool.graphql?.document).toEqual([])
  return { tools, skipped }
}
const documentOf = (sdl: string, options: Partial<GraphqlOptions> = {}) =>
  discover(sdl, options).tools[0]?.graphql?.document

describe('refuses', () => {
  it('what is not an introspection result, and quotes the message of the server', () => {
    expect(() => discoverGraphql({ errors: [{ message: 'introspection is disabled' }] }, LIMITS)).toThrow(
      /It answered: introspection is disabled/,
    )
    expect(() => discoverGraphql('<html>', LIMITS)).toThrow(/switched off/)
    expect(() => discoverGraphql({ data: { __schema: { types: 7 } } }, LIMITS)).toThrow(/not a usable schema/)
  })

  it('more types, more tools, or none (security case BL-09)', () => {
    const types = Array.from({ length: 30 }, (_, n) => `type T${n} { a: Int }`).join('\n')
    expect(() => discover(`type Query { a: Int }\n${types}`, { maxTypes: 30 })).toThrow(/GRAPHQL_MAX_TYPES/)
    expect(() => discover('type Query { a: Int b: Int }', { maxTools: 1 })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
    expect(() =>
      discoverGraphql(
        {
          data: graphqlSync({
            schema: buildSchema('type Mutation { a: Int } schema { mutation: Mutation }'),
            source: getIntrospectionQuery(),
          }).data,
        },
        LIMITS,
      ),
    ).toThrow(/./)
  })

  it('names that would change a document (security case HI-05)', () => {
    const data = JSON.stringify(introspectionFromSchema(buildSchema('type Query { fieldToBreak(a: Int): Int }')))
    for (const name of ['x{y}', 'a b', 'a\\"', '__proto__ {']) {
      const broken: unknown = JSON.parse(data.replace('fieldToBreak', name))
      expect(() => discoverGraphql({ data: broken }, LIMITS)).toThrow(
        expect.objectContaining({ code: 'DISCOVERY_ERROR' }),
      )
    }
  })
})

describe('arguments', () => {
  it('are typed: enums, lists, input objects to their depth, required and defaults', () => {
    const { tools } = discover(`
      enum Color { RED GREEN OLD @deprecated }
      input Filter { color: Color! = RED, and: [Filter!], at: DateTime, name: String! }
      scalar DateTime
      type Query { find(filter: Filter!, ids: [ID!]!, "How\u200b many" first: Int = 20): Int }
    `)
    const depth0 = { type: 'object', description: 'Fields of Filter.' }
    const filter = (inner: unknown) => ({
      type: 'object',
      properties: {
        color: { type: 'string', enum: ['RED', 'GREEN', 'OLD'], description: 'Default: RED Deprecated: OLD.' },
        and: { type: 'array', items: inner },
        at: { description: 'A value of the scalar DateTime.' },
        name: { type: 'string' },
      },
      required: ['name'],
    })
    expect(tools[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        filter: filter(filter(filter(depth0))),
        ids: { type: 'array', items: { type: 'string' } },
        first: { type: 'integer', description: 'How many Default: 20' },
      },
      required: ['filter', 'ids'],
    })
  })

  it('of a large enum keep its values; beyond a thousand the description names some', () => {
    const sdl = (count: number) => {
      const values = Array.from({ length: count }, (_, at) => `V${at}`).join(' ')
      return `enum E { ${values} } type Query { find(e: E): Int }`
    }
    const argument = (count: number) =>
      Object.values(discover(sdl(count)).tools[0]?.inputSchema.properties as object)[0]
    expect(argument(779)).toEqual({ type: 'string', enum: Array.from({ length: 779 }, (_, at) => `V${at}`) })
    expect(argument(1001)).toEqual({
      type: 'string',
      description: expect.stringMatching(/^One of 1001 values of E, such as V0, V1/),
    })
  })

  it('that are deprecated are offered and marked, and a warning names them', () => {
    const schema = buildSchema('type Query { find(old: Int @deprecated(reason: "Use now."), now: Int): Int }')
    const { tools, warnings } = discoverGraphql({ data: introspectionFromSchema(schema) }, LIMITS)
    expect(tools[0]?.inputSchema.properties).toEqual({
      old: { type: 'integer', description: 'Deprecated: Use now.', deprecated: true },
      now: { type: 'integer' },
    })
    expect(warnings).toEqual(['1 argument is deprecated: find.old'])
  })
})

describe('documents', () => {
  it('take arguments as variables and nested objects to their depth', () => {
    const sdl =
      'type User { id: ID! friend: User posts(first: Int!): Int old: Int @deprecated } type Query { user(id: ID!): User }'
    expect(documentOf(sdl)).toBe('query user($id: ID!) { user(id: $id) { id friend { id } } }')
    expect(documentOf(sdl, { selectionMaxDepth: 1 })).toBe('query user($id: ID!) { user(id: $id) { id } }')
  })

  it('follow the edges of a connection to their nodes', () => {
    expect(
      documentOf(
        'type U { id: ID } type E { node: U cursor: String } type P { more: Boolean } type C { edges: [E] pageInfo: P } type Query { us: C }',
      ),
    ).toBe('query us { us { edges { node { id } } pageInfo { more } } }')
  })

  it('reach the members of a union without a conflict', () => {
    const sdl = `
      interface Node { id: ID! }
      type A implements Node { id: ID! value: Int tag: String }
      type B implements Node { id: ID! value: String tag: String }
      union AB = A | B
      type Query { ab: AB node: Node }`
    expect(discover(sdl).tools.map((tool) => tool.graphql?.document)).toEqual([
      'query ab { ab { __typename ... on A { id value tag } ... on B { id B_value: value tag } } }',
      'query node { node { __typename id ... on A { value tag } ... on B { B_value: value tag } } }',
    ])
  })

  it('ask for the type where nothing else can be asked for', () => {
    expect(documentOf('type A { b: A } type Query { a: A }')).toBe('query a { a { b { __typename } } }')
    expect(documentOf('type Query { a: Int }')).toBe('query a { a }')
  })
})

describe('operations', () => {
  const sdl =
    'type Query { a: Int both: Int } type Mutation { b: Int both: Int search_tools: Int } type Subscription { c: Int }'

  it('are queries and mutations, which give way when names clash', () => {
    const { tools, skipped } = discover(sdl)
    expect(tools.map((tool) => [tool.name, tool.graphql?.operation])).toEqual([
      ['a', 'query'],
      ['both', 'query'],
      ['b', 'mutation'],
      ['mutation_both', 'mutation'],
      ['search_tools_2', 'mutation'],
    ])
    expect(skipped).toEqual([{ operation: 'subscription c', reason: 'a subscription is not one call' }])
    expect(discover(sdl, { includeMutations: false }).tools.map((tool) => tool.name)).toEqual(['a', 'both'])
  })
})

type Counts = Record<string, { types: number; queries: number; mutations: number }>
type Fields = Record<'queries' | 'mutations', { name: string; args: { name: string; type: string }[] }[] | undefined>

describe('real schemas', () => {
  // The documented shape of the expectation files.
  const counts = corpusJson('expected-shared/graphql.json') as Counts
  const fieldsOf = (file: string) => corpusJson(`expected-graphql-fields/${file}.fields.json`) as Fields

  it.each(Object.keys(counts))('%s', (file) => {
    const answer: unknown = file.endsWith('.json')
      ? corpusJson(`graphql/${file}`)
      : { data: introspectionFromSchema(sdlSchema(file)) }
    const { types = 0, queries = 0, mutations = 0 } = counts[file] ?? {}
    if (types > LIMITS.maxTypes) expect(() => discoverGraphql(answer, LIMITS)).toThrow(/GRAPHQL_MAX_TYPES/)
    const { tools } = discoverGraphql(answer, { ...LIMITS, maxTypes: types, maxTools: 10_000 })
    expect(tools).toHaveLength(queries + mutations)
    const fields = fieldsOf(file)
    const schema: GraphQLSchema = file.endsWith('.json') ? clientSchema(answer) : sdlSchema(file)
    const expected = [...(fields.queries ?? []), ...(fields.mutations ?? [])]
    tools.forEach((tool, index) => {
      const field = expected[index]
      expect(tool.graphql?.operationName).toBe(field?.name)
      expect(Object.keys(tool.places)).toEqual(field?.args.map(({ name }) => name))
      expect(validate(schema, parse(tool.graphql?.document ?? '')), tool.graphql?.document).toEqual([])
    })
  })
})

// Published schemas use directives they do not define, and break small rules of their own.
const sdlSchema = (file: string) => buildSchema(corpus(`graphql/${file}`), { assumeValidSDL: true, assumeValid: true })

function clientSchema(answer: unknown): GraphQLSchema {
  const given = answer as { data?: unknown }
  // An introspection file, with or without its envelope.
  return buildClientSchema((given.data ?? given) as Parameters<typeof buildClientSchema>[0], { assumeValid: true })
}

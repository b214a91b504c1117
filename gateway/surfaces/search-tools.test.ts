// Search: invalid queries, the ranking, and the size of the answer.
import { describe, expect, it } from 'vitest'
import { aBackend, aTool } from '../pipeline/pipeline.fixture.ts'
import type { Tool } from '../registry/backend.ts'
import { growthOf } from '../text/growth.fixture.ts'
import { type Entry, entryOf } from './listed.ts'
import { indexed, indexOf } from './search-index.ts'
import { searchTools } from './search-tools.ts'

const entry = (name: string, description = '', given: Partial<Tool> = {}, properties: object = {}): Entry => {
  const tool = aTool(name, given, { description, inputSchema: { type: 'object', properties } })
  return entryOf('shard', aBackend(), tool, { sensitive: false, approval: false }, () => false)
}

type Match = {
  readonly name: string
  readonly score: number
  readonly inputSchema?: object
  readonly description: string
}
const matches = (entries: readonly Entry[], args: Record<string, unknown>): readonly Match[] =>
  (searchTools(entries, args)?.structuredContent?.matches ?? []) as readonly Match[]
const found = (entries: readonly Entry[], query: string): string[] =>
  matches(entries, { query }).map(({ name }) => name)

describe('a search (security case MC-14)', () => {
  it.each(['.*', '.', '^', '(a+)+$', '[a-z]+', 'get|user', '\\w', '$^', '%', '_', "' OR 1=1 --"])(
    'takes %j for words and not for a pattern',
    (query) => {
      const tools = [entry('getUser'), entry('listPets')]
      const words = query.toLowerCase().match(/get|user|list|pets/g) ?? []
      expect(found(tools, query)).toEqual(words.length > 0 ? ['getUser'] : [])
    },
  )

  it('grows with the number of tools and no faster, for every query', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => entry(`${'a'.repeat(50)}_${at}`, 'aa aaa aaaa '.repeat(80)))
    const [few, plenty] = [many(500), many(4_000)]
    for (const query of [
      'a'.repeat(512),
      'aaa '.repeat(128),
      Array.from({ length: 128 }, (_, at) => `a${at}`)
        .join(' ')
        .slice(0, 512),
    ]) {
      const search = (tools: readonly Entry[]) => () => searchTools(tools, { query, limit: 50, detail: 'schema' })
      expect(growthOf(search(few), search(plenty), 32)).toBeLessThan(32)
    }
  })
})

describe('the index of a long list', () => {
  const many = () => Array.from({ length: 2_000 }, (_, at) => entry(`tool_${at}`, `reads number ${at} `.repeat(60)))

  it('is made in turns of the event loop, once for all who search it', async () => {
    const list = many()
    let turns = 0
    const making = indexed(list)
    const counting = setInterval(() => {
      turns += 1
    }, 0)
    expect(making).toBeInstanceOf(Promise)
    expect(indexed(list)).toBe(making)
    await making
    clearInterval(counting)
    expect(turns).toBeGreaterThan(0)
    expect(indexed(list)).toBeUndefined()
  })

  it('finds what an index made at once finds', async () => {
    const [slow, quick] = [many(), many()]
    await indexed(slow)
    indexOf(quick)
    expect(matches(slow, { query: 'number 1234' })).toEqual(matches(quick, { query: 'number 1234' }))
    expect(found(slow, 'tool_77')[0]).toBe('tool_77')
  })

  it('of a short list needs no turn', () => {
    expect(indexed([entry('x')])).toBeUndefined()
  })
})

describe('a search', () => {
  it.each([
    [{}],
    [{ query: '' }],
    [{ query: '  ' }],
    [{ query: 5 }],
    [{ query: 'x'.repeat(513) }],
    [{ query: 'x', limit: 'ten' }],
    [{ query: 'x', limit: Number.NaN }],
    [{ query: 'x', detail: 'all' }],
  ])('%j is invalid [ct.5.7.empty ct.5.7.args]', (args) => {
    expect(searchTools([entry('x')], args)).toBeUndefined()
  })

  it('finds nothing where nothing fits [ct.5.7.score]', () => {
    expect(searchTools([entry('getUser')], { query: 'invoice' })).toEqual({
      content: [{ type: 'text', text: '{"query":"invoice","count":0,"matches":[]}' }],
      structuredContent: { query: 'invoice', count: 0, matches: [] },
    })
  })

  it('ranks the whole query in a name over words of names over words of descriptions [ct.0.6.ranking]', () => {
    const loud = { tags: ['get', 'user'] }
    const entries = [
      entry('z_described', 'get user get user', loud, { get: {}, user: {} }),
      entry('user_or_get', 'get user', loud, { get: {}, user: {} }),
      entry('get_user_by_id'),
      entry('get_user'),
      ...Array.from({ length: 40 }, (_each, at) => entry(`get_other_${at}`)),
    ]
    const ranked = found(entries, 'get user')
    expect(ranked.slice(0, 3)).toEqual(['get_user', 'get_user_by_id', 'user_or_get'])
    expect(ranked.indexOf('z_described')).toBeGreaterThan(2)
  })

  it('a word in a name beats all it could be elsewhere', () => {
    const elsewhere = entry('zzz', 'invoice', { tags: ['invoice'] }, { invoice: {} })
    expect(found([elsewhere, entry('pay_the_invoice_now')], 'invoice please')).toEqual(['pay_the_invoice_now', 'zzz'])
  })

  it.each(['getUser', 'get_user', 'GET-USER', 'etuse'])('%j finds getUser', (query) => {
    expect(found([entry('getUser'), entry('other')], query)).toEqual(['getUser'])
  })

  it('finds by title, tag, description, parameter and the beginning of a word', () => {
    const entries = [
      entry('a', '', { tags: ['billing'] }),
      entry('b', 'Sends repositories away'),
      entry('c', '', {}, { postcode: {} }),
      entry('d', '', { config: { overrides: { title: 'Weather today' } } }),
    ]
    expect(['billing', 'repo', 'postcode', 'weather'].map((query) => found(entries, query))).toEqual([
      ['a'],
      ['b'],
      ['c'],
      ['d'],
    ])
  })

  it('breaks ties by name and clamps the limit', () => {
    const entries = Array.from({ length: 60 }, (_each, at) => entry(`item_${String(at).padStart(2, '0')}`))
    expect(found(entries, 'item').slice(0, 2)).toEqual(['item_00', 'item_01'])
    const counts = [0, -5, 1.9, 1_000].map((limit) => matches(entries, { query: 'item', limit }).length)
    expect(counts).toEqual([1, 1, 1, 50])
    expect(matches(entries, { query: 'item' })).toHaveLength(10)
  })

  it('returns little of each, and the schema of five on request [ct.5.7.result]', () => {
    const entries = Array.from({ length: 8 }, (_each, at) => entry(`item_${at}`, 'd'.repeat(500)))
    const full = matches(entries, { query: 'item', detail: 'schema' })
    expect(full.map(({ inputSchema }) => inputSchema !== undefined)).toEqual([
      ...Array(5).fill(true),
      ...Array(3).fill(false),
    ])
    expect(full.every(({ description }) => description.length <= 200)).toBe(true)
  })

  it.each<[string, object, string]>([
    ['no arguments', {}, 'item()'],
    [
      'those that must be given first',
      { properties: { since: { type: 'string' }, id: { type: 'integer' } }, required: ['id'] },
      'item(id: integer, since?: string)',
    ],
    [
      'choices, lists and objects',
      {
        properties: {
          order: { enum: ['asc', 'desc'] },
          tags: { type: 'array', items: { type: ['string', 'null'] } },
          owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          any: {},
        },
      },
      'item(order?: "asc" | "desc", tags?: (string | null)[], owner?: {name: string}, any?: any)',
    ],
    [
      'what is too deep or too much',
      {
        properties: Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`f${at}`, { const: at }])),
      },
      `item(${Array.from({ length: 12 }, (_, at) => `f${at}?: ${at}`).join(', ')}, …)`,
    ],
  ])('writes a tool in one line: %s', (_what, schema, line) => {
    const tool = aTool('item', {}, { inputSchema: { type: 'object', ...schema } })
    const listed = entryOf('shard', aBackend(), tool, { sensitive: false, approval: false }, () => false)
    const [match] = matches([listed], { query: 'item', detail: 'signature' })
    expect(match).toMatchObject({ signature: line })
  })

  it('counts a word more than its synonym, and that more than a word it begins', () => {
    const entries = [entry('a', 'picture'), entry('b', 'photo'), entry('c', 'pictureframe'), entry('d', 'pic-nic')]
    expect(found(entries, 'picture')).toEqual(['a', 'b', 'd', 'c'])
  })

  it.each([
    ['creating repositories', 'create_repository'],
    ['creates a repository', 'create_repository'],
    ['mail', 'send_email'],
    ['delete the cfg of my repo', 'create_repository'],
    ['天气', 'w'],
    ['HTTPServer', 'http_server'],
  ])('%j finds %s', (query, name) => {
    const entries = [
      entry('create_repository'),
      entry('send_email'),
      entry('w', '获取天气预报'),
      entry('http_server'),
      entry('other', 'the of and'),
    ]
    expect(found(entries, query)[0]).toBe(name)
  })

  it('looks past the words of which every question consists, unless there are no others', () => {
    const entries = [entry('what_is_it', 'How can I use the'), entry('clock', 'Shows the time')]
    expect(found(entries, 'what is the time')).toEqual(['clock'])
    expect(found(entries, 'what is')).toEqual(['what_is_it'])
  })

  it('prefers the tool with fewer words beside the one in question', () => {
    const entries = [entry('a', `invoice ${'word '.repeat(80)}`), entry('b', 'invoice')]
    expect(found(entries, 'invoice')).toEqual(['b', 'a'])
  })

  it('finds no text that reaches from one name into the next', () => {
    const entries = [entry('first'), entry('second'), entry('third')]
    expect(found(entries, 't\ns')).toEqual([])
    expect(matches(entries, { query: 'ir' }).map(({ name }) => name)).toEqual(['first', 'third'])
  })

  it('ranks a tool by the other tools of its backend as well, for a question and not for a name', () => {
    const of = (backend: string, name: string, description: string): Entry =>
      entryOf(
        'bundle',
        aBackend(backend),
        aTool(name, {}, { description, inputSchema: { type: 'object', properties: {} } }),
        { sensitive: false, approval: false },
        () => false,
      )
    const tools = [
      of('bank', 'a', 'reads a report'),
      of('bank', 'b', 'opens a door'),
      of('weather', 'c', 'reads a report'),
      of('weather', 'd', 'shows wind, rain and snow'),
    ]
    expect(found(tools, 'report of rain, wind and snow').slice(1)).toEqual(['weather__c', 'bank__a'])
    expect(found(tools, 'report')).toEqual(['bank__a', 'weather__c'])
  })

  it('takes a query for words, never for a pattern', () => {
    expect(found([entry('getUser')], '(.*)+$')).toEqual([])
    expect(found([entry('getUser')], '__proto__ constructor')).toEqual([])
  })
})

// Which tools, for whom, and what each name means: listing, lookups and their precedence.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListMode } from '../contract/names.ts'
import { textOf } from '../mcp/json-text.ts'
import { aBackend, aCaller, aTool } from '../pipeline/pipeline.fixture.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import { compactJson } from './list-form.ts'
import { isOutside } from './outside.ts'
import { SEARCHING_CLIENTS } from './searching-clients.ts'
import { createSurface, type Surface } from './surface.ts'

/** Of a short list. */
function pageOf(surface: Surface, ...asked: Parameters<Surface['page']>) {
  const page = surface.page(...asked)
  if (page instanceof Promise) throw new Error('The page is written in turns')
  return page
}

type Member = { readonly backend: Backend; readonly tool: Tool }
let ids = 0
const member = (client: string, name: string, given: Partial<Tool> = {}): Member => ({
  backend: aBackend(client),
  tool: aTool(name, { id: ++ids, client, ...given }),
})
const alias = (displayName: string): Partial<Tool> => ({ config: { overrides: { displayName } } })
const SEARCH = '{"name":"search_tools"}'

function aSurface(kind: 'shard' | 'bundle', members: readonly Member[], off: readonly string[] = []) {
  return createSurface({
    kind,
    id: kind === 'shard' ? 'client:shop' : 'bundle:all',
    members,
    gates: ({ config }) => ({ sensitive: config.sensitive === true, approval: config.approval?.required === true }),
    available: (backend, tool) => !off.includes(`${backend.name}__${tool.name}`),
    searchJson: SEARCH,
  })
}

const all = aCaller()
const names = (surface: Surface, caller = all): string[] =>
  (JSON.parse(textOf(pageOf(surface, caller, undefined, 1_000).toolsJson)) as { name: string }[]).map(
    ({ name }) => name,
  )
const meaning = (surface: Surface, name: string, caller = all): unknown => {
  const found = surface.find(name, caller)
  if ('composite' in found) return found.composite.composite.name
  return 'entry' in found ? `${found.entry.backend.name}/${found.entry.tool.name}` : found.candidates
}

describe('a list', () => {
  it('has tools by name, and search_tools last [ct.5.6.order ct.5.7.listed]', () => {
    const surface = aSurface('shard', [member('shop', 'zed'), member('shop', 'alpha'), member('shop', 'Beta')])
    expect(names(surface)).toEqual(['Beta', 'alpha', 'zed', 'search_tools'])
  })

  it('shows on its shard what an upstream says of a tool besides, cleaned, and nothing of it over our own [ct.0.2.unknown-relayed]', () => {
    const extra = {
      name: 'forged',
      inputSchema: {},
      execution: { taskSupport: 'required' },
      vendor: { deep: ['a\u200bb'] },
      icons: [{ src: 'https://a.test/i.png' }, { src: 'javascript:alert(1)' }, 'x'],
    }
    const message = member('shop', 'a')
    const tool = { ...message.tool, definition: { ...message.tool.definition, mcp: { name: 'a', extra } } }
    const listed = (kind: 'shard' | 'bundle'): unknown =>
      (JSON.parse(textOf(pageOf(aSurface(kind, [{ ...message, tool }]), all, undefined, 10).toolsJson)) as unknown[])[0]
    expect(listed('shard')).toMatchObject({
      name: 'a',
      inputSchema: { type: 'object' },
      vendor: { deep: ['ab'] },
      icons: [{ src: 'https://a.test/i.png' }],
    })
    expect(listed('shard')).not.toHaveProperty('execution')
    expect(listed('bundle')).not.toHaveProperty('vendor')
  })

  it('has no search_tools where nothing else is visible', () => {
    expect(names(aSurface('shard', []))).toEqual([])
    expect(names(aSurface('shard', [member('shop', 'a')], ['shop__a']))).toEqual([])
    expect(names(aSurface('shard', [member('shop', 'a')]), aCaller({ mayReach: () => false }))).toEqual([])
  })

  it('has what is on, there and in scope, and nothing else [ct.5.6.listed]', () => {
    const surface = aSurface(
      'bundle',
      [
        member('shop', 'on'),
        member('shop', 'off'),
        member('shop', 'gone', { missingSince: '2026-01-01' }),
        member('bank', 'secret'),
      ],
      ['shop__off'],
    )
    const narrow = aCaller({ mayReach: (client) => client !== 'bank' })
    expect(names(surface)).toEqual(['bank__secret', 'shop__on', 'search_tools'])
    expect(names(surface, narrow)).toEqual(['shop__on', 'search_tools'])
    expect(surface.visible(narrow).map(({ listed }) => listed.name)).toEqual(['shop__on'])
  })

  it('comes in pages that are written once, and shared by all who see the same', () => {
    const surface = aSurface(
      'shard',
      ['a', 'b', 'c'].map((name) => member('shop', name)),
    )
    const first = pageOf(surface, all, undefined, 2)
    expect(first.toolsJson).not.toContain('search_tools')
    expect(surface.page(aCaller({ mayReach: () => true }), undefined, 2)).toBe(first)
    const second = pageOf(surface, all, first.next, 2)
    expect(second.next).toBeUndefined()
    expect(second.toolsJson).toContain('search_tools')
  })

  it('of many tools is written in turns of the event loop, once for concurrent requests', async () => {
    const surface = aSurface(
      'shard',
      Array.from({ length: 300 }, (_, at) => member('shop', `tool${at}`)),
    )
    const written = surface.page(all, undefined, 1_000)
    expect(written).toBeInstanceOf(Promise)
    expect(surface.page(aCaller({ mayReach: () => true }), undefined, 1_000)).toBe(written)
    const page = await written
    expect(JSON.parse(textOf(page.toolsJson))).toHaveLength(301)
    expect(surface.page(all, undefined, 1_000)).toBe(page)
  })

  it('read in pages shows each lasting tool exactly once while others come and go [ct.0.17.once]', () => {
    const tools = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 30 })
    const surfaceOf = (bare: readonly string[]) =>
      aSurface(
        'shard',
        bare.map((name) => member('shop', name)),
      )
    fc.assert(
      fc.property(
        tools,
        fc.array(tools, { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 5 }),
        (stays, others, size) => {
          const seen: string[] = []
          let after: string | undefined
          for (let at = 0; at === 0 || after !== undefined; at += 1) {
            const now = surfaceOf([...new Set([...stays, ...(others[at % others.length] ?? [])])])
            const page = pageOf(now, all, after, size)
            seen.push(...(JSON.parse(textOf(page.toolsJson)) as { name: string }[]).map(({ name }) => name))
            after = page.next
          }
          expect(seen.filter((name) => stays.includes(name))).toEqual(stays.toSorted())
        },
      ),
    )
  })

  it('an entry has name, title, description, schema and annotations [ct.5.6.entry]', () => {
    const surface = aSurface('shard', [member('shop', 'get_pet')])
    const [entry] = JSON.parse(textOf(pageOf(surface, all, undefined, 10).toolsJson)) as Record<string, unknown>[]
    expect(Object.keys(entry ?? {})).toEqual(['name', 'title', 'description', 'inputSchema', 'annotations'])
    expect(entry).toMatchObject({ title: 'Get pet', annotations: { title: 'Get pet' } })
  })

  it('is described in the words it was given, and else in its own [ct.5.6.description]', () => {
    const described = (overrides?: { description: string | null }): unknown =>
      aSurface('shard', [
        { backend: aBackend(), tool: aTool('drop', overrides ? { config: { overrides } } : {}) },
      ]).visible(all)[0]?.listed.description
    expect([described(), described({ description: null }), described({ description: 'Ours' })]).toEqual([
      'About drop',
      'About drop',
      'Ours',
    ])
  })

  it('a sensitive tool takes __confirm, and no schema keeps a reserved name of its own [ct.5.6.schema]', () => {
    const inputSchema = { type: 'object', properties: { id: {}, __end_user: {} }, required: ['__end_user'] }
    const surface = aSurface('shard', [
      { backend: aBackend(), tool: aTool('drop', { config: { sensitive: true } }, { inputSchema }) },
    ])
    expect(surface.visible(all)[0]?.listed.inputSchema).toMatchObject({
      properties: { id: {}, __confirm: { type: 'boolean' } },
      required: [],
    })
    expect(surface.visible(all)[0]?.json).not.toContain('__end_user')
  })
})

it('a bundle of a thousand tools asks no more of a call and a list than one of ten', () => {
  const asked = (size: number) => {
    let reached = 0
    const mayReach = () => {
      reached += 1
      return true
    }
    const caller = aCaller({ mayReach })
    const surface = aSurface(
      'bundle',
      Array.from({ length: size }, (_, at) => member('shop', `tool${at}`)),
    )
    const page = surface.page(caller, undefined, 1_000)
    const firstList = reached
    expect(surface.page(caller, undefined, 1_000)).toBe(page)
    expect(reached).toBe(firstList)
    expect(meaning(surface, `shop__tool${size - 1}`, caller)).toBe(`shop/tool${size - 1}`)
    return reached - firstList
  }
  expect(asked(1_000)).toBe(asked(10))
})

describe('a name on a shard', () => {
  const surface = aSurface('shard', [
    member('shop', 'listPets', alias('pets')),
    member('shop', 'Get_Order', { sourceName: 'Get.Order' }),
    member('shop', 'other', { sourceName: 'addItem' }),
  ])

  it.each(['nope', 'bank__listPets', 'shop__', '', 'PETS', '__proto__', 'constructor'])(
    '%j means nothing (security case AZ-06)',
    (name) => {
      expect(meaning(surface, name)).toEqual([])
    },
  )

  it.each([
    ['pets', 'shop/listPets'],
    ['listPets', 'shop/listPets'],
    ['shop__listPets', 'shop/listPets'],
    ['shop__pets', 'shop/listPets'],
    ['Get.Order', 'shop/Get_Order'],
    ['addItem', 'shop/other'],
    ['add_item', 'shop/other'],
  ])('%s means %s [ct.5.6.shard-names]', (name, means) => {
    expect(meaning(surface, name)).toBe(means)
  })

  it('the listed name comes before every other form [ct.5.6.precedence]', () => {
    const both = aSurface('shard', [member('shop', 'a', alias('b')), member('shop', 'c', { sourceName: 'b' })])
    expect(meaning(both, 'b')).toBe('shop/a')
    const bare = aSurface('shard', [member('shop', 'x'), member('shop', 'y', { sourceName: 'x' })])
    expect(meaning(bare, 'x')).toBe('shop/x')
  })

  it('is found although it cannot be called, so that the refusal can say why', () => {
    expect(meaning(aSurface('shard', [member('shop', 'a')], ['shop__a']), 'a')).toBe('shop/a')
  })
})

describe('what a caller may not reach', () => {
  const surface = aSurface(
    'shard',
    [member('shop', 'listPets', alias('pets')), member('shop', 'other')],
    ['shop__other'],
  )
  const narrow = aCaller({ mayReach: (_client, tool) => tool === 'mine' })

  it.each(['pets', 'listPets', 'shop__listPets', 'other', 'nope'])(
    '%s is found no more than an unknown tool',
    (name) => {
      expect(meaning(surface, name, narrow)).toEqual([])
      expect(isOutside(surface, narrow, name)).toBe(true)
    },
  )

  it('is decided by the name alone', () => {
    expect(['mine', 'shop__mine'].map((name) => isOutside(surface, narrow, name))).toEqual([false, false])
    expect(['nope', 'a__b', ''].map((name) => isOutside(surface, aCaller(), name))).toEqual([false, false, false])
    const bundle = aSurface('bundle', [member('shop', 'get')])
    const shopper = aCaller({ mayReach: (client) => client === 'shop' })
    const asked = ['shop__nope', 'bank__nope', 'nope']
    expect(asked.map((name) => isOutside(bundle, shopper, name))).toEqual([false, true, true])
  })
})

describe('a name in a bundle', () => {
  const members = [member('shop', 'get'), member('bank', 'get'), member('bank', 'pay', alias('transfer'))]
  const surface = aSurface('bundle', members)

  it('is listed as the alias or client__bare [ct.5.6.bundle-names]', () => {
    expect(names(surface)).toEqual(['bank__get', 'shop__get', 'transfer', 'search_tools'])
    expect(['pay', 'transfer', 'bank__pay', 'bank__transfer'].map((name) => meaning(surface, name))).toEqual(
      Array(4).fill('bank/pay'),
    )
  })

  it('that several members have means none of them [ct.5.6.ambiguous]', () => {
    expect(meaning(surface, 'get')).toEqual(['bank__get', 'shop__get'])
  })

  it('counts only what the caller sees', () => {
    expect(meaning(surface, 'get', aCaller({ mayReach: (client) => client === 'shop' }))).toBe('shop/get')
    expect(meaning(surface, 'bank__get', aCaller({ mayReach: (client) => client === 'shop' }))).toEqual([])
    expect(meaning(aSurface('bundle', members, ['bank__get']), 'get')).toBe('shop/get')
  })

  it('one alias of two members is the name of neither [ct.5.6.alias-clash]', () => {
    const clash = aSurface('bundle', [member('a', 'x', alias('same')), member('b', 'y', alias('same'))])
    expect(names(clash)).toEqual(['a__x', 'b__y', 'search_tools'])
    expect(meaning(clash, 'same')).toEqual(['a__x', 'b__y'])
  })

  it('too long is cut the same everywhere, and callable in both forms [ct.5.6.long]', () => {
    const long = `tool_${'x'.repeat(70)}`
    const cutOff = names(aSurface('bundle', [member('shop', long)]))[0] ?? ''
    expect(cutOff).toMatch(/^shop__tool_x{44}_[0-9a-f]{8}$/)
    const again = aSurface('bundle', [member('shop', 'other'), member('shop', long)])
    expect([cutOff, `shop__${long}`, long].map((name) => meaning(again, name))).toEqual(Array(3).fill(`shop/${long}`))
  })
})

describe('the form of a list', () => {
  const long = { description: 'Finds items. '.repeat(40) }
  const many = (count: number, listMode: ListMode, isSearched = true) =>
    createSurface({
      kind: 'bundle',
      id: 'bundle:all',
      members: Array.from({ length: count }, (_, at) => ({
        backend: aBackend('shop'),
        tool: aTool(`find_${at}`, { id: ++ids, client: 'shop' }, long),
      })),
      gates: () => ({ sensitive: false, approval: false }),
      available: () => true,
      searchJson: isSearched ? SEARCH : undefined,
      listMode,
    })
  const listedAs = (surface: Surface, program: string | null) => {
    const page = surface.page(all, undefined, 1_000, surface.formFor(all, program))
    if (page instanceof Promise) throw new Error('The page is written in turns')
    return JSON.parse(textOf(page.toolsJson)) as { name: string; description: string; inputSchema: object }[]
  }

  it('is the router for clients without a search of their own, and the full list for those with one', () => {
    const surface = many(3, 'router')
    expect(listedAs(surface, 'some-client').map(({ name }) => name)).toEqual(['search_tools', 'call_tool'])
    expect(listedAs(surface, 'claude-code').map(({ name }) => name)).toHaveLength(4)
    expect([surface.routes, many(3, 'full').routes, many(3, 'router', false).routes]).toEqual([true, false, false])
    expect(many(3, 'router', false).formFor(all, null)).toBe('compact')
  })

  it.each(SEARCHING_CLIENTS)('is full for $product ($name), whose search is described at $source', (client) => {
    expect(many(3, 'router').formFor(all, client.name)).toBe('full')
    expect(many(3, 'router').formFor(all, `${client.name} proxy`)).toBe('router')
    expect(client.source).toMatch(/^https:\/\//)
    expect(Number.isNaN(Date.parse(client.read))).toBe(false)
  })

  it('has a row for each client that searches itself', () => {
    const names = SEARCHING_CLIENTS.map(({ name }) => name)
    expect([new Set(names).size, names.toSorted((a, b) => a.localeCompare(b))]).toEqual([names.length, names])
  })

  it('in short has the first sentence, and schemas without their words', () => {
    const [first] = listedAs(many(1, 'compact'), null)
    expect(first).toMatchObject({ name: 'shop__find_0', description: 'Finds items.' })
    const schema = {
      type: 'object',
      properties: { description: { type: 'string', description: 'words', enum: ['title'], default: 'x' } },
    }
    const listed = { name: 'a', title: 'A', description: 'no full stop', inputSchema: schema, annotations: {} as never }
    expect(JSON.parse(compactJson(listed))).toEqual({
      name: 'a',
      description: 'no full stop',
      inputSchema: { type: 'object', properties: { description: { type: 'string', enum: ['title'] } } },
      annotations: {},
    })
  })

  it('is chosen by what it costs: a short list in full, a long one in short or by search', () => {
    expect(many(4, 'auto').formFor(all, null)).toBe('full')
    const surface = many(400, 'auto')
    const cost = surface.cost(all)
    expect(cost.router).toBeLessThan(cost.compact)
    expect(cost.compact).toBeLessThan(cost.full)
    expect(surface.formFor(all, null)).toBe('router')
    expect(cost.breakEven).toBe(Math.floor((cost.full - cost.router) / cost.perSearch))
    expect(many(1, 'auto').cost(all)).toMatchObject({ breakEven: 0, best: 'full' })
  })
})

// What is kept: for how long, how many, how large, and until when of a tool that changes.
import { describe, expect, it } from 'vitest'
import type { CallToolResult, Succeeded } from '../../outcome/outcome.ts'
import { shapeBody } from '../../outcome/shape.ts'
import { aBackend, aCall, aTool } from '../pipeline.fixture.ts'
import { versionOf } from './answer-key.ts'
import { pack, unpack } from './packed.ts'
import { costOf, createResponseCache } from './response-cache.ts'

const text = (of: string): CallToolResult => ({ content: [{ type: 'text', text: of }] })
const ok = (of: string): Succeeded => ({ kind: 'ok', result: text(of) })

function aCache({ maxEntries = 100, maxBytes = 1_000_000 } = {}) {
  let now = 0
  const evicted: string[] = []
  const kept = createResponseCache({
    maxEntries,
    maxBytes,
    monotonic: () => now,
    onEvicted: (client) => evicted.push(client),
  })
  const tool = aTool('get')
  const call = aCall({ tool, backend: aBackend('shop', { tools: new Map([['get', tool]]) }) })
  const put = (key: string, of = key, ttlMs = 1_000, mostBytes = 1_000_000) =>
    kept.store(kept.shelf(call), key, { requestId: 'r', outcome: ok(of), ttlMs, mostBytes })
  const got = (key: string, touch = true) => kept.find(key, touch)?.result().content[0]?.text
  return { kept, call, put, got, evicted, pass: (ms: number) => void (now += ms) }
}

describe('the response cache', () => {
  it('gives back what it was given, until its time is over', () => {
    const { put, got, pass, kept } = aCache()
    expect([put('a'), got('a')]).toEqual([true, 'a'])
    pass(999)
    expect(got('a')).toBe('a')
    pass(1)
    expect([got('a'), kept.entries()]).toEqual([undefined, 0])
  })

  it('lets the least recently used one go when there are too many [ct.8.5.lru gw.setting.cache_max_entries]', () => {
    const { put, got, evicted } = aCache({ maxEntries: 2 })
    put('a')
    put('b')
    got('a')
    put('c')
    expect([got('a'), got('b'), got('c'), evicted]).toEqual(['a', undefined, 'c', ['shop']])
  })

  it('and as many as it takes when they are too large together [ct.0.9.cache-bytes] (security case CA-06)', () => {
    const each = 10_000
    const { put, kept, evicted } = aCache({ maxEntries: 1_000, maxBytes: 5 * costOf(each) })
    for (let at = 0; at < 50; at++) put(`${at}`, 'x'.repeat(each))
    expect([kept.entries(), evicted.length]).toEqual([5, 45])
    put('whole', 'x'.repeat(5 * each))
    expect(kept.entries()).toBe(1)
    expect(put('more than all', 'x'.repeat(6 * each))).toBe(false)
  })

  it('looks without using, where it is asked to', () => {
    const { put, got } = aCache({ maxEntries: 2 })
    put('a')
    put('b')
    expect(got('a', false)).toBe('a')
    put('c')
    expect(got('a')).toBeUndefined()
  })

  it('keeps nothing larger than it may be, counted in bytes', () => {
    const { put } = aCache()
    expect([put('a', 'x'.repeat(1_024), 1, 1_024), put('b', 'x'.repeat(1_025), 1, 1_024)]).toEqual([true, false])
    expect(put('c', 'ü'.repeat(513), 1, 1_024)).toBe(false)
  })

  it('throws away what is over while it takes in more, so that nothing private lies there for ever', () => {
    const { put, pass, kept } = aCache()
    for (let at = 0; at < 10; at++) put(`old ${at}`, 'x', 100)
    pass(100)
    for (let at = 0; at < 20; at++) put(`new ${at}`, 'x', 100)
    expect(kept.entries()).toBe(20)
  })

  it('forgets a tool on request, and accepts nothing that was asked before [ct.7.3.cache-purge]', () => {
    const { kept, call, put, got } = aCache()
    put('a')
    const before = kept.shelf(call)
    expect([kept.purge('shop', 'get'), kept.purge('shop', 'get'), kept.purge('bank', 'get')]).toEqual([1, 0, 0])
    const late = { requestId: 'r', outcome: ok('late'), ttlMs: 1_000, mostBytes: 1_000 }
    expect([kept.store(before, 'b', late), got('a'), got('b')]).toEqual([false, undefined, undefined])
  })

  it('drops what a tool answered when it changes, and leaves what its neighbours did [ct.8.1.cache-dropped]', () => {
    const { kept, call, put, got } = aCache()
    const other = aTool('list')
    put('a')
    kept.store(kept.shelf({ ...call, tool: other }), 'b', {
      requestId: 'r',
      outcome: ok('b'),
      ttlMs: 9,
      mostBytes: 99,
    })
    const tools = new Map([
      ['get', aTool('get', { revision: 2 })],
      ['list', other],
    ])
    const now = (name: string) => {
      const tool = tools.get(name)
      return tool && versionOf(call.backend, tool)
    }
    kept.changed('bank', () => undefined)
    expect(kept.entries()).toBe(2)
    kept.changed('shop', now)
    expect([got('a'), got('b'), kept.entries((client) => client === 'shop')]).toEqual([undefined, 'b', 1])
    kept.changed('shop', () => undefined)
    expect(kept.entries()).toBe(0)
  })
})

describe('a packed answer', () => {
  const shaping = { requestId: 'r', secrets: [], redact: undefined, structured: true, maxDepth: 10 }
  const shaped = (body: string) => shapeBody(200, 'application/json', Buffer.from(body), shaping) as CallToolResult // it can be shaped

  it.each<[string, CallToolResult, string]>([
    ['a text', text('a ünï'), 'text'],
    ['an unchanged object', shaped('{ "a": [1], "__proto__": 1 }'), 'object'],
    ['an object beside another text', { ...text('x'), structuredContent: { a: 1 } }, 'json'],
    ['media', { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, 'json'],
    ['several blocks', { content: [...text('a').content, ...text('b').content] }, 'json'],
    ['what stands beside the blocks', { ...text('a'), _meta: { a: 1 } }, 'json'],
    ['nothing', { content: [] }, 'json'],
    ['half a character', text('\ud83d'), 'json'],
  ])('is %s again', (_what, result, form) => {
    const packed = pack(result, 10_000)
    expect(packed?.form).toBe(form)
    expect(packed && unpack(packed)).toEqual(result)
  })

  it('holds no more than its bytes', () => {
    const packed = pack(text('short'), 10_000)
    expect([packed?.bytes.length, packed?.bytes.buffer.byteLength]).toEqual([5, 5])
  })
})

// Lists of tools from unregistered upstreams: whole, raw, bounded.
import { describe, expect, it } from 'vitest'
import type { ListTarget } from './index.ts'
import { PEER_TOOLS } from './mcp-peer.fixture.ts'
import { aPeer, aRig, type Rig } from './upstream.fixture.ts'

async function list(
  { upstreams, outbound }: Rig,
  url: string,
  more: Partial<ListTarget> = {},
): Promise<readonly unknown[]> {
  const { tools } = await upstreams.listTools({
    url,
    transport: 'streamable-http',
    pin: await outbound.pin(url),
    headers: {},
    deadlineMs: 10_000,
    ...more,
  })
  return tools
}

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `t${n}`, inputSchema: { type: 'object' } }))

describe('is refused (security case MC-06)', () => {
  it('a list whose pages repeat', async () => {
    const peer = await aPeer({
      intercept: ({ method, id, answer }) => {
        if (method !== 'tools/list') return false
        void answer({ jsonrpc: '2.0', id, result: { tools: [{ name: 'a' }], nextCursor: 'again' } })
        return true
      },
    })
    await expect(list(aRig(), peer.url)).rejects.toMatchObject({ code: 'DISCOVERY_ERROR' })
    expect(peer.count('tools/list')).toBe(2)
  })

  it('a list whose pages never end', async () => {
    let page = 0
    const peer = await aPeer({
      intercept: ({ method, id, answer }) => {
        if (method !== 'tools/list') return false
        page += 1
        void answer({ jsonrpc: '2.0', id, result: { tools: [{ name: 'x'.repeat(1_000) }], nextCursor: String(page) } })
        return true
      },
    })
    await expect(list(aRig(), peer.url)).rejects.toThrow()
    expect(page).toBeLessThan(300)
  })

  it('an answer that is no list, an error, a refusal', async () => {
    const answering = (result: unknown) =>
      aPeer({
        intercept: ({ method, id, answer }) => {
          if (method !== 'tools/list') return false
          void answer({ jsonrpc: '2.0', id, result })
          return true
        },
      })
    await expect(list(aRig(), (await answering({ tools: {} })).url)).rejects.toMatchObject({ code: 'DISCOVERY_ERROR' })
    const closed = await aPeer({ bearer: 'key' })
    await expect(list(aRig(), closed.url)).rejects.toMatchObject({ status: 401 })
  })

  it('an upstream that takes too long', async () => {
    const peer = await aPeer({ intercept: ({ method }) => method === 'tools/list' })
    await expect(list(aRig(), peer.url, { deadlineMs: 200 })).rejects.toMatchObject({ kind: 'timeout' })
  })
})

describe.each(['modern', 'legacy'] as const)('an upstream of the %s era lists', (era) => {
  it('its tools as they are, and is left without a session', async () => {
    const peer = await aPeer({ era, bearer: 'key' })
    expect(await list(aRig(), peer.url, { headers: { authorization: 'Bearer key' } })).toEqual(PEER_TOOLS)
    expect(peer.sessions.size).toBe(0)
  })

  it('every page', async () => {
    const peer = await aPeer({ era, tools: many(95), pageSize: 10 })
    expect(await list(aRig(), peer.url)).toEqual(many(95))
    expect(peer.count('tools/list')).toBe(10)
  })
})

describe('headers that are to be mirrored', () => {
  const broken: readonly (readonly [string, Record<string, unknown>])[] = [
    ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
    ['a name with a space', { a: { type: 'string', 'x-mcp-header': 'A B' } }],
    ['no text', { a: { type: 'string', 'x-mcp-header': 7 } }],
    ['the same twice', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
    ['an element of a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['one of several shapes', { a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
  ]
  it.each(broken)('for %s take a modern tool out of the list, and a legacy one not', async (_, properties) => {
    const fine = { name: 'fine', inputSchema: { type: 'object', properties: { 'x-mcp-header': { type: 'string' } } } }
    const tools = [{ name: 'bad', inputSchema: { type: 'object', properties } }, fine]
    const rig = aRig()
    expect(await list(rig, (await aPeer({ era: 'modern', tools })).url)).toEqual([fine])
    expect(rig.logged.join()).toContain('bad')
    expect(await list(rig, (await aPeer({ era: 'legacy', tools })).url)).toEqual(tools)
  })
})

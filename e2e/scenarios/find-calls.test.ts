// Past calls are found on the server: by every column, by text, at any age; each refusal with its verdict, those at the door too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mint } from './access.fixture.ts'
import { body, type Mall, startMall } from './curation.fixture.ts'
import { call, configure, openSession, rpc } from './data-plane.fixture.ts'

type Row = Readonly<Record<string, unknown>> & { readonly verdict: Readonly<Record<string, unknown>> | null }
let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ RETRY_MAX_ATTEMPTS: '1', RATE_LIMIT_MCP: '5000', AUDIT_TOOL_CALLS: 'none' })
})
afterAll(() => mall.end())

async function found(query: string): Promise<readonly Row[]> {
  const { items } = body(await mall.gateway.admin(`/admin-api/calls?${query}`))
  return items as readonly Row[] // the contract's CallRow
}

const names = (rows: readonly Row[]): unknown[] => rows.map(({ tool }) => tool)

describe('a past call', () => {
  it('is found behind many others by outcome, code, gate and text', async () => {
    const { gateway } = mall
    await configure(gateway, 'getPetById', { guards: { rateLimitPerMin: 1 } })
    await call(gateway, 'getPetById', { id: 5 })
    await call(gateway, 'getPetById', { id: 5 })
    for (let at = 0; at < 60; at++) await call(gateway, 'ok')
    for (const query of ['outcome=refused', 'code=rate_limit', 'gate=rate_limit', 'outcome=refused&text=PER%20minute'])
      expect(names(await found(`${query}&limit=5`))).toEqual(['getPetById'])
    expect(await found('outcome=refused&tool=ok')).toEqual([])
    expect(await found('text=100%25')).toEqual([])
  })

  it('carries the verdict of its time: setting, value, sentence and fix', async () => {
    const { gateway } = mall
    await configure(gateway, 'getPetById', { guards: { rateLimitPerMin: 50 } })
    const [row] = await found('code=rate_limit')
    expect(row?.verdict).toMatchObject({ setting: 'guards.rateLimitPerMin', value: 1, address: null, unrecorded: null })
    expect(row?.verdict?.['text']).toContain('limited to 1 calls per minute')
    expect(row?.verdict?.['fix']).toContain('(it was 1)')
    expect((await found('outcome=success&limit=1'))[0]?.verdict).toBeNull()
  })

  it('names its key and its client program, and is found by them', async () => {
    const { gateway } = mall
    const { key, id } = await mint(gateway, { label: 'Level design' })
    const authorization = `Bearer ${key}`
    const session = await openSession(gateway, '2025-11-25', '/mcp/petstore', { authorization })
    await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} }, { headers: { ...session, authorization } })
    for (const query of ['program=agent', `keyId=${id}`, `caller=mcp-key:${id}`, 'text=AGENT'])
      expect((await found(query))[0]).toMatchObject({
        tool: 'ok',
        program: 'agent',
        keyLabel: 'Level design',
        principal: `mcp-key:${id}`,
      })
    expect(await found('program=another')).toEqual([])
    expect(await found('kind=relayed')).toEqual([])
  })
})

describe('a request that is refused at the door', () => {
  it('is found with its gate, path and address, and is no call', async () => {
    const { gateway } = mall
    const calls = async () => body(await gateway.admin('/admin-api/usage/summary'))['calls']
    const before = await calls()
    const path = '/mcp/bank?key=sk-hidden'
    const { status } = await rpc(gateway, 'ping', {}, { path, headers: { authorization: 'Bearer wrong' } })
    expect(status).toBe(401)
    const origin = 'https://elsewhere.example'
    expect((await rpc(gateway, 'ping', {}, { path: '/mcp/bank', headers: { origin } })).status).toBe(403)
    // No answer waits for such a row.
    await expect.poll(async () => (await found('kind=door')).length).toBe(2)
    const [byOrigin, byKey] = await found('kind=door')
    expect(byKey).toMatchObject({
      calledAs: '/mcp/bank',
      client: 'bank',
      gate: 'credential',
      denyCode: 'UNAUTHORIZED',
      principal: 'unknown',
      verdict: { address: '127.0.0.1', fix: expect.stringContaining('valid key') },
    })
    expect(byOrigin).toMatchObject({ gate: 'origin', denyCode: 'ORIGIN_NOT_ALLOWED' })
    expect(await calls()).toBe(before)
    expect((await found('outcome=refused')).some(({ surface }) => surface === 'door')).toBe(false)
    expect((await found('outcome=refused&kind=all')).some(({ surface }) => surface === 'door')).toBe(true)
  })

  it('of a key with another surface is named with the key', async () => {
    const { gateway } = mall
    const scopes = { clients: ['bank'] }
    const { key, id } = await mint(gateway, { label: 'Bank only', scopes })
    const authorization = `Bearer ${key}`
    await rpc(gateway, 'ping', {}, { path: '/mcp-custom/none', headers: { authorization } })
    expect((await found('kind=door&gate=address'))[0]).toMatchObject({ keyId: id, keyLabel: 'Bank only' })
  })
})

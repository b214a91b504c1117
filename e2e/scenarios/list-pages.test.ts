// Pages of `tools/list` on a gateway whose tools change between two pages, and whose cursors belong to one surface and one principal.

import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, mint } from './access.fixture.ts'
import { ROOMY, rpc } from './data-plane.fixture.ts'
import { type Env, type Gateway, REMOVED, startGateway } from './gateway.fixture.ts'

const PAGE = 50
const ENV = { ...ROOMY, MCP_LIST_PAGE_SIZE: String(PAGE), ENABLE_SEARCH_TOOL: 'false', MAX_TOOLS_PER_CLIENT: '200' }
const toolNames = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `tool${String(at).padStart(3, '0')}`)

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(ENV)
})
afterAll(async () => {
  await gateway.end()
  rmSync(gateway.folder, REMOVED)
})

async function offer(tools: readonly string[], name = 'shop'): Promise<void> {
  const body = {
    name,
    base_url: 'http://127.0.0.1:47991',
    tools: tools.map((tool) => ({ name: tool, method: 'GET', endpoint: `/${tool}`, description: tool })),
  }
  const { status, text } = await gateway.admin('/register', { method: 'POST', body })
  expect([status, text]).toEqual([200, expect.any(String)])
}

type Page = { readonly names: readonly string[]; readonly nextCursor: string | undefined }
async function page(cursor?: string, path = '/mcp/shop', headers: Env = {}): Promise<Page | { code: number }> {
  const { json } = await rpc(gateway, 'tools/list', { cursor }, { path, headers })
  const { result, error } = json as {
    result?: { tools: { name: string }[]; nextCursor?: string }
    error?: { code: number }
  } // one of the two, by the protocol
  if (result === undefined) return { code: error?.code ?? 0 }
  return { names: result.tools.map(({ name }) => name), nextCursor: result.nextCursor }
}

async function mustPage(...given: Parameters<typeof page>): Promise<Page> {
  const read = await page(...given)
  if ('code' in read) throw new Error(`No page: ${read.code}`)
  return read
}

describe('a cursor of tools/list', () => {
  it('skips no tool when earlier ones go, and repeats none when others come [ct.0.17.once]', async () => {
    const all = toolNames(120)
    await offer(all)
    const first = await mustPage()
    expect(first.names).toEqual(all.slice(0, PAGE))
    // Of the first page half goes, the one that the cursor names too; before it others come.
    const staying = [...all.slice(0, 20), ...all.slice(PAGE)]
    await offer([...staying, ...['a', 'b', 'c'].map((name) => `early_${name}`)])
    const second = await mustPage(first.nextCursor)
    const third = await mustPage(second.nextCursor)
    expect([...second.names, ...third.names]).toEqual(all.slice(PAGE))
    expect(third.nextCursor).toBeUndefined()
  })

  it('outlives a restart of the gateway [ct.0.17.once]', async () => {
    await offer(toolNames(60))
    const { nextCursor } = await mustPage()
    const { folder } = gateway
    await gateway.stop()
    gateway = await startGateway(ENV, folder)
    expect((await mustPage(nextCursor)).names).toEqual(toolNames(60).slice(PAGE))
  })

  it('is refused on another surface, to another principal, and when changed [ct.0.17.bound]', async () => {
    await offer(toolNames(60))
    await offer(toolNames(60), 'bank')
    const [mine, other] = [await mint(gateway, { label: 'mine' }), await mint(gateway, { label: 'other' })]
    const { nextCursor = '' } = await mustPage(undefined, '/mcp/shop', bearer(mine.key))
    expect(await page(nextCursor, '/mcp/shop', bearer(mine.key))).toMatchObject({ names: toolNames(60).slice(PAGE) })
    const refused = { code: -32_602 }
    expect(await page(nextCursor, '/mcp/bank', bearer(mine.key))).toEqual(refused)
    expect(await page(nextCursor, '/mcp/shop', bearer(other.key))).toEqual(refused)
    const changed = nextCursor.slice(0, -1) + (nextCursor.endsWith('A') ? 'B' : 'A')
    expect(await page(changed, '/mcp/shop', bearer(mine.key))).toEqual(refused)
    // The form that cursors had when they were offsets.
    expect(await page(Buffer.from('p50').toString('base64url'), '/mcp/shop', bearer(mine.key))).toEqual(refused)
  })
})

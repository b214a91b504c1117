// How many tools a bundle holds: the setting applies to the admin API and to configuration documents.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Gateway } from './gateway.fixture.ts'
import { codeOf, registered, rpc, startNear, TOOL } from './registration.fixture.ts'

const LIMIT = 600
const refs = (count: number) => Array.from({ length: count }, (_, at) => ({ client: 'many', tool: `tool${at}` }))

let gateway: Gateway
beforeAll(async () => {
  gateway = await startNear({ MAX_TOOLS_PER_CLIENT: String(LIMIT + 1), MAX_TOOLS_PER_BUNDLE: String(LIMIT) })
  const tools = refs(LIMIT + 1).map(({ tool }) => ({ ...TOOL, name: tool }))
  await registered(gateway, { name: 'many', base_url: 'http://127.0.0.1:4999', tools })
})
afterAll(() => gateway.end())

it('is MAX_TOOLS_PER_BUNDLE, all of them listed, and one more is refused with the remedy [ct.0.19.limit]', async () => {
  const post = (tools: unknown) => gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: 'all', tools } })
  const refused = await post(refs(LIMIT + 1))
  expect([codeOf(refused), refused.text]).toEqual(['VALIDATION_ERROR', expect.stringContaining('MAX_TOOLS_PER_BUNDLE')])
  expect((await post(refs(LIMIT))).json).toMatchObject({ toolsCount: LIMIT })
  const answer = await rpc(gateway, '../mcp-custom/all', 'tools/list')
  const { result } = answer.json as { result: { tools: unknown[] } } // the answer of tools/list
  expect(result.tools).toHaveLength(LIMIT + 1) // and search_tools
  const change = { method: 'PATCH', body: { tools: refs(LIMIT + 1) } } as const
  expect(codeOf(await gateway.admin('/admin-api/bundles/all', change))).toBe('VALIDATION_ERROR')
  const config = { version: 1, bundles: [{ name: 'imported', tools: refs(LIMIT + 1) }] }
  const imported = await gateway.admin('/admin-api/config/import', { method: 'POST', body: { data: config } })
  expect([codeOf(imported), imported.text]).toEqual(['IMPORT_ERROR', expect.stringContaining('MAX_TOOLS_PER_BUNDLE')])
})

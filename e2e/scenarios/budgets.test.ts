// Budgets and forms of lists over real sockets: what is left is stated with each answer, loops stop, and a bundle lists what costs least.
import { expect, it } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { bearer, mint } from './access.fixture.ts'
import { aMall, body, custom, listed, make, member } from './curation.fixture.ts'
import { aShop, configure, type Result, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, type Env, type Gateway } from './gateway.fixture.ts'

async function called(gateway: Gateway, headers: Env, name = 'ok', args: object = {}, path = '/mcp/petstore') {
  const { json } = await rpc(gateway, 'tools/call', { name, arguments: args }, { path, headers })
  return (json as { result: Result }).result // of a call
}
const budgetsIn = ({ _meta }: Result): unknown => _meta['gantry/call']?.budgets

it('a budget of each key refuses at its limit, says what is left, and shows what was used', async () => {
  const { gateway } = await aShop()
  const make = (given: object) => gateway.admin('/admin-api/budgets', { method: 'POST', body: given })
  expect((await make({ name: 'none', per: 'key' })).status).toBe(400)
  await configure(gateway, 'ok', { price: { perCall: 0.25 } })
  const made = body(await make({ name: 'agents', per: 'key', maxCalls: 2, maxCost: 10 }))
  const [art, code] = [await mint(gateway, { label: 'art' }), await mint(gateway, { label: 'code' })]
  const first = await called(gateway, bearer(art.key))
  expect(budgetsIn(first)).toMatchObject([{ budget: 'agents', per: 'key', left: { calls: 1, cost: 9.75 } }])
  await called(gateway, bearer(art.key))
  const refused = await called(gateway, bearer(art.key))
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { code: 'quota', reason: 'budget', details: { budgets: [{ left: { calls: 0, cost: 9.5 } }] } },
  })
  expect(refused.content[0]?.text).toContain('The budget "agents" for this key is used up: 2 calls')
  expect((await called(gateway, bearer(code.key))).isError).toBeUndefined()
  const usage = body(await gateway.admin(`/admin-api/budgets/${made.id}/usage`))
  expect(usage.items).toMatchObject([{ used: { calls: 2, cost: 0.5 } }, { used: { calls: 1, cost: 0.25 } }])

  await gateway.admin(`/admin-api/budgets/${made.id}`, { method: 'PATCH', body: { maxCalls: 3, stopLoops: true } })
  expect((await called(gateway, bearer(art.key))).isError).toBeUndefined()
  const exported = body(await gateway.admin('/admin-api/config/export?sections=budgets'))
  expect(exported.budgets).toMatchObject([{ name: 'agents', per: 'key', only: null, maxCalls: 3, stopLoops: true }])
  const imported = await gateway.admin('/admin-api/config/import', {
    method: 'POST',
    body: { format: 'json', raw: '{"version":1,"budgets":[]}', mode: 'replace', confirm: true },
  })
  expect(imported.status, imported.text).toBe(200)
  expect(budgetsIn(await called(gateway, bearer(art.key)))).toBeUndefined()
})

it('an agent that repeats itself is stopped at the fourth call, with advice', async () => {
  const { gateway } = await aShop()
  await gateway.admin('/admin-api/budgets', { method: 'POST', body: { name: 'l', per: 'session', stopLoops: true } })
  for (const _at of [1, 2, 3]) expect((await called(gateway, {})).isError).toBeUndefined()
  expect(await called(gateway, {})).toMatchObject({ structuredContent: { code: 'quota', reason: 'loop' } })
})

it('a bundle lists a search and a call, finds what was called after a search, and lists the tools to a client that searches itself', async () => {
  const { gateway } = await aMall({ SEARCH_LEARNING: 'true' })
  await make(gateway, 'bundles', {
    name: 'desk',
    tools: [member('petstore', 'ok'), member('petstore', 'getPetById')],
    listMode: 'router',
  })
  const path = custom('desk')
  expect(await listed(gateway, path)).toEqual(['search_tools', 'call_tool'])
  const found = await called(gateway, {}, 'search_tools', { query: 'pet' }, path)
  expect(found.structuredContent).toMatchObject({
    matches: expect.arrayContaining([expect.objectContaining({ signature: expect.stringContaining('(id: integer)') })]),
  })
  const direct = await called(gateway, {}, 'petstore__ok', {}, path)
  const throughCall = await called(gateway, {}, 'call_tool', { name: 'petstore__ok', arguments: {} }, path)
  expect(throughCall.content).toEqual(direct.content)
  const after = async (query: string): Promise<unknown> =>
    (await called(gateway, {}, 'search_tools', { query }, path)).structuredContent
  expect(await after('xylophone')).toMatchObject({ count: 0 })
  await called(gateway, {}, 'call_tool', { name: 'petstore__ok' }, path)
  expect(await after('xylophones')).toMatchObject({ count: 1, matches: [{ name: 'petstore__ok' }] })
  expect(await after('glockenspiel')).toMatchObject({ count: 0 })
  const unknown = await called(gateway, {}, 'call_tool', { name: 'nothing' }, path)
  expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'unknown_tool' } })

  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-code', version: '2' } }
  const { headers } = await rpc(gateway, 'initialize', params, { path })
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  expect(await listed(gateway, path, session)).toEqual(['petstore__getPetById', 'petstore__ok', 'search_tools'])

  const preview = body(await gateway.admin('/admin-api/bundles/desk/preview'))
  expect(preview.cost).toMatchObject({ best: 'full', full: expect.any(Number), breakEven: expect.any(Number) })
  await gateway.admin('/admin-api/bundles/desk', { method: 'PATCH', body: { listMode: 'auto' } })
  expect(await listed(gateway, path)).toContain('petstore__ok')
})

it('the use of the context names what costs most and what would save, and a run has its report', async () => {
  const { gateway } = await aMall()
  await make(gateway, 'bundles', { name: 'desk', tools: [member('petstore', 'ok')] })
  await gateway.admin('/admin-api/clients/petstore/tools/ok', { method: 'PATCH', body: { price: { perCall: 2 } } })
  const path = custom('desk')
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent x', version: '2' } }
  const { headers } = await rpc(gateway, 'initialize', params, { path })
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  for (const _at of [1, 2]) await called(gateway, session, 'petstore__ok', {}, path)
  await called(gateway, session, 'petstore__nothing', {}, path)

  type Use = Record<'lists' | 'tools' | 'programs', Record<string, unknown>[]>
  const use = await expect
    .poll(async () => body(await gateway.admin('/admin-api/context')) as unknown as Use, { timeout: 20_000 })
    .toMatchObject({ tools: [{ calls: 2 }] })
    .then(async () => body(await gateway.admin('/admin-api/context')) as unknown as Use)
  expect(use.tools).toMatchObject([{ client: 'petstore', tool: 'ok', cost: 4, contextBudget: null, saves: 0 }])
  expect(use.programs).toMatchObject([{ program: 'agent x', calls: 2, sessions: 1, searchesItself: false }])
  expect(use.lists).toMatchObject([{ bundle: 'desk', listMode: 'full', sessions: 1, cost: { best: 'full' }, saves: 0 }])

  const [run] = body(await gateway.admin('/admin-api/runs')).items as { session: string }[]
  const { report } = body(await gateway.admin(`/admin-api/run?session=${run?.session}`))
  expect(report).toMatchObject({
    program: 'agent x',
    bundle: 'desk',
    calls: 2,
    cost: 4,
    tools: [{ client: 'petstore', tool: 'ok', calls: 2 }],
    refusals: [{ code: 'unknown_tool', count: 1 }],
    kept: { results: 0 },
    listed: use.lists[0]?.listed,
  })
  expect(body(await gateway.admin(`/admin-api/run?session=${'0'.repeat(64)}`))).toEqual({ report: null })
  const { code, out, error } = await gantry({ GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }, [
    'context',
    'show',
  ])
  expect([code, error]).toEqual([0, ''])
  expect(out).toMatch(/agent x +1 +2/)
})

// Bundles over real sockets: made whole or not at all, live at once, governed like the shards their tools stay on.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  aMall,
  body,
  callIn,
  change,
  code,
  custom,
  listed,
  type Mall,
  make,
  member,
  restock,
  startMall,
} from './curation.fixture.ts'
import { configure, disable, failureOf, openSession, refusalOf, rpc } from './data-plane.fixture.ts'
import { aUser, type Gateway } from './gateway.fixture.ts'

const PAIR = [member('petstore', 'getPetById'), member('bank', 'getPetById')]

let mall: Mall & { end(): Promise<void> }
let newest = 0
beforeAll(async () => {
  mall = await startMall()
})
afterAll(() => mall.end())

beforeEach(async () => {
  await restock(mall)
  const [last] = body(await mall.gateway.admin('/admin-api/audit-log?limit=1')).items as { id: number }[]
  newest = last?.id ?? 0
})

/** What was written since the test began. */
const audited = async (gateway: Gateway, action: string): Promise<readonly Record<string, unknown>[]> => {
  const { items } = body(await gateway.admin(`/admin-api/audit-log?action=${action}`))
  return (items as { id: number }[]).filter(({ id }) => id > newest)
}

describe('a bundle', () => {
  it('is made whole or not at all, the missing members named [ct.7.4.bundle-create gw.route.bundles-all-or-none gw.error.2-bundle gw.bundle.tools ct.18.unknown_composite]', async () => {
    const { gateway } = mall
    const tools = [...PAIR, member('petstore', 'nope'), member('missing', 'getPetById')]
    const refused = await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: 'pets', tools } })
    expect([refused.status, code(refused)]).toEqual([400, 'UNKNOWN_TOOL'])
    expect(body(refused).error).toMatchObject({ details: { missing: tools.slice(2) } })
    const composites = ['nowhere']
    const other = await gateway.admin('/admin-api/bundles', {
      method: 'POST',
      body: { name: 'pets', tools: PAIR, composites },
    })
    expect(body(other).error).toMatchObject({ code: 'UNKNOWN_COMPOSITE', details: { missing: composites } })
    expect(body(await gateway.admin('/admin-api/bundles')).items).toEqual([])
    expect(await audited(gateway, 'bundle.create')).toEqual([])
    expect((await rpc(gateway, 'tools/list', {}, { path: custom('pets') })).status).toBe(404)
  })

  it('takes a name, a description, members and composites, each within its bounds [gw.route.bundles-create gw.bundle.name gw.bundle.description gw.bundle.composites ct.10.3.input ct.10.3.summary ct.10.3.detail ct.7.4.bundle-get ct.18.invalid_name ct.18.already_exists]', async () => {
    const { gateway } = mall
    for (const name of ['Upper', '-dash', '', 'a'.repeat(64), 'with space'])
      expect(code(await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name, tools: [] } }))).toBe(
        'INVALID_NAME',
      )
    const far = Array.from({ length: 10_001 }, (_, at) => member('petstore', `tool${at}`))
    for (const more of [
      { tools: far },
      { description: 'x'.repeat(1025) },
      { composites: Array(101).keys().map(String).toArray() },
      { tools: [{ client: 'petstore' }] },
    ])
      expect(
        code(await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: 'pets', tools: [], ...more } })),
      ).toBe('VALIDATION_ERROR')
    const made = await make(gateway, 'bundles', {
      name: 'pets',
      description: 'Pets',
      tools: [...PAIR, ...PAIR],
      composites: [],
    })
    expect(made).toEqual({
      name: 'pets',
      description: 'Pets',
      enabled: true,
      listMode: 'full',
      toolsCount: 2,
      compositesCount: 0,
      missingCount: 0,
      teamId: null,
      mcpPath: '/mcp-custom/pets',
      tools: PAIR,
      composites: [],
      revision: 1,
      createdAt: made.createdAt,
      updatedAt: made.createdAt,
      createdBy: expect.stringMatching(/^bearer:/),
    })
    const read = await gateway.admin('/admin-api/bundles/pets')
    expect([read.json, read.headers.get('etag')]).toEqual([made, '"1"'])
    const again = await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: 'pets', tools: [] } })
    expect([again.status, code(again)]).toEqual([409, 'ALREADY_EXISTS'])
    // A member is known by the source's own spelling too, and stored by its name.
    const odd = await make(gateway, 'bundles', {
      name: 'odd',
      tools: [member('bank', 'get_pet_by_id'), member('bank', 'getPetById')],
    })
    expect(odd.tools).toEqual([member('bank', 'getPetById')])
    // A backend and a bundle may have one name.
    await make(gateway, 'bundles', { name: 'bank', tools: [] })
  })

  it('is made by an administrator only [gw.route.bundles-admin gw.route.curation-group]', async () => {
    const { gateway } = mall
    const given = { method: 'POST', body: { name: 'pets', tools: PAIR } }
    const operator = await aUser(gateway, 'olive', 'operator')
    expect((await gateway.ask('/admin-api/bundles', { ...given, headers: { ...operator } })).status).toBe(403)
    const admin = await aUser(gateway, 'ada', 'admin')
    const { cookie } = admin
    expect(code(await gateway.ask('/admin-api/bundles', { ...given, headers: { cookie } }))).toBe(
      'CSRF_VALIDATION_FAILED',
    )
    expect((await gateway.ask('/admin-api/bundles', given)).status).toBe(401)
    expect((await gateway.ask('/admin-api/bundles', { ...given, headers: { ...admin } })).status).toBe(201)
    expect((await gateway.ask('/admin-api/bundles/pets', { headers: { ...operator } })).status).toBe(200)
  })

  it('is created once for one Idempotency-Key', async () => {
    const { gateway } = mall
    const given = { method: 'POST', body: { name: 'pets', tools: PAIR }, headers: { 'idempotency-key': 'one' } }
    const first = await gateway.admin('/admin-api/bundles', given)
    const second = await gateway.admin('/admin-api/bundles', given)
    expect([second.status, second.headers.get('idempotent-replayed'), second.json]).toEqual([201, 'true', first.json])
    expect(await audited(gateway, 'bundle.create')).toHaveLength(1)
  })

  it('is listed by name, page by page [ct.7.4.bundles]', async () => {
    const { gateway } = mall
    for (const name of ['zoo', 'pets', 'money'])
      await make(gateway, 'bundles', { name, tools: [], enabled: name !== 'zoo' })
    const first = body(await gateway.admin('/admin-api/bundles?limit=2'))
    const names = ({ items }: Record<string, unknown>) => (items as { name: string }[]).map(({ name }) => name)
    expect(names(first)).toEqual(['money', 'pets'])
    expect(names(body(await gateway.admin(`/admin-api/bundles?limit=2&cursor=${String(first.nextCursor)}`)))).toEqual([
      'zoo',
    ])
    expect(names(body(await gateway.admin('/admin-api/bundles?enabled=false')))).toEqual(['zoo'])
    expect(names(body(await gateway.admin('/admin-api/bundles?q=ON')))).toEqual(['money'])
  })

  it('is changed only from its last revision, and reports what changed [ct.7.4.bundle-patch]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', description: 'Pets', tools: PAIR })
    const path = '/admin-api/bundles/pets'
    expect(body(await change(gateway, path, { description: null }))).toMatchObject({
      description: null,
      revision: 2,
      toolsCount: 2,
    })
    const stale = await change(gateway, path, { enabled: false }, { 'if-match': '"1"' })
    expect([stale.status, body(stale).error]).toEqual([
      412,
      expect.objectContaining({ details: { currentRevision: 2 } }),
    ])
    expect((await change(gateway, path, { enabled: false, revision: 1 })).status).toBe(412)
    const unknown = await change(gateway, path, { tools: [member('petstore', 'nope')], enabled: false })
    expect([unknown.status, code(unknown)]).toEqual([400, 'UNKNOWN_TOOL'])
    expect(body(await gateway.admin(path))).toMatchObject({ revision: 2, enabled: true, tools: PAIR })
    expect((await change(gateway, '/admin-api/bundles/none', {})).status).toBe(404)
    // What changes nothing is no change.
    expect(body(await change(gateway, path, { tools: PAIR }, { 'if-match': '"2"' }))).toMatchObject({ revision: 2 })
    const [entry] = await audited(gateway, 'bundle.update')
    expect(entry).toMatchObject({
      target: 'pets',
      detail: { before: { description: 'Pets' }, after: { description: null } },
    })
  })

  it('keeps a member whose tool went away, as missing, and lists it again when it returns [ct.4.6.missing-member]', async () => {
    const { gateway, shop } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: PAIR })
    const short = {
      name: 'petstore',
      base_url: shop.url,
      tools: [{ name: 'other', method: 'GET', endpoint: '/ok', description: 'Other' }],
    }
    expect((await gateway.admin('/register', { method: 'POST', body: short })).status).toBe(200)
    const path = '/admin-api/bundles/pets'
    expect(body(await gateway.admin(path))).toMatchObject({
      missingCount: 1,
      tools: [{ ...PAIR[0], missing: true }, PAIR[1]],
    })
    expect(await listed(gateway, custom('pets'))).toEqual(['bank__getPetById', 'search_tools'])
    expect(refusalOf(await callIn(gateway, 'pets', 'petstore__getPetById', { id: 5 }))).toMatchObject({
      code: 'unknown_tool',
    })
    // It may stay while something else changes; a new missing one may not come.
    expect((await change(gateway, path, { tools: [...PAIR, member('petstore', 'other')] })).status).toBe(200)
    expect(code(await change(gateway, path, { tools: [...PAIR, member('petstore', 'addPet')] }))).toBe('UNKNOWN_TOOL')
    const preview = body(await gateway.admin(`${path}/preview`))
    expect(preview.missing).toEqual([PAIR[0]])
    // A backend that was deleted leaves its members as missing too.
    await gateway.admin('/admin-api/clients/bank', { method: 'DELETE' })
    expect(body(await gateway.admin(path))).toMatchObject({ missingCount: 2, toolsCount: 3 })
  })

  it('is copied under another name [ct.7.4.bundle-clone]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', description: 'Pets', tools: PAIR })
    const clone = (from: string, given: object) =>
      gateway.admin(`/admin-api/bundles/${from}/clone`, { method: 'POST', body: given })
    const made = await clone('pets', { name: 'more' })
    expect([made.status, made.json]).toEqual([
      201,
      expect.objectContaining({ name: 'more', description: 'Pets', tools: PAIR, revision: 1 }),
    ])
    expect(code(await clone('pets', { name: 'more' }))).toBe('ALREADY_EXISTS')
    expect(code(await clone('pets', { name: 'No' }))).toBe('INVALID_NAME')
    expect(code(await clone('none', { name: 'x' }))).toBe('BUNDLE_NOT_FOUND')
    expect(await listed(gateway, custom('more'))).toEqual(['bank__getPetById', 'petstore__getPetById', 'search_tools'])
  })

  it('shows beforehand what its clients would list, and what it costs them [ct.10.2.listed]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: [...PAIR, member('petstore', 'addPet')], enabled: false })
    await configure(gateway, 'getPetById', { overrides: { displayName: 'pet' } })
    await change(gateway, '/admin-api/clients/bank/tools/getPetById', { overrides: { displayName: 'pet' } })
    const preview = body(await gateway.admin('/admin-api/bundles/pets/preview'))
    await change(gateway, '/admin-api/bundles/pets', { enabled: true })
    const { json } = await rpc(gateway, 'tools/list', {}, { path: custom('pets') })
    const { result } = json as { result: { tools: object[] } } // a list
    const tools = preview.tools as Record<string, unknown>[]
    expect(tools.map(({ client: _c, tool: _t, estTokens: _e, ...entry }) => entry)).toEqual(result.tools)
    expect(tools.map(({ client, tool }) => [client, tool])).toEqual([
      ['bank', 'getPetById'],
      ['petstore', 'addPet'],
      ['petstore', 'getPetById'],
      [null, 'search_tools'],
    ])
    expect(preview.clashes).toEqual([{ name: 'pet', tools: [PAIR[1], PAIR[0]] }])
    expect(preview.estTokens).toBe(tools.reduce((sum, { estTokens }) => sum + Number(estTokens), 0))
    expect(Number(tools[0]?.estTokens)).toBeGreaterThan(10)
    expect(code(await gateway.admin('/admin-api/bundles/pets/preview?keyId=99'))).toBe('MCP_KEY_NOT_FOUND')
    expect(code(await gateway.admin('/admin-api/bundles/pets/preview?keyId=x'))).toBe('VALIDATION_ERROR')
    expect(code(await gateway.admin('/admin-api/bundles/none/preview'))).toBe('BUNDLE_NOT_FOUND')
  })
})

describe('a client of a bundle', () => {
  it('sees exactly its tools as one list the moment it is made, and calls them where they are [gw.service.surface-bundle gw.bundles.live gw.bundles.exact-list gw.bundles.no-copy ct.5.6.bundle-names]', async () => {
    const { gateway, shop, bank } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: [...PAIR, member('petstore', 'deletePet')] })
    expect(await listed(gateway, custom('pets'))).toEqual([
      'bank__getPetById',
      'petstore__deletePet',
      'petstore__getPetById',
      'search_tools',
    ])
    expect((await callIn(gateway, 'pets', 'bank__getPetById', { id: 5 })).isError).toBeUndefined()
    expect([bank.seen, shop.seen]).toEqual([['GET /pets/5'], []])
    expect((await callIn(gateway, 'pets', 'deletePet', { id: 5 })).isError).toBeUndefined()
    expect(shop.seen).toEqual(['DELETE /pets/5'])
    expect(refusalOf(await callIn(gateway, 'pets', 'getPetById', { id: 5 }))).toMatchObject({
      code: 'unknown_tool',
      details: { candidates: ['bank__getPetById', 'petstore__getPetById'] },
    })
    // What is not in it does not exist there, however it is spelt.
    for (const name of ['petstore__addPet', 'addPet', 'nothing'])
      expect(refusalOf(await callIn(gateway, 'pets', name))).toMatchObject({ code: 'unknown_tool', gate: 'resolution' })
    // What is set on the tool holds here as on its shard, at once.
    await configure(gateway, 'deletePet', { sensitive: true, overrides: { displayName: 'release' } })
    expect(await listed(gateway, custom('pets'))).toContain('release')
    expect(refusalOf(await callIn(gateway, 'pets', 'release', { id: 5 }))).toMatchObject({
      code: 'confirm_required',
      tool: 'release',
    })
    await configure(gateway, 'deletePet', { enabled: false })
    expect(await listed(gateway, custom('pets'))).not.toContain('release')
    expect(refusalOf(await callIn(gateway, 'pets', 'release', { id: 5 }))).toMatchObject({ code: 'disabled' })
  })

  it('meets the guards of the shard, and the breaker it shares with it [gw.service.guard-everywhere gw.service.guard-order ct.18.call.refusals]', async () => {
    const { gateway, shop } = await aMall({ CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2', RETRY_MAX_ATTEMPTS: '0' })
    await make(gateway, 'bundles', { name: 'pets', tools: [member('petstore', 'broken'), member('petstore', 'ok')] })
    await configure(gateway, 'ok', {
      guards: { rateLimitPerMin: 1 },
      guardrails: { denyPatterns: ['forbidden'] },
      sensitive: true,
    })
    const refused = async (args: object) => refusalOf(await callIn(gateway, 'pets', 'petstore__ok', args)).code
    // Guardrails come before confirmation, confirmation before the rate, the rate before the breaker.
    expect(await refused({ word: 'forbidden' })).toBe('guardrail_input')
    expect(await refused({})).toBe('confirm_required')
    for (const _ of [1, 2])
      expect(failureOf(await callIn(gateway, 'pets', 'petstore__broken'))).toMatchObject({ status: 500 })
    expect(await refused({ __confirm: true })).toBe('circuit_open')
    expect(await refused({ __confirm: true })).toBe('rate_limit')
    expect(refusalOf(await callIn(gateway, 'pets', 'petstore__broken')).code).toBe('circuit_open')
    expect(shop.seen).toEqual(['GET /broken', 'GET /broken'])
  })

  it('finds nothing where no bundle is, or a disabled one [ct.5.10.surface ct.5.8.unknown_tool ct.18.bundle_not_found]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: PAIR })
    const session = await openSession(gateway, '2025-11-25', custom('pets'))
    await change(gateway, '/admin-api/bundles/pets', { enabled: false })
    for (const name of ['pets', 'none', 'NOT-A-NAME']) {
      const answer = await rpc(gateway, 'tools/list', {}, { path: custom(name) })
      expect([answer.status, code(answer)]).toEqual([404, 'BUNDLE_NOT_FOUND'])
    }
    const unknown = await rpc(gateway, 'tools/list', {}, { path: '/mcp/none' })
    expect([unknown.status, code(unknown)]).toEqual([404, 'CLIENT_NOT_FOUND'])
    // Who is in already stays in, in front of an empty shelf.
    expect(await listed(gateway, custom('pets'), session)).toEqual([])
    const called = await rpc(
      gateway,
      'tools/call',
      { name: 'bank__getPetById' },
      { path: custom('pets'), headers: session },
    )
    expect(called.json).toMatchObject({ result: { structuredContent: { code: 'unknown_tool' } } })
    await change(gateway, '/admin-api/bundles/pets', { enabled: true })
    expect(await listed(gateway, custom('pets'), session)).toHaveLength(3)
  })

  it('loses its session with the bundle; a disabled backend only empties the list [ct.7.4.bundle-delete ct.5.2.deleted-surface]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: [PAIR[0]] })
    const path = custom('pets')
    const session = await openSession(gateway, '2025-11-25', path)
    const shard = await openSession(gateway)
    await disable(gateway)
    expect([await listed(gateway, path, session), await listed(gateway, '/mcp/petstore', shard)]).toEqual([[], []])
    await disable(gateway, true)
    expect(await listed(gateway, path, session)).toHaveLength(2)
    const stale = await gateway.admin('/admin-api/bundles/pets', { method: 'DELETE', headers: { 'if-match': '"7"' } })
    expect(stale.status).toBe(412)
    expect((await gateway.admin('/admin-api/bundles/pets', { method: 'DELETE' })).status).toBe(204)
    expect((await gateway.admin('/admin-api/bundles/pets', { method: 'DELETE' })).status).toBe(404)
    expect((await rpc(gateway, 'tools/list', {}, { path, headers: session })).status).toBe(404)
    // The same name again is another bundle, and the old session does not belong to it.
    await make(gateway, 'bundles', { name: 'pets', tools: [] })
    const gone = await rpc(gateway, 'tools/list', {}, { path, headers: session })
    expect([gone.status, gone.json]).toEqual([
      404,
      expect.objectContaining({ error: expect.objectContaining({ code: -32_000 }) }),
    ])
    await gateway.admin('/admin-api/clients/petstore', { method: 'DELETE' })
    expect((await rpc(gateway, 'tools/list', {}, { headers: shard })).status).toBe(404)
  })
})

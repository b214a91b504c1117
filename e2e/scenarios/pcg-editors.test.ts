// Editor records: made, read, changed, connected and forgotten, each with three backends that come and go with it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CATALOG, INSPECTION } from '#pcg-catalog'
import { addUser, aFolder, aGateway, aUser, type Gateway, passwordOf, signIn, startGateway } from './gateway.fixture.ts'
import { anEditor, aPcgGateway, asAgent, EDITORS, fieldsOf, itemsOf, mcpCall, PCG_ENV } from './pcg.fixture.ts'

// Several gateways start in one test, and the machine may be busy with others.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(PCG_ENV)
})
afterAll(() => gateway.end())

const codeOf = (answer: { readonly json: unknown }) => answer.json
const refusal = (code: string) => ({ error: { code } })
const post = (path: string, body: unknown = {}) => gateway.admin(path, { method: 'POST', body })
const patch = (name: string, body: unknown, headers = {}) =>
  gateway.admin(`${EDITORS}/${name}`, { method: 'PATCH', body, headers })
const listed = async (name: string): Promise<string[]> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const headers = { accept: 'application/json, text/event-stream' }
  const answer = await gateway.ask(`/mcp/${name}`, { method: 'POST', body, headers })
  if (answer.status !== 200) return []
  const { tools } = fieldsOf({ ...answer, json: fieldsOf(answer).result })
  return (tools as { name: string }[]).map((tool) => tool.name).filter((tool) => tool !== 'search_tools') // tools have names
}
const actions = async (target: string): Promise<unknown[]> =>
  itemsOf(await gateway.admin(`/admin-api/audit-log?target=${target}`))
    .map((entry) => entry.action)
    .reverse()

describe('switched off', () => {
  it('there are no routes, no editor and no backend [ct.17.effect.pcg_enabled ct.0.5.default]', async () => {
    const plain = await aGateway()
    for (const path of [EDITORS, `${EDITORS}/pcg`, `${EDITORS}/pcg/events`])
      expect((await plain.admin(path)).status).toBe(404)
    expect(codeOf(await plain.admin(EDITORS, { method: 'POST', body: {} }))).toMatchObject(refusal('NOT_FOUND'))
    expect(itemsOf(await plain.admin('/admin-api/clients'))).toEqual([])
  })

  it('what was there sleeps, and is there again', async () => {
    const folder = aFolder()
    const first = await aPcgGateway({}, folder)
    await asAgent(first, 'create_pcg_graph', { name: 'Kept' })
    await first.stop()
    const { PCG_ENABLED: _off, ...rest } = PCG_ENV
    const plain = await aGateway(rest, folder)
    expect(itemsOf(await plain.admin('/admin-api/clients'))).toMatchObject([{ name: 'pcg', live: false }, {}, {}])
    expect((await plain.ask('/mcp/pcg', { method: 'POST', body: {} })).status).toBe(404)
    await plain.stop()
    const again = await aPcgGateway({}, folder)
    expect(await asAgent(again, 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Kept' })).toMatchObject({
      node_count: 0,
    })
  })
})

describe('the first editor', () => {
  it('is embedded, is there from the first start, and is a backend like any other [ct.0.5.embedded-editor ct.0.5.drivers ct.7.9.backend ct.7.9.drivers]', async () => {
    const editor = fieldsOf(await gateway.admin(`${EDITORS}/pcg`))
    expect(editor).toMatchObject({ driver: 'embedded', url: null, status: 'connected', autoConnect: true })
    const backend = fieldsOf(await gateway.admin('/admin-api/clients/pcg'))
    expect(backend).toMatchObject({ kind: 'pcg', live: true, toolsCount: 20 })
    expect((await listed('pcg')).sort()).toEqual(Object.keys(CATALOG).sort())
  })

  it('does not come back once it was removed', async () => {
    const folder = aFolder()
    const first = await aPcgGateway({}, folder)
    expect((await first.admin(`${EDITORS}/pcg`, { method: 'DELETE' })).status).toBe(204)
    await first.stop()
    const again = await aPcgGateway({}, folder)
    expect(itemsOf(await again.admin(EDITORS))).toEqual([])
    expect(readdirSync(folder)).toContain('pcg-project')
  })

  it('has its reading tools as a backend beside, so that the twenty stay the twenty', async () => {
    expect((await listed('pcg-inspect')).sort()).toEqual(Object.keys(INSPECTION).sort())
    const looked = await mcpCall(gateway, 'list_pcg_actors', {}, { editor: 'pcg-inspect' })
    expect(looked).toMatchObject({ structuredContent: { level: '/Game/Maps/Main' } })
    const annotations = fieldsOf(await gateway.admin('/admin-api/clients/pcg-inspect/tools/list_pcg_actors'))
    expect(annotations).toMatchObject({ annotations: { readOnlyHint: true, openWorldHint: false } })
  })
})

describe('making one', () => {
  it.each([
    ['no driver', { name: 'a' }],
    ['an unknown driver', { name: 'a', driver: 'godot' }],
    ['an unknown field', { name: 'a', driver: 'embedded', teamId: 1 }],
    ['a name without room for its second backend', { name: 'a'.repeat(56), driver: 'embedded' }],
    ['a URL for the embedded one', { name: 'a', driver: 'embedded', url: 'http://127.0.0.1:1' }],
    ['a folder outside the data directory', { name: 'a', driver: 'embedded', sidecarDir: '../../etc' }],
    ['an absolute folder over the network', { name: 'a', driver: 'embedded', sidecarDir: '/etc' }],
  ])('is refused with %s', async (_why, body) => {
    expect(codeOf(await post(EDITORS, body))).toMatchObject(refusal('VALIDATION_ERROR'))
  })

  it.each([
    ['remote-control', 'ftp://127.0.0.1', 'INVALID_URL'],
    ['remote-control', 'https://127.0.0.1:30010', 'INVALID_URL'],
    ['remote-control', 'http://user:word@127.0.0.1:30010', 'INVALID_URL'],
    ['remote-control', 'http://10.1.2.3:30010', 'SSRF_BLOCKED'],
    ['remote-control', 'http://169.254.169.254/', 'SSRF_BLOCKED'],
    ['remote-control', 'http://[::ffff:10.1.2.3]:30010', 'SSRF_BLOCKED'],
    ['unreal-mcp', 'http://93.184.215.14:8000/mcp', 'INVALID_URL'],
    ['remote-execution', 'http://127.0.0.1:6766', 'INVALID_URL'],
    ['remote-execution', 'udp://10.0.0.1:6766', 'INVALID_URL'],
  ])('of %s at %s is %s', async (driver, url, code) => {
    expect(codeOf(await post(EDITORS, { name: 'a', driver, url }))).toMatchObject(refusal(code))
  })

  it('on loopback needs no permission for private addresses [ct.7.9.loopback]', async () => {
    for (const [name, url] of [
      ['near-v4', 'http://127.0.0.1:4'],
      ['near-v6', 'http://[::1]:4'],
      ['near-name', 'http://localhost:4'],
    ] as const)
      expect(await anEditor(gateway, name, { driver: 'remote-control', url, autoConnect: false })).toMatchObject({
        url,
      })
  })

  it('answers the record, seals the token, and is audited [ct.7.9.editor-create ct.7.9.editor-record ct.13.2.pcg]', async () => {
    const body = {
      driver: 'remote-control',
      url: 'http://127.0.0.1:4',
      token: 'pass-phrase-of-mine',
      autoConnect: false,
    }
    expect(await anEditor(gateway, 'sealed', body)).toEqual({
      name: 'sealed',
      driver: 'remote-control',
      url: 'http://127.0.0.1:4',
      status: 'disconnected',
      error: null,
      project: null,
      level: null,
      engine: null,
      capabilities: ['nodePositions', 'undo', 'listGraphs', 'generate'],
      queue: { running: null, waiting: 0 },
      latencyMs: null,
      lastSeenAt: null,
      activity: null,
      leases: [],
      autoConnect: false,
      sidecarDir: null,
      projectDir: null,
      tokenSet: true,
      revision: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      createdBy: expect.stringMatching(/^bearer:/),
    })
    const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
    onTestFinished(() => void database.close())
    const rows = JSON.stringify([
      database.prepare('select * from pcg_editors').all(),
      database.prepare('select * from audit_log').all(),
    ])
    expect(rows).not.toContain('pass-phrase-of-mine')
    await patch('sealed', { token: null })
    await gateway.admin(`${EDITORS}/sealed`, { method: 'DELETE' })
    expect(await actions('sealed')).toEqual(['pcg.editor.create', 'pcg.editor.update', 'pcg.editor.delete'])
  })

  it('loses its token when an operator moves it to another address, unless an admin keeps it [ct.0.13.origins]', async () => {
    const operator = await aUser(gateway, 'olga', 'operator')
    const moving = (body: object) => gateway.ask(`${EDITORS}/moved`, { method: 'PATCH', body, headers: operator })
    const near = { driver: 'remote-control', url: 'http://127.0.0.1:4', token: 'pass-phrase-of-mine' }
    const url = 'http://127.0.0.1:5'
    await anEditor(gateway, 'moved', { ...near, autoConnect: false })

    expect(codeOf(await moving({ url, keepCredential: true }))).toMatchObject(refusal('FORBIDDEN'))
    expect(fieldsOf(await moving({ url: `${near.url}/path` }))).toMatchObject({ tokenSet: true })
    expect(fieldsOf(await moving({ url }))).toMatchObject({
      tokenSet: false,
      warnings: [expect.stringContaining(`not given for ${url}`)],
    })
    const [entry] = itemsOf(await gateway.admin('/admin-api/audit-log?target=moved'))
    expect(entry).toMatchObject({ actor: 'olga', detail: { credentialDetached: [url] } })

    await patch('moved', near)
    // Without an address of its own, another driver means another address.
    expect(fieldsOf(await moving({ driver: 'unreal-mcp' }))).toMatchObject({ tokenSet: false })
    await patch('moved', near)
    expect(fieldsOf(await patch('moved', { url, keepCredential: true }))).toMatchObject({ tokenSet: true })
    // A token that comes with the address is for it.
    expect(fieldsOf(await moving({ url: near.url, token: 'another' }))).toMatchObject({ tokenSet: true })
  })

  it('without a key to seal with is 501 when it has a token', async () => {
    const plain = await aGateway({ PCG_ENABLED: 'true' })
    const body = { name: 'a', driver: 'remote-control', token: 'x', autoConnect: false }
    const answer = await plain.admin(EDITORS, { method: 'POST', body })
    expect(codeOf(answer)).toMatchObject(refusal('SECRET_BOX_NOT_CONFIGURED'))
  })

  it('takes no name that a backend has, and no backend takes its names', async () => {
    for (const name of ['pcg', 'pcg-inspect', 'pcg-author'])
      expect(codeOf(await post(EDITORS, { name, driver: 'embedded' }))).toMatchObject(refusal('NAME_COLLISION'))
    const tools = [{ name: 't', method: 'GET', endpoint: '/', description: 'd' }]
    const registered = await post('/register', { name: 'pcg', tools, base_url: 'http://93.184.215.14' })
    expect(codeOf(registered)).toMatchObject(refusal('NAME_COLLISION'))
  })

  it('is no matter of /register, nor is its end one of /clients [ct.7.9.not-registrable]', async () => {
    const tools = [{ name: 't', method: 'GET', endpoint: '/', description: 'd' }]
    const body = { name: 'x', kind: 'pcg', tools, base_url: 'http://93.184.215.14' }
    expect(codeOf(await post('/register', body))).toMatchObject(refusal('VALIDATION_ERROR'))
    for (const path of ['/admin-api/clients/pcg', '/clients/pcg', '/admin-api/clients/pcg-inspect'])
      expect(codeOf(await gateway.admin(path, { method: 'DELETE' }))).toMatchObject(refusal('NOT_APPLICABLE'))
    for (const change of [{ baseUrl: 'http://127.0.0.1' }, { retryNonSafeMethods: true }])
      expect(codeOf(await gateway.admin('/admin-api/clients/pcg', { method: 'PATCH', body: change }))).toMatchObject(
        refusal('NOT_APPLICABLE'),
      )
  })
})

describe('an editor', () => {
  it('keeps layouts in the folder its record names', async () => {
    expect(await anEditor(gateway, 'filed', { sidecarDir: 'team/art' })).toMatchObject({ sidecarDir: 'team/art' })
    expect(fieldsOf(await patch('filed', { sidecarDir: 'team/art' }))).toMatchObject({ revision: 1 })
    const create = { tool: 'create_pcg_graph', args: { name: 'Laid' } }
    await post(`${EDITORS}/filed/call`, create)
    const layout = { method: 'PUT', body: {} }
    expect((await gateway.admin(`${EDITORS}/filed/layout?graph=/Game/PCG/Laid`, layout)).status).toBe(200)
    const folder = join(gateway.folder, 'pcg-sidecars', 'team', 'art', 'Content', 'pcg')
    expect(readdirSync(folder)).toEqual(['laid.layout.json'])
  })

  it('that does not exist is EDITOR_NOT_FOUND on every route [ct.18.editor_not_found]', async () => {
    const graph = 'graph=/Game/A'
    const answers = await Promise.all([
      gateway.admin(`${EDITORS}/missing`),
      patch('missing', {}),
      gateway.admin(`${EDITORS}/missing`, { method: 'DELETE' }),
      post(`${EDITORS}/missing/connect`),
      post(`${EDITORS}/missing/disconnect`),
      post(`${EDITORS}/missing/call`, { tool: 't' }),
      gateway.admin(`${EDITORS}/missing/events`),
      gateway.admin(`${EDITORS}/missing/history`),
      post(`${EDITORS}/missing/undo`, { batchId: 'b' }),
      gateway.admin(`${EDITORS}/missing/layout?${graph}`),
      gateway.admin(`${EDITORS}/missing/layout?${graph}`, { method: 'PUT', body: {} }),
      gateway.admin(`${EDITORS}/missing/snapshots`),
      post(`${EDITORS}/missing/snapshots`, { graph: '/Game/A' }),
      gateway.admin(`${EDITORS}/missing/snapshots/1/diff`),
    ])
    for (const answer of answers) expect(codeOf(answer)).toMatchObject(refusal('EDITOR_NOT_FOUND'))
  })

  it('is listed by name, changed with its revision, and removed with its backends [ct.7.9.editors ct.7.9.editor]', async () => {
    for (const name of ['zeta', 'alpha']) await anEditor(gateway, name)
    const names = itemsOf(await gateway.admin(EDITORS)).map(({ name }) => String(name))
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(['alpha', 'pcg', 'zeta']))
    const [first] = itemsOf(await gateway.admin(`${EDITORS}?limit=1`))
    const { nextCursor } = fieldsOf(await gateway.admin(`${EDITORS}?limit=1`))
    const [second] = itemsOf(await gateway.admin(`${EDITORS}?limit=1&cursor=${String(nextCursor)}`))
    expect([first?.name, second?.name]).toEqual(names.slice(0, 2))

    const changed = await patch('zeta', { autoConnect: false }, { 'if-match': '"1"' })
    expect(fieldsOf(changed)).toMatchObject({ autoConnect: false, revision: 2, status: 'connected' })
    expect(changed.headers.get('etag')).toBe('"2"')
    expect(codeOf(await patch('zeta', { autoConnect: true, revision: 1 }))).toMatchObject(
      refusal('PRECONDITION_FAILED'),
    )
    expect(fieldsOf(await patch('zeta', { autoConnect: false }))).toMatchObject({ revision: 2 })
    expect(fieldsOf(await patch('zeta', { driver: 'unreal-mcp' }))).toMatchObject({ driver: 'unreal-mcp', url: null })
    expect(codeOf(await patch('zeta', { name: 'other' }))).toMatchObject(refusal('VALIDATION_ERROR'))

    expect(await listed('zeta')).toHaveLength(20)
    expect((await gateway.admin(`${EDITORS}/zeta`, { method: 'DELETE' })).status).toBe(204)
    expect((await gateway.admin(`${EDITORS}/zeta`)).status).toBe(404)
    for (const backend of ['zeta', 'zeta-inspect', 'zeta-author']) {
      expect(await listed(backend)).toEqual([])
      expect((await gateway.admin(`/admin-api/clients/${backend}`)).status).toBe(404)
    }
  })

  it('has tools that are configured like any other, over a restart too', async () => {
    const folder = aFolder()
    const first = await aPcgGateway({}, folder)
    const off = { method: 'PATCH', body: { enabled: false } }
    expect((await first.admin('/admin-api/clients/pcg/tools/cleanup_pcg_component', off)).status).toBe(200)
    await first.stop()
    const again = await aPcgGateway({}, folder)
    const refused = await mcpCall(again, 'cleanup_pcg_component', { actor_name: 'x' })
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'disabled' } })
    expect(fieldsOf(await again.admin('/admin-api/clients/pcg'))).toMatchObject({
      toolsCount: 20,
      enabledToolsCount: 19,
    })
  })

  it('of no team is closed to teams; a team sees and keeps its own', async () => {
    const team = 7
    await addUser(gateway, 'of-seven', 'operator')
    const database = new Database(join(gateway.folder, 'gantry.db'))
    database.prepare('update users set team_id = ? where username = ?').run(team, 'of-seven')
    database.close()
    const session = await signIn(gateway, 'of-seven', passwordOf('of-seven'))
    const ask = (path: string, method = 'GET', body?: unknown) => gateway.ask(path, { method, body, headers: session })
    expect(codeOf(await ask(`${EDITORS}/pcg`))).toMatchObject(refusal('EDITOR_NOT_FOUND'))
    expect(codeOf(await ask(`${EDITORS}/pcg/call`, 'POST', { tool: 'list_pcg_node_types' }))).toMatchObject(
      refusal('EDITOR_NOT_FOUND'),
    )
    expect((await ask(EDITORS, 'POST', { name: 'sevens', driver: 'embedded' })).status).toBe(201)
    expect(itemsOf(await ask(EDITORS)).map(({ name }) => name)).toEqual(['sevens'])
    expect(fieldsOf(await gateway.admin('/admin-api/clients/sevens'))).toMatchObject({ teamId: team })
  })

  it('is seen by viewers and touched by operators only', async () => {
    const viewer = await aUser(gateway, 'looks-at-pcg', 'viewer')
    const ask = (path: string, method = 'GET', body?: unknown) => gateway.ask(path, { method, body, headers: viewer })
    expect((await ask(EDITORS)).status).toBe(200)
    expect((await ask(`${EDITORS}/pcg/snapshots`)).status).toBe(200)
    for (const path of ['call', 'connect', 'undo', 'snapshots'])
      expect((await ask(`${EDITORS}/pcg/${path}`, 'POST', {})).status).toBe(403)
    for (const path of ['events', 'history']) expect((await ask(`${EDITORS}/pcg/${path}`)).status).toBe(403)
    expect((await ask(`${EDITORS}/pcg/layout?graph=/Game/A`, 'PUT', {})).status).toBe(403)
  })
})

describe('connecting', () => {
  it('opens and lets go of the embedded project, audited when it was news [ct.7.9.connect]', async () => {
    await anEditor(gateway, 'door', { autoConnect: false })
    expect(fieldsOf(await gateway.admin(`${EDITORS}/door`))).toMatchObject({ status: 'disconnected', project: null })
    const away = await mcpCall(gateway, 'list_pcg_node_types', {}, { editor: 'door' })
    expect(away).toMatchObject({ isError: true, _meta: { 'gantry/failure': { kind: 'editor_unavailable' } } })
    expect(fieldsOf(await post(`${EDITORS}/door/connect`))).toMatchObject({ status: 'connected', project: 'door' })
    expect(fieldsOf(await post(`${EDITORS}/door/connect`))).toMatchObject({ status: 'connected' })
    expect(fieldsOf(await post(`${EDITORS}/door/disconnect`))).toMatchObject({ status: 'disconnected' })
    expect(await actions('door')).toEqual(['pcg.editor.create', 'pcg.editor.connect', 'pcg.editor.disconnect'])
  })

  it('to no server is 502, and the record has the reason [ct.7.9.connect ct.18.editor_unavailable]', async () => {
    await anEditor(gateway, 'absent', { driver: 'remote-control', url: 'http://127.0.0.1:4', autoConnect: false })
    const answer = await post(`${EDITORS}/absent/connect`)
    expect(answer.status).toBe(502)
    expect(codeOf(answer)).toMatchObject({
      error: { code: 'EDITOR_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:4') },
    })
    const record = fieldsOf(await gateway.admin(`${EDITORS}/absent`))
    expect(record).toMatchObject({ status: 'error', error: expect.stringContaining('nothing listens') })
    await gateway.admin(`${EDITORS}/absent`, { method: 'DELETE' })
  })
})

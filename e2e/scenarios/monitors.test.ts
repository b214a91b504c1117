// Synthetic monitors over real sockets: the gateway calls a tool by itself, checks whether its source is unchanged, and notifies.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMcpPeer } from '../peers/mcp.ts'
import { body, code } from './curation.fixture.ts'
import { listen } from './events.fixture.ts'
import { addUser, passwordOf, signIn } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'
import { useMonitors } from './monitors.fixture.ts'
import { startGraphql } from './registration.fixture.ts'

const { gateway, world, api, must, configure, ask, run, hooks, hooksAre, list, listed, setClock, restart } =
  useMonitors()

const calls = (): number => api().hits.filter(({ url }) => url.startsWith('/pets')).length
const MINUTE = 60_000

describe('a monitor', () => {
  it('has one source of arguments, which stays while it is used [ct.8.12.one-source ct.7.3.example ct.18.example_not_found ct.18.in_use]', async () => {
    const both = { monitor: { args: {}, exampleId: 1 } }
    expect(code(await ask('', 'PATCH', both))).toBe('VALIDATION_ERROR')
    const unknown = await ask('', 'PATCH', { monitor: { exampleId: 4711 } })
    expect([unknown.status, code(unknown)]).toEqual([400, 'EXAMPLE_NOT_FOUND'])
    expect((await configure({ monitor: {} })).monitor).toMatchObject({ exampleId: null, args: {}, intervalMinutes: 15 })

    const { id } = body(await ask('/examples', 'POST', { label: 'Two', args: { limit: 2 } }))
    expect((await configure({ monitor: { exampleId: id } })).monitor).toMatchObject({ exampleId: id, args: null })
    expect(body(await ask(`/examples/${String(id)}`, 'PATCH', { args: { limit: 3 } }))).toMatchObject({ id })
    expect((await run()).status).toBe('ok')
    expect(api().hits.at(-2)?.url).toBe('/pets?limit=3')
    const used = await ask(`/examples/${String(id)}`, 'DELETE')
    expect([used.status, code(used)]).toEqual([409, 'IN_USE'])
    await configure({ monitor: null })
    expect((await ask(`/examples/${String(id)}`, 'DELETE')).status).toBe(204)
    const gone = await ask(`/examples/${String(id)}`, 'DELETE')
    expect([gone.status, code(gone)]).toEqual([404, 'EXAMPLE_NOT_FOUND'])
  })

  it('calls through the full stack as the gateway itself: no confirmation, approval, rate limit or kept answer stands in its way [ct.8.12.run ct.8.12.states ct.7.3.monitor ct.10.7.monitor ct.14.mcp_monitor_runs_total]', async () => {
    await configure({ sensitive: true, approval: {}, guards: { rateLimitPerMin: 1 }, cache: { ttlSeconds: 60 } })
    const before = (await reading(gateway()))('mcp_monitor_runs_total{status="ok"}')
    const detail = await configure({ monitor: { args: { limit: 2 }, expectPath: 'pets.0.name' } })
    const set = {
      clientName: 'shop',
      toolName: 'pets',
      enabled: true,
      exampleId: null,
      args: { limit: 2 },
      intervalMinutes: 15,
      status: 'unknown',
      lastStatus: null,
      lastError: null,
      lastLatencyMs: null,
      lastRunAt: null,
      nextRunAt: expect.any(String),
      driftDetected: false,
      drift: null,
      baselineHash: detail.schemaHash,
      consecutiveFailures: 0,
    }
    expect(detail.monitor).toMatchObject(set)
    expect((await ask('/monitor/approve', 'POST', { confirm: true })).status).toBe(200)
    const setBy = expect.any(String)
    const approval = { needed: 'approval', given: true, by: setBy, at: expect.any(String), setBy }
    const [asked, stream] = [calls(), await listen(gateway(), '?topics=monitors')]
    for (let turn = 0; turn < 3; turn += 1)
      expect(await run()).toEqual({
        ...set,
        approval,
        status: 'ok',
        lastStatus: 'ok',
        lastLatencyMs: expect.any(Number),
        lastRunAt: expect.any(String),
        lastCheckedAt: expect.any(String),
      })
    expect(calls()).toBe(asked + 3)
    expect((await reading(gateway()))('mcp_monitor_runs_total{status="ok"}')).toBe(before + 3)
    expect(await stream.until('event: monitors')).toContain('"type":"run"')
    const { items } = await must('/admin-api/calls?limit=1')
    expect(items).toMatchObject([{ principal: 'system', surface: 'monitor', client: 'shop', tool: 'pets' }])
    // Captured, though nothing else is.
    await expect
      .poll(async () => (await must('/admin-api/traffic?limit=1')).items, { timeout: 20_000 })
      .toMatchObject([{ principal: 'system', clientName: 'shop', toolName: 'pets' }])

    await configure({ monitor: null })
    for (const what of ['run', 'rebaseline']) expect(code(await ask(`/monitor/${what}`))).toBe('NOT_CONFIGURED')
    expect(code(await ask('/monitor/run/more'))).toBe('NOT_FOUND')
  })

  it('fails by an error, a slow answer and an absent path, and each time the webhook is notified [ct.8.12.failure ct.8.12.webhook ct.11.3.synthetic_monitor ct.17.effect.monitor_webhook_url gw.event.monitor]', async () => {
    const before = hooks().length
    await configure({ monitor: { expectPath: 'pets.1' } })
    expect(await run()).toMatchObject({ status: 'fail', lastError: 'The answer has nothing at pets.1.' })
    await hooksAre(before + 1)
    await configure({ monitor: { maxLatencyMs: 1 } })
    world.delayMs = 30
    expect(await run()).toMatchObject({
      status: 'fail',
      lastError: expect.stringMatching(/^It took \d+ ms, more than the 1 ms it may take\.$/),
    })
    await hooksAre(before + 2)
    await configure({ monitor: {} })
    world.status = 500
    expect(await run()).toMatchObject({ status: 'fail', consecutiveFailures: 1 })
    await hooksAre(before + 3)
    const failed = await run()
    expect(failed).toMatchObject({ status: 'fail', consecutiveFailures: 2, lastError: expect.stringContaining('500') })
    await hooksAre(before + 4)
    expect(hooks().at(-1)).toEqual({
      event: 'synthetic_monitor',
      id: expect.any(String),
      timestamp: expect.any(String),
      gateway: expect.objectContaining({ name: 'gantry' }),
      type: 'synthetic_monitor',
      client: 'shop',
      tool: 'pets',
      status: 'fail',
      drift: false,
      error: failed.lastError,
      latencyMs: failed.lastLatencyMs,
      consecutiveFailures: 2,
      schemaDiff: null,
    })
    expect(body(await gateway().admin('/admin-api/overview')).monitors).toEqual({ failing: 1, drifted: 0 })
    world.status = 200
    expect(await run()).toMatchObject({ status: 'ok', lastError: null, consecutiveFailures: 0 })
    expect(hooks()).toHaveLength(before + 4)
  })

  it('does not wait for a webhook that never answers [gw.setting.monitor_webhook_timeout_ms]', async () => {
    const failures = async () =>
      (await reading(gateway()))('mcp_webhook_deliveries_total{sink="monitor",outcome="failure"}')
    const before = await failures()
    Object.assign(world, { status: 500, answersHooks: false })
    await configure({ monitor: {} })
    expect((await run()).status).toBe('fail')
    await expect.poll(failures, { timeout: 20_000 }).toBe(before + 1)
  })
})

it('the configuration of a tool has exactly the listed keys, each returned, unset ones as null [ct.8.1.config-keys ct.8.1.keys]', async () => {
  const KEYS =
    'enabled guards overrides sensitive redactPaths guardrails cache coalesce capture approval requiresApproval approvalLevels quarantinePolicy mock transform pagination streaming contextBudget monitor routing ws graphql progress listOutputSchema price'.split(
      ' ',
    )
  const { config } = body(await gateway().admin('/admin-api/clients/shop/tools/pets'))
  expect(config).toEqual({ ...Object.fromEntries(KEYS.map((key) => [key, null])), enabled: true })
  for (const key of KEYS)
    expect([key, (await ask('', 'PATCH', { [key]: key === 'enabled' ? true : null })).status]).toEqual([key, 200])
  expect(code(await ask('', 'PATCH', { somethingElse: null }))).toBe('VALIDATION_ERROR')
})

describe('drift', () => {
  it('is reported once, stands before the description, changes no tool, and ends with a new baseline [ct.8.12.clears ct.5.6.drift]', async () => {
    await configure({ monitor: {} })
    expect((await run()).driftDetected).toBe(false)
    const [before, tools] = [hooks().length, await listed()]
    world.drifts = true
    const drifted = await run()
    expect(drifted).toMatchObject({
      status: 'ok',
      driftDetected: true,
      drift: {
        since: expect.any(String),
        diff: [{ path: '/properties/colour', kind: 'added', before: null, after: { type: 'string' } }],
      },
    })
    await hooksAre(before + 1)
    expect(hooks().at(-1)).toMatchObject({ status: 'ok', drift: true, schemaDiff: drifted.drift?.diff })
    await run()
    expect(hooks()).toHaveLength(before + 1)
    const mark = `[schema drift ${drifted.drift?.since.slice(0, 10) ?? ''}] `
    expect(await listed()).toEqual(
      tools.map((tool) => (tool.name === 'pets' ? { ...tool, description: mark + tool.description } : tool)),
    )
    expect((await reading(gateway()))('mcp_monitor_drifted_tools')).toBe(1)
    expect(body(await gateway().admin('/admin-api/overview')).monitors).toEqual({ failing: 0, drifted: 1 })
    expect(await list('?drifted=true')).toMatchObject([{ toolName: 'pets' }])

    const cleared = body(await ask('/monitor/rebaseline'))
    expect(cleared).toMatchObject({ driftDetected: false, drift: null })
    expect(cleared.baselineHash).not.toBe(drifted.baselineHash)
    expect((await run()).driftDetected).toBe(false)
    expect(await listed()).toEqual(tools)
    world.drifts = false
    expect((await run()).driftDetected).toBe(true)
    // Set as it is, it begins with what was seen last.
    expect((await configure({ monitor: {} })).monitor).toMatchObject({ status: 'unknown', driftDetected: false })
    expect((await run()).driftDetected).toBe(false)
    const { items } = await must('/admin-api/audit-log?action=tool.monitor.rebaseline')
    expect(items).toMatchObject([{ target: 'shop__pets' }, { target: 'shop__pets' }])
  })

  it('is seen in what an MCP server lists and in a GraphQL schema, and a tool given by hand has none', async () => {
    const args = (properties: object) => [{ name: 'echo', inputSchema: { type: 'object', properties } }]
    const peer = await startMcpPeer({ listChanged: false, tools: args({}) })
    onTestFinished(peer.close)
    await must('/register', 'POST', { name: 'mcp', mcp_url: peer.url })
    const graph = await startGraphql()
    onTestFinished(graph.close)
    await must('/register', 'POST', { name: 'graph', graphql_url: graph.url })
    const hand = { name: 'hello', method: 'GET', endpoint: '/pets', description: 'Manually' }
    await must('/register', 'POST', { name: 'hand', base_url: api().url, tools: [hand] })
    const watched = ['mcp/tools/echo', 'graph/tools/pets', 'hand/tools/hello']
    for (const tool of watched) await configure({ monitor: {} }, tool)
    for (const tool of watched) expect(await run(tool)).toMatchObject({ status: 'ok', driftDetected: false })

    peer.changeTools(args({ loud: { type: 'boolean' } }))
    expect((await run('mcp/tools/echo')).drift?.diff).toMatchObject([{ path: '/properties/loud', kind: 'added' }])
    peer.changeTools([{ name: 'shout', inputSchema: { type: 'object' } }])
    expect((await run('mcp/tools/echo')).drift?.diff).toMatchObject([{ path: '', kind: 'removed' }])
    const gone = await gateway().admin('/admin-api/clients/mcp/tools/echo/monitor/rebaseline', { method: 'POST' })
    expect([gone.status, code(gone)]).toEqual([409, 'TOOL_NOT_LIVE'])
    const grown = await startGraphql('extend enum Size { HUGE }')
    onTestFinished(grown.close)
    await must('/admin-api/clients/graph', 'PATCH', { baseUrl: grown.url })
    expect((await run('graph/tools/pets')).drift?.diff).not.toEqual([])
    await configure({ monitor: {} }, 'graph/tools/pets')
    await grown.close()
    // What cannot be read shows no drift; that the call fails is another matter.
    expect(await run('graph/tools/pets')).toMatchObject({ status: 'fail', driftDetected: false })
    for (const name of ['mcp', 'graph', 'hand']) await must(`/admin-api/clients/${name}`, 'DELETE')
    expect(await list()).toEqual([])
  })
})

describe('the monitors', () => {
  it('run when their time has come, by the leader, and are known after a restart [ct.8.12.run]', async () => {
    const paused = await configure({ monitor: { enabled: false } })
    expect(paused.monitor).toMatchObject({ enabled: false, nextRunAt: null })
    world.drifts = true
    await configure({ monitor: { intervalMinutes: 10 } })
    const asked = calls()
    await setClock(9 * MINUTE)
    await setClock(11 * MINUTE)
    await vi.waitFor(async () => expect(await list()).toMatchObject([{ status: 'ok', driftDetected: true }]), {
      timeout: 20_000,
    })
    expect(calls()).toBe(asked + 1)
    const [before] = await list()
    await restart()
    expect(await list()).toEqual([before])
    expect((await listed())[0]?.description).toMatch(/^\[schema drift /)
  })

  it('are listed by backend and tool, filtered, page by page, and run by operators [ct.7.7.monitors]', async () => {
    const tools = ['b', 'a'].map((name) => ({ name, method: 'GET', endpoint: '/pets', description: name }))
    for (const name of ['zoo', 'farm']) {
      await must('/register', 'POST', { name, base_url: api().url, tools })
      for (const tool of ['a', 'b']) await configure({ monitor: {} }, `${name}/tools/${tool}`)
    }
    await run('zoo/tools/a')
    const names = (records: { clientName: string; toolName: string }[]) =>
      records.map(({ clientName, toolName }) => `${clientName}/${toolName}`)
    expect(names(await list())).toEqual(['farm/a', 'farm/b', 'zoo/a', 'zoo/b'])
    expect(names(await list('?client=zoo'))).toEqual(['zoo/a', 'zoo/b'])
    expect(names(await list('?status=ok'))).toEqual(['zoo/a'])
    const { items, nextCursor } = await must('/admin-api/monitors?limit=3')
    expect(items).toHaveLength(3)
    expect(names(await list(`?cursor=${String(nextCursor)}`))).toEqual(['zoo/b'])

    await addUser(gateway(), 'vic', 'viewer')
    const viewer = await signIn(gateway(), 'vic', passwordOf('vic'))
    expect((await gateway().ask('/admin-api/monitors', { headers: viewer })).status).toBe(200)
    for (const what of ['run', 'rebaseline']) {
      const path = `/admin-api/clients/zoo/tools/a/monitor/${what}`
      expect(code(await gateway().ask(path, { method: 'POST', headers: viewer }))).toBe('FORBIDDEN')
    }
    const torn = await gateway().admin('/clients/zoo', { method: 'DELETE' })
    expect(torn.status).toBeLessThan(300)
    const away = await gateway().admin('/admin-api/clients/zoo/tools/a/monitor/run', { method: 'POST' })
    expect([away.status, code(away)]).toEqual([409, 'TOOL_NOT_LIVE'])
  })

  it('travel in a document with the arguments of their example, and one that changes nothing leaves them as they are', async () => {
    const { id } = body(await ask('/examples', 'POST', { label: 'Two', args: { limit: 2 } }))
    await configure({ monitor: { exampleId: id, intervalMinutes: 30 } })
    await run()
    const doc = await must('/admin-api/config/export')
    const { clients } = doc as { clients: { name: string; tools: { monitor: unknown }[] }[] } // as the schema of documents has it
    expect(clients[0]?.tools).toEqual([{ name: 'pets', monitor: { args: { limit: 2 }, intervalMinutes: 30 } }])
    for (const mode of ['merge', 'replace']) {
      const { changes } = await must('/admin-api/config/import?confirm=true', 'POST', { data: doc, mode })
      expect(changes).toEqual([])
      expect(await list()).toMatchObject([{ exampleId: id, status: 'ok' }])
    }
    await configure({ monitor: null })
    await must('/admin-api/config/import?confirm=true', 'POST', { data: doc, mode: 'merge' })
    expect(await list()).toMatchObject([
      { exampleId: null, args: { limit: 2 }, intervalMinutes: 30, status: 'unknown' },
    ])
  })
})

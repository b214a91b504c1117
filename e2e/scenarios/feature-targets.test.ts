// Other servers of a REST backend: a canary, a failover and a pool, set by an administrator and seen from the servers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { body, code, listed, make, member } from './curation.fixture.ts'
import {
  call,
  configure,
  failureOf,
  openUpstream,
  type Result,
  ROOMY,
  refusalOf,
  register,
  type Upstream,
} from './data-plane.fixture.ts'
import { type Answer, type Ask, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
let shop: Upstream
let second: Upstream
let third: Upstream

beforeAll(async () => {
  const env = {
    ...ROOMY,
    RETRY_MAX_ATTEMPTS: '2',
    CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
    CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '3600000',
    MAX_CONSECUTIVE_FAILURES: '1',
    LB_TARGET_COOLDOWN_MS: '600000',
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
  }
  ;[gateway, shop, second, third] = await Promise.all([
    startGateway(env),
    openUpstream(),
    openUpstream(),
    openUpstream(),
  ])
})
afterAll(async () => {
  await gateway.end()
  await Promise.all([shop, second, third].map(({ close }) => close()))
})

/** A new backend for each test: no breaker, pool or count is that of another. */
beforeEach(async () => {
  await gateway.admin('/admin-api/clients/petstore', { method: 'DELETE' })
  await register(gateway, shop)
  for (const upstream of [shop, second, third]) {
    upstream.answer = undefined
    upstream.seen.length = 0
  }
})

const PATH = '/admin-api/clients/petstore'
const send = (method: string, path: string, given?: unknown, more: Ask = {}): Promise<Answer> =>
  gateway.admin(`${PATH}/${path}`, { ...more, method, ...(given === undefined ? {} : { body: given }) })
const get = async (path: string): Promise<Readonly<Record<string, unknown>>> => body(await send('GET', path))
const setCanary = async (given: object = {}): Promise<void> => {
  const made = await send('PUT', 'canary', { secondaryBaseUrl: second.url, weight: 100, ...given })
  expect([made.status, made.text]).toEqual([200, expect.any(String)])
}
const targetOf = ({ _meta }: Result): unknown => _meta['gantry/call']?.target
const pet = (): Promise<Result> => call(gateway, 'getPetById', { id: 5 })
const broken: Upstream['answer'] = (_request, response) => void response.writeHead(503).end('out of order')
const detail = async () => body(await gateway.admin(PATH))
const actions = async (): Promise<string[]> => {
  const { items } = body(await gateway.admin('/admin-api/audit-log?target=petstore'))
  return (items as { action: string }[]).map(({ action }) => action) // a list of entries
}

describe('a canary', () => {
  it('is set, read, kept as it is, and cleared [ct.7.2.canary ct.9.1.canary]', async () => {
    expect(await get('canary')).toEqual({ canary: null })
    await setCanary({ weight: 30 })
    const { canary } = await get('canary')
    expect(canary).toEqual({
      secondaryBaseUrl: second.url,
      secondaryResolvedIp: '127.0.0.1',
      mode: 'canary',
      weight: 30,
      enabled: true,
      stats: { calls: 0, errors: 0 },
      updatedAt: expect.any(String),
      revision: 1,
    })
    expect((await detail()).canary).toEqual(canary)
    expect((await send('GET', 'canary')).headers.get('etag')).toBe('"1"')
    await setCanary({ weight: 30 })
    expect((await get('canary')).canary).toEqual(canary)
    const stale = await send('PUT', 'canary', { secondaryBaseUrl: second.url }, { headers: { 'if-match': '"7"' } })
    expect([stale.status, code(stale)]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(body(await send('PUT', 'canary', { canary: null }))).toEqual({ canary: null })
    expect(code(await send('DELETE', 'canary'))).toBe('NOT_CONFIGURED')
    await setCanary()
    expect((await send('DELETE', 'canary')).status).toBe(204)
    expect(await actions()).toEqual(
      expect.arrayContaining(['client.canary.set', 'client.canary.clear', 'client.canary.set', 'client.canary.clear']),
    )
  })

  it('is refused where it may not lead, or says what makes no sense (security case CB-10)', async () => {
    const refused = async (given: object): Promise<unknown> => code(await send('PUT', 'canary', given))
    expect(await refused({ secondaryBaseUrl: 'http://169.254.169.254/' })).toBe('SSRF_BLOCKED')
    // The gateway itself.
    expect(await refused({ secondaryBaseUrl: gateway.url })).toBe('SSRF_BLOCKED')
    expect(await refused({ secondaryBaseUrl: 'ftp://x.example' })).toBe('INVALID_URL')
    expect(await refused({ secondaryBaseUrl: `${second.url}/?key=1` })).toBe('INVALID_URL')
    for (const weight of [0, 101, -1, 1.5, 'NaN'])
      expect(await refused({ secondaryBaseUrl: second.url, weight })).toBe('VALIDATION_ERROR')
    const { error } = body(await send('PUT', 'canary', { weight: 5 })) as { error?: { fields: { path: string }[] } }
    expect(error?.fields[0]?.path).toBe('secondaryBaseUrl')
    const nowhere = await gateway.admin('/admin-api/clients/missing/canary')
    expect(code(nowhere)).toBe('CLIENT_NOT_FOUND')
    expect(await get('canary')).toEqual({ canary: null })
  })

  it('gets the credential and the shaping of the first, below its own path [ct.9.1.canary]', async () => {
    await send('PUT', 'upstream-auth', { type: 'header', headerName: 'x-api-key', value: 'sesame-street-1' })
    await configure(gateway, 'getPetById', { redactPaths: ['name'] })
    await setCanary({ secondaryBaseUrl: `${second.url}/v2`, keepCredential: true })
    let key: unknown
    second.answer = ({ url, headers }, response) => {
      key = headers['x-api-key']
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ url, name: 'Rex', again: key }))
    }
    const answered = await pet()
    expect([shop.seen, second.seen, key]).toEqual([[], ['GET /v2/pets/5'], 'sesame-street-1'])
    expect(targetOf(answered)).toBe('canary')
    expect(JSON.stringify(answered)).not.toMatch(/Rex|sesame/)
    expect((await get('canary')).canary).toMatchObject({ stats: { calls: 1, errors: 0 } })
    const { items } = body(await gateway.admin('/admin-api/calls?limit=1')) as { items: object[] }
    expect(items).toMatchObject([{ client: 'petstore', target: 'canary', attempts: 1 }])
  })

  it('that fails is retried there, and says nothing about the first [ct.9.1.isolated] (security case CB-09)', async () => {
    await setCanary()
    second.answer = broken
    for (const attempts of [3, 3, 3]) {
      const answered = await pet()
      expect(failureOf(answered)).toMatchObject({ kind: 'upstream_status', status: 503 })
      expect(answered._meta['gantry/call']).toMatchObject({ attempts, target: 'canary' })
    }
    // What may not be sent twice is sent once, and nowhere else.
    second.seen.length = 0
    second.answer = (_request, response) => void response.socket?.destroy()
    expect(failureOf(await call(gateway, 'addPet', { name: 'Rex' }))).toMatchObject({ kind: 'network' })
    expect([second.seen, shop.seen]).toEqual([['POST /pets'], []])
    expect(await detail()).toMatchObject({ breaker: { state: 'closed', failuresInWindow: 0 } })
    expect((await get('canary')).canary).toMatchObject({ stats: { calls: 4, errors: 4 } })
  })

  it('is that of one tool as the tool says [ct.8.13.routing]', async () => {
    await setCanary({ weight: 1 })
    await configure(gateway, 'getPetById', { routing: { canary: 'off' } })
    await configure(gateway, 'ok', { routing: { canaryWeight: 100 } })
    expect(targetOf(await pet())).toBe('primary')
    expect(targetOf(await call(gateway, 'ok'))).toBe('canary')
    const shown = body(await gateway.admin(`${PATH}/tools/ok`))
    expect(shown).toMatchObject({
      features: ['routing'],
      config: { routing: { loadBalancing: 'inherit', canary: 'inherit', canaryWeight: 100, failover: 'inherit' } },
    })
    expect(await gateway.admin('/admin-api/audit-log?action=tool.routing.update').then(body)).toMatchObject({
      items: [{ target: 'petstore__ok' }, { target: 'petstore__getPetById' }],
    })
  })

  it('is one also for a tool of a bundle and a step of a composite', async () => {
    await setCanary()
    await make(gateway, 'composites', {
      name: 'feed',
      steps: [{ targetClient: 'petstore', targetTool: 'getPetById', argsTemplate: { id: 5 } }],
    })
    await make(gateway, 'bundles', { name: 'pets', tools: [member('petstore', 'getPetById')], composites: ['feed'] })
    expect(targetOf(await call(gateway, 'petstore__getPetById', { id: 5 }, '/mcp-custom/pets'))).toBe('canary')
    await call(gateway, 'feed', {}, '/mcp-custom/pets')
    expect(second.seen).toEqual(['GET /pets/5', 'GET /pets/5'])
    const tried = await gateway.admin(`${PATH}/tools/getPetById/test`, { method: 'POST', body: { args: { id: 5 } } })
    expect(body(tried)).toMatchObject({ result: { _meta: { 'gantry/call': { target: 'canary' } } } })
    await gateway.admin('/admin-api/bundles/pets', { method: 'DELETE' })
    await gateway.admin('/admin-api/composites/feed', { method: 'DELETE' })
  })
})

describe('a failover', () => {
  it('answers while the breaker of the first is open, and never before [ct.9.1.failover]', async () => {
    await setCanary({ mode: 'failover' })
    expect(targetOf(await pet())).toBe('primary')
    shop.answer = broken
    for (const _call of [1, 2]) expect(failureOf(await pet())).toMatchObject({ status: 503 })
    expect(await detail()).toMatchObject({ breaker: { state: 'open' } })
    shop.seen.length = 0
    const answered = await pet()
    expect([targetOf(answered), answered.isError ?? false]).toEqual(['failover', false])
    expect([shop.seen, second.seen]).toEqual([[], ['GET /pets/5']])
    // What it does is not what the breaker waits for.
    second.answer = broken
    await pet()
    second.answer = undefined
    await pet()
    expect(await detail()).toMatchObject({ breaker: { state: 'open' }, canary: { stats: { calls: 3, errors: 1 } } })
    await configure(gateway, 'ok', { routing: { failover: 'off' } })
    expect(refusalOf(await call(gateway, 'ok'))).toMatchObject({ code: 'circuit_open' })
    const dry = await gateway.admin(`${PATH}/tools/getPetById/test`, {
      method: 'POST',
      body: { args: { id: 5 }, dryRun: true },
    })
    expect(body(dry)).toMatchObject({ outcome: 'success' })
    shop.answer = undefined
    await send('POST', 'circuit-breaker/reset')
    expect(targetOf(await pet())).toBe('primary')
  })

  it('answers while the first is evicted, and its tools stay where they are [ct.9.1.failover]', async () => {
    shop.answer = (_request, response) => void response.socket?.destroy()
    expect(body(await send('POST', 'health-check'))).toMatchObject({ status: 'unreachable' })
    expect(refusalOf(await pet())).toMatchObject({ code: 'unreachable' })
    expect(await listed(gateway, '/mcp/petstore')).toEqual([])
    await setCanary({ mode: 'failover' })
    expect(targetOf(await pet())).toBe('failover')
    expect(await listed(gateway, '/mcp/petstore')).toContain('getPetById')
    // A backend that was switched off has no stand-in (security case AZ-13).
    await gateway.admin(PATH, { method: 'PATCH', body: { enabled: false } })
    expect(refusalOf(await pet())).toMatchObject({ code: 'disabled' })
    await gateway.admin(PATH, { method: 'PATCH', body: { enabled: true } })
    shop.answer = undefined
    expect(body(await send('POST', 'health-check'))).toMatchObject({ restored: true })
    expect(targetOf(await pet())).toBe('primary')
  })
})

describe('a pool', () => {
  const add = async (baseUrl: string, given: object = {}) =>
    body(await send('POST', 'lb/upstreams', { baseUrl, ...given })) as { id: number }

  it('is set whole, read back, changed one by one, and cleared [ct.7.2.lb ct.9.2.put ct.7.2.lb-target]', async () => {
    expect(await get('lb')).toEqual({ lb: null })
    const upstreams = [{ baseUrl: second.url, weight: 3 }, { baseUrl: third.url }]
    const set = await send('PUT', 'lb', { strategy: 'least_conn', primaryWeight: 0, upstreams })
    const up = { resolvedIp: '127.0.0.1', enabled: true, state: 'up', inFlight: 0, lastError: null }
    const shown = {
      strategy: 'least-conn',
      primaryWeight: 0,
      enabled: true,
      targets: [
        { id: expect.any(Number), baseUrl: second.url, weight: 3, ...up },
        { id: expect.any(Number), baseUrl: third.url, weight: 1, ...up },
      ],
      revision: 1,
    }
    expect(body(set)).toEqual({ lb: shown })
    expect((await detail()).lb).toEqual(shown)
    const { lb } = body(set) as { lb: { targets: { id: number }[] } }
    const [first, other] = lb.targets.map(({ id }) => id)
    // A server that stays keeps its number, and an absent pool the one it has.
    const kept = await send('PUT', 'lb', { strategy: 'round_robin', upstreams: [{ baseUrl: `${third.url}/` }] })
    expect(body(kept)).toMatchObject({ lb: { strategy: 'round-robin', primaryWeight: 1, targets: [{ id: other }] } })
    expect(body(await send('PUT', 'lb', { strategy: 'random' }))).toMatchObject({ lb: { targets: [{ id: other }] } })
    expect(code(await send('PATCH', `lb/upstreams/${first}`, { weight: 2 }))).toBe('TARGET_NOT_FOUND')
    // A server has the revision of its pool.
    for (const method of ['PATCH', 'DELETE'] as const) {
      const late = await send(method, `lb/upstreams/${other}`, method === 'PATCH' ? { weight: 7 } : undefined, {
        headers: { 'if-match': '"1"' },
      })
      expect([late.status, code(late)]).toEqual([412, 'PRECONDITION_FAILED'])
    }
    const changed = await send('PATCH', `lb/upstreams/${other}`, { weight: 2, enabled: false })
    expect(body(changed)).toMatchObject({ id: other, weight: 2, enabled: false })
    expect((await send('DELETE', `lb/upstreams/${other}`)).status).toBe(204)
    expect(code(await send('DELETE', `lb/upstreams/${other}`))).toBe('TARGET_NOT_FOUND')
    expect(await get('lb')).toMatchObject({ lb: { targets: [], revision: 5 } })
    expect(body(await send('PUT', 'lb', { lb: null }))).toEqual({ lb: null })
    expect(code(await send('DELETE', 'lb'))).toBe('NOT_CONFIGURED')
    const verbs = ['lb.set', 'lb.upstream.update', 'lb.upstream.remove', 'lb.clear']
    expect(await actions()).toEqual(expect.arrayContaining(verbs.map((verb) => `client.${verb}`)))
  })

  it('takes sixteen servers, each once [ct.7.2.lb-add ct.18.limit_reached ct.18.target_not_found]', async () => {
    for (let at = 0; at < 16; at++)
      expect((await send('POST', 'lb/upstreams', { baseUrl: `${second.url}/${at}` })).status).toBe(201)
    expect(await get('lb')).toMatchObject({ lb: { strategy: 'round-robin', primaryWeight: 1, enabled: true } })
    const again = await send('POST', 'lb/upstreams', { baseUrl: `${second.url}/3/` })
    expect([again.status, code(again)]).toEqual([409, 'ALREADY_EXISTS'])
    const more = await send('POST', 'lb/upstreams', { baseUrl: `${second.url}/16` })
    expect([more.status, code(more)]).toEqual([409, 'LIMIT_REACHED'])
    const twice = [{ baseUrl: second.url }, { baseUrl: `${second.url}/` }]
    expect(code(await send('PUT', 'lb', { strategy: 'random', upstreams: twice }))).toBe('ALREADY_EXISTS')
    expect(code(await send('POST', 'lb/upstreams', { baseUrl: 'http://169.254.169.254/' }))).toBe('SSRF_BLOCKED')
    expect(code(await send('POST', 'lb/upstreams', { baseUrl: third.url, weight: 0 }))).toBe('VALIDATION_ERROR')
    for (const given of [
      { strategy: 'best' },
      { strategy: 'random', primaryWeight: -1 },
      { strategy: 'random', primaryWeight: 1001 },
    ])
      expect(code(await send('PUT', 'lb', given))).toBe('VALIDATION_ERROR')
    const absent = await send('PATCH', 'lb/upstreams/none', { weight: 1 })
    expect([absent.status, code(absent)]).toEqual([404, 'TARGET_NOT_FOUND'])
    await send('DELETE', 'lb')
    // The servers go with the pool.
    await add(second.url)
    expect(await get('lb')).toMatchObject({ lb: { targets: [{ baseUrl: second.url }] } })
  })

  it('shares the calls, and sends a retry elsewhere; a failed server rests [ct.9.2.members ct.14.mcp_coalesce_hits_total]', async () => {
    const { id } = await add(second.url)
    const other = await add(third.url)
    const targets = await Promise.all([1, 2, 3, 4, 5, 6].map(pet))
    const count = (name: string): number => targets.filter((each) => targetOf(each) === name).length
    expect([count('primary'), count(`pool:${id}`), count(`pool:${other.id}`)]).toEqual([2, 2, 2])
    second.answer = broken
    const answers = [await pet(), await pet(), await pet()]
    expect(answers.every(({ isError }) => isError !== true)).toBe(true)
    expect(answers.filter(({ _meta }) => _meta['gantry/call']?.attempts === 2)).toHaveLength(1)
    second.seen.length = 0
    for (const _call of [1, 2, 3, 4]) await pet()
    expect(second.seen).toEqual([])
    expect(await get('lb')).toMatchObject({
      lb: { targets: [{ state: 'cooldown', lastError: 'HTTP 503', inFlight: 0 }, { state: 'up' }] },
    })
    const metrics = (await gateway.admin('/metrics')).text
    expect(metrics).toMatch(/mcp_lb_requests_total\{client="petstore",member="pool"\} [1-9]/)
    // A breaker is of the backend, whichever server of it failed.
    for (const upstream of [shop, third]) upstream.answer = broken
    for (const _call of [1, 2]) expect(failureOf(await pet())).toMatchObject({ status: 503 })
    expect(second.seen.length).toBeGreaterThan(0)
    expect(await detail()).toMatchObject({ breaker: { state: 'open' } })
  })

  it('sends what may be sent once to one server, even if it fails there (security case CB-09)', async () => {
    const upstreams = [{ baseUrl: second.url }, { baseUrl: third.url }]
    await send('PUT', 'lb', { strategy: 'random', primaryWeight: 0, upstreams })
    for (const upstream of [second, third]) upstream.answer = (_request, response) => void response.socket?.destroy()
    const answered = await call(gateway, 'addPet', { name: 'Rex' })
    expect(failureOf(answered)).toMatchObject({ kind: 'network' })
    expect(targetOf(answered)).toMatch(/^pool:\d+$/)
    expect([...shop.seen, ...second.seen, ...third.seen]).toEqual(['POST /pets'])
  })

  it('switches a canary off, but for tools that are not balanced [ct.9.1.isolated ct.8.13.routing]', async () => {
    await setCanary()
    await send('PUT', 'lb', { strategy: 'weighted', primaryWeight: 0, upstreams: [{ baseUrl: third.url }] })
    await configure(gateway, 'ok', { routing: { loadBalancing: 'off' } })
    await pet()
    await call(gateway, 'ok')
    expect([shop.seen, second.seen, third.seen]).toEqual([[], ['GET /ok'], ['GET /pets/5']])
  })
})

it('is for REST backends alone [ct.18.not_rest]', async () => {
  second.answer = (_request, response) => {
    const scalar = (name: string) => ({ kind: 'SCALAR', name })
    const field = { name: 'hello', args: [], type: scalar('String'), isDeprecated: false }
    const types = [{ kind: 'OBJECT', name: 'Query', fields: [field], interfaces: [] }, scalar('String')]
    const schema = { queryType: { name: 'Query' }, mutationType: null, types, directives: [] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { __schema: schema } }))
  }
  const graph = { name: 'graph', graphql_url: `${second.url}/graphql` }
  expect((await gateway.admin('/register', { method: 'POST', body: graph })).status).toBe(200)
  for (const [method, path, given] of [
    ['PUT', 'canary', { secondaryBaseUrl: third.url }],
    ['PUT', 'lb', { strategy: 'random' }],
    ['POST', 'lb/upstreams', { baseUrl: third.url }],
  ] as const) {
    const refused = await gateway.admin(`/admin-api/clients/graph/${path}`, { method, body: given })
    expect([refused.status, code(refused)]).toEqual([409, 'NOT_REST'])
  }
  const { tools } = body(await gateway.admin('/admin-api/clients/graph')) as { tools: { tool: string }[] }
  const routing = await gateway.admin(`/admin-api/clients/graph/tools/${tools[0]?.tool}`, {
    method: 'PATCH',
    body: { routing: { canary: 'off' } },
  })
  expect([routing.status, code(routing)]).toEqual([400, 'NOT_APPLICABLE'])
  await gateway.admin('/admin-api/clients/graph', { method: 'DELETE' })
})

describe('a document', () => {
  type Doc = { clients: Record<string, unknown>[] }
  const exported = async (): Promise<Doc> => body(await gateway.admin('/admin-api/config/export')) as Doc
  const imported = async (data: unknown, wish: object = {}) =>
    body(await gateway.admin('/admin-api/config/import?confirm=true', { method: 'POST', body: { data, ...wish } }))

  it('holds the servers of a backend, brings them back, and goes back to them', async () => {
    await setCanary({ mode: 'failover' })
    await send('PUT', 'lb', { strategy: 'weighted', enabled: false, upstreams: [{ baseUrl: third.url, weight: 4 }] })
    await configure(gateway, 'ok', { routing: { lbStrategy: 'least_conn' } })
    const doc = await exported()
    const [client] = doc.clients
    const canary = { secondaryBaseUrl: second.url, mode: 'failover', weight: 100, enabled: true }
    const lb = {
      strategy: 'weighted',
      primaryWeight: 1,
      enabled: false,
      upstreams: [{ baseUrl: third.url, weight: 4, enabled: true }],
    }
    expect(client).toMatchObject({ canary, lb, tools: [{ name: 'ok', routing: { lbStrategy: 'least-conn' } }] })
    expect((await imported(doc, { mode: 'replace' })).changes).toEqual([])
    const { id } = body(
      await gateway.admin('/admin-api/config/snapshots', { method: 'POST', body: { label: 'as it was' } }),
    )
    const bare = { ...doc, clients: [{ ...client, canary: null, lb: null }] }
    expect(await imported(bare, { dryRun: true })).toMatchObject({ skipped: [], dryRun: true })
    expect((await get('canary')).canary).not.toBeNull()
    await imported(bare)
    expect([await get('canary'), await get('lb')]).toEqual([{ canary: null }, { lb: null }])
    await gateway.admin(`/admin-api/config/snapshots/${id}/rollback`, { method: 'POST', body: { confirm: true } })
    expect(await exported()).toEqual(doc)
    expect(await get('canary')).toMatchObject({ canary: { secondaryResolvedIp: '127.0.0.1', mode: 'failover' } })
    const bad = { ...doc, clients: [{ ...client, canary: { secondaryBaseUrl: 'http://169.254.169.254/' } }] }
    expect(await imported(bad)).toMatchObject({ skipped: [{ type: 'clients', id: 'petstore' }] })
    expect(await exported()).toEqual(doc)
  })
})

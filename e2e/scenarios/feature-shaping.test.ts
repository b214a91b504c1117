// What stands between a backend's answer and its caller: transforms, pages, streams, documents of one's own, progress, budgets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compositeInABundle, step } from './composites.fixture.ts'
import { callIn, code, make, member } from './curation.fixture.ts'
import { call, failureOf, type Result } from './data-plane.fixture.ts'
import { type Shaping, startShaping } from './feature-shaping.fixture.ts'
import { type Answer, aUser, type Gateway } from './gateway.fixture.ts'
import { jsonOf, storedRows } from './registration.fixture.ts'
import { aSession, aStateless, type Message } from './transparent.fixture.ts'

type Fields = Record<string, unknown>

let rig: Shaping
let gateway: Gateway
beforeAll(async () => {
  rig = await startShaping({ CONTEXT_BUDGET_LLM_TIMEOUT_MS: '3000', GANTRY_SECRET_MODEL: 'sk-of-the-environment' })
  ;({ gateway } = rig)
})
afterAll(() => rig.end())

const set = (name: string, body: object, client = 'shop'): Promise<Answer> =>
  gateway.admin(`/admin-api/clients/${client}/tools/${name}`, { method: 'PATCH', body })
async function configure(name: string, body: object, client = 'shop'): Promise<Fields> {
  const made = await set(name, body, client)
  expect([made.status, made.text]).toEqual([200, expect.any(String)])
  return jsonOf(made)
}
const shown = (name: string, args: object = {}, client = 'shop'): Promise<Result> =>
  call(gateway, name, args, `/mcp/${client}`)
const metaOf = ({ _meta }: Result) => _meta['gantry/call'] ?? {}
const progressOf = (messages: readonly Message[]) =>
  messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)

describe('a transform', () => {
  it('changes the arguments that were validated and the JSON that was answered, which then is redacted [ct.8.9.order]', async () => {
    await configure('echo', {
      redactPaths: ['secret'],
      transform: {
        request: [
          { op: 'rename', from: 'name', to: 'customer.name' },
          { op: 'set', path: 'source', value: 'gantry' },
        ],
        response: [
          { op: 'rename', from: 'pin', to: 'secret' },
          { op: 'remove', path: 'url' },
        ],
      },
    })
    const seen = { body: { size: 3, customer: { name: 'Ann' }, source: 'gantry' }, secret: '[REDACTED]' }
    const result = await shown('echo', { name: 'Ann', unknown: 1 })
    expect(result.structuredContent).toEqual(seen)
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(seen)
    // What the transform makes of them is not what callers may send.
    expect(failureOf(await shown('echo', { size: 'many' }))).toMatchObject({ kind: 'invalid_arguments' })
  })

  it('holds in bundles and inside composites, and leaves failures as they are', async () => {
    await make(gateway, 'bundles', { name: 'kit', tools: [member('shop', 'echo')] })
    expect((await callIn(gateway, 'kit', 'shop__echo', { name: 'Bo' })).structuredContent).toMatchObject({
      body: { source: 'gantry' },
    })
    const args = step('shop', 'echo', { name: { $ref: 'input.name' } }, { id: 'first' })
    const output = { seen: { $ref: 'steps.first.json.body.customer.name' } }
    const { name, bundle } = await compositeInABundle(gateway, { steps: [args], output })
    expect((await callIn(gateway, bundle, name, { name: 'Cy' })).structuredContent).toEqual({ seen: 'Cy' })
    await configure('nothing', { transform: { response: [{ op: 'set', path: 'added', value: true }] } })
    const { content, isError } = await shown('nothing')
    expect([isError, content[0]?.text]).toEqual([true, expect.not.stringContaining('added')])
  })

  it('changes what an MCP upstream answers as text and as object', async () => {
    await configure(
      'echo',
      {
        transform: {
          request: [{ op: 'set', path: 'more', value: [1] }],
          response: [{ op: 'copy', from: 'text', to: 'again.0' }],
        },
      },
      'peer',
    )
    const seen = { text: 'hi', more: [1], again: ['hi'] }
    const result = await shown('echo', { text: 'hi' }, 'peer')
    expect([result.structuredContent, JSON.parse(result.content[0]?.text ?? '')]).toEqual([seen, seen])
  })
})

describe('pages', () => {
  const pagination = { strategy: 'cursor', itemsPath: 'items', cursorResponsePath: 'next', cursorParam: 'after' }

  it('are joined into the first, reported as progress, and changed and redacted as one answer', async () => {
    await configure('list', {
      pagination: { ...pagination, maxPages: 3 },
      transform: { response: [{ op: 'remove', path: 'next' }] },
      redactPaths: ['items.pin'],
    })
    const client = await aSession(gateway, {}, { path: '/mcp/shop' })
    const { answer: last, before } = await client.ask('tools/call', {
      name: 'list',
      arguments: { limit: 1 },
      _meta: { progressToken: 'p' },
    })
    const result = last.result as Result // what a call answers
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({
      items: [0, 1, 2].map((id) => ({ id, pin: '[REDACTED]' })),
    })
    // The list has no end, so this is not the whole of it.
    expect(metaOf(result)).toMatchObject({ truncated: true, attempts: 1 })
    expect(result).not.toHaveProperty('structuredContent')
    expect(progressOf(before)).toEqual(
      [1, 2, 3].map((progress) => ({ progressToken: 'p', progress, message: `${progress} items` })),
    )
    expect(rig.shop.hits.filter(({ url }) => url.startsWith('/list')).map(({ url }) => url)).toEqual([
      '/list?limit=1',
      '/list?limit=1&after=1',
      '/list?limit=1&after=2',
    ])
  })

  it('and streams are for tools they fit, and never both [ct.8.10.exclusive ct.8.1.not-applicable ct.18.not_applicable]', async () => {
    const both = await set('list', { streaming: { format: 'sse' } })
    expect([both.status, code(both)]).toEqual([400, 'VALIDATION_ERROR'])
    const once = await set('slow', { pagination, streaming: { format: 'sse' } })
    expect([once.status, code(once)]).toEqual([400, 'VALIDATION_ERROR'])
    for (const [name, client, body] of [
      ['echo', 'shop', { pagination }],
      ['echo', 'peer', { streaming: { format: 'sse' } }],
      ['echo', 'shop', { graphql: { query: '{ a }' } }],
    ] as const) {
      const unfit = await set(name, body, client)
      expect([unfit.status, code(unfit)]).toEqual([400, 'NOT_APPLICABLE'])
    }
    expect((await set('list', { pagination: null, streaming: { format: 'sse' } })).status).toBe(200)
  })
})

describe('a stream', () => {
  it('is the list of its events, which are passed on as they come', async () => {
    await configure('events', { streaming: { format: 'sse' } })
    const client = aStateless(gateway, {}, { path: '/mcp/shop', meta: { progressToken: 7 } })
    const { answer: last, before } = await client.ask('tools/call', { name: 'events', arguments: { end: true } })
    expect(last.result).toMatchObject({ structuredContent: { events: [{ id: 1, pin: 2 }, { id: 2 }] } })
    expect(progressOf(before)).toEqual([
      { progressToken: 7, progress: 1, message: '{"id":1,"pin":2}' },
      { progressToken: 7, progress: 2, message: '{"id":2}' },
    ])
  })

  it('without an end is cut off at its cap, and nothing redacted is passed on along the way', async () => {
    await configure('events', { streaming: { format: 'sse', maxEvents: 2 }, redactPaths: ['events.pin'] })
    const client = aStateless(gateway, {}, { path: '/mcp/shop', meta: { progressToken: 7 } })
    const { answer: last, before } = await client.ask('tools/call', { name: 'events' })
    const result = last.result as unknown as Result // what a call answers
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({ events: [{ id: 1, pin: '[REDACTED]' }, { id: 2 }] })
    expect(metaOf(result)).toMatchObject({ truncated: true })
    expect(progressOf(before)).toEqual([1, 2].map((progress) => ({ progressToken: 7, progress })))
    await expect.poll(() => rig.open.size).toBe(0)
  })
})

describe('a GraphQL document of its own', () => {
  it('replaces the synthesized one, with the arguments as its variables [ct.8.13.graphql]', async () => {
    const query = 'query mine($size: Size) { all: pets(size: $size) { ...n } } fragment n on Pet { name }'
    await configure('pets', { graphql: { query } }, 'graph')
    expect((await shown('pets', { size: 'LARGE' }, 'graph')).structuredContent).toEqual({
      data: { all: [{ name: 'LARGE' }] },
    })
    expect(JSON.parse(rig.graphql.hits.at(-1)?.body ?? '')).toEqual({
      query,
      operationName: 'mine',
      variables: { size: 'LARGE' },
    })
    await configure('pets', { graphql: { query: '{ pet(id: 1) { id } }' } }, 'graph')
    expect((await shown('pets', {}, 'graph')).structuredContent).toEqual({ data: { pet: { id: '1' } } })
    expect(failureOf(await shown('pets', { __select: '{ id }' }, 'graph'))).toMatchObject({ kind: 'invalid_arguments' })
  })

  it.each(['{ pets', 'mutation { addPet(name: "x") { id } }', 'query a { x } query b { x }'])(
    'is not %s',
    async (query) => {
      const refused = await set('pets', { graphql: { query } }, 'graph')
      expect([refused.status, refused.json]).toMatchObject([
        400,
        { error: { code: 'VALIDATION_ERROR', fields: [{ path: 'graphql.query' }] } },
      ])
    },
  )
})

describe('progress [ct.8.13.progress]', () => {
  it('is kept from callers where it must not be shown', async () => {
    const client = await aSession(gateway, {}, { path: '/mcp/peer' })
    const params = { name: 'progress', arguments: {}, _meta: { progressToken: 'p' } }
    expect(progressOf((await client.ask('tools/call', params)).before)).not.toEqual([])
    await configure('progress', { progress: { forward: false } }, 'peer')
    expect((await client.ask('tools/call', params)).before).toEqual([])
  })

  it('without cancel lets what was sent run to its end, and drops what comes of it [ct.5.12.run-on]', async () => {
    const client = await aSession(gateway, {}, { path: '/mcp/shop' })
    const begun = () => expect.poll(() => rig.waiting.length).toBeGreaterThan(0)
    async function givenUp(id: number): Promise<void> {
      const answered = client.post({ id, method: 'tools/call', params: { name: 'slow', arguments: {} } })
      await begun()
      await client.post({ method: 'notifications/cancelled', params: { requestId: id } })
      expect(await (await answered).text()).toBe('')
    }
    await configure('slow', { progress: { cancel: false } })
    await givenUp(900)
    expect((await gateway.admin('/metrics')).text).toContain('mcp_tool_calls_total{outcome="cancelled"} 1')
    // The backend can answer still, and the next call has a connection and an answer of its own.
    rig.waiting.shift()?.()
    const next = shown('slow')
    await begun()
    rig.waiting.shift()?.()
    expect((await next).structuredContent).toEqual({ late: true })
  })
})

describe('a context budget', () => {
  const KEY = 'sk-of-the-model'
  const REF = 'clients/shop/tools/echo/context-budget'
  const llm = () => ({ provider: 'openai', baseUrl: rig.model.url, model: 'small' })
  const summed = (more: object = {}) => ({
    contextBudget: { mode: 'llm_summarize', maxResponseBytes: 256, llm: { ...llm(), ...more } },
  })
  const name = 'a name. '.repeat(100)

  it('cuts what is too much, in bundles as well, and reports it in the trace of the tool runner', async () => {
    await configure('echo', {
      transform: null,
      redactPaths: ['pin'],
      contextBudget: { mode: 'truncate', maxResponseBytes: 300 },
    })
    for (const result of [await shown('echo', { name }), await callIn(gateway, 'kit', 'shop__echo', { name })]) {
      expect(result.content[0]?.text).toMatch(/\n\[truncated by gateway: \d+ of \d+ bytes\]$/)
      expect([metaOf(result)['truncated'], 'structuredContent' in result]).toEqual([true, false])
    }
    expect((await shown('echo', { name: 'short' })).structuredContent).toMatchObject({ pin: '[REDACTED]' })
    const path = '/admin-api/clients/shop/tools/echo/test'
    const tried = jsonOf<{ pipeline: { stage: string; note?: string }[] }>(
      await gateway.admin(path, { method: 'POST', body: { args: { name } } }),
    )
    expect(tried.pipeline.find(({ stage }) => stage === 'shape')).toMatchObject({ note: 'cut to 300 bytes' })
  })

  it('is summarized from the redacted text by a model whose key is sealed and never returned [ct.8.11.key]', async () => {
    rig.summary = 'In short.'
    const set = await configure('echo', summed({ apiKey: KEY }))
    expect(set['config']).toMatchObject({ contextBudget: { llm: { ...llm(), apiKeySet: true } } })
    const result = await shown('echo', { name })
    expect([result.content, 'structuredContent' in result]).toEqual([[{ type: 'text', text: 'In short.' }], false])
    const [asked] = rig.model.hits
    expect([asked?.headers.authorization, asked?.url]).toEqual([`Bearer ${KEY}`, '/chat/completions'])
    expect(asked?.body).toContain('[REDACTED]')
    expect(asked?.body).not.toContain('1234')
    // What is returned is sent back as it is, and the key stays; another model keeps it as well.
    await configure('echo', { contextBudget: (set['config'] as Fields)['contextBudget'] })
    await configure('echo', summed({ model: 'smaller' }))
    await shown('echo', { name })
    expect(rig.model.hits.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    const jsonOf = await Promise.all(
      ['clients/shop/tools/echo', 'tools', 'clients/shop', 'config/export', 'audit-log?limit=200'].map(
        async (path) => (await gateway.admin(`/admin-api/${path}`)).text,
      ),
    )
    for (const text of [...jsonOf, await storedRows(gateway), gateway.output()]) {
      expect(text).not.toContain(KEY)
    }
    for (const text of [...jsonOf, gateway.output()]) expect(text).not.toMatch(/sealedKey|local:v1/)
    expect(jsonOf.at(-1)).toContain('"apiKey":"[set]"')
  })

  it('is cut where the model does not answer in time [gw.setting.context_budget_llm_timeout_ms]', async () => {
    rig.summary = undefined
    const result = await shown('echo', { name })
    expect(result.content[0]?.text).toContain('[truncated by gateway')
    expect(metaOf(result)).toMatchObject({ truncated: true })
    rig.summary = 'In short.'
  })

  it('has a model that only admins set, change and remove [ct.7.3.patch-llm]', async () => {
    const operator = await aUser(gateway, 'olga', 'operator')
    const as = (body: object) =>
      gateway.ask('/admin-api/clients/shop/tools/echo', { method: 'PATCH', body, headers: operator })
    for (const body of [
      summed({ model: 'mine' }),
      summed({ baseUrl: rig.shop.url }),
      summed({ model: 'smaller', apiKey: 'k' }),
      { contextBudget: { mode: 'truncate', maxResponseBytes: 256 } },
      { contextBudget: null },
    ]) {
      const refused = await as(body)
      expect([refused.status, code(refused)], JSON.stringify(body)).toEqual([403, 'FORBIDDEN'])
    }
    const { contextBudget } = summed({ model: 'smaller' })
    expect((await as({ contextBudget: { ...contextBudget, maxResponseBytes: 512 } })).status).toBe(200)
  })

  it('has an address that may be asked, and not more bytes than there are', async () => {
    const place = ['http://169.254.169.254/', 'ftp://model.example'].map((baseUrl) => set('echo', summed({ baseUrl })))
    expect((await Promise.all(place)).map(code)).toEqual(['SSRF_BLOCKED', 'INVALID_URL'])
    const large = await set('echo', { contextBudget: { mode: 'truncate', maxResponseBytes: 10_485_761 } })
    expect([large.status, large.json]).toMatchObject([
      400,
      { error: { fields: [{ path: 'contextBudget.maxResponseBytes' }] } },
    ])
  })

  it('takes its key to no other server than the one it was given for', async () => {
    const set = await configure('echo', summed({ apiKey: KEY }))
    const before = (set['config'] as Fields)['contextBudget'] as Fields
    const elsewhere = { ...llm(), baseUrl: rig.shop.url }
    const moved = (await gateway.admin('/admin-api/config/import?confirm=true', {
      method: 'POST',
      body: {
        mode: 'merge',
        data: {
          version: 1,
          clients: [
            {
              name: 'shop',
              tools: [{ name: 'echo', contextBudget: { ...before, llm: { ...elsewhere, apiKey: { $secret: REF } } } }],
            },
          ],
        },
      },
    })) as { json: unknown }
    expect(moved.json).toMatchObject({ needsSecret: [REF] })
    // Another path of the same server is the same server.
    for (const [baseUrl, apiKeySet] of [
      [`${rig.model.url}/v2`, true],
      [rig.shop.url, false],
      [rig.model.url, false],
    ] as const)
      expect((await configure('echo', summed({ baseUrl })))['config']).toMatchObject({
        contextBudget: { llm: { baseUrl, apiKeySet } },
      })
    await configure('echo', { contextBudget: summed({ model: 'smaller', apiKey: KEY }).contextBudget })
    await configure('echo', { contextBudget: { ...summed({ model: 'smaller' }).contextBudget, maxResponseBytes: 512 } })
  })

  it('travels in a document with a reference for its key, which is kept where it is and asked for where it is not', async () => {
    const exported = jsonOf<{ clients: { name: string; tools: { name: string; contextBudget?: Fields }[] }[] }>(
      await gateway.admin('/admin-api/config/export'),
    )
    const [client] = exported.clients.filter((each) => each.name === 'shop')
    const echo = client?.tools.find((each) => each.name === 'echo')
    expect(echo?.contextBudget).toEqual({
      mode: 'llm_summarize',
      maxResponseBytes: 512,
      llm: { ...llm(), model: 'smaller', apiKey: { $secret: REF } },
    })
    const bring = async (data: object, mode = 'replace') =>
      jsonOf(await gateway.admin('/admin-api/config/import?confirm=true', { method: 'POST', body: { data, mode } }))
    expect(await bring(exported)).toMatchObject({ changes: [], skipped: [], needsSecret: [] })
    // Written differently, with the key it has.
    const doc = (contextBudget: Fields) => ({
      version: 1,
      clients: [{ name: 'shop', tools: [{ name: 'echo', contextBudget }] }],
    })
    const smaller = { ...echo?.contextBudget, maxResponseBytes: 256 }
    expect(await bring(doc(smaller), 'merge')).toMatchObject({ skipped: [], needsSecret: [] })
    await shown('echo', { name })
    expect(rig.model.hits.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    // A key of the environment is given by its name, once, and is the one that is used.
    const named = doc({ ...smaller, llm: { ...llm(), model: 'smaller', apiKey: { $env: 'GANTRY_SECRET_MODEL' } } })
    const path = '/clients/shop/tools/echo/contextBudget/secret'
    const after = { apiKey: { $env: 'GANTRY_SECRET_MODEL' } }
    expect((await bring(named, 'merge'))['changes']).toEqual([{ path, kind: 'changed', before: null, after }])
    await shown('echo', { name })
    expect(rig.model.hits.at(-1)?.headers.authorization).toBe('Bearer sk-of-the-environment')
    expect((await bring(named, 'merge'))['changes']).toEqual([])
    await configure('echo', { contextBudget: null })
    expect(await bring(doc(smaller), 'merge')).toMatchObject({ needsSecret: [REF] })
    const unset = doc({ ...smaller, llm: { ...llm(), apiKey: { $env: 'GANTRY_SECRET_NOBODY_SET' } } })
    expect(await bring(unset, 'merge')).toMatchObject({
      needsSecret: [REF],
      skipped: [{ type: 'tools', id: 'shop__echo', reason: expect.stringContaining('GANTRY_SECRET_NOBODY_SET') }],
    })
    expect(jsonOf(await gateway.admin('/admin-api/clients/shop/tools/echo'))).toMatchObject({
      config: { contextBudget: null },
    })
  })
})

it('what was set is returned, audited, kept from a stale editor, and the same after an export and an import', async () => {
  const before = jsonOf(await gateway.admin('/admin-api/clients/shop/tools/events'))
  const change = { streaming: { format: 'ndjson' }, transform: { response: [{ op: 'remove', path: 'a' }] } }
  const after = await configure('events', { ...change, revision: before['revision'] })
  expect(after).toMatchObject({
    features: expect.arrayContaining(['transform', 'streaming']),
    config: { streaming: { enabled: true, format: 'ndjson', maxEvents: 1000 }, pagination: null },
  })
  expect(code(await set('events', { ...change, revision: before['revision'] }))).toBe('PRECONDITION_FAILED')
  const { items } = jsonOf<{ items: { action: string; target: string }[] }>(
    await gateway.admin('/admin-api/audit-log?limit=200'),
  )
  const actions = items.filter(({ target }) => target === 'shop__events').map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['tool.streaming.update', 'tool.transform.update']))
  const exported = await gateway.admin('/admin-api/config/export')
  const tools = (jsonOf<{ clients: { name: string; tools: Fields[] }[] }>(exported).clients ?? []).flatMap((one) =>
    one.name === 'shop' ? one.tools : [],
  )
  expect(tools.find(({ name }) => name === 'events')).toMatchObject(change)
  await configure('events', { streaming: null, transform: null })
  const imported = await gateway.admin('/admin-api/config/import?confirm=true', { method: 'POST', body: exported.json })
  expect([imported.status, imported.json]).toMatchObject([200, { skipped: [] }])
  expect((await gateway.admin('/admin-api/config/export')).text).toBe(exported.text)
})

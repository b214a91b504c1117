// Ways round a check: what changes between a check and the call, what says one thing here and another there, and the long way to what is forbidden.
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { act, bearer, change, mint, outcome } from './access.fixture.ts'
import { body, code, type Mall, make, member, startMall } from './curation.fixture.ts'
import { disable, openSession, register, rpc } from './data-plane.fixture.ts'
import type { Answer, Env } from './gateway.fixture.ts'

/** An MCP upstream that keeps what it was sent, as it was written. */
async function aRecorder() {
  const sent: string[] = []
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'recorder', version: '1' },
    },
    'tools/list': {
      tools: ['look', 'wipe'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    },
    'tools/call': { content: [{ type: 'text', text: 'done' }] },
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const { id, method } = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string } // JSON-RPC
      const result = results[method ?? '']
      if (result === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end()
      if (method === 'tools/call') sent.push(text)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  const { url, close } = await listening(server)
  return {
    url,
    sent,
    close,
  }
}

let mall: Mall & { end(): Promise<void> }
let recorder: Awaited<ReturnType<typeof aRecorder>>
beforeAll(async () => {
  ;[mall, recorder] = await Promise.all([startMall({ RETRY_MAX_ATTEMPTS: '1', RETRY_BASE_DELAY_MS: '0' }), aRecorder()])
  const made = await mall.gateway.admin('/register', {
    method: 'POST',
    body: { name: 'relay', mcp_url: recorder.url, mcp_transport: 'streamable-http' },
  })
  expect([made.status, made.text]).toEqual([200, expect.any(String)])
})
afterAll(async () => {
  await mall.end()
  await recorder.close()
})
beforeEach(() => {
  mall.shop.seen.length = 0
  mall.bank.seen.length = 0
  recorder.sent.length = 0
})

const post = (path: string, headers: Env, text: string): Promise<Answer> =>
  mall.gateway.ask(path, { method: 'POST', headers, body: text })
const patch = async (path: string, given: object): Promise<void> => {
  const changed = await mall.gateway.admin(`/admin-api/clients/${path}`, { method: 'PATCH', body: given })
  expect([changed.status, changed.text]).toEqual([200, expect.any(String)])
}

describe('what changes while a call waits to be sent again (security case AZ-10)', () => {
  it('holds it off: the backend receives no more of it', async () => {
    const { gateway, shop, bank } = mall
    await register(gateway, shop, 'leaving')
    const keys = [await mint(gateway), await mint(gateway)] as const
    const [revoked, narrowed] = keys
    const free = await mint(gateway)
    const on = (client: string, name: string) => ({ path: `/mcp/${client}`, name })
    // Each asks for another path, so that what arrives shows whose it is.
    const CASES = {
      'nothing changes': ['/ok', free, on('petstore', 'ok'), async () => undefined],
      'the tool is disabled': [
        '/half',
        free,
        on('petstore', 'half'),
        () => patch('petstore/tools/half', { enabled: false }),
      ],
      'the tool is given to another key': [
        '/reset',
        free,
        on('petstore', 'reset'),
        () => patch('petstore/tools/reset', { guards: { allowedKeyIds: [revoked.id] } }),
      ],
      'the key is revoked': ['/garbage', revoked, on('petstore', 'garbage'), () => act(gateway, revoked, 'revoke')],
      'the key is narrowed': [
        '/notfound',
        narrowed,
        on('petstore', 'notfound'),
        () => change(gateway, narrowed, { scopes: { clients: ['bank'] } }),
      ],
      'the backend is deleted': [
        '/broken',
        free,
        on('leaving', 'broken'),
        () => gateway.admin('/clients/leaving', { method: 'DELETE' }),
      ],
      'the backend is disabled': ['/ok', free, on('bank', 'ok'), () => patch('bank', { enabled: false })],
    } as const
    for (const upstream of [shop, bank])
      upstream.answer = (_request, response) => void response.writeHead(503, { 'retry-after': '4' }).end('later')
    const calls = Object.values(CASES).map(([, key, at]) => outcome(gateway, bearer(key.key), at))
    await expect.poll(() => shop.seen.length + bank.seen.length).toBe(calls.length)
    await Promise.all(Object.values(CASES).map(([, , , inBetween]) => inBetween()))
    await Promise.all(calls)
    for (const upstream of [shop, bank]) upstream.answer = undefined
    const received = Object.entries(CASES).map(([what, [path, , { path: at }]]) => {
      const { seen } = at === '/mcp/bank' ? bank : shop
      return [what, seen.filter((line) => line === `GET ${path}`).length]
    })
    expect(received).toEqual(Object.keys(CASES).map((what) => [what, what === 'nothing changes' ? 2 : 1]))
    await patch('bank', { enabled: true })
    for (const tool of ['half', 'reset']) await patch(`petstore/tools/${tool}`, { enabled: true, guards: null })
  })
})

describe('a message that can be read in two ways (security case AZ-09)', () => {
  const call = (params: string, more = ''): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call"${more},"params":${params}}`

  it.each([
    ['a member twice', call('{"name":"wipe","name":"look","arguments":{}}')],
    [
      'its parameters twice',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe"},"params":{"name":"look"}}`,
    ],
    [
      'its method twice',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"look"}}`,
    ],
    ['a member in capitals', call('{"name":"look","Name":"wipe","NAME":"wipe","arguments":{}}')],
    ['a member with a NUL', call('{"name":"look","name\\u0000":"wipe","arguments":{}}')],
    ['a member with an escape', call('{"n\\u0061me":"wipe","name":"look","arguments":{}}')],
    ['parameters in capitals', call('{"name":"look"}', ',"Params":{"name":"wipe"}')],
    ['arguments twice', call('{"name":"look","arguments":{"of":"wipe","of":"it"}}')],
    ['more members', call('{"name":"look","tool":"wipe","arguments":{},"extra":{"name":"wipe"}}', ',"extra":"wipe"')],
  ])('by %s says to the upstream what was allowed, and nothing else', async (_how, text) => {
    const { key } = await mint(mall.gateway, { scopes: { tools: ['relay__look'] } })
    const answer = await post('/mcp/relay', bearer(key), text)
    // Or it is refused: what may not be is that the two of them read it differently.
    if (answer.status === 200) expect(answer.text).toContain('done')
    else expect(answer.status).toBe(400)
    expect(recorder.sent).toHaveLength(answer.status === 200 ? 1 : 0)
    for (const sent of recorder.sent) {
      expect(sent).not.toMatch(/wipe/i)
      expect(sent.match(/"name"/gi)).toHaveLength(1)
      expect(sent).toContain('"name":"look"')
    }
  })

  it('is never allowed by what another reader would take it for', async () => {
    const { key } = await mint(mall.gateway, { scopes: { tools: ['relay__look'] } })
    for (const params of ['{"name":"look","name":"wipe"}', '{"Name":"look","name":"wipe"}', '{"NAME":"look"}'])
      expect((await post('/mcp/relay', bearer(key), call(params))).text).not.toContain('done')
    expect(recorder.sent).toEqual([])
  })
})

it('a batch is as many calls: each is checked, and what is forbidden in it is not done (security case AZ-08)', async () => {
  const { gateway, shop, bank } = mall
  const { key } = await mint(gateway, { scopes: { tools: ['petstore__ok'] } })
  const headers = { ...bearer(key), ...(await openSession(gateway, '2025-03-26', '/mcp/petstore', bearer(key))) }
  const names = ['ok', 'getPetById', 'petstore__broken', 'bank__ok', 'ok', 'noSuchTool']
  const batch = names.map((name, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { id: 1 } },
  }))
  const { json } = await gateway.ask('/mcp/petstore', {
    method: 'POST',
    headers,
    body: [...batch, { jsonrpc: '2.0', id: 9, method: 'tools/list' }],
  })
  const answers = json as {
    id: number
    result: { isError?: boolean; structuredContent?: { code?: string }; tools?: { name: string }[] }
  }[]
  const message = answers.map(({ id, result }) => [
    names[id],
    result.structuredContent?.code ?? result.tools?.map(({ name }) => name),
  ])
  const refused = await outcome(gateway, bearer(key), { name: 'getPetById' })
  expect(message).toEqual([
    ['ok', undefined],
    ...['getPetById', 'petstore__broken', 'bank__ok'].map((name) => [name, refused]),
    ['ok', undefined],
    ['noSuchTool', refused],
    [undefined, ['ok', 'search_tools']],
  ])
  expect([shop.seen, bank.seen]).toEqual([['GET /ok', 'GET /ok'], []])
})

describe('the long way (security case AZ-12)', () => {
  beforeAll(async () => {
    const { gateway } = mall
    const step = (targetClient: string, targetTool: string) => ({ targetClient, targetTool })
    await make(gateway, 'composites', {
      name: 'both',
      steps: [step('petstore', 'ok'), step('bank', 'ok'), step('petstore', 'ok')],
    })
    await make(gateway, 'bundles', {
      name: 'kit',
      tools: [member('petstore', 'ok'), member('bank', 'ok')],
      composites: ['both'],
    })
  })
  const composed = { path: '/mcp-custom/kit', name: 'both' }
  const inBundle = { path: '/mcp-custom/kit', name: 'bank__ok' }

  it.each([
    ['disabled', () => patch('bank/tools/ok', { enabled: false }), () => patch('bank/tools/ok', { enabled: true })],
    [
      'allowed_key',
      () => patch('bank/tools/ok', { guards: { allowedApiKeys: ['a key of another user'] } }),
      () => patch('bank/tools/ok', { guards: null }),
    ],
    [
      'confirm_required',
      () => patch('bank/tools/ok', { sensitive: true }),
      () => patch('bank/tools/ok', { sensitive: false }),
    ],
    [
      'rate_limit',
      async () => {
        await patch('bank/tools/ok', { guards: { rateLimitPerMin: 1 } })
        expect(await outcome(mall.gateway, bearer((await mint(mall.gateway)).key), { path: '/mcp/bank' })).toBe('ok')
        mall.bank.seen.length = 0
      },
      () => patch('bank/tools/ok', { guards: null }),
    ],
  ] as const)(
    'through a composite or a bundle meets %s as the shard does: the steps before it are done, none after',
    async (refusal, set, unset) => {
      const { gateway, shop, bank } = mall
      const headers = bearer((await mint(gateway)).key)
      await set()
      try {
        expect(await outcome(gateway, headers, { path: '/mcp/bank' })).toBe(refusal)
        expect(await outcome(gateway, headers, inBundle)).toBe(refusal)
        expect([shop.seen, bank.seen]).toEqual([[], []])
        const { json } = await rpc(
          gateway,
          'tools/call',
          { name: 'both', arguments: {} },
          { path: composed.path, headers },
        )
        const message = JSON.stringify(json)
        expect(message).toContain(refusal)
        expect(message).toMatch(/step 2/i)
        expect([shop.seen, bank.seen]).toEqual([['GET /ok'], []])
        if (refusal !== 'confirm_required') return
        const confirmed = await outcome(gateway, headers, { ...composed, args: { __confirm: true } })
        expect([confirmed, bank.seen]).toEqual(['ok', ['GET /ok']])
      } finally {
        await unset()
      }
    },
  )

  it('is walked as its caller: a step out of the scope of the key is refused, even if the composite may run it', async () => {
    const { gateway, shop, bank } = mall
    const headers = bearer((await mint(gateway, { scopes: { bundles: ['kit'], clients: ['petstore'] } })).key)
    const { json } = await rpc(gateway, 'tools/call', { name: 'both', arguments: {} }, { path: composed.path, headers })
    expect(JSON.stringify(json)).toContain('key_scope')
    expect(bank.seen).toEqual([])
    expect(shop.seen.length).toBeLessThanOrEqual(1)
  })

  it('to a backend that is switched off leads nowhere, by any path (security case AZ-13)', async () => {
    const { gateway, shop } = mall
    const headers = bearer((await mint(gateway)).key)
    const session = { ...headers, ...(await openSession(gateway, '2025-11-25', '/mcp/petstore', headers)) }
    await disable(gateway)
    try {
      for (const at of [{}, { name: 'petstore__ok' }, { path: '/mcp-custom/kit', name: 'petstore__ok' }, composed])
        expect([at, await outcome(gateway, headers, at)]).toEqual([
          at,
          expect.stringMatching(/^(disabled|unknown_tool|failed)$/),
        ])
      expect(await outcome(gateway, session)).toBe('disabled')
      const tried = await gateway.admin('/admin-api/clients/petstore/tools/ok/test', { method: 'POST', body: {} })
      expect(body(tried)).toMatchObject({ code: 'disabled', gate: 'availability' })
      const walked = await gateway.admin('/admin-api/composites/both/test', { method: 'POST', body: {} })
      expect(JSON.stringify(walked.json)).toContain('disabled')
      for (const path of ['/mcp/petstore', '/mcp-custom/kit']) {
        const found = await rpc(
          gateway,
          'tools/call',
          { name: 'search_tools', arguments: { query: 'ok' } },
          { path, headers },
        )
        expect(found.text).not.toContain('petstore__ok')
      }
      expect(shop.seen).toEqual([])
    } finally {
      await disable(gateway, true)
    }
  })
})

describe('an unknown surface', () => {
  it('looks like an existing one, to a caller that may open neither: by every method, in every header (security case AZ-04)', async () => {
    const { gateway } = mall
    const unauthenticated: readonly Env[] = [
      {},
      bearer('mcp_nobody-has-this-one'),
      bearer((await mint(gateway, { scopes: { bundles: ['elsewhere'] } })).key),
    ]
    const PREFLIGHT = { origin: 'http://evil.test', 'access-control-request-method': 'POST' }
    for (const headers of unauthenticated)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
        const look = async (path: string): Promise<string> => {
          const answer = await gateway.ask(path, {
            method,
            headers: { ...headers, 'x-request-id': 'twin', ...(method === 'OPTIONS' ? PREFLIGHT : {}) },
            ...(method === 'POST' ? { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } : {}),
          })
          const message = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-ratelimit-remaining')
          return JSON.stringify([answer.status, message, answer.text]).replaceAll(path, 'PATH')
        }
        // Of one length, so that nothing but being there could differ.
        expect([method, await look('/mcp/petstore')]).toEqual([method, await look('/mcp/petstorf')])
        expect([method, await look('/mcp-custom/kit')]).toEqual([method, await look('/mcp-custom/kiu')])
      }
    expect(code(await gateway.admin('/admin-api/clients/petstorf'))).toBe('CLIENT_NOT_FOUND')
  })
})

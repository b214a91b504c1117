// The interpretation of a payload, and refusals before anything is fetched, dialled or stored.
import { describe, expect, it, onTestFinished } from 'vitest'
import { RegistrationPayload } from '../contract/registration.ts'
import { createOutbound, type Outbound, type OutboundOptions } from '../net/outbound.ts'
import { classify, createPlanner, type ListMcpTools, type PlanSettings, type SourceAuth } from './plan.ts'
import { answerJson, aServer, serving } from './upstream-server.fixture.ts'

const SETTINGS: PlanSettings = {
  MAX_TOOLS_PER_CLIENT: 100,
  GRAPHQL_MAX_TYPES: 2000,
  GRAPHQL_SELECTION_MAX_DEPTH: 2,
  GRAPHQL_INPUT_MAX_DEPTH: 3,
  OPENAPI_DISCOVERY_TIMEOUT_MS: 60_000,
  GRAPHQL_DISCOVERY_TIMEOUT_MS: 60_000,
}
const payload = (more: object) => RegistrationPayload.parse({ name: 'a', ...more })
const SPEC = { openapi: '3.1.0', info: {}, paths: { '/pets': { get: { operationId: 'listPets' } } } }
const TOOL = { name: 't', method: 'get', endpoint: '/t', description: 'd' }

function aDoor(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowPrivate: true, connections: 4, ...options })
  onTestFinished(() => outbound.close())
  return outbound
}
const aPlanner = (
  options: { door?: Partial<OutboundOptions>; settings?: Partial<PlanSettings>; listMcpTools?: ListMcpTools } = {},
) =>
  createPlanner({
    outbound: aDoor(options.door),
    settings: { ...SETTINGS, ...options.settings },
    listMcpTools: options.listMcpTools ?? (async () => ({ tools: [], hasMore: false })),
  })

describe('an invalid payload', () => {
  it.each([
    ['nothing', {}, 'tools, openapi_url, curl_input, client_collection'],
    ['two sources', { tools: [TOOL], curl_input: 'curl x', base_url: 'http://a.example' }, 'curl_input'],
    ['three sources', { openapi_url: 'http://a.example', curl_input: 'c', client_collection: {} }, 'curl_input'],
    [
      'a REST source beside graphql_url',
      { graphql_url: 'http://a.example', openapi_url: 'http://a.example' },
      'openapi_url',
    ],
    ['both protocols', { graphql_url: 'http://a.example', mcp_url: 'http://a.example' }, 'graphql_url'],
    ['a kind without its URL', { kind: 'graphql' }, 'graphql_url'],
    ['a kind against its URL', { kind: 'rest', mcp_url: 'http://a.example' }, 'mcp_url'],
    ['tags without a document', { curl_input: 'curl x', include_tags: ['a'] }, 'include_tags'],
    [
      'exclusions without a document',
      { graphql_url: 'http://a.example', exclude_operations: ['a'] },
      'exclude_operations',
    ],
    ['hand-written tools without an address', { tools: [TOOL] }, 'base_url'],
  ])(
    'is %s [ct.4.2.one-source ct.4.2.kind-contradiction gw.payload.1-one-source ct.4.3.rest-nothing]',
    (_case, more, field) => {
      expect(() => classify(payload(more))).toThrow(
        expect.objectContaining({
          code: 'VALIDATION_ERROR',
          extras: { fields: [expect.objectContaining({ path: field })] },
        }),
      )
    },
  )
})

describe('the kind', () => {
  it.each([
    [{ openapi_url: '/x' }, 'rest', 'openapi_url'],
    [{ graphql_url: 'http://a.example' }, 'graphql', 'graphql_url'],
    [{ mcp_url: 'http://a.example' }, 'mcp', 'mcp_url'],
    [{ kind: 'mcp', mcp_url: 'http://a.example' }, 'mcp', 'mcp_url'],
    [{ tools: [TOOL], health_url: 'http://a.example' }, 'rest', 'tools'],
  ])('follows from %j [ct.4.2.kind-inferred]', (more, kind, input) => {
    expect(classify(payload(more))).toEqual({ kind, input })
  })
})

describe('an address', () => {
  const PRIVATE = 'http://127.0.0.1:90/'
  it.each([
    ['health_url', { tools: [TOOL], health_url: PRIVATE }],
    ['base_url', { tools: [TOOL], base_url: PRIVATE }],
    ['openapi_url', { openapi_url: PRIVATE }],
    ['graphql_url', { graphql_url: PRIVATE }],
    ['mcp_url', { mcp_url: PRIVATE }],
    ['base_url', { curl_input: `curl ${PRIVATE}` }],
    ['base_url', { client_collection: { item: [{ name: 'x', request: PRIVATE }] } }],
  ])('that is private is refused as %s', async (field, more) => {
    const failing = aPlanner({ door: { allowPrivate: false } })(payload(more))
    await expect(failing).rejects.toMatchObject({
      code: 'SSRF_BLOCKED',
      extras: { fields: [expect.objectContaining({ path: field })] },
    })
  })

  it('of a single operation is checked like the others', async () => {
    const spec = {
      ...SPEC,
      servers: [{ url: 'http://spec.test' }],
      paths: { '/pets': { get: { operationId: 'listPets', servers: [{ url: 'http://10.0.0.7/v1' }] } } },
    }
    const server = await aServer(serving({ '/spec': spec }))
    const resolve = async (name: string) => (name === 'spec.test' ? ['127.0.0.1'] : ['10.0.0.7'])
    const lenient = await aPlanner({ door: { resolve } })(
      payload({ openapi_url: `http://spec.test:${server.port}/spec` }),
    )
    expect(Object.keys(lenient.pins.servers)).toEqual(['http://10.0.0.7'])
    expect(lenient.warnings.join()).toContain('the credential of this backend is not sent there')
  })

  it.each([
    ['is refused when it is a literal one', 'http://169.254.169.254', 'refused'],
    ['is refused when it is this machine', 'http://localhost:9090', 'refused'],
    ['is never dialled when it is a name that leads nowhere', 'http://nowhere.test', 'kept'],
    ['is never dialled when it is a name that leads inside', 'http://inside.test', 'kept'],
  ])('an operation names for itself %s', async (_case, url, fate) => {
    const paths = { '/a': { get: { servers: [{ url }] } }, '/b': { get: {} } }
    const spec = { openapi: '3.1.0', info: {}, servers: [{ url: 'http://public.test' }], paths }
    const server = await aServer(serving({ '/spec': spec }))
    const resolve = async (name: string) => {
      if (name === 'nowhere.test') throw new Error('ENOTFOUND')
      return name === 'public.test' ? ['127.0.0.1'] : ['169.254.169.254']
    }
    const planning = aPlanner({ door: { resolve } })(payload({ openapi_url: `http://public.test:${server.port}/spec` }))
    if (fate === 'refused') {
      await expect(planning).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
      return
    }
    const { pins, warnings, discovery } = await planning
    expect([discovery.tools.length, pins.servers]).toEqual([2, {}])
    expect(warnings.join()).toContain('are refused until')
  })

  it('is dialled where it was checked, even if the name changes in between (security case SS-05) [gw.registration.1-pin]', async () => {
    const server = await aServer(serving({ '/spec': SPEC }))
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.3', '10.0.0.1']
    let asked = 0
    const resolve = async () => [answers[asked++] ?? '10.0.0.1']
    const { pins } = await aPlanner({ door: { resolve } })(
      payload({ openapi_url: `http://moving.test:${server.port}/spec`, base_url: `http://moving.test:${server.port}` }),
    )
    // base_url first, then the document: one lookup each, and each connection uses its own result.
    expect([pins.base.addresses, pins.source?.addresses, asked]).toEqual([['127.0.0.2'], ['127.0.0.1'], 2])
  })

  it('with one private answer among public ones is refused, in any order (security case SS-03) [ct.4.3.ssrf]', async () => {
    const all = ['93.184.215.14', '10.0.0.1', '::1', '2606:4700::1111']
    for (let round = 0; round < 100; round += 1) {
      // Every order, and each private answer alone.
      const turned = [...all.slice(round % 4), ...all.slice(0, round % 4)]
      const answers =
        round % 2 === 0 ? turned : turned.filter((one) => one !== all[1 + (round % 3 === 0 ? 1 : 0)]).reverse()
      const planning = aPlanner({ door: { allowPrivate: false, resolve: async () => answers } })(
        payload({ graphql_url: 'http://mixed.test/' }),
      )
      await expect(planning).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
    }
  })

  it('stores every checked address [ct.4.3.pinned]', async () => {
    const resolve = async () => ['93.184.215.14', '2606:4700::1111']
    const { pins } = await aPlanner({ door: { resolve } })(payload({ curl_input: 'curl http://two.test/x' }))
    expect(pins.base).toMatchObject({ hostname: 'two.test', addresses: ['93.184.215.14', '2606:4700::1111'] })
  })
})

describe('an unreadable source', () => {
  it.each([301, 302, 303, 307, 308])(
    'answers %i: no redirect is followed (security case SS-08) [ct.1.9.no-redirects]',
    async (status) => {
      const elsewhere = await aServer(serving({ '/spec': SPEC }))
      const server = await aServer((_hit, response) =>
        response.writeHead(status, { location: `${elsewhere.url}/spec` }).end(),
      )
      await expect(aPlanner()(payload({ openapi_url: `${server.url}/spec` }))).rejects.toMatchObject({
        code: 'DISCOVERY_ERROR',
        extras: { details: { stage: 'fetch' } },
      })
      expect(elsewhere.hits).toEqual([])
    },
  )

  it('returns an error, or refuses connections', async () => {
    const server = await aServer((_hit, response) => answerJson(response, {}, 500))
    await server.close()
    const denied = await aServer((_hit, response) => answerJson(response, {}, 403))
    for (const url of [server.url, denied.url])
      await expect(aPlanner()(payload({ openapi_url: url }))).rejects.toMatchObject({ code: 'DISCOVERY_ERROR' })
  })

  it('is an MCP upstream that refuses', async () => {
    const listMcpTools = async () => {
      throw Object.assign(new Error('answered 401'), { status: 401 })
    }
    await expect(aPlanner({ listMcpTools })(payload({ mcp_url: 'http://127.0.0.1:84/mcp' }))).rejects.toMatchObject({
      code: 'DISCOVERY_ERROR',
      message: expect.stringContaining('401'),
    })
  })

  it('is registered without tools where it lists them after a sign-in, and loses none where it is known', async () => {
    const plan = (status: number) =>
      aPlanner({
        listMcpTools: async () => {
          throw Object.assign(new Error(`answered ${status}`), { status })
        },
      })
    const asked = payload({ mcp_url: 'http://127.0.0.1:84/mcp', mcp_sign_in: true })
    const { discovery, warnings } = await plan(401)(asked, undefined, { isNew: true })
    expect([discovery.tools, warnings]).toEqual([[], [expect.stringContaining('after a sign-in')]])
    for (const [status, isNew] of [
      [401, false],
      [404, true],
      [500, true],
    ] as const)
      await expect(plan(status)(asked, undefined, { isNew })).rejects.toMatchObject({ code: 'DISCOVERY_ERROR' })
  })

  it('an internal error is not attributed to the source', async () => {
    const listMcpTools = async () => {
      throw new TypeError('ours')
    }
    await expect(aPlanner({ listMcpTools })(payload({ mcp_url: 'http://127.0.0.1:84/' }))).rejects.toThrow(TypeError)
  })
})

describe('the API base [ct.4.3.rest-base]', () => {
  it('is base_url, else the host of health_url, else the source’s own', async () => {
    const spec = { ...SPEC, servers: [{ url: 'http://127.0.0.1:81/v1' }] }
    const server = await aServer(serving({ '/spec': spec, '/bare': SPEC }))
    const plan = aPlanner()
    const baseOf = async (more: object) => (await plan(payload({ openapi_url: `${server.url}/spec`, ...more }))).baseUrl
    expect(await baseOf({ base_url: 'http://127.0.0.1:82/b', health_url: 'http://127.0.0.1:83/h' })).toBe(
      'http://127.0.0.1:82/b',
    )
    expect(await baseOf({ health_url: 'http://127.0.0.1:83/h?x=1' })).toBe('http://127.0.0.1:83/v1')
    expect(await baseOf({})).toBe('http://127.0.0.1:81/v1')
    expect(new URL(await baseOf({ openapi_url: `${server.url}/bare` })).origin).toBe(server.url)
  })

  it('permits a relative openapi_url [ct.4.2.openapi-relative]', async () => {
    const server = await aServer(serving({ '/docs/spec': SPEC }))
    const plan = aPlanner()
    const found = await plan(payload({ openapi_url: '/docs/spec', base_url: `${server.url}/api` }))
    expect([found.baseUrl, found.discovery.tools.length]).toEqual([`${server.url}/api`, 1])
    await plan(payload({ openapi_url: 'spec', health_url: `${server.url}/docs/health` }))
    await expect(plan(payload({ openapi_url: 'spec' }))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('warns when there is no health check [ct.4.3.rest-no-health]', async () => {
    const found = await aPlanner()(payload({ tools: [TOOL], base_url: 'http://127.0.0.1:81' }))
    expect(found.warnings).toEqual([expect.stringContaining('No health_url')])
    const none = await aPlanner()(payload({ tools: [TOOL], health_url: 'http://127.0.0.1:81/h' }))
    expect(none.warnings).toEqual([])
  })
})

describe('the credential of a backend', () => {
  const auth = { headers: { authorization: 'Bearer sesame' } }
  const to = (given: string) => ({ sentTo: (origin: string) => (origin === given ? auth : undefined) })
  const seen = async (more: object, source: SourceAuth = auth) => {
    const server = await aServer(serving({ '/spec': SPEC }))
    await aPlanner()(payload({ openapi_url: `${server.url}/spec`, ...more }), source)
    return server.hits.map(({ headers }) => headers.authorization)
  }
  it('is not sent to a document on another host', async () => {
    expect(await seen({ base_url: 'http://127.0.0.1:81' })).toEqual([undefined])
    expect(await seen({}, to('http://127.0.0.1:81'))).toEqual([undefined])
  })
  it('is sent to a document on its own host', async () => {
    expect(await seen({})).toEqual(['Bearer sesame'])
  })
  it('is not sent to an upstream that redirects (security case SS-09)', async () => {
    const asked: unknown[] = []
    const listMcpTools: ListMcpTools = async ({ headers }) => {
      asked.push(headers)
      return { tools: [{ name: 'x', inputSchema: { type: 'object' } }], hasMore: false }
    }
    const plan = aPlanner({ listMcpTools })
    await plan(payload({ mcp_url: 'http://127.0.0.1:81/mcp' }), to('http://127.0.0.1:82'))
    await plan(payload({ mcp_url: 'http://127.0.0.1:81/mcp' }), to('http://127.0.0.1:81'))
    expect(asked).toEqual([{}, auth.headers])
  })
})

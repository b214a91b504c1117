// A stored credential is sent to the origins it was given for, whichever user and route moves the address.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { resultFields, sys } from './control-plane.fixture.ts'
import { body, code } from './curation.fixture.ts'
import { call, openUpstream, ROOMY, register, type Upstream } from './data-plane.fixture.ts'
import { type Ask, aUser, type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const SECRET = 'only-for-the-shop'
const PATH = '/admin-api/clients/petstore'

let gateway: Gateway
let shop: Upstream
let other: Upstream
let operator: Env
/** What each server received in `authorization`, in order. */
const received = new Map<string, (string | undefined)[]>()

const recording =
  (url: string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    received.set(url, [...(received.get(url) ?? []), request.headers.authorization])
    response.setHeader('content-type', 'application/json')
    if (request.url?.startsWith('/openapi')) response.end(JSON.stringify(specification(served)))
    else response.end('{"id":5}')
  }
/** The server that the specification names. */
let served = ''
const specification = (server: string) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: server }],
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'ok' } } } } },
})

beforeAll(async () => {
  const env = { ...ROOMY, RETRY_MAX_ATTEMPTS: '0', SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') }
  ;[gateway, shop, other] = await Promise.all([startGateway(env), openUpstream(), openUpstream()])
  shop.answer = recording(shop.url)
  other.answer = recording(other.url)
  operator = await aUser(gateway, 'otto', 'operator')
})
afterAll(async () => {
  await gateway.end()
  await Promise.all([shop.close(), other.close()])
})
beforeEach(async () => {
  await gateway.admin(PATH, { method: 'DELETE' })
  await register(gateway, shop)
  await credential()
  received.clear()
})

const credential = async (): Promise<void> => {
  const set = await gateway.admin(`${PATH}/upstream-auth`, { method: 'PUT', body: { type: 'bearer', token: SECRET } })
  expect([set.status, set.text]).toEqual([200, expect.any(String)])
}
const as = (who: Env, path: string, method: string, given: unknown, more: Ask = {}) =>
  gateway.ask(path, { ...more, method, body: given, headers: { ...more.headers, ...who } })
const asOperator = async (path: string, method: string, given: unknown) => {
  const answer = await as(operator, path, method, given)
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)])
  return body(answer)
}
const asAdmin = async (path: string, method: string, given: unknown) => {
  const answer = await gateway.admin(path, { method, body: given })
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)])
  return body(answer)
}
const detail = async () => body(await gateway.admin(PATH))
const at = ({ url }: Upstream): (string | undefined)[] => received.get(url) ?? []
const pets = async (times = 1): Promise<void> => {
  for (let each = 0; each < times; each++) await call(gateway, 'getPetById', { id: 5 })
}
const tools = (url: string) => ({
  name: 'petstore',
  base_url: url,
  tools: [
    {
      name: 'getPetById',
      method: 'GET',
      endpoint: '/pets/:id',
      description: 'A pet',
      inputSchema: { type: 'object', properties: { id: { type: 'integer' } } },
    },
  ],
})
const lastAudit = async (action: string): Promise<Record<string, unknown>> => {
  const { items } = body(await gateway.admin(`/admin-api/audit-log?action=${action}&limit=1`))
  return (items as { detail: Record<string, unknown> }[])[0]?.detail ?? {} // a page of entries
}
const DETACHED = /credential is not sent to http:\/\/127\.0\.0\.1:\d+/

describe('an operator who moves a backend to another origin', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['by a change of its address', () => asOperator(PATH, 'PATCH', { baseUrl: other.url }), 'client.update'],
    ['by registering it again', () => asOperator('/register', 'POST', tools(other.url)), 'client.register'],
    [
      'by a curl command',
      () =>
        asOperator('/register', 'POST', {
          name: 'petstore',
          curl_input: `curl ${other.url}/pets`,
          base_url: other.url,
        }),
      'client.register',
    ],
  ])(
    '%s does not get the credential sent there; the answer, the record and the log report it [ct.0.13.origins ct.0.13.reported]',
    async (_how, move, action) => {
      const { warnings } = (await move()) as { warnings?: string[] }
      const tools = (await detail()).tools as { tool: string; missing: boolean }[]
      const name = tools.find(({ missing }) => !missing)?.tool ?? ''
      await call(gateway, name, { id: 5 })
      expect(at(other)).toEqual([undefined])
      expect(warnings?.join('\n')).toMatch(DETACHED)
      expect(await detail()).toMatchObject({
        upstreamAuth: { configured: true, origins: [shop.url] },
        credentialDetached: [other.url],
      })
      expect(await lastAudit(action)).toMatchObject({ credentialDetached: [other.url] })
      // Back at the origin it was given for it is sent again: nothing was lost.
      await asOperator(PATH, 'PATCH', { baseUrl: shop.url })
      await call(gateway, name, { id: 5 })
      expect(at(shop).at(-1)).toBe(`Bearer ${SECRET}`)
    },
  )

  it('does not get it sent to a canary, a failover or a pool', async () => {
    const canary = await asOperator(`${PATH}/canary`, 'PUT', { secondaryBaseUrl: other.url, weight: 100 })
    expect(canary.warnings).toEqual([expect.stringMatching(DETACHED)])
    expect(await lastAudit('client.canary.set')).toMatchObject({ credentialDetached: [other.url] })
    await pets()
    expect(at(other)).toEqual([undefined])
    await asOperator(`${PATH}/canary`, 'PUT', { canary: null })
    const added = await asOperator(`${PATH}/lb/upstreams`, 'POST', { baseUrl: other.url })
    expect(added.warnings).toEqual([expect.stringMatching(DETACHED)])
    expect(await lastAudit('client.lb.upstream.add')).toMatchObject({ credentialDetached: [other.url] })
    await pets(4)
    const pool = await asOperator(`${PATH}/lb`, 'PUT', { strategy: 'round-robin', upstreams: [{ baseUrl: other.url }] })
    expect(pool.warnings).toEqual([expect.stringMatching(DETACHED)])
    await pets(4)
    expect([at(other).length > 1, new Set(at(other)), new Set(at(shop))]).toEqual([
      true,
      new Set([undefined]),
      new Set([`Bearer ${SECRET}`]),
    ])
    expect((await detail()).credentialDetached).toEqual([other.url])
  })

  it('does not get it sent to a server that the specification names, nor by reading it again', async () => {
    served = shop.url
    await asOperator('/register', 'POST', { name: 'petstore', openapi_url: `${shop.url}/openapi.json` })
    await credential()
    served = other.url
    const again = await asOperator(`${PATH}/rediscover`, 'POST', {})
    expect((again.warnings as string[]).join('\n')).toMatch(DETACHED)
    await call(gateway, 'listPets')
    expect(at(other)).toEqual([undefined])
    // The specification itself is still read with it: it lies where the credential was given for.
    received.clear()
    await asOperator(`${PATH}/rediscover`, 'POST', {})
    expect([at(shop), at(other)]).toEqual([[`Bearer ${SECRET}`], []])
  })

  it('does not get it sent by a health check, nor by the source of a registration', async () => {
    await asOperator(PATH, 'PATCH', { baseUrl: other.url })
    await asOperator(`${PATH}/health-check`, 'POST', {})
    await as(operator, '/register', 'POST', { name: 'petstore', openapi_url: `${other.url}/openapi.json` })
    expect([at(other).length > 1, new Set(at(other))]).toEqual([true, new Set([undefined])])
  })

  it('may not say that it is kept, in any way there is [ct.0.13.keep]', async () => {
    const refused = [
      await as(operator, PATH, 'PATCH', { baseUrl: other.url, keepCredential: true }),
      await as(operator, '/register', 'POST', { ...tools(other.url), keepCredential: true }),
      await as(operator, `${PATH}/rediscover`, 'POST', { keepCredential: true }),
      await as(operator, `${PATH}/canary`, 'PUT', { secondaryBaseUrl: other.url, keepCredential: true }),
      await as(operator, `${PATH}/lb`, 'PUT', { strategy: 'random', upstreams: [], keepCredential: true }),
      await as(operator, `${PATH}/lb/upstreams`, 'POST', { baseUrl: other.url, keepCredential: true }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect(refused.map(code)).toEqual(refused.map(() => 'FORBIDDEN'))
    expect((await detail()).baseUrl).toBe(shop.url)
  })

  it('does not get it sent through an agent either', async () => {
    const payload = tools(other.url)
    await resultFields(gateway, 'sys_register_client', { ...payload, __confirm: true })
    await pets()
    expect(at(other)).toEqual([undefined])
    // An agent cannot confirm, with any key.
    const kept = await sys(gateway, 'sys_register_client', { ...payload, keepCredential: true, __confirm: true })
    expect(JSON.stringify(kept)).not.toContain('credentialKept')
    await pets()
    expect(at(other)).toEqual([undefined, undefined])
  })
})

describe('an admin who says keepCredential', () => {
  it('has it sent to the new address, and the log says who gave it where', async () => {
    const moved = await asAdmin(PATH, 'PATCH', { baseUrl: other.url, keepCredential: true })
    expect(moved).toMatchObject({ credentialDetached: [], upstreamAuth: { origins: [shop.url, other.url] } })
    expect(moved.warnings).toBeUndefined()
    expect(await lastAudit('client.update')).toMatchObject({ credentialKept: [other.url] })
    await pets()
    expect(at(other)).toEqual([`Bearer ${SECRET}`])
  })

  it('may confirm afterwards, for the address an operator set', async () => {
    await asOperator(PATH, 'PATCH', { baseUrl: other.url })
    await asAdmin(PATH, 'PATCH', { keepCredential: true })
    await pets()
    expect(at(other)).toEqual([`Bearer ${SECRET}`])
  })

  it('has it sent to a canary and a pool, also after the credential is another one', async () => {
    await asAdmin(`${PATH}/canary`, 'PUT', { secondaryBaseUrl: other.url, weight: 100, keepCredential: true })
    await pets()
    await credential()
    await pets()
    expect(at(other)).toEqual([`Bearer ${SECRET}`, `Bearer ${SECRET}`])
    await asAdmin(`${PATH}/canary`, 'PUT', { canary: null })
    await gateway.admin(`${PATH}/upstream-auth`, { method: 'DELETE' })
    await credential()
    received.clear()
    await asAdmin(`${PATH}/lb`, 'PUT', {
      strategy: 'round-robin',
      upstreams: [{ baseUrl: other.url }],
      keepCredential: true,
    })
    await pets(4)
    expect(new Set(at(other))).toEqual(new Set([`Bearer ${SECRET}`]))
  })

  it('does not give it away by setting another one while the address is not theirs', async () => {
    await asOperator(`${PATH}/canary`, 'PUT', { secondaryBaseUrl: other.url, weight: 100 })
    await credential()
    await pets()
    expect(at(other)).toEqual([undefined])
  })
})

describe('a configuration document', () => {
  const moved = async () => {
    const { clients } = body(await gateway.admin('/admin-api/config/export')) as { clients: Record<string, unknown>[] }
    const [client] = clients
    const registration = { ...(client?.registration as object), base_url: other.url }
    return {
      data: {
        version: 1,
        clients: [{ ...client, registration, canary: { secondaryBaseUrl: `${other.url}/canary`, weight: 1 } }],
      },
      registerClients: true,
    }
  }
  const bring = (given: object) => asAdmin('/admin-api/config/import?confirm=true', 'POST', given)

  it('moves a backend without its credential, and reports it before and after', async () => {
    const document = await moved()
    const warnings = [expect.stringMatching(/^petstore: .*is not sent to/)]
    expect(await bring({ ...document, dryRun: true })).toMatchObject({ warnings })
    expect(await bring(document)).toMatchObject({ warnings })
    expect(await lastAudit('config.import')).toMatchObject({
      credentials: { petstore: { credentialDetached: [other.url] } },
    })
    await pets(2)
    expect(at(other)).toEqual([undefined, undefined])
  })

  it('takes it along where the admin says keepCredential', async () => {
    expect((await bring({ ...(await moved()), keepCredential: true })).warnings).toBeUndefined()
    await pets(2)
    expect(at(other)).toEqual([`Bearer ${SECRET}`, `Bearer ${SECRET}`])
  })

  it('that goes back to a second server gives it nothing (security case ST-12)', async () => {
    await asAdmin(`${PATH}/canary`, 'PUT', { secondaryBaseUrl: other.url, weight: 100, keepCredential: true })
    const { id } = await asAdmin('/admin-api/config/snapshots', 'POST', { label: 'with a canary' })
    await asAdmin(`${PATH}/canary`, 'PUT', { canary: null })
    await credential()
    await asAdmin(`/admin-api/config/snapshots/${String(id)}/rollback`, 'POST', { confirm: true })
    await pets()
    expect(at(other)).toEqual([undefined])
  })
})

describe('OAuth', () => {
  const TOKEN = 'fetched-token'
  const CLIENT_SECRET = 'the-client-secret'
  const forms = new Map<string, string[]>()
  const tokens =
    (url: string) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      if (request.url !== '/token') {
        recording(url)(request, response)
        return
      }
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        forms.set(url, [...(forms.get(url) ?? []), text])
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ access_token: TOKEN, expires_in: 3600, token_type: 'bearer' }))
      })
    }
  beforeEach(async () => {
    forms.clear()
    shop.answer = tokens(shop.url)
    other.answer = tokens(other.url)
    await gateway.admin(`${PATH}/upstream-auth`, { method: 'DELETE' })
    await asAdmin(`${PATH}/oauth`, 'PUT', {
      tokenUrl: `${shop.url}/token`,
      clientId: 'id',
      clientSecret: CLIENT_SECRET,
    })
  })

  it('sends a token to the origin it was set up for only (security case KM-09)', async () => {
    await pets()
    expect(at(shop)).toEqual([`Bearer ${TOKEN}`])
    const { warnings } = await asOperator(PATH, 'PATCH', { baseUrl: other.url })
    expect(warnings).toEqual([expect.stringMatching(DETACHED)])
    await pets()
    expect(at(other)).toEqual([undefined])
    await asAdmin(PATH, 'PATCH', { keepCredential: true })
    await pets()
    expect(at(other)).toEqual([undefined, `Bearer ${TOKEN}`])
  })

  it('keeps a client secret from a token endpoint of another origin, unless the admin confirms (security case KM-09)', async () => {
    const moved = { tokenUrl: `${other.url}/token`, clientId: 'id' }
    const { oauth, warnings } = await asAdmin(`${PATH}/oauth`, 'PUT', moved)
    expect(oauth).toMatchObject({ clientSecretSet: true, secretOrigins: [shop.url] })
    expect(warnings).toEqual([expect.stringContaining(`client secret is not sent to ${other.url}`)])
    expect(await lastAudit('client.oauth.set')).toMatchObject({ secretDetached: [other.url] })
    await pets()
    expect(body(await gateway.admin(`${PATH}/oauth/test`, { method: 'POST', body: {} }))).toMatchObject({
      ok: false,
      error: expect.stringContaining('was given for'),
    })
    expect([forms.get(other.url), at(shop)]).toEqual([undefined, []])
    const kept = await asAdmin(`${PATH}/oauth`, 'PUT', { ...moved, keepCredential: true })
    expect(kept.warnings).toBeUndefined()
    await pets()
    expect(forms.get(other.url)?.[0]).toContain(CLIENT_SECRET)
    expect(at(shop)).toEqual([`Bearer ${TOKEN}`])
  })
})

// Documents made to do harm, and a key service that dies in the middle of one: what a single call may not do, a document may not either.
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listening } from '../../net/listening.fixture.ts'
import { type Asked, aGateway, backend, document, type Thing } from './config.fixture.ts'

type Canary = { readonly url: string; readonly requests: () => number }
async function aCanary(): Promise<Canary> {
  let received = 0
  const server = createServer((_request, response) => {
    received += 1
    response.end('{}')
  })
  const { url } = await listening(server)
  onTestFinished(() => void server.close())
  return { url, requests: () => received }
}

/** Everything that an import could have left behind, but for its own entry and snapshot. */
async function stateOf(gateway: Asked): Promise<string> {
  const paths = ['config/export', 'users', 'mcp-keys', 'clients', 'teams']
  return JSON.stringify(
    await Promise.all(paths.map(async (path) => (await gateway.ask('GET', `/admin-api/${path}`)).text)),
  )
}
const imports = async (gateway: Asked): Promise<number> =>
  ((await gateway.must('GET', '/admin-api/audit-log?action=config.import')) as { items: Thing[] }).items.length

describe('a hostile document (security case ST-11)', () => {
  it('is refused whole, and leaves nothing but what was there', async () => {
    const gateway = await aGateway({ ALLOW_PRIVATE_IPS: 'false', MAX_REGISTER_BODY_BYTES: '100000' })
    const good = { guardPolicies: [{ name: 'kept out' }] }
    const yaml = (raw: string) => ({ format: 'yaml', raw: `version: 1\nguardPolicies: [{ name: kept out }]\n${raw}` })
    const cases: readonly (readonly [what: string, body: object, status: number])[] = [
      ['too much of it', { data: document({ ...good, teams: [{ name: 'x'.repeat(100_000) }] }) }, 413],
      ['a prototype', JSON.parse('{"version":1,"__proto__":{"admin":true}}') as object, 400],
      ['a name that climbs', { data: document({ ...good, bundles: [{ name: '../x', tools: [] }] }) }, 400],
      [
        'a slug that climbs',
        { data: document({ ...good, catalogEntries: [{ slug: '../x', name: 'X', kind: 'rest' }] }) },
        400,
      ],
      [
        'the same twice',
        { data: document({ ...good, bundles: ['b', 'b'].map((name) => ({ name, tools: [] })) }) },
        400,
      ],
      ['no number', yaml('consumers: [{ name: c, monthlyQuota: .nan }]'), 400],
      ['a number without end', yaml('consumers: [{ name: c, monthlyQuota: .inf }]'), 400],
      ['aliases that multiply', yaml(`teams: &a [x]\nx: ${'['.repeat(40)}*a${']'.repeat(40)}`), 400],
      ['another version', { data: { ...document(good), version: 99 } }, 400],
    ]
    const before = await stateOf(gateway)
    for (const [what, body, status] of cases) {
      const answer = await gateway.ask('POST', '/admin-api/config/import?confirm=true', body)
      expect([what, answer.status]).toEqual([what, status])
    }
    expect(await stateOf(gateway)).toBe(before)
    expect(await imports(gateway)).toBe(0)
  })

  it('makes no user, no key and no request, for any content; the rest of it is one entry', async () => {
    const gateway = await aGateway({ ALLOW_PRIVATE_IPS: 'false' })
    const canary = await aCanary()
    const script = '<img src=x onerror=alert(1)>'
    const people = { users: [{ username: 'mallory', role: 'admin', password: 'x'.repeat(20) }] }
    const answer = await gateway.import(
      {
        // In the order in which nothing is there yet that is named.
        composites: [{ name: 'c', steps: [{ targetClient: 'inside', targetTool: 'get_pet' }] }],
        bundles: [
          { name: 'b', description: script, tools: [{ client: 'inside', tool: 'get_pet' }], composites: ['c'] },
        ],
        clients: [
          { name: 'inside', registration: { ...backend('inside'), base_url: canary.url } },
          { name: 'read', registration: { name: 'read', openapi_url: `${canary.url}/openapi.json` } },
        ],
        catalogEntries: [{ slug: 'far', name: script, kind: 'rest', openapiUrl: `${canary.url}/openapi.json` }],
        mcpKeys: [{ label: 'mine', adminRole: 'admin', scopes: null }],
        sessions: [{}],
        ...people,
        ...document({}),
      },
      { registerClients: true },
    )
    expect((answer.skipped as Thing[]).map(({ type, id }) => `${type} ${id}`).sort()).toEqual([
      'bundles b',
      'bundles b',
      'catalogEntries far',
      'clients inside',
      'clients read',
      'composites c',
      'document mcpKeys',
      'document sessions',
      'document users',
    ])
    expect(canary.requests()).toBe(0)
    expect(await gateway.must('GET', '/admin-api/bundles/b')).toMatchObject({ description: script, tools: [] })
    for (const records of ['users', 'mcp-keys', 'clients'])
      expect([records, (await gateway.must('GET', `/admin-api/${records}`)).items]).toEqual([records, []])
    expect(await imports(gateway)).toBe(1)
  })
})

it('a key service that dies over the secrets of a document leaves none of them (security case KM-02)', async () => {
  const [ALL, DIES_AT] = [100, 57]
  let asked = Number.NEGATIVE_INFINITY
  // A double of the key service: what it seals is recognized by its digits.
  const service = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { plaintext, ciphertext } = JSON.parse(text) as { plaintext?: string; ciphertext?: string } // what kms.ts sends
      asked += 1
      if (asked >= DIES_AT) return void response.destroy()
      const data =
        plaintext === undefined
          ? { plaintext: Buffer.from(String(ciphertext).slice('v1:'.length), 'hex').toString() }
          : { ciphertext: `v1:${Buffer.from(plaintext).toString('hex')}` }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
  })
  const { url } = await listening(service)
  onTestFinished(() => void service.close())
  const gateway = await aGateway({
    SECRETS_PROVIDER: 'kms',
    KMS_ADDR: url,
    KMS_TOKEN: 'token',
    GANTRY_SECRET_PETS: 'a token of the tests',
  })
  const names = Array.from({ length: ALL }, (_none, at) => `pets-${at}`)
  const before = await stateOf(gateway)
  const secret = { type: 'bearer', token: { $env: 'GANTRY_SECRET_PETS' } }
  const data = document({
    clients: names.map((name) => ({ name, registration: backend(name), upstreamAuth: secret })),
    teams: [{ name: 'Late' }],
  })
  asked = 0
  const wish = { registerClients: true }
  const { status, json } = await gateway.ask('POST', '/admin-api/config/import?confirm=true', { data, ...wish })
  expect([status, (json.error as Thing).code, asked]).toEqual([502, 'SECRETS_PROVIDER_ERROR', DIES_AT])
  expect(await stateOf(gateway)).toBe(before)
  asked = Number.NEGATIVE_INFINITY
  expect(await gateway.import(data, wish)).toMatchObject({ applied: { clients: { created: ALL } }, needsSecret: [] })
})

// The configuration as a document: all of it, sorted, without a secret; and the schema it keeps to.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Thing, usePets } from './config.fixture.ts'

const gateway = usePets()
const { exported, clientOf, configure, configOf } = gateway

describe('an export', () => {
  it('is one document of all sections, sorted, with its hash as ETag [ct.12.shape ct.12.client ct.7.8.export ct.1.7.config ct.10.10.sections]', async () => {
    const { text, headers } = await gateway.export()
    const doc = JSON.parse(text) as Thing
    expect(Object.keys(doc)).toEqual(
      'alertRules budgets bundles catalogEntries clients composites consumers guardPolicies kind schedules teams version wsProxyTargets'.split(
        ' ',
      ),
    )
    expect(text.endsWith('}\n')).toBe(true)
    expect(headers.etag).toBe(`"${createHash('sha256').update(text).digest('hex')}"`)
    expect(headers).toMatchObject({ 'content-disposition': 'attachment; filename="gantry.json"' })
    expect(headers['x-exported-at']).toMatch(/Z$/)
    expect(await clientOf()).toMatchObject({
      name: 'pets',
      enabled: true,
      team: null,
      canary: null,
      lb: null,
      oauth: null,
      upstreamAuth: null,
      registration: { name: 'pets' },
      tools: [],
    })
    expect(
      (await gateway.ask('GET', '/admin-api/config/export', undefined, { 'if-none-match': String(headers.etag) }))
        .status,
    ).toBe(304)
    const { items } = (await gateway.must('GET', '/admin-api/audit-log?action=config.export&limit=1')) as {
      items: Thing[]
    }
    expect(items).toMatchObject([{ actor: 'desktop:tester', target: 'json' }])
  })

  it('in YAML is the same data under the same hash, and by section has those alone', async () => {
    const [json, yaml] = [await gateway.export(), await gateway.export('?format=yaml')]
    expect(parse(yaml.text)).toEqual(json.json)
    expect([yaml.headers.etag, yaml.headers['content-type']]).toEqual([
      json.headers.etag,
      'application/yaml; charset=utf-8',
    ])
    expect(Object.keys(await exported('?sections=teams,bundles'))).toEqual(['bundles', 'kind', 'teams', 'version'])
    expect((await gateway.export('?sections=users')).status).toBe(400)
  })

  it('holds no secret, no id and nothing of people [ct.12.secrets ct.12.excluded ct.8.1.export]', async () => {
    const key = await gateway.must('POST', '/admin-api/mcp-keys', { label: 'of-a-user' })
    await gateway.must('PUT', '/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: 'a-very-secret-token' })
    await gateway.must('PUT', '/admin-api/clients/pets/oauth', {
      tokenUrl: 'http://127.0.0.1:50909/token',
      clientId: 'me',
      clientSecret: 'another-secret',
    })
    await configure('get_pet', { guards: { allowedKeyIds: [key.id], allowedApiKeys: ['raw-key'], timeoutMs: 50 } })
    const { text } = await gateway.export()
    for (const secret of ['a-very-secret-token', 'another-secret', 'raw-key', String(key.key), 'of-a-user', 'tester'])
      expect(text).not.toContain(secret)
    const hashes = ['raw-key', String(key.key)].map((raw) => createHash('sha256').update(raw).digest('hex')).sort()
    expect(await clientOf()).toMatchObject({
      upstreamAuth: { $secret: 'clients/pets/upstream-auth' },
      oauth: { clientId: 'me', clientSecret: { $secret: 'clients/pets/oauth' } },
      tools: [{ name: 'get_pet', guards: { allowedKeyHashes: hashes, timeoutMs: 50 } }],
    })
    // Brought in again, the key is known by its hash, and the list follows it still.
    await configure('get_pet', { guards: null })
    await gateway.import(JSON.parse(text))
    expect((await configOf('get_pet')).guards).toMatchObject({ allowedKeyIds: [key.id] })
    // A list of deleted keys admits no caller, here and wherever it is imported.
    await configure('get_pet', { guards: { allowedApiKeys: [] } })
    await gateway.must('DELETE', `/admin-api/mcp-keys/${key.id}`)
    const { guards } = ((await clientOf()).tools as { guards: Thing }[])[0] ?? { guards: {} }
    expect(guards.allowedKeyHashes).toHaveLength(1)
  })

  it('sees what sys_set_guard does: one registry of guards [gw.sys.sys_set_guard]', async () => {
    const call = (args: Thing) =>
      gateway.ask(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sys_set_guard', arguments: args } },
        { accept: 'application/json, text/event-stream', authorization: 'Bearer the-admin-key-of-the-tests' },
      )
    expect((await call({ client: 'pets', tool: 'get_pet', guards: { timeoutMs: 77 } })).text).toContain(':77')
    expect((await clientOf()).tools).toEqual([{ name: 'get_pet', guards: { timeoutMs: 77 } }])
    const kept = await gateway.must('POST', '/admin-api/config/snapshots', { label: 'guarded' })
    await call({ client: 'pets', tool: 'get_pet', guards: null })
    expect((await clientOf()).tools).toEqual([])
    await gateway.must('POST', `/admin-api/config/snapshots/${kept.id}/rollback`, { confirm: true })
    expect((await configOf('get_pet')).guards).toMatchObject({ timeoutMs: 77 })
  })
})

describe('the schema', () => {
  it('takes what an export gives [ct.7.8.schema]', async () => {
    const schema = await gateway.must('GET', '/admin-api/config/schema')
    expect(schema).toMatchObject({ type: 'object', required: ['version'], additionalProperties: false })
    const { default: Ajv } = await import('ajv/dist/2020.js')
    const validate = new Ajv({ strict: false }).compile(schema)
    expect([validate(await exported()), validate.errors]).toEqual([true, null])
    expect(validate({ version: 1, clients: [{ name: 'x', secret: 'y' }] })).toBe(false)
  })
})

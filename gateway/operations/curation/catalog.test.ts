// The install catalog: unchanged built-in templates, an administrator's own, and registration as the one way in.
import { describe, expect, it } from 'vitest'
import { CatalogEntry, CatalogInput } from '../../contract/admin/catalog.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import { aServer, serving } from '../../registry/upstream-server.fixture.ts'
import { aBackendHouse, ROOT, someone, stored } from '../backends/backends.fixture.ts'
import { TEMPLATES } from './catalog-templates.ts'

const input = (more: object = {}): CatalogInput =>
  CatalogInput.parse({ slug: 'mine', name: 'Mine', kind: 'rest', openapiUrl: 'http://127.0.0.1:81/spec', ...more })
const SPEC = {
  openapi: '3.1.0',
  info: {},
  paths: { '/pets': { get: { operationId: 'listPets', tags: ['x'] } }, '/o': { get: { operationId: 'o' } } },
}

describe('is refused, and nothing is kept', () => {
  it('a change of a built-in template [ct.7.4.catalog-entry ct.18.immutable_entry ct.18.catalog_entry_not_found]', async () => {
    const { catalog, database } = await aBackendHouse()
    await expect(catalog.update(ROOT, 'builtin:petstore', { name: 'x' }, [])).rejects.toMatchObject({
      code: 'IMMUTABLE_ENTRY',
    })
    await expect(catalog.delete(ROOT, 'builtin:petstore', [])).rejects.toMatchObject({ code: 'IMMUTABLE_ENTRY' })
    for (const id of ['builtin:missing', 'custom:1', 'custom:0', 'custom:x', 'nonsense', ''])
      for (const work of [
        () => catalog.get(ROOT.actor, id),
        () => catalog.update(ROOT, id, {}, []),
        () => catalog.delete(ROOT, id, []),
        () => catalog.install(ROOT, id, {}),
      ])
        await expect(work()).rejects.toMatchObject({ code: 'CATALOG_ENTRY_NOT_FOUND' })
    expect(await stored(database)).toBe('[[],[],[],[]]')
  })

  it.each(['Mine', 'a_b', '-a', 'ä', '', 'a'.repeat(64)])('the slug %j [ct.18.invalid_slug]', async (slug) => {
    const { catalog, database } = await aBackendHouse()
    await expect(catalog.create(ROOT, input({ slug }))).rejects.toMatchObject({ code: 'INVALID_SLUG' })
    expect(await stored(database)).toBe('[[],[],[],[]]')
  })

  it('a slug that exists, built-in ones included, also when it comes by renaming [ct.10.9.catalog]', async () => {
    const { catalog } = await aBackendHouse()
    await catalog.create(ROOT, input())
    const other = await catalog.create(ROOT, input({ slug: 'other' }))
    for (const slug of ['mine', 'petstore']) {
      await expect(catalog.create(ROOT, input({ slug }))).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await expect(catalog.update(ROOT, other.id, { slug }, [])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    }
    const both = await Promise.allSettled([
      catalog.create(ROOT, input({ slug: 'race' })),
      catalog.create(ROOT, input({ slug: 'race' })),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it.each(['openapiUrl', 'healthUrl', 'baseUrl', 'mcpUrl', 'graphqlUrl'])('a private address as %s', async (field) => {
    const { catalog, database } = await aBackendHouse({ allowPrivate: false, resolve: async () => ['93.184.215.14'] })
    const fine = await catalog.create(ROOT, input({ openapiUrl: 'https://a.test/spec' }))
    const before = await stored(database)
    for (const url of ['http://127.0.0.1/', 'http://0x7f.1/', 'http://[::ffff:10.0.0.1]/', 'http://169.254.169.254/']) {
      await expect(
        catalog.create(ROOT, input({ slug: 'new', openapiUrl: 'https://a.test/', [field]: url })),
      ).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
      await expect(catalog.update(ROOT, fine.id, { [field]: url }, [])).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
      await expect(
        catalog.create(ROOT, input({ slug: 'new', openapiUrl: 'https://a.test/', [field]: 'ftp://a.test' })),
      ).rejects.toMatchObject({ code: 'INVALID_URL' })
    }
    expect(await stored(database)).toBe(before)
  })

  it('an install whose address leads inside by now, though it did not when the template was made (security case SS-25)', async () => {
    let address = '93.184.215.14'
    const { catalog, database } = await aBackendHouse({ allowPrivate: false, resolve: async () => [address] })
    const { id } = await catalog.create(ROOT, input({ openapiUrl: 'https://a.test/spec' }))
    const before = await stored(database)
    address = '10.0.0.1'
    await expect(catalog.install(ROOT, id, {})).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
    expect(await stored(database)).toBe(before)
  })

  it('a link that runs something', () => {
    expect(CatalogInput.safeParse({ ...input(), docsUrl: 'javascript:alert(1)' }).success).toBe(false)
  })

  it("another team's template", async () => {
    const { catalog } = await aBackendHouse()
    const entry = await catalog.create(someone(1), input())
    await expect(catalog.get(someone(2).actor, entry.id)).rejects.toMatchObject({ code: 'CATALOG_ENTRY_NOT_FOUND' })
    expect((await catalog.list(someone(2).actor, { source: 'custom', limit: 10 })).items).toEqual([])
    expect((await catalog.list(someone(1).actor, { source: 'custom', limit: 10 })).items).toHaveLength(1)
  })
})

it('lists built-in and custom templates, featured ones first [ct.7.4.catalog gw.registration.5-merged]', async () => {
  const { catalog } = await aBackendHouse()
  await catalog.create(ROOT, input({ slug: 'aaa', name: 'Aaa', category: 'Ours' }))
  await catalog.create(
    ROOT,
    input({ slug: 'zzz', name: 'Zzz', featured: true, kind: 'mcp', mcpUrl: 'http://127.0.0.1:81/' }),
  )
  const list = async (filter: object) => (await catalog.list(ROOT.actor, { ...filter, limit: 100 })).items
  const all = await list({})
  const keys = all.map(({ featured, name }) => `${featured ? 0 : 1}${name.toLowerCase()}`)
  expect(keys).toEqual([...keys].sort())
  expect(all).toHaveLength(TEMPLATES.length + 2)
  for (const entry of all) expect(CatalogEntry.strict().parse(entry)).toEqual(entry)
  expect((await list({ category: 'Ours' })).map(({ slug }) => slug)).toEqual(['aaa'])
  expect((await list({ kind: 'mcp', source: 'custom' })).map(({ slug }) => slug)).toEqual(['zzz'])
  expect((await list({ q: 'PETSTORE' })).map(({ slug }) => slug)).toEqual(['petstore'])
  const first = await catalog.list(ROOT.actor, { limit: 3 })
  const rest = await catalog.list(ROOT.actor, { limit: 100, ...(first.nextCursor ? { cursor: first.nextCursor } : {}) })
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id))
})

it('built-in templates are ones that could be added by hand', () => {
  for (const template of TEMPLATES) {
    expect(CatalogInput.parse(template)).toEqual(template)
    expect([template.openapiUrl, template.graphqlUrl, template.mcpUrl].filter(Boolean)).toHaveLength(1)
  }
  expect(new Set(TEMPLATES.map(({ slug }) => slug)).size).toBe(TEMPLATES.length)
})

it('a change touches what it names, moves the revision and is audited [ct.7.4.catalog-create ct.13.2.catalog]', async () => {
  const { catalog, audit } = await aBackendHouse()
  const made = await catalog.create(ROOT, input({ featured: true, includeTags: ['x'] }))
  expect(made).toMatchObject({
    id: 'custom:1',
    revision: 1,
    featured: true,
    mcpUrl: null,
    createdBy: 'root',
    installed: [],
  })
  const changed = await catalog.update(ROOT, made.id, { name: 'Other', includeTags: null }, [1])
  expect(changed).toMatchObject({ revision: 2, name: 'Other', featured: true, includeTags: null })
  await expect(catalog.update(ROOT, made.id, { name: 'x' }, [1])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
  await catalog.update(ROOT, made.id, { name: 'Other' }, [])
  await catalog.delete(ROOT, made.id, [])
  expect((await audit()).map(({ action }) => action)).toEqual(['catalog.create', 'catalog.update', 'catalog.delete'])
})

it('installing is registering, with what the template says and what was given [ct.7.4.catalog-install gw.registration.5-catalog]', async () => {
  const server = await aServer(serving({ '/spec': SPEC }))
  const house = await aBackendHouse()
  const { id } = await house.catalog.create(ROOT, input({ openapiUrl: `${server.url}/spec`, includeTags: ['x'] }))
  const auth = { type: 'header', headerName: 'X-Key', value: 'open-sesame' } as const
  const result = await house.catalog.install(ROOT, id, {
    name: 'shop',
    upstreamAuth: auth,
    healthUrl: `${server.url}/up`,
  })
  expect(result).toMatchObject({ status: 'registered', name: 'shop', tools_count: 1, input: 'openapi_url' })
  // The source got it from the start, and nothing shows it since.
  expect(server.hits[0]?.headers['x-key']).toBe('open-sesame')
  expect(await stored(house.database)).not.toContain('open-sesame')
  expect(await house.upstreamAuth.getUpstreamAuth(ROOT.actor, 'shop')).toMatchObject({
    configured: true,
    headerName: 'X-Key',
  })
  expect((await house.audit()).map(({ action }) => action)).toEqual([
    'catalog.create',
    'client.register',
    'client.upstream_auth.set',
    'catalog.install',
  ])
  expect((await house.catalog.get(ROOT.actor, id)).installed).toEqual(['shop'])
  expect((await house.catalog.get(someone(3).actor, 'builtin:petstore')).installed).toEqual([])
  expect((await house.catalog.install(ROOT, id, { name: 'shop' })).diff).toMatchObject({ unchanged: 1 })
  expect(await house.upstreamAuth.getUpstreamAuth(ROOT.actor, 'shop')).toMatchObject({ configured: true })
})

it('an operator brings a credential with a new backend, and replaces none that is stored, by a template or a command', async () => {
  const server = await aServer(serving({ '/spec': SPEC }))
  const house = await aBackendHouse()
  const operator = someone(null, 'operator')
  const { id } = await house.catalog.create(ROOT, input({ openapiUrl: `${server.url}/spec` }))
  const auth = (token: string) => ({ type: 'bearer', token }) as const
  await house.catalog.install(operator, id, { name: 'own', upstreamAuth: auth('of the operator') })
  await house.catalog.install(ROOT, id, { name: 'shop', upstreamAuth: auth('of the admin') })
  const before = await stored(house.database)
  const forbidden = { code: 'FORBIDDEN', message: 'Only an admin may replace the credential of "shop"' }
  await expect(
    house.catalog.install(operator, id, { name: 'shop', upstreamAuth: auth('of the operator') }),
  ).rejects.toMatchObject(forbidden)
  const curl_input = `curl ${server.url}/pets -H 'Authorization: Bearer of-the-operator'`
  const payload = RegistrationPayload.parse({ name: 'shop', curl_input })
  await expect(house.registration.register(operator, payload)).rejects.toMatchObject(forbidden)
  expect(await stored(house.database)).toBe(before)
  expect((await house.catalog.install(operator, id, { name: 'shop' })).diff).toMatchObject({ unchanged: 2 })
})

it('an install that fails leaves no backend and no credential', async () => {
  const house = await aBackendHouse()
  const { id } = await house.catalog.create(ROOT, input({ openapiUrl: 'http://127.0.0.1:82/missing' }))
  const { id: bare } = await house.catalog.create(ROOT, input({ slug: 'bare', kind: 'graphql', openapiUrl: undefined }))
  const before = await stored(house.database)
  const auth = { type: 'bearer', token: 'x' } as const
  await expect(house.catalog.install(ROOT, id, { upstreamAuth: auth })).rejects.toMatchObject({
    code: 'DISCOVERY_ERROR',
  })
  await expect(house.catalog.install(ROOT, bare, {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(await stored(house.database)).toBe(before)
})

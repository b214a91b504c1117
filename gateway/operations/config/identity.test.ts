// Whom a backend is called as, in documents: the setting and references, never a secret.
import { beforeEach, describe, expect, it } from 'vitest'
import { aGateway, document, type Thing, usePets } from './config.fixture.ts'

const gateway = usePets()
const put = (body: Thing) => gateway.must('PUT', '/admin-api/clients/pets/identity', body)
const shown = (): Promise<Thing> => gateway.must('GET', '/admin-api/clients/pets/identity')
const pets = (identity: unknown) => document({ clients: [{ name: 'pets', identity }] })
const EXCHANGE = {
  mode: 'exchange',
  tokenUrl: 'https://idp.test/token',
  clientId: 'gantry',
  scopes: null,
  audience: null,
  resource: null,
}
const JAG = {
  ...EXCHANGE,
  mode: 'id_jag',
  resourceIssuer: 'https://as.test',
  resourceTokenUrl: 'https://as.test/token',
  resourceClientId: 'there',
}
const PEOPLE = {
  mode: 'per_principal',
  clientId: null,
  issuer: null,
  scopes: ['read'],
  resource: 'omit',
  audience: 'pets',
  endpoints: null,
}
const REF = { $secret: 'backends/pets/identity' }
const ENV = { $env: 'GANTRY_SECRET_PETS' }

describe('the identity of a backend in a document', () => {
  beforeEach(() => put({ mode: 'none' }))

  it('is exported with references to its secrets, and makes another gateway the same', async () => {
    await put({ ...JAG, clientSecret: 'first of two', resourceClientSecret: 'second of two' })
    const text = (await gateway.export()).text
    expect(text).not.toContain('of two')
    expect((await gateway.clientOf()).identity).toEqual({ ...JAG, clientSecret: REF, resourceClientSecret: REF })
    const other = await aGateway()
    const done = await other.import(JSON.parse(text), { registerClients: true })
    expect(done.needsSecret).toEqual(['backends/pets/identity'])
    // Called as people from the first moment on, before an administrator enters the secrets.
    expect(await other.must('GET', '/admin-api/clients/pets/identity')).toMatchObject({
      mode: 'id_jag',
      clientSecretSet: false,
      resourceClientId: 'there',
    })
  })

  it.each([
    ['each person', PEOPLE],
    ['exchange', EXCHANGE],
    ['an identity provider', JAG],
    ['the stored credential', { mode: 'shared' }],
  ])('is the same after an import of %s', async (_what, identity) => {
    await gateway.import(pets(identity))
    expect((await gateway.clientOf()).identity).toEqual(identity)
    const again = await gateway.import(pets(identity))
    expect([again.changes, again.needsSecret]).toEqual([[], []])
  })

  it('takes a secret from the environment, keeps it by reference, and not for another server', async () => {
    expect((await gateway.import(pets({ ...EXCHANGE, clientSecret: ENV }))).needsSecret).toEqual([])
    expect(await shown()).toMatchObject({ clientSecretSet: true })
    const same = await gateway.import(pets({ ...EXCHANGE, clientSecret: ENV }))
    expect(same.changes).toEqual([])
    await gateway.import(pets({ ...EXCHANGE, audience: 'x', clientSecret: REF }))
    expect(await shown()).toMatchObject({ audience: 'x', clientSecretSet: true })
    const moved = await gateway.import(pets({ ...EXCHANGE, tokenUrl: 'https://evil.test/token', clientSecret: REF }))
    expect(moved.needsSecret).toEqual(['backends/pets/identity'])
    expect(await shown()).toMatchObject({ clientSecretSet: false })
  })

  it('applies the mode without a secret that is missing, so that no call is made as anyone else', async () => {
    const missing = { ...EXCHANGE, clientSecret: { $env: 'GANTRY_SECRET_MISSING' } }
    const { needsSecret, skipped } = await gateway.import(pets(missing))
    expect([needsSecret, skipped]).toMatchObject([
      ['backends/pets/identity'],
      [{ reason: 'GANTRY_SECRET_MISSING is not set in the environment of the gateway' }],
    ])
    expect(await shown()).toMatchObject({ mode: 'exchange', clientSecretSet: false })
  })

  it('asks for a confirmation before calls are made without people again, and stays where it is not named', async () => {
    await put(PEOPLE)
    await gateway.import(document({ clients: [{ name: 'pets' }] }), { mode: 'replace' })
    expect(await shown()).toMatchObject({ mode: 'per_principal' })
    const body = { data: pets(null) }
    expect(await gateway.ask('POST', '/admin-api/config/import', body)).toMatchObject({
      json: { error: { code: 'CONFIRMATION_REQUIRED' } },
    })
    await gateway.import(pets(null))
    expect(await shown()).toMatchObject({ mode: 'none' })
  })

  it('refuses secrets that are written out, and addresses without TLS', async () => {
    expect(await gateway.refusal(pets({ ...EXCHANGE, clientSecret: 'written out' }))).toEqual([
      400,
      'IMPORT_ERROR',
      expect.stringContaining('clients.pets.identity.clientSecret: must be'),
    ])
    expect(await gateway.refusal(pets({ ...EXCHANGE, tokenUrl: 'http://idp.test/token' }))).toEqual([
      400,
      'IMPORT_ERROR',
      'clients.pets.identity: tokenUrl must be an https address',
    ])
  })
})

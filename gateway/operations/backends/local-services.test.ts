// A local service that an admin allowed: exactly one address and port for one backend, until it is revoked or unused.
import { describe, expect, it } from 'vitest'
import { CanaryInput, LbInput } from '../../contract/admin/targets.ts'
import { addressPermitted } from '../../pipeline/1-ssrf/index.ts'
import { answerJson, aServer, type UpstreamServer } from '../../registry/upstream-server.fixture.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone } from './backends.fixture.ts'
import { payload, spec, TOOL } from './registration.fixture.ts'

type House = BackendHouse & { readonly addresses: Record<string, readonly string[]>; readonly service: UpstreamServer }

const BLOCKED = { code: 'SSRF_BLOCKED' }

/** Private addresses are refused, and a service listens on loopback. */
async function aHouse(): Promise<House> {
  const addresses: Record<string, readonly string[]> = {}
  const house = await aBackendHouse({ allowPrivate: false, resolve: async (name) => addresses[name] ?? [] })
  const service = await aServer((_hit, response) => answerJson(response, spec({ list: {} })))
  return { ...house, addresses, service }
}

const byHand = (url: string, more: object = {}) => payload({ tools: [TOOL], base_url: url, ...more })

async function allowed(house: House, url = house.service.url, more: object = {}) {
  const [service] = (await house.localServices.find(ROOT, { url })).services
  const local = await house.localServices.forRequest(ROOT, 'pets', service, 'registration')
  return house.registration.register(ROOT, byHand(url, more), { local })
}

const probe = async ({ backends }: House) => (await backends.checkHealth(ROOT, 'pets')).ok
const isPermitted = ({ registry }: House): boolean => {
  const backend = registry.get('pets')
  const tool = backend?.tools.get('t')
  return backend !== undefined && tool !== undefined && addressPermitted(backend, tool)
}

describe('what can be allowed', () => {
  it('is the local address of a URL, IPv4 first', async () => {
    const { localServices, addresses } = await aHouse()
    Object.assign(addresses, {
      'both.test': ['::1', '127.0.0.1', '127.0.0.1'],
      'public.test': ['93.184.215.14'],
      'cloud.test': ['169.254.169.254', 'fe80::1'],
    })
    const found = async (url: string) => (await localServices.find(ROOT, { url })).services
    expect(await found('http://both.test:81/x')).toEqual([
      { address: '127.0.0.1', port: 81 },
      { address: '::1', port: 81 },
    ])
    expect(await found('https://[::1]')).toEqual([{ address: '::1', port: 443 }])
    expect(await found('http://0x7f.1')).toEqual([{ address: '127.0.0.1', port: 80 }])
    for (const url of ['http://public.test', 'http://cloud.test', 'http://169.254.169.254'])
      expect(await found(url)).toEqual([])
    await expect(found('ftp://127.0.0.1')).rejects.toMatchObject({ code: 'INVALID_URL' })
  })

  it('is for an admin without a team alone, and no address beyond local ones', async () => {
    const { localServices, service, audit } = await aHouse()
    const { port } = service
    const allow = (who: typeof ROOT, address: string) =>
      localServices.forRequest(who, 'pets', { address, port }, 'registration')
    for (const who of [someone(1), someone(null, 'operator')])
      await expect(allow(who, '127.0.0.1')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    for (const address of ['169.254.169.254', '::ffff:127.0.0.1', '8.8.8.8', '0:0:0:0:0:0:0:1'])
      await expect(allow(ROOT, address)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await audit()).toEqual([])
  })
})

describe('an allowed service', () => {
  it('is reached by its backend, and audited before anything is sent', async () => {
    const house = await aHouse()
    await expect(house.registration.register(ROOT, byHand(house.service.url))).rejects.toMatchObject(BLOCKED)
    expect(house.service.hits).toEqual([])
    await allowed(house)
    const { port } = house.service
    expect(await house.audit()).toMatchObject([
      { action: 'client.local_service.allow', target: 'pets', detail: { address: '127.0.0.1', port } },
      { action: 'client.register' },
    ])
    expect(await probe(house)).toBe(true)
    expect(isPermitted(house)).toBe(true)
    expect((await house.backends.get(ROOT.actor, 'pets')).localService).toMatchObject({ port, by: 'root' })
    // And after a restart.
    expect((await house.reborn()).get('pets')?.pins?.local).toMatchObject({ address: '127.0.0.1', port })
  })

  it('opens nothing for another backend', async () => {
    const house = await aHouse()
    await allowed(house)
    const other = payload({ name: 'other', tools: [TOOL], base_url: house.service.url })
    await expect(house.registration.register(ROOT, other)).rejects.toMatchObject(BLOCKED)
    await expect(house.registration.preview(ROOT.actor, other)).rejects.toMatchObject(BLOCKED)
  })

  it('opens no other port, address or purpose of its backend', async () => {
    const house = await aHouse()
    const beside = await aServer()
    await allowed(house)
    const { registration, backends, targetSettings, upstreamAuth } = house
    const more = { health_url: `${beside.url}/health` }
    await expect(registration.register(ROOT, byHand(house.service.url, more))).rejects.toMatchObject(BLOCKED)
    await expect(backends.update(ROOT, 'pets', { baseUrl: beside.url }, [])).rejects.toMatchObject(BLOCKED)
    await expect(backends.update(ROOT, 'pets', { healthUrl: beside.url }, [])).rejects.toMatchObject(BLOCKED)
    // Not even its own address: other servers and token endpoints have no permission.
    for (const url of [house.service.url, beside.url]) {
      const canary = CanaryInput.parse({ secondaryBaseUrl: url })
      await expect(targetSettings.setCanary(ROOT, 'pets', canary, [])).rejects.toMatchObject(BLOCKED)
      const pool = LbInput.parse({ strategy: 'random', upstreams: [{ baseUrl: url }] })
      await expect(targetSettings.setLb(ROOT, 'pets', pool, [])).rejects.toMatchObject(BLOCKED)
      const oauth = { tokenUrl: url, clientId: 'x', clientSecret: 'y', authStyle: 'body' } as const
      await expect(upstreamAuth.setOauth(ROOT, 'pets', oauth)).rejects.toMatchObject(BLOCKED)
    }
    expect(beside.hits).toEqual([])
  })

  it('is the only address dialled of its name, and ends where the name moves', async () => {
    const house = await aHouse()
    const { port } = house.service
    const url = `http://api.test:${port}`
    house.addresses['api.test'] = ['::1', '127.0.0.1', '93.184.215.14']
    await allowed(house, url)
    expect(house.registry.get('pets')?.pins?.base.addresses).toEqual(['127.0.0.1'])
    house.addresses['api.test'] = ['127.0.0.9']
    expect(await probe(house)).toBe(true)
    expect(house.service.hits.at(-1)?.headers.host).toBe(`api.test:${port}`)
    await expect(house.registration.register(ROOT, byHand(url))).rejects.toMatchObject(BLOCKED)
    expect(house.registry.get('pets')?.pins?.base.addresses).toEqual(['127.0.0.1'])
  })

  it('follows no redirect', async () => {
    const house = await aHouse()
    const beside = await aServer()
    const source = await aServer((_hit, response) => response.writeHead(302, { location: beside.url }).end())
    const [service] = (await house.localServices.find(ROOT, { url: source.url })).services
    const local = await house.localServices.forRequest(ROOT, 'pets', service, 'preview')
    const wanted = payload({ openapi_url: source.url })
    await expect(house.registration.preview(ROOT.actor, wanted, [], { local })).rejects.toMatchObject({
      code: 'DISCOVERY_ERROR',
    })
    expect(beside.hits).toEqual([])
  })

  it('that is not used is not stored', async () => {
    const house = await aHouse()
    house.addresses['public.test'] = ['93.184.215.14']
    const local = await house.localServices.forRequest(ROOT, 'pets', { address: '127.0.0.1', port: 81 }, 'registration')
    await house.registration.register(ROOT, byHand('http://public.test'), { local })
    expect(house.registry.get('pets')?.pins?.local).toBeUndefined()
    await expect(house.backends.update(ROOT, 'pets', { baseUrl: 'http://127.0.0.1:81' }, [])).rejects.toMatchObject(
      BLOCKED,
    )
  })
})

describe('the end of a permission', () => {
  it('is at once where it is revoked: open connections close and calls are refused', async () => {
    const house = await aHouse()
    await allowed(house)
    await probe(house)
    await house.localServices.revoke(ROOT, 'pets')
    const before = house.service.hits.length
    expect(await probe(house)).toBe(false)
    expect(isPermitted(house)).toBe(false)
    const { localService, refusedLocalService } = await house.backends.get(ROOT.actor, 'pets')
    expect([localService, refusedLocalService]).toEqual([null, { address: '127.0.0.1', port: house.service.port }])
    expect(house.service.hits).toHaveLength(before)
    expect((await house.audit()).at(-1)).toMatchObject({ action: 'client.local_service.revoke', target: 'pets' })
    await expect(house.localServices.revoke(ROOT, 'pets')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' })
    // Its pinned address can be allowed again, and no other.
    const { port } = house.service
    const allow = (given: number) => house.localServices.allow(ROOT, 'pets', { address: '127.0.0.1', port: given })
    await expect(allow(port + 1)).rejects.toMatchObject({ code: 'NOT_APPLICABLE' })
    await allow(port)
    expect(await probe(house)).toBe(true)
  })

  it('comes with the deletion of the backend, and with its move', async () => {
    const house = await aHouse()
    await allowed(house)
    await house.backends.delete(ROOT, 'pets')
    await expect(house.registration.register(ROOT, byHand(house.service.url))).rejects.toMatchObject(BLOCKED)
    await allowed(house)
    house.addresses['public.test'] = ['93.184.215.14']
    await house.backends.update(ROOT, 'pets', { baseUrl: 'http://public.test' }, [])
    expect((await house.audit()).map(({ action }) => action)).toContain('client.local_service.revoke')
    await expect(house.backends.update(ROOT, 'pets', { baseUrl: house.service.url }, [])).rejects.toMatchObject(BLOCKED)
  })

  it('is not undone by a change that began before it', async () => {
    const house = await aHouse()
    const url = `http://api.test:${house.service.port}`
    house.addresses['api.test'] = ['127.0.0.1']
    await allowed(house, url)
    const revokedMeanwhile = (name: string) =>
      name === 'api.test' ? house.localServices.revoke(ROOT, 'pets') : Promise.resolve()
    const { pin } = house.outbound
    // The name is resolved, and the permission revoked before the result is stored.
    Object.assign(house.outbound, {
      pin: async (...given: Parameters<typeof pin>) => {
        const found = await pin(...given)
        await revokedMeanwhile('api.test')
        return found
      },
    })
    await house.backends.update(ROOT, 'pets', { baseUrl: `${url}/v2` }, [])
    expect(house.registry.get('pets')?.pins?.local).toBeUndefined()
    expect(await probe(house)).toBe(false)
  })
})

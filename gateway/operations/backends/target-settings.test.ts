// Other servers of a backend: pinned where they were vetted, vetted again with their backend, and closed to users who may not touch it.
import { describe, expect, it } from 'vitest'
import { CanaryInput, LbInput } from '../../contract/admin/targets.ts'
import { aBackendHouse, ROOT, someone } from './backends.fixture.ts'
import { BY_HAND } from './registration.fixture.ts'

const canary = CanaryInput.parse({ secondaryBaseUrl: 'http://second.test' })
const pool = LbInput.parse({ strategy: 'random', upstreams: [{ baseUrl: 'http://third.test' }] })

async function aHouse() {
  const addresses: Record<string, string> = { 'second.test': '127.0.0.2', 'third.test': '127.0.0.3' }
  const house = await aBackendHouse({ resolve: async (name) => [addresses[name] ?? '127.0.0.1'] })
  await house.registration.register(ROOT, BY_HAND)
  await house.targetSettings.setCanary(ROOT, 'pets', canary, [])
  await house.targetSettings.setLb(ROOT, 'pets', pool, [])
  const pinned = () => {
    const { canary: second, lb } = house.registry.get('pets') ?? {}
    return [second?.pin.addresses, lb?.targets[0]?.pin.addresses].flat()
  }
  return { house, addresses, pinned }
}

describe('the addresses of other servers', () => {
  it('stay where they were vetted until a user asks for them again [ct.9.1.canary]', async () => {
    const { house, addresses, pinned } = await aHouse()
    Object.assign(addresses, { 'second.test': '127.0.0.22', 'third.test': '127.0.0.33' })
    await house.registry.reload('pets', 'changed')
    expect(pinned()).toEqual(['127.0.0.2', '127.0.0.3'])
    await house.targetSettings.setCanary(ROOT, 'pets', canary, [])
    expect(pinned()).toEqual(['127.0.0.22', '127.0.0.3'])
    const reborn = await house.reborn()
    expect(reborn.get('pets')?.canary?.pin.addresses).toEqual(['127.0.0.22'])
  })

  it('are vetted again when the backend is re-discovered, and stay where that is impossible [ct.9.1.canary]', async () => {
    const { house, addresses, pinned } = await aHouse()
    const before = house.targetSettings.getCanary(ROOT.actor, 'pets').canary
    Object.assign(addresses, { 'second.test': '127.0.0.22', 'third.test': '169.254.169.254' })
    const { warnings } = await house.registration.register(ROOT, BY_HAND)
    expect(warnings?.filter((each) => each.includes('.test'))).toEqual([
      expect.stringMatching(/^http:\/\/third\.test.*its pin is unchanged/),
    ])
    expect(pinned()).toEqual(['127.0.0.22', '127.0.0.3'])
    // Where a name leads is no configuration: it makes no edit stale.
    expect(house.targetSettings.getCanary(ROOT.actor, 'pets').canary).toEqual({
      ...before,
      secondaryResolvedIp: '127.0.0.22',
    })
  })
})

it('an edit of something older is refused, and one that changes nothing is no edit', async () => {
  const { house } = await aHouse()
  const change = LbInput.parse({ strategy: 'weighted' })
  await expect(house.targetSettings.setLb(ROOT, 'pets', change, [7])).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  })
  await expect(house.targetSettings.clearCanary(ROOT, 'pets', [7])).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  })
  const before = (await house.audit()).length
  await house.targetSettings.setLb(ROOT, 'pets', pool, [1])
  await house.targetSettings.setCanary(ROOT, 'pets', canary, [1])
  expect((await house.audit()).length).toBe(before)
  const { lb } = house.targetSettings.getLb(ROOT.actor, 'pets')
  const id = String(lb?.targets[0]?.id)
  await house.targetSettings.updateUpstream(ROOT, 'pets', id, { weight: 1 }, [])
  expect((await house.audit()).length).toBe(before)
  await house.targetSettings.updateUpstream(ROOT, 'pets', id, { weight: 2 }, [])
  expect((await house.audit()).at(-1)).toMatchObject({
    action: 'client.lb.upstream.update',
    target: 'pets',
    detail: { before: { weight: 1 }, after: { weight: 2 } },
  })
})

it('a server of one pool is not in another', async () => {
  const { house } = await aHouse()
  const unauthenticated = someone(7)
  await expect(house.targetSettings.setCanary(unauthenticated, 'pets', canary, [])).rejects.toMatchObject({
    code: 'CLIENT_NOT_FOUND',
  })
  await house.registration.register(ROOT, { ...BY_HAND, name: 'birds' })
  const id = String(house.targetSettings.getLb(ROOT.actor, 'pets').lb?.targets[0]?.id)
  for (const given of [id, '0', 'x', '9'.repeat(40)])
    await expect(house.targetSettings.removeUpstream(ROOT, 'birds', given, [])).rejects.toMatchObject({
      code: 'TARGET_NOT_FOUND',
    })
})

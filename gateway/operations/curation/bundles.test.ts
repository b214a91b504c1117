// Who sees and makes which bundle: a team its own, of its own backends, and no team sees another's.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RegistrationPayload } from '../../contract/registration.ts'
import { availability } from '../../pipeline/0-admission/admit.ts'
import { aCall } from '../../pipeline/pipeline.fixture.ts'
import { createChanges } from '../../records/changes.ts'
import { createCurated } from '../../registry/curated.ts'
import { aFolder } from '../../storage/database.fixture.ts'
import { NOTHING_SHOWN } from '../../surfaces/show-bundle.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone } from '../backends/backends.fixture.ts'
import { createBundles } from './bundles.ts'

const TEAM = someone(1)
const OTHERS = someone(2)
const TOOLS = [{ name: 'get', method: 'GET', endpoint: '/get', description: 'Gets' }]
const of = (client: string) => [{ client, tool: 'get' }]
const given = (name: string, client: string) => ({ name, tools: of(client), composites: [], enabled: true })

async function aHouse(path = ':memory:') {
  const house: BackendHouse = await aBackendHouse({ path })
  for (const [by, name] of [
    [ROOT, 'global'],
    [TEAM, 'ours'],
    [OTHERS, 'theirs'],
  ] as const)
    await house.registration.register(
      by,
      RegistrationPayload.parse({ name, base_url: 'http://127.0.0.1:81', tools: TOOLS }),
    )
  const clock = { now: () => house.time.nowMs }
  const curated = createCurated(house.database.query)
  const bundles = createBundles({
    database: house.database,
    changes: createChanges(house.database, clock, () => undefined),
    registry: house.registry,
    curated,
    show: () => NOTHING_SHOWN,
    countTokens: async () => [],
    withdraw: async () => [],
    withdrawn: async () => undefined,
    callerOfKey: async () => undefined,
    maxTools: 5000,
    clock,
  })
  return { ...house, curated, bundles }
}
const refusal = (code: string) => expect.objectContaining({ code })

describe('a team', () => {
  it('makes bundles of its own backends only, and others do not exist for it', async () => {
    const { bundles } = await aHouse()
    for (const client of ['global', 'theirs', 'missing'])
      await expect(bundles.create(TEAM, given('pets', client))).rejects.toEqual(refusal('UNKNOWN_TOOL'))
    expect(await bundles.create(TEAM, given('pets', 'ours'))).toMatchObject({ teamId: 1, missingCount: 0 })
    await expect(bundles.update(TEAM, 'pets', { tools: of('theirs') }, [])).rejects.toEqual(refusal('UNKNOWN_TOOL'))
    // Nor may a user put another team's tools into its bundle.
    await expect(bundles.update(ROOT, 'pets', { tools: of('theirs') }, [])).rejects.toEqual(refusal('UNKNOWN_TOOL'))
  })

  it('finds no bundle of another team, nor of none', async () => {
    const { bundles } = await aHouse()
    await bundles.create(ROOT, given('global', 'global'))
    await bundles.create(OTHERS, given('theirs', 'theirs'))
    await bundles.create(TEAM, given('ours', 'ours'))
    expect(bundles.list(TEAM.actor, { limit: 50 }).items.map(({ name }) => name)).toEqual(['ours'])
    expect(bundles.list(ROOT.actor, { limit: 50 }).items.map(({ name }) => name)).toEqual(['global', 'ours', 'theirs'])
    const missing = refusal('BUNDLE_NOT_FOUND')
    for (const name of ['global', 'theirs', 'none']) {
      expect(() => bundles.get(TEAM.actor, name)).toThrow(missing)
      await expect(bundles.update(TEAM, name, { enabled: false }, [])).rejects.toEqual(missing)
      await expect(bundles.delete(TEAM, name, [])).rejects.toEqual(missing)
      await expect(bundles.clone(TEAM, name, { name: 'copy' })).rejects.toEqual(missing)
      await expect(bundles.preview(TEAM.actor, name, {})).rejects.toEqual(missing)
    }
    expect(await bundles.clone(ROOT, 'ours', { name: 'copy' })).toMatchObject({ teamId: 1 })
  })

  it('rejects a taken name and a past revision, and writes nothing', async () => {
    const { bundles, audit } = await aHouse()
    await bundles.create(TEAM, given('pets', 'ours'))
    await expect(bundles.create(OTHERS, given('pets', 'theirs'))).rejects.toEqual(refusal('ALREADY_EXISTS'))
    const before = (await audit()).length
    await expect(bundles.update(TEAM, 'pets', { enabled: false }, [9])).rejects.toEqual(refusal('PRECONDITION_FAILED'))
    expect((await audit()).length).toBe(before)
  })
})

it('the bundles that hold a tool of a backend are known by its name', async () => {
  const { bundles, curated } = await aHouse()
  await bundles.create(ROOT, { ...given('both', 'global'), tools: [...of('global'), ...of('ours')] })
  await bundles.create(ROOT, given('one', 'global'))
  expect(['global', 'ours', 'theirs'].map(curated.bundlesWith)).toEqual([['both', 'one'], ['both'], []])
  await bundles.delete(ROOT, 'both', [])
  expect(['global', 'ours'].map(curated.bundlesWith)).toEqual([['one'], []])
})

it('a backend takes no more calls from the moment its deletion begins [ct.5.8.unregistering]', async () => {
  const { registry, backends, database } = await aHouse(join(aFolder(), 'gantry.db'))
  const guard = availability(registry)
  const backend = registry.get('ours')
  const tool = backend?.tools.get('get')
  if (!backend || !tool) throw new Error('the house has it')
  const asked = () => guard(aCall({ backend, tool }))
  let finish: () => void = () => undefined
  // Another transaction is writing, so the deletion waits for its turn.
  const writing = database.write(() => new Promise<void>((resolve) => (finish = resolve)))
  expect(await asked()).toBeUndefined()
  const going = backends.delete(ROOT, 'ours')
  await expect.poll(asked).toMatchObject({ kind: 'refused', code: 'unregistering' })
  finish()
  await Promise.all([writing, going])
  expect(await asked()).toMatchObject({ code: 'unreachable' })
})

// People whose tokens last five minutes, on three processes of one PostgreSQL database that are killed while they refresh: each token is
// refreshed once, no rotation is lost, and no person is called as another. The long mode has 1,000 people at 10 backends.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { mint } from './access.fixture.ts'
import { aShopProcess } from './data-plane.fixture.ts'
import { aFolder, UNCHECKED } from './gateway.fixture.ts'
import { type GatewayProcess, LIGHT_PASSWORDS } from './gateway-process.fixture.ts'
import { meet } from './processes.fixture.ts'
import { BOX_KEY, must, setIdentity } from './upstream-identity.fixture.ts'
import { connectAll, openWorld, statesOf, type World } from './upstream-identity-fleet.fixture.ts'

const RUNS = Number(process.env.GANTRY_FUZZ_RUNS ?? 0)
const LONG = RUNS > 0
const NAMES = LONG ? ['i0', 'i1', 'i2'] : ['i0', 'i1']
const PEOPLE = LONG ? Math.min(1_000, RUNS) : 6
const BACKENDS = LONG ? 10 : 2
/** Minutes between rounds of calls: into the last minute of a token, and past its end. */
const MINUTES = [4, 6]
/** By round: which instance is killed, and the name under which it starts again. Another name waits for the lease of the killed one. */
const KILLED: readonly (readonly [at: number, name: string])[] = LONG
  ? [
      [1, 'i1'],
      [2, 'i3'],
    ]
  : [[1, 'i1']]
const AT_ONCE = 16
const SOON = { timeout: 120_000, interval: 50 }
const MOVED = `${LIGHT_PASSWORDS} --import=${new URL('moved-clock.mjs', import.meta.url).href}`

const address = usePostgres()
const owners = Array.from({ length: PEOPLE * BACKENDS }, (_none, at) => ({
  backend: `b${at % BACKENDS}`,
  person: `p${Math.floor(at / BACKENDS)}`,
}))
type Owner = (typeof owners)[number]

async function setClock(gateway: GatewayProcess, offMs: number): Promise<void> {
  writeFileSync(join(gateway.folder, 'clock'), String(offMs))
  gateway.signal('SIGUSR2')
  await expect.poll(gateway.output, SOON).toContain(`the clock is off by ${offMs} ms`)
}

/** The owner of the token that the backend received. */
async function call({ url }: GatewayProcess, key: string, { backend, person }: Owner): Promise<string> {
  const { body } = await request(`${url}/mcp/${backend}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'me', arguments: { who: person, __end_user: person } },
    }),
  })
  const text = await body.text()
  return /"owner\\?":\\?"([^"\\]*)/.exec(text)?.[1] ?? text
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all]
  const turns = Array.from({ length: AT_ONCE }, async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) await work(one)
  })
  await Promise.all(turns)
}

async function register(gateway: GatewayProcess, { url }: World): Promise<void> {
  for (let at = 0; at < BACKENDS; at++) {
    const properties = { who: { type: 'string' } }
    const tool = {
      name: 'me',
      method: 'GET',
      endpoint: '/me',
      description: 'Who is called',
      inputSchema: { type: 'object', properties },
    }
    const body = { name: `b${at}`, base_url: `${url}/b${at}`, health_url: `${url}/`, tools: [tool] }
    await must(gateway.admin('/register', { method: 'POST', body }))
    const endpoints = { authorization: `${url}/authorize`, token: `${url}/token` }
    await setIdentity(gateway, { mode: 'per_principal', clientId: 'gantry', endpoints, resource: 'omit' }, `b${at}`)
  }
}

async function aFleetOf(databaseUrl: string, world: World) {
  const start = (id = ''): Promise<GatewayProcess> => {
    const env = {
      ...UNCHECKED,
      ALLOW_SECOND_INSTANCE: 'true',
      REGISTRY_SYNC: 'true',
      RATE_LIMIT_GLOBAL: '10000000',
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_ADMIN_USERNAME: '',
      INSTANCE_ID: id,
      NODE_OPTIONS: MOVED,
    }
    return aShopProcess({ ...env, SECRET_ENCRYPTION_KEY: BOX_KEY }, aFolder())
  }
  const first = await start(NAMES[0])
  await register(first, world)
  await connectAll(databaseUrl, world, PEOPLE)
  const all = [first, ...(await Promise.all(NAMES.slice(1).map(start)))]
  await meet(all)
  const { key } = await mint(first, { namesPeople: true })
  return { all, key, start }
}

describe.skipIf(!hasPostgres)(`three processes on PostgreSQL (${postgresHere})`, () => {
  it(`keep ${PEOPLE} people at ${BACKENDS} backends connected, while they are killed (long mode: 1,000 people, 10 backends)`, {
    timeout: 1_800_000,
  }, async () => {
    const world = await openWorld(onTestFinished)
    const { state, counts } = world
    const databaseUrl = await address('migrated')
    const { all, key, start } = await aFleetOf(databaseUrl, world)
    let lost = 0
    const owned = ({ backend, person }: Owner): string => `${backend}.${person}`
    const reaches = (one: GatewayProcess, owner: Owner) =>
      expect.poll(() => call(one, key, owner), SOON).toBe(owned(owner))
    /** Two instances at once, which compete for the same token. */
    const round = (turn: number) =>
      inTurns([...owners.entries()], async ([at, owner]) => {
        const two = [0, 1].map((next) => all[(at + turn + next) % all.length] ?? expect.fail())
        await Promise.all(two.map((one) => reaches(one, owner)))
      })

    async function killWhileItRefreshes(victim: number, name: string): Promise<void> {
      const dying = all[victim] ?? expect.fail()
      state.holding = true
      const cut = Promise.allSettled(owners.slice(0, AT_ONCE).map((owner) => call(dying, key, owner)))
      // Only the victim is called: all that is held are its own.
      await expect.poll(world.held, SOON).toBeGreaterThan(2)
      state.killing = true
      dying.signal('SIGKILL')
      await dying.exited
      await cut
      lost += world.release()
      const born = await start(name)
      state.killing = false
      all[victim] = born
      await setClock(born, state.offMs)
      await meet(all)
    }

    for (const one of all) await reaches(one, owners[0] ?? expect.fail())
    for (const [at, minutes] of MINUTES.entries()) {
      state.offMs += minutes * 60_000
      for (const one of all) await setClock(one, state.offMs)
      const kill = KILLED[at]
      if (kill) await killWhileItRefreshes(...kill)
      await round(at)
      if (LONG) process.stdout.write(`${JSON.stringify({ minutes, owners: owners.length, lost, ...counts })}\n`)
    }
    expect(await statesOf(databaseUrl)).toEqual({ connected: owners.length })
    expect(counts).toMatchObject({ double: 0, stale: 0, foreign: 0, expired: 0 })
    // Each answer that a killed instance did not receive was asked for once more, and nothing else.
    expect(lost).toBeGreaterThan(2)
    expect(counts.again).toBe(lost)
  })
})

// Grants on three instances of one database: each token is refreshed once, no rotation is lost, and no token is another person's.
import { expect, it } from 'vitest'
import { createChanges } from '../records/changes.ts'
import { someBackend } from '../registry/backend.fixture.ts'
import type { UpstreamCredential } from '../registry/backend.ts'
import { insertBackend } from '../storage/backends.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { jsonText } from '../storage/json-text.ts'
import type { StoredUpstreamClient } from '../storage/stored.ts'
import { grantOf, insertUpstreamClient } from '../storage/upstream-grants.ts'
import type { Ask } from './ask.ts'
import { createVault, type Grant } from './vault.ts'

const LONG = process.env.GANTRY_FUZZ_RUNS !== undefined
const [PEOPLE, BACKENDS, MINUTES] = LONG ? [1_000, 10, 30] : [12, 2, 12]
const MINUTE_MS = 60_000
const AT = '2026-01-01T00:00:00.000Z'

/** It rotates refresh tokens, and ends a grant whose old one comes back. */
function anAuthorizationServer() {
  const current = new Map<string, string>()
  let serial = 0
  const state = { reused: 0, refreshed: 0, status: 200, dropAnswers: 0 }
  const give = (owner: string) => {
    const refresh = `refresh-${owner}-${++serial}`
    current.set(owner, refresh)
    return { access: `access-${owner}-${serial}`, refresh, scopes: ['read'], lifetimeMs: 5 * MINUTE_MS }
  }
  const post: Ask['post'] = async (_what, _url, form) => {
    await new Promise((resolve) => setImmediate(resolve))
    const token = form.get('refresh_token') ?? ''
    const owner = token.split('-')[1] ?? ''
    if (state.status !== 200) return { status: state.status, challenge: undefined, fields: {} }
    if (current.get(owner) !== token) {
      state.reused += 1
      return { status: 400, challenge: undefined, fields: { error: 'invalid_grant' } }
    }
    state.refreshed += 1
    const { access, refresh, lifetimeMs } = give(owner)
    const fields = { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: lifetimeMs / 1000 }
    return { status: 200, challenge: undefined, fields }
  }
  return { state, give, ask: { post } as unknown as Ask } // a vault posts only
}

async function aFleet(instances = 3) {
  const database = await aDatabase()
  const time = { nowMs: Date.parse(AT) }
  const clock = { now: () => time.nowMs }
  const server = anAuthorizationServer()
  const audited: string[] = []
  const changes = createChanges(database, clock, ({ action }) => audited.push(action))
  const vaults = Array.from({ length: instances }, (_, at) =>
    createVault({
      database,
      changes,
      clock,
      monotonic: clock.now,
      // Sealed for its record: what is opened for another one is no JSON.
      box: {
        provider: 'local',
        configured: true,
        isCurrent: () => true,
        seal: async (text, ref) => `${ref}|${text}`,
        open: async (sealed, ref) =>
          sealed.startsWith(`${ref}|`) ? sealed.slice(ref.length + 1) : 'not for this record',
      },
      log: { warn: () => undefined } as never, // a vault warns only
      metrics: { inc: () => undefined } as never, // it counts only
      ask: server.ask,
      clients: { secretOf: async () => null } as never, // a public client
      leaseClock: { now: clock.now, measure: async () => undefined },
      instanceId: `instance ${at}`,
      newId: () => 'request',
      tokenTimeoutMs: 10_000,
      onEnded: () => undefined,
    }),
  )
  return { database, time, server, vaults, audited }
}

async function aBackend(database: Database, at: number) {
  const baseUrl = `https://api${at}.test`
  const client: StoredUpstreamClient = {
    clientId: 'gantry',
    authMethod: 'none',
    authorization: 'https://idp.test/authorize',
    token: 'https://idp.test/token',
    revocation: null,
    namesItself: true,
    resource: baseUrl,
    audience: null,
    origin: baseUrl,
    redirectUri: 'https://gantry.test/callback',
  }
  const { id, row } = await database.write(async (tx) => {
    const id = await insertBackend(tx, {
      name: `backend${at}`,
      kind: 'rest',
      source: 'manual',
      enabled: 1,
      base_url: baseUrl,
      tags: jsonText([]),
      discovered_at: AT,
      revision: 1,
      created_at: AT,
      updated_at: AT,
    })
    const row = await insertUpstreamClient(tx, {
      backend_id: id,
      issuer: 'https://idp.test',
      generation: 1,
      origin: 'registered',
      client: jsonText(client),
      secret: null,
      created_at: AT,
    })
    return { id, row }
  })
  return { backend: { ...someBackend({ name: `backend${at}`, baseUrl, pins: null }), id }, registered: { row, client } }
}

const BY = { actor: { name: 'ada', kind: 'session', role: 'viewer', teamId: null }, requestId: 'r' } as const
const principalOf = (name: string) => ({ id: JSON.stringify(['user', name]), name })
const tokenIn = (credential: UpstreamCredential, origin: string): string =>
  credential.sentTo(origin)?.headers.authorization ?? ''
const granted = (found: Awaited<ReturnType<ReturnType<typeof createVault>['get']>>): Grant => {
  if ('missing' in found) throw new Error(`There is no grant: ${found.why}`)
  return found
}

it(`keeps ${PEOPLE} people at ${BACKENDS} backends connected for ${MINUTES} minutes of 5-minute tokens`, {
  timeout: 600_000,
}, async () => {
  const { database, time, server, vaults } = await aFleet()
  const backends = await Promise.all(Array.from({ length: BACKENDS }, (_, at) => aBackend(database, at)))
  const owners: { owner: string; at: number; person: string }[] = []
  for (let at = 0; at < BACKENDS; at++)
    for (let person = 0; person < PEOPLE; person++) owners.push({ owner: `${at}x${person}`, at, person: `p${person}` })
  for (const { owner, at, person } of owners) {
    const { backend, registered } = backends[at] ?? expect.fail()
    await vaults[0]?.put(BY, backend, principalOf(person), registered, server.give(owner))
  }
  for (let minute = 0; minute < MINUTES; minute++) {
    time.nowMs += MINUTE_MS
    await Promise.all(
      owners.flatMap(({ owner, at, person }) =>
        vaults.map(async (vault) => {
          const { backend } = backends[at] ?? expect.fail()
          const { credential } = granted(await vault.get(backend, principalOf(person)))
          expect(tokenIn(credential, backend.baseUrl)).toMatch(new RegExp(`^Bearer access-${owner}-\\d+$`))
          expect(tokenIn(credential, 'https://other.test')).toBe('')
        }),
      ),
    )
    // The clock of a real refresh goes on; this one stands until it is done.
    await Promise.all(vaults.map((vault) => vault.settled()))
  }
  expect(server.state.reused).toBe(0)
  // A token of five minutes is refreshed within its last one.
  expect(server.state.refreshed).toBeGreaterThanOrEqual(owners.length * Math.floor(MINUTES / 5))
  expect(server.state.refreshed).toBeLessThanOrEqual(owners.length * Math.ceil(MINUTES / 4))
})

it('takes over from an instance that died with the lease, after its end', async () => {
  const { database, time, server, vaults } = await aFleet()
  const { backend, registered } = await aBackend(database, 0)
  const ada = principalOf('ada')
  await vaults[0]?.put(BY, backend, ada, registered, server.give('ada'))
  const before = await grantOf(database.query, backend.id, ada.id)
  const grant = before?.grant ?? expect.fail()
  const { id } = grant
  expect(await vaults[1]?.stateOf(grant)).toBe('connected')
  const dead = { name: `grant ${id}`, holder: 'dead', expires_at_ms: time.nowMs + 5 * MINUTE_MS + 5_000, token: 7 }
  await database.write((tx) => tx.insertInto('leases').values(dead).execute())
  expect(await vaults[1]?.stateOf(grant)).toBe('refreshing')
  time.nowMs += 5 * MINUTE_MS
  const waiting = vaults[1]?.get(backend, ada)
  time.nowMs += 6_000
  expect(granted((await waiting) ?? expect.fail()).scopes).toEqual(['read'])
  expect(server.state).toMatchObject({ reused: 0, refreshed: 1 })
  expect(await vaults[1]?.stateOf(grant)).toBe('connected')
})

it('keeps a token through server errors until it ends, and gives one up at once that its provider ended', async () => {
  const { database, time, server, vaults, audited } = await aFleet(1)
  const { backend, registered } = await aBackend(database, 0)
  const [vault] = vaults
  const ada = principalOf('ada')
  await vault?.put(BY, backend, ada, registered, server.give('ada'))
  server.state.status = 503
  time.nowMs += 4.5 * MINUTE_MS
  expect(tokenIn(granted((await vault?.get(backend, ada)) ?? expect.fail()).credential, backend.baseUrl)).toContain(
    'access-ada-1',
  )
  await expect.poll(async () => (await grantOf(database.query, backend.id, ada.id))?.grant.state).toBe('retrying')
  time.nowMs += MINUTE_MS
  expect(await vault?.get(backend, ada)).toMatchObject({ missing: 'unavailable' })
  server.state.status = 200
  time.nowMs += MINUTE_MS
  expect(tokenIn(granted((await vault?.get(backend, ada)) ?? expect.fail()).credential, backend.baseUrl)).toContain(
    'access-ada-2',
  )
  // The provider forgets it.
  server.give('ada')
  time.nowMs += 6 * MINUTE_MS
  expect(await vault?.get(backend, ada)).toMatchObject({ missing: 'reconnect' })
  time.nowMs += MINUTE_MS
  for (let call = 0; call < 3; call++) expect(await vault?.get(backend, ada)).toMatchObject({ missing: 'reconnect' })
  expect(server.state).toMatchObject({ reused: 1, refreshed: 1 })
  expect(audited).toEqual(['connection.connect', 'connection.lost'])
})

it('gives a token up that the backend refuses and that cannot be refreshed, but none that was given a moment ago', async () => {
  const { database, time, server, vaults, audited } = await aFleet(1)
  const { backend, registered } = await aBackend(database, 0)
  const ada = principalOf('ada')
  const refused = async (): Promise<boolean | undefined> => {
    const { tokenHash } = granted((await vaults[0]?.get(backend, ada)) ?? expect.fail())
    return vaults[0]?.refused(backend, ada, tokenHash)
  }
  const tokens = { ...server.give('ada'), refresh: undefined, lifetimeMs: null }
  await vaults[0]?.put(BY, backend, ada, registered, tokens)
  expect(await refused()).toBe(false)
  time.nowMs += MINUTE_MS
  expect(await refused()).toBe(false)
  expect(await vaults[0]?.get(backend, ada)).toMatchObject({
    missing: 'reconnect',
    why: expect.stringContaining('none to refresh it'),
  })
  expect(audited).toEqual(['connection.connect', 'connection.lost'])
})

it('sends a token to the origin of its connection only: a backend that moved has none', async () => {
  const { database, server, vaults } = await aFleet(1)
  const { backend, registered } = await aBackend(database, 0)
  const ada = principalOf('ada')
  await vaults[0]?.put(BY, backend, ada, registered, server.give('ada'))
  expect(await vaults[0]?.get({ ...backend, baseUrl: 'https://moved.test' }, ada)).toHaveProperty('missing')
  expect(await vaults[0]?.get(backend, principalOf('bob'))).toMatchObject({ missing: 'never' })
})

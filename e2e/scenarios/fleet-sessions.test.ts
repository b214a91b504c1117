// A session and its stream over three gateways: any of them serves a POST, and the stream stays where it was opened.
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { hasRedis, redisHere, startRedis } from '../../gateway/storage/redis.fixture.ts'
import { createSessionSeal } from '../../gateway/surfaces/session-seal.ts'
import { startConformancePeer } from '../peers/mcp-conformance.ts'
import { act, bearer, listen, mint, openSessionAs } from './access.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { configure, rpc } from './data-plane.fixture.ts'
import { aFleet, SOON } from './fleet.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import { aSession } from './transparent.fixture.ts'

const address = usePostgres()

async function redisOfTest(): Promise<Env> {
  const redis = await startRedis()
  onTestFinished(redis.end)
  return { REDIS_URL: redis.url, RATE_LIMIT_SHARED: 'true' }
}

const FLEETS: readonly (readonly [name: string, here: boolean, env: () => Promise<Env>])[] = [
  ['a SQLite file', true, async () => ({})],
  [`PostgreSQL (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address() })],
  [`a SQLite file and Redis (${redisHere})`, hasRedis, redisOfTest],
]

describe.each(FLEETS)('a session over three gateways on %s', (_name, here, env) => {
  it.skipIf(!here)(
    'is served by each of them, and its stream receives what another one changed [ct.5.2.shared]',
    async () => {
      const { all, first } = await aFleet(await env())
      const [, opener, third] = all
      if (opener === undefined || third === undefined) throw new Error('A fleet has three')
      const key = await mint(first)
      const listTools = async (at: Gateway, given: Env) => (await rpc(at, 'tools/list', {}, { headers: given })).status
      for (const each of all) await expect.poll(() => listTools(each, bearer(key.key)), SOON).toBe(200)
      const headers = { ...bearer(key.key), ...(await openSessionAs(opener, key.key)) }
      for (const each of all) expect(await listTools(each, headers)).toBe(200)

      const stream = await listen(opener, '/mcp/petstore', headers)
      expect(stream.status).toBe(200)
      await configure(third, 'ok', { enabled: false })
      await expect.poll(stream.text, SOON).toContain('notifications/tools/list_changed')
      await act(third, key, 'revoke')
      await stream.ended
      for (const each of all) await expect.poll(() => listTools(each, headers), SOON).toBe(401)
    },
  )
})

describe.each(FLEETS.slice(1, 2))('a session over two gateways on %s', (_name, here, env) => {
  it.skipIf(!here)(
    'outlives the rotation of the key that sealed it, also at an MCP server that has sessions of its own',
    { timeout: 60_000 },
    async () => {
      const { DATABASE_URL: url } = await env()
      const { all, first, headers } = await aFleet({ DATABASE_URL: url ?? '' }, 2)
      const peer = await startConformancePeer('legacy')
      onTestFinished(() => peer.close())
      await registerUpstream(first, 'up', peer.url)
      const [, second] = all
      if (second === undefined) throw new Error('This fleet has two')
      const path = '/mcp/up'
      await expect.poll(async () => (await rpc(second, 'tools/list', {}, { path, headers })).status, SOON).toBe(200)
      const session = await aSession(first, {}, { path, headers })
      const call = async (gateway: Gateway, given: Env): Promise<unknown> => {
        const params = { name: 'test_simple_text', arguments: {} }
        return ((await rpc(gateway, 'tools/call', params, { path, headers: given })).json as { result?: object }).result // by the protocol
      }
      for (const each of all) expect(await call(each, session.headers)).not.toMatchObject({ isError: true })

      const database = new pg.Client({ connectionString: url })
      await database.connect()
      onTestFinished(() => database.end())
      const keys = async (): Promise<{ key: string; fromMs: number }[]> => {
        const { rows } = await database.query<{ value: string }>("select value from meta where key = 'session_keys'")
        return JSON.parse(rows[0]?.value ?? '[]') as { key: string; fromMs: number }[] // as the gateway wrote it
      }
      const aged = (await keys()).map(({ key }) => ({ key, fromMs: 0 }))
      await database.query("update meta set value = $1 where key = 'session_keys'", [JSON.stringify(aged)])
      await expect.poll(async () => (await keys()).length, SOON).toBe(2)
      const idOf = async (gateway: Gateway): Promise<string> =>
        (await aSession(gateway, {}, { path, headers })).headers['mcp-session-id'] ?? ''
      const isRotated = async (id: string): Promise<boolean> => {
        const [old] = aged
        return createSessionSeal(Buffer.from(old?.key ?? '', 'base64')).open(id) === undefined
      }
      for (const each of all) await expect.poll(async () => isRotated(await idOf(each)), SOON).toBe(true)
      const fresh = { ...headers, 'mcp-session-id': await idOf(first) }
      for (const each of all)
        for (const given of [session.headers, fresh]) {
          const result = await call(each, given)
          expect(result).toBeDefined()
          expect(result).not.toMatchObject({ isError: true })
        }
    },
  )
})

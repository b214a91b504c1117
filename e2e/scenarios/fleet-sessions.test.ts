// A session and its stream over three gateways: any of them serves a POST, and the stream stays where it was opened.
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { hasRedis, redisHere, startRedis } from '../../gateway/storage/redis.fixture.ts'
import { act, bearer, listen, mint, openSessionAs } from './access.fixture.ts'
import { configure, rpc } from './data-plane.fixture.ts'
import { aFleet, SOON } from './fleet.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'

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

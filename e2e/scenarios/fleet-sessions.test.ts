// A session over several gateways outlives the rotation of the key that sealed it. `fleet-messages.test.ts` has what is passed on between them.
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { createSessionSeal } from '../../gateway/surfaces/session-seal.ts'
import { startConformancePeer } from '../peers/mcp-conformance.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { rpc } from './data-plane.fixture.ts'
import { aFleet, SOON } from './fleet.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import { aSession } from './transparent.fixture.ts'

const address = usePostgres()

describe.skipIf(!hasPostgres)(`a session over two gateways on PostgreSQL (${postgresHere})`, () => {
  it('outlives the rotation of the key that sealed it, also at an MCP server that has sessions of its own', {
    timeout: 60_000,
  }, async () => {
    const url = await address('migrated')
    const { all, first, headers } = await aFleet({ DATABASE_URL: url }, 2)
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
  })
})

// One database, one instance: a second one refuses to start and says whose the database is, unless several are allowed.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { aFolder, type Env } from './gateway.fixture.ts'
import { aGatewayProcess, refusedStart } from './gateway-process.fixture.ts'

const address = usePostgres()
const LEASE = { LEADER_LEASE_DURATION_MS: '5000' }

const engines: readonly (readonly [name: string, here: boolean, env: () => Promise<Env>])[] = [
  ['a SQLite file', true, async () => ({})],
  [`a PostgreSQL database (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
]

describe.each(engines)('a second instance on %s', (_name, here, databaseOf) => {
  it.skipIf(!here)(
    'refuses to start, names the first and what to do, and starts when the first has ended',
    async () => {
      const folder = aFolder()
      const env = { ...LEASE, ...(await databaseOf()) }
      const first = await aGatewayProcess({ ...env, INSTANCE_ID: 'the-first' }, folder)
      const exit = await refusedStart({ ...env, INSTANCE_ID: 'the-second' }, folder)
      expect(exit.code).toBe(69)
      expect(exit.stderr).toContain('the-first')
      expect(exit.stderr).toContain(`process ${first.pid}`)
      expect(exit.stderr).toMatch(/started at \d{4}-\d\d-\d\dT/)
      expect(exit.stderr).toContain('ALLOW_SECOND_INSTANCE=true')
      // Under the same name it is another process all the same.
      expect((await refusedStart({ ...env, INSTANCE_ID: 'the-first' }, folder)).code).toBe(69)
      expect((await first.ask('/readyz')).status).toBe(200)
      await first.stop()
      const next = await aGatewayProcess({ ...env, INSTANCE_ID: 'the-second' }, folder)
      expect((await next.ask('/livez')).status).toBe(200)
    },
  )

  it.skipIf(!here)('starts at once after a crash of the first on this machine', async () => {
    const folder = aFolder()
    const env = { LEADER_LEASE_DURATION_MS: '600000', ...(await databaseOf()) }
    const first = await aGatewayProcess(env, folder)
    first.signal('SIGKILL')
    await first.exited
    expect((await (await aGatewayProcess(env, folder)).ask('/livez')).status).toBe(200)
  })

  it.skipIf(!here)(
    'takes over from a first that is frozen when its lease ends, and the first stops when it continues',
    async () => {
      const folder = aFolder()
      const env = { ...LEASE, ...(await databaseOf()) }
      const first = await aGatewayProcess({ ...env, INSTANCE_ID: 'the-first' }, folder)
      // Once its start is over, so that it does not freeze inside a write: nothing but its end frees the lock of a file.
      await vi.waitFor(async () => expect((await first.ask('/readyz')).status).toBe(200), { timeout: 20_000 })
      await pause(300)
      first.signal('SIGSTOP')
      const second = await aGatewayProcess({ ...env, INSTANCE_ID: 'the-second' }, folder)
      first.signal('SIGCONT')
      const exit = await first.exited
      expect(exit.code).toBe(69)
      expect(exit.stderr).toContain('the-second')
      expect((await second.ask('/livez')).status).toBe(200)
    },
  )

  it.skipIf(!here)('starts where several are allowed', async () => {
    const folder = aFolder()
    const env = { ...LEASE, ALLOW_SECOND_INSTANCE: 'true', ...(await databaseOf()) }
    const [first, second] = [await aGatewayProcess(env, folder), await aGatewayProcess(env, folder)]
    expect([(await first.ask('/livez')).status, (await second.ask('/livez')).status]).toEqual([200, 200])
  })
})

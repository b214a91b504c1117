import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { aDatabase, keysOf } from './database.fixture.ts'
import { acquireLease, type Lease, releaseLease, renewLease, requireLease } from './lease.ts'

const ask = (holder: string) => ({ name: 'leader', holder, durationMs: 1000 })

async function held(lease: Lease | undefined): Promise<Lease> {
  if (!lease) throw new Error('The lease was not given')
  return lease
}

it('is refused while another holds it, and given when that one ran out', async () => {
  const database = await aDatabase(':memory:')
  expect(await acquireLease(database, ask('a'), 0)).toMatchObject({ holder: 'a', token: 1 })
  expect(await acquireLease(database, ask('b'), 999)).toBeUndefined()
  expect(await acquireLease(database, ask('b'), 1000)).toMatchObject({ holder: 'b', token: 2 })
})

it('fences a leader that slept through its lease: no renewal, no write (security case ST-08)', async () => {
  const database = await aDatabase(':memory:')
  const old = await held(await acquireLease(database, ask('a'), 0))
  const write = (lease: Lease, nowMs: number) =>
    database.write(async (tx) => {
      await tx.insertInto('meta').values({ key: lease.holder, value: '' }).execute()
      await requireLease(tx, lease, nowMs)
    })
  await expect(write(old, 1000)).rejects.toMatchObject({ reason: 'fenced' })
  const next = await held(await acquireLease(database, ask('b'), 1000))
  expect(await renewLease(database, old, 1000, 1001)).toBe(false)
  await expect(write(old, 1001)).rejects.toMatchObject({ reason: 'fenced' })
  await write(next, 1001)
  expect(await keysOf(database)).toEqual(['b'])
})

it('cannot be released by who lost it, and its token never goes down', async () => {
  const database = await aDatabase(':memory:')
  const old = await held(await acquireLease(database, ask('a'), 0))
  const next = await held(await acquireLease(database, ask('b'), 1000))
  await releaseLease(database, old)
  expect(await acquireLease(database, ask('a'), 1001)).toBeUndefined()
  await releaseLease(database, next)
  expect(await acquireLease(database, ask('a'), 1001)).toMatchObject({ token: 3 })
})

it('is kept by renewing in time, and fences a former life of the same holder', async () => {
  const database = await aDatabase(':memory:')
  const first = await held(await acquireLease(database, ask('a'), 0))
  expect(await renewLease(database, first, 1000, 900)).toBe(true)
  expect(await acquireLease(database, ask('b'), 1500)).toBeUndefined()
  const again = await held(await acquireLease(database, ask('a'), 1500))
  expect(again.token).toBe(2)
  expect(await renewLease(database, first, 1000, 1600)).toBe(false)
})

it('goes to exactly one of several processes (security case ST-07)', async () => {
  const database = await aDatabase()
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  const script = `
    const { openDatabase } = await import(${at('./database.ts')})
    const { acquireLease } = await import(${at('./lease.ts')})
    const [path, dataDir, holder] = process.argv.slice(1)
    const log = { warn() {} }
    const database = await openDatabase({ path, dataDir, appVersion: '1.0.0', strict: true, backupBeforeMigrate: true, log, clock: Date })
    let won = 0
    for (let round = 0; round < 20; round++)
      if (await acquireLease(database, { name: 'round ' + round, holder, durationMs: 60_000 }, 0)) won++
    console.log(won)
    await database.close()`
  const wins = ['a', 'b', 'c'].map(async (holder) => {
    const given = ['--input-type=module', '-e', script, database.path, `${database.path}.d`, holder]
    const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [answer] = await Promise.all([text(child.stdout), once(child, 'exit')])
    return Number(answer)
  })
  expect((await Promise.all(wins)).reduce((sum, won) => sum + won, 0)).toBe(20)
})

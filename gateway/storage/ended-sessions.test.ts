// Ended sessions on both engines: one row each, the expired ones gone, and what is forgotten remembered as a time.
import { describe, expect, it, onTestFinished } from 'vitest'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import type { Database } from './database.ts'
import { endedSessionsOf } from './ended-sessions.ts'
import { hasPostgres, postgresHere, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'

const address = usePostgres()
async function onServer(): Promise<Database> {
  const options = { ...optionsFor(':memory:'), dataDir: aFolder(), url: await address('migrated'), poolMax: 3 }
  const database = await openPostgres(options)
  onTestFinished(() => database.close())
  return database
}

describe.for([
  ['a file', () => aDatabase(), true] as const,
  [`PostgreSQL (${postgresHere})`, onServer, hasPostgres] as const,
])('ended sessions in %s', ([, open, here]) => {
  it.skipIf(!here)('are stored once, and those whose tokens no longer open are dropped', async () => {
    const store = endedSessionsOf(await open())
    const at = { nowMs: 5_000, forgottenMs: -1, expiredMs: -1 }
    await store.put([{ hash: 'a', createdAtMs: 1_000 }], at)
    await store.put(
      Array.from({ length: 6_000 }, (_each, n) => ({ hash: n === 0 ? 'a' : `b${n}`, createdAtMs: 2_000 + n })),
      { ...at, nowMs: 6_000 },
    )
    expect(await store.since(0, 10_000)).toHaveLength(6_000)
    expect(await store.since(6_000, 10_000)).toHaveLength(5_999)
    expect(await store.since(0, 1)).toEqual([{ hash: 'b5999', createdAtMs: 7_999 }])
    await store.put([], { ...at, expiredMs: 7_998 })
    expect(await store.since(0, 10)).toEqual([{ hash: 'b5999', createdAtMs: 7_999 }])
    expect(await store.forgottenMs()).toBe(-1)
    await store.put([], { ...at, forgottenMs: 9_000 })
    await store.put([], { ...at, forgottenMs: 8_000 })
    expect([await store.since(0, 10), await store.forgottenMs()]).toEqual([[], 9_000])
  })
})

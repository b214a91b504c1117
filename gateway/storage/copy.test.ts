// What a copy of a database holds is decided for every table.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { COPIED, copyDatabase, LEFT } from './copy.ts'
import { aConsumer, aDatabase } from './database.fixture.ts'

it('every table is copied, or is known to be left', async () => {
  const { query } = await aDatabase()
  const { rows } = await sql<{
    name: string
  }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`.execute(query)
  const known: readonly string[] = [...COPIED, ...LEFT]
  expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
})

it('more rows than a portion arrive, and a target with rows is refused', async () => {
  const [from, to] = [await aDatabase(), await aDatabase()]
  await from.write(async (tx) => {
    for (let at = 0; at < 1200; at += 1)
      await tx
        .insertInto('meta')
        .values({ key: `key ${at}`, value: 'é☃\u{1f600}' })
        .execute()
  })
  await aConsumer(from, 'team')
  const copied = await copyDatabase(from, to, { nowMs: Date.now() })
  expect(copied.find(({ table }) => table === 'meta')?.rows).toBeGreaterThanOrEqual(1200)
  expect(await to.query.selectFrom('consumers').select('name').execute()).toEqual([{ name: 'team' }])
  await expect(copyDatabase(from, to, { nowMs: Date.now() })).rejects.toThrow('not empty')
})

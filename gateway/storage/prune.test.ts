import { expect, it } from 'vitest'
import { aDatabase } from './database.fixture.ts'
import { prune } from './prune.ts'

const row = (at_ms: number) => ({
  request_id: `r${at_ms}`,
  at_ms,
  principal: 'ci',
  surface: 'shard',
  client: 'shop',
  tool: 'item',
  called_as: 'item',
  outcome: 'success',
  status_class: '2xx',
  duration_ms: 1,
  attempts: 1,
  request_bytes: 2,
  response_bytes: 2,
})

it('what is older than the moment goes, portion by portion, and the rest stays', async () => {
  const database = await aDatabase()
  await database.write((tx) =>
    tx
      .insertInto('calls')
      .values(Array.from({ length: 11 }, (_, index) => row(index)))
      .execute(),
  )
  expect(await prune(database, 'call_rows', 8, 4)).toBe(8)
  expect(await database.query.selectFrom('calls').select('at_ms').orderBy('at_ms').execute()).toEqual([
    { at_ms: 8 },
    { at_ms: 9 },
    { at_ms: 10 },
  ])
  expect(await prune(database, 'call_rows', 8, 4)).toBe(0)
})

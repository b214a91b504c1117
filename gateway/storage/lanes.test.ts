// Lanes of queries over a real file: slow searches of people never delay alerts, and each has an end.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { aDatabase, aFolder } from './database.fixture.ts'
import { askedBy, createLane } from './lanes.ts'
import { createReadWorker } from './read-worker.ts'

const SINCE = { errorsFromMs: 0, recentFromMs: 0, baselineFromMs: 0 }
const SEARCH = { fromMs: 0, toMs: 1e12, teamId: null }

/** A database whose every search takes seconds, and its read worker. Alerts look at few rows. */
async function aSlowDatabase(rows: number) {
  const path = join(aFolder(), 'gantry.db')
  const database = await aDatabase(path)
  const raw = new BetterSqlite3(path)
  raw.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into spans (trace_id, span_id, name, kind, start_ms, end_ms, status_code, attributes, events, session, outcome)
    select printf('%032x', i), printf('%016x', i), 'tools/call', 'server', i, i + 1, 0, '{}', '[]', printf('s%d', i), 'ok' from n`)
  raw.close()
  const readWorker = createReadWorker(database)
  onTestFinished(() => readWorker.close())
  return readWorker
}

it('a lane runs as many as it has slots, lets so many wait, and refuses the rest at once [ct.18.query_capacity]', async () => {
  const lane = createLane([1, 2], { waiting: 2, deadlineMs: 60_000 })
  const ends: (() => void)[] = []
  const run = () =>
    lane.run((slot) => {
      const end = Promise.withResolvers<void>()
      ends.push(end.resolve)
      return { answer: end.promise.then(() => slot), free: end.promise }
    })
  const four = [run(), run(), run(), run()]
  await expect(run()).rejects.toMatchObject({ code: 'QUERY_CAPACITY', extras: { retryAfterMs: 5_000 } })
  expect(ends).toHaveLength(2)
  while (ends.length > 0) {
    ends.shift()?.()
    await pause(1)
  }
  expect((await Promise.all(four)).toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2])
})

it('a query that runs or waits ends at the deadline and with its client; its slot is free when the work has ended', async () => {
  const lane = createLane([1], { waiting: 2, deadlineMs: 200 })
  const end = Promise.withResolvers<void>()
  const hanging = lane.run((_slot, signal) => ({
    answer: new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    free: end.promise,
  }))
  const client = new AbortController()
  const never = () => ({ answer: Promise.resolve('ran'), free: Promise.resolve() })
  const left = askedBy.run(client.signal, () => lane.run(never))
  client.abort(new Error('the client left'))
  await expect(left).rejects.toThrow('the client left')
  const waiting = lane.run(never)
  await expect(hanging).rejects.toMatchObject({ code: 'QUERY_CAPACITY', message: expect.stringMatching(/longer than/) })
  await expect(waiting).rejects.toMatchObject({ code: 'QUERY_CAPACITY' })
  end.resolve()
  expect(await lane.run(never)).toBe('ran')
})

it('alerts are asked beside the searches of people, however long these take', async () => {
  const readWorker = await aSlowDatabase(150_000)
  await readWorker.ask('lately', SINCE)
  const order: string[] = []
  const searches = Array.from({ length: 6 }, () =>
    readWorker.ask('topSessions', { ...SEARCH, limit: 10 }).then(() => order.push('search')),
  )
  await readWorker.ask('lately', SINCE).then(() => order.push('alert'))
  await Promise.all(searches)
  expect(order).toHaveLength(7)
  // Two searches run at once on two cores; four of the six are behind them.
  expect(order.indexOf('alert')).toBeLessThan(2)
})

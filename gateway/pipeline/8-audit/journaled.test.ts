// Rows of calls in the journal: durable before the answer, inserted once, also after a crash, by several processes or versions.
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { usageOf } from '../../storage/consumers.ts'
import { aConsumer, aFolder, optionsFor } from '../../storage/database.fixture.ts'
import { type Database, openDatabase } from '../../storage/database.ts'
import { type Owner, openJournal, type Segment } from '../../storage/journal.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { type CallRow, createCallLog, recorded } from './call-log.ts'
import { JOURNAL } from './call-rows.ts'
import { replayJournal } from './replay.ts'

const OWNER: Owner = { instance: 'one', machine: 'here', pid: 1 }
const DEAD = { isLive: () => false }

const row = (id: string, more: Partial<CallRow> = {}): CallRow => ({
  request_id: id,
  at_ms: 1,
  principal: 'ci',
  surface: 'shard',
  tool: 'read',
  called_as: 'read',
  outcome: 'success',
  status_class: '2xx',
  duration_ms: 1,
  attempts: 1,
  request_bytes: 2,
  response_bytes: 3,
  ...more,
})
const rows = (count: number, prefix = 'r'): CallRow[] =>
  Array.from({ length: count }, (_each, at) => row(`${prefix}${at}`))

async function aHouse() {
  const path = join(aFolder(), 'gantry.db')
  const database = await openDatabase(optionsFor(path))
  onTestFinished(() => database.close())
  const lost: number[] = []
  let rejectedRows = 0
  const shown: [string, number | undefined][] = []
  const logged: [string, object][] = []
  const log = {
    info: (text: string, fields: object = {}) => void logged.push([text, fields]),
    error: (text: string, fields: object = {}) => void logged.push([text, fields]),
  }
  /** A process; ended by `close` of its journal, what is not inserted stays in its file as after a crash. */
  function aProcess(burst: Database['burst'] = database.burst, durable = false) {
    const journal = openJournal(path, OWNER, JOURNAL, durable)
    const calls = createCallLog({
      database: { burst, query: database.query },
      journal,
      notes: {
        failing: () => undefined,
        recovered: () => undefined,
        rejected: () => void (rejectedRows += 1),
        lost: (_error, count) => void lost.push(count),
        inserted: ({ request_id }, id) => void shown.push([request_id, id]),
      },
      bounds: { closeMs: 0, failingMs: 0 },
    })
    onTestFinished(() => calls.close())
    return { journal, calls }
  }
  const stored = async () =>
    (await database.query.selectFrom('calls').select('request_id').orderBy('id').execute()).map(
      (each) => each.request_id,
    )
  const files = () =>
    readdirSync(dirname(path))
      .filter((name) => name.includes('.calls-'))
      .map((name) => join(dirname(path), name))
  const replay = (more: object = {}) =>
    replayJournal({ database, beside: path, log, metrics: createMetrics(), ...DEAD, ...more })
  return { path, database, aProcess, stored, files, replay, lost, rejected: () => rejectedRows, shown, logged }
}

const away: Database['burst'] = () => Promise.reject(new StorageError('away', 'gone'))

/** A process that answered these calls and was killed before it inserted their rows. */
async function crashed(house: Awaited<ReturnType<typeof aHouse>>, some: readonly CallRow[]): Promise<string> {
  const { calls } = house.aProcess(away)
  await Promise.all(some.map((each) => recorded(calls, each)))
  await calls.close()
  const [file] = house.files()
  if (file === undefined) throw new Error('A crash leaves its journal')
  return file
}

it('answers calls once their lines are in a private file, and inserts the rows behind them in order, at most 64 at once', async () => {
  const house = await aHouse()
  const sizes: number[] = []
  const { calls } = house.aProcess((batches, mark) => {
    for (const batch of batches) if ('insertion' in batch) sizes.push(batch.rows.length)
    return house.database.burst(batches, mark)
  })
  const all = rows(200)
  await Promise.all(all.map((each) => recorded(calls, each)))
  const [file = ''] = house.files()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(202)
  await calls.inserted()
  expect(await house.stored()).toEqual(all.map(({ request_id }) => request_id))
  expect(Math.max(...sizes)).toBe(64)
  expect(house.shown.map(([, id]) => id)).toEqual(all.map((_each, at) => at + 1))
  await calls.close()
  expect(house.files()).toEqual([])
})

it('shows a call to readers within a second, also when no other follows', async () => {
  const house = await aHouse()
  const { calls } = house.aProcess()
  await recorded(calls, row('alone'))
  await vi.waitUntil(async () => (await house.stored()).length === 1, { timeout: 20_000 })
  await calls.inserted()
})

it('inserts the rows of a process that was killed, once, however often its journal is replayed', async () => {
  const house = await aHouse()
  const file = await crashed(house, rows(150))
  const bytes = readFileSync(file)
  expect(await house.stored()).toEqual([])
  await house.replay()
  expect(house.files()).toEqual([])
  writeFileSync(file, bytes)
  await Promise.all([house.replay(), house.replay()])
  expect(await house.stored()).toEqual(rows(150).map(({ request_id }) => request_id))
  expect(house.lost).toEqual([])
})

it('drops a torn last line, whose call was not answered, and reports a damaged line', async () => {
  const house = await aHouse()
  const file = await crashed(house, rows(3))
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, [lines[0], lines[1], `${lines[2]?.slice(0, 20)}`, lines[3], '["r3",1,"ci'].join('\n'))
  await house.replay()
  expect(await house.stored()).toEqual(['r0', 'r2'])
  expect(house.files()).toEqual([`${file}.damaged`])
  expect(house.logged.at(-1)).toEqual([expect.stringContaining('.damaged'), expect.objectContaining({ rows: 1 })])
})

it('renames a file without a readable beginning', async () => {
  const house = await aHouse()
  const file = await crashed(house, rows(1))
  writeFileSync(file, 'no journal\n')
  await house.replay()
  expect(house.files()).toEqual([`${file}.damaged`])
})

it('leaves a file alone that another process has just begun, or removes at this moment', async () => {
  const house = await aHouse()
  const file = await crashed(house, rows(1))
  const nameOf = (digit: string): string => file.replace(/calls-[0-9a-f]{8}/, `calls-${digit.repeat(8)}`)
  writeFileSync(nameOf('0'), '')
  // Listed, and gone when it is opened.
  symlinkSync(nameOf('1'), nameOf('2'))
  await house.replay()
  expect(await house.stored()).toEqual(['r0'])
  expect(house.files()).toEqual([nameOf('0'), nameOf('2')])
  expect(house.logged.map(([text]) => text)).toEqual([expect.stringContaining('taken over')])
})

it('reads a journal of another version by the names of its columns', async () => {
  const house = await aHouse()
  const file = await crashed(house, rows(1))
  const [header = '', line = ''] = readFileSync(file, 'utf8').split('\n')
  const { columns, ...rest } = JSON.parse(header) as { columns: string[] } // what `openJournal` wrote
  const values = JSON.parse(line) as unknown[] // one per column
  const older = JSON.stringify({ ...rest, columns: ['gone', ...columns.slice(0, -2).reverse()] })
  writeFileSync(file, `${older}\n${JSON.stringify(['x', ...values.slice(0, -2).reverse()])}\n`)
  await house.replay()
  const [found] = await house.database.query.selectFrom('calls').selectAll().execute()
  expect(found).toMatchObject({ ...row('r0'), id: 1, method: null, client: null })
})

it('leaves the segments of processes that run alone, and its own', async () => {
  const house = await aHouse()
  await crashed(house, rows(1))
  await house.replay({ isLive: ({ instance }: Owner) => instance === OWNER.instance })
  const { calls } = house.aProcess(away)
  await recorded(calls, row('mine'))
  expect(house.files()).toHaveLength(2)
  await house.replay()
  expect([house.files().length, await house.stored()]).toEqual([1, ['r0']])
})

it('inserts each row once when a frozen process goes on after another took its journal over', async () => {
  const house = await aHouse()
  const thaw = Promise.withResolvers<void>()
  const { calls } = house.aProcess(async (...given) => {
    await thaw.promise
    return house.database.burst(...given)
  })
  await Promise.all(rows(100).map((each) => recorded(calls, each)))
  const [file = ''] = house.files()
  // Another process does not know the segment as one of its own.
  const copy = file.replace(/[0-9a-f]{8}(?=-[0-9a-f]{4}-)/, '00000000')
  writeFileSync(copy, readFileSync(file))
  await house.replay()
  await Promise.all(rows(30, 'later').map((each) => recorded(calls, each)))
  thaw.resolve()
  await calls.inserted()
  expect(await house.stored()).toEqual([...rows(100), ...rows(30, 'later')].map(({ request_id }) => request_id))
})

it('counts the quota with the rows, once, also after a crash', async () => {
  const house = await aHouse()
  await aConsumer(house.database, 'a')
  const file = await crashed(house, [
    row('a', { consumer_id: 1, counted: '2026-01' }),
    row('b', { consumer_id: 1, counted: '2026-01' }),
    row('c', { consumer_id: 1, counted: null }),
    row('d', { consumer_id: 1, counted: '2026-02' }),
    row('gone', { consumer_id: 9, counted: '2026-01' }),
  ])
  const bytes = readFileSync(file)
  await house.replay()
  writeFileSync(file, bytes)
  await house.replay()
  expect([await usageOf(house.database.query, '2026-01'), await usageOf(house.database.query, '2026-02')]).toEqual([
    new Map([[1, 2]]),
    new Map([[1, 1]]),
  ])
})

it('keeps a row that the database rejects, inserts those beside it, and tries it again until it is taken', async () => {
  const house = await aHouse()
  let rejects = true
  const isBad = (values: readonly unknown[]): boolean => values.includes('bad')
  const burst: Database['burst'] = (batches, mark) =>
    rejects && batches.some((batch) => batch.rows.some(isBad))
      ? Promise.reject(new Error('CHECK constraint failed'))
      : house.database.burst(batches, mark)
  const replay = () => house.replay({ database: { burst, query: house.database.query } })
  await aConsumer(house.database, 'a')
  const bad = row('bad', { consumer_id: 1, counted: '2026-01' })
  const { calls } = house.aProcess(burst)
  await Promise.all([row('a'), bad, row('b')].map((each) => recorded(calls, each)))
  await calls.inserted()
  await recorded(calls, row('c'))
  await calls.inserted()
  await calls.close()
  expect([await house.stored(), house.rejected(), house.lost]).toEqual([['a', 'b', 'c'], 1, []])

  const [file = ''] = house.files()
  expect([house.files().length, statSync(file).mode & 0o777]).toEqual([1, 0o600])
  await replay()
  expect([await house.stored(), house.files()]).toEqual([['a', 'b', 'c'], [file]])
  rejects = false
  await replay()
  expect([await house.stored(), house.files()]).toEqual([['a', 'b', 'c', 'bad'], []])
  expect(await usageOf(house.database.query, '2026-01')).toEqual(new Map([[1, 1]]))
})

it('keeps a rejected row of a process that was killed once, however often its journal is replayed', async () => {
  const house = await aHouse()
  const file = await crashed(house, [row('a'), row('bad', { at_ms: null as unknown as number }), row('b')]) // as a defect would
  const bytes = readFileSync(file)
  for (let time = 0; time < 3; time += 1) {
    writeFileSync(file, bytes)
    await house.replay()
    expect([await house.stored(), house.files().length]).toEqual([['a', 'b'], 1])
    expect(house.files()).not.toContain(file)
  }
  expect(readFileSync(house.files()[0] ?? '', 'utf8')).toContain('"bad"')
})

it('makes no more calls when too many rows are rejected, until they are taken', async () => {
  const house = await aHouse()
  let rejects = true
  const burst: Database['burst'] = (batches, mark) =>
    rejects ? Promise.reject(new Error('no such column')) : house.database.burst(batches, mark)
  const { calls } = house.aProcess(burst)
  await Promise.all(rows(99).map((each) => recorded(calls, each)))
  await calls.inserted()
  expect(calls.isOpen()).toBe(true)
  await recorded(calls, row('last'))
  await calls.inserted()
  expect(calls.isOpen()).toBe(false)
  expect(() => calls.requireOpen()).toThrow(/was not made/)
  rejects = false
  await house.replay()
  expect([calls.isOpen(), (await house.stored()).length]).toEqual([true, 100])
})

it('goes on answering while the database is away, until too many rows wait', async () => {
  const house = await aHouse()
  const { calls } = house.aProcess(away)
  await recorded(calls, row('a'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(() => calls.requireOpen()).not.toThrow()
  await Promise.all(rows(5_000).map((each) => recorded(calls, each)))
  expect(() => calls.requireOpen()).toThrow(/was not made/)
})

it('waits for the disk where power losses count', async () => {
  const house = await aHouse()
  const { calls } = house.aProcess(house.database.burst, true)
  await Promise.all(rows(70).map((each) => recorded(calls, each)))
  await recorded(calls, row('last'))
  await calls.inserted()
  expect(await house.stored()).toHaveLength(71)
})

it('leaves alone what has the number of its closed file', () => {
  const path = join(aFolder(), 'gantry.db')
  const journal = openJournal(path, OWNER, JOURNAL, false)
  const line = JOURNAL.columns.map(() => null)
  const segment = journal.append([line, line]) as Segment // not durable, hence no promise
  journal.release(segment, 1)
  journal.close()
  const other = join(dirname(path), 'other')
  const numbers = Array.from({ length: 20 }, () => openSync(other, 'a'))
  onTestFinished(() => numbers.forEach(closeSync))
  journal.release(segment, 1)
  journal.close()
  expect(() => journal.append([line])).toThrow(StorageError)
  expect(numbers.map((number) => fstatSync(number).size)).toEqual(numbers.map(() => 0))
})

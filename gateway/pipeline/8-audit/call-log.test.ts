// The rows of calls: committed before their writers go on, many in one transaction, and never the end of a call.
import { describe, expect, it, vi } from 'vitest'
import { optionsFor } from '../../storage/database.fixture.ts'
import { type Database, openDatabase } from '../../storage/database.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { startSpan } from '../../telemetry/trace.ts'
import { aCaller } from '../pipeline.fixture.ts'
import { type CallRow, createCallLog, recorded } from './call-log.ts'
import { createUnknownNote } from './unknown.ts'

async function rowOf(id: string): Promise<CallRow> {
  const rows: CallRow[] = []
  const note = createUnknownNote({
    callLog: {
      write(row, done) {
        rows.push(row)
        done()
      },
    },
    metrics: createMetrics(),
    monotonic: () => 0,
    clock: { now: () => 1_000 },
    audit: undefined,
    onEnd: () => undefined,
  })
  await note({
    code: 'unknown_tool',
    requestId: id,
    caller: aCaller(),
    surface: 'shard',
    bundle: null,
    client: 'shop',
    sessionHash: null,
    span: startSpan(null),
    calledAs: 'nope',
    requestBytes: 1,
  })
  const [row] = rows
  if (row === undefined) throw new Error('A note leaves a row')
  return row
}

const strict = {
  failing: (error: unknown) => expect.fail(String(error)),
  recovered: () => undefined,
  rejected: (error: unknown) => expect.fail(String(error)),
  lost: (error: unknown) => expect.fail(String(error)),
}

type LogParts = Parameters<typeof createCallLog>[0]
function aLog(database: Pick<Database, 'burst'>, parts: Partial<Omit<LogParts, 'database'>> = {}) {
  const unused = {} as Database['query'] // only a journal reads marks
  return createCallLog({
    database: { burst: database.burst, query: unused },
    journal: undefined,
    notes: strict,
    ...parts,
  })
}

describe('the call log', () => {
  it('fails a call whose row the database rejects, and writes those beside it', async () => {
    const database = await openDatabase(optionsFor(':memory:'))
    const lost: number[] = []
    const log = aLog(database, { notes: { ...strict, lost: (_error, rows) => void lost.push(rows) } })
    const [good, bad] = [await rowOf('good'), { ...(await rowOf('bad')), at_ms: null as unknown as number }] // as a defect would
    const written = await Promise.allSettled([good, bad, good].map((row) => recorded(log, row)))
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(lost).toEqual([1])
    expect(await database.query.selectFrom('calls').select('request_id').execute()).toHaveLength(2)
    await log.close()
    await database.close()
  })

  it('keeps the rows of a database that is away, fails the calls that waited, refuses others, and writes every row later [ct.18.database_unavailable]', async () => {
    const database = await openDatabase(optionsFor(':memory:'))
    let away = true
    let failures = 0
    const flaky: Pick<Database, 'burst'> = {
      burst: (...given) => (away ? Promise.reject(new StorageError('away', 'gone')) : database.burst(...given)),
    }
    let recovered = 0
    const notes = { ...strict, failing: () => (failures += 1), recovered: () => (recovered += 1) }
    const log = aLog(flaky, { notes, bounds: { answerMs: 300, failingMs: 100, mostRows: 3 } })
    expect(() => log.requireOpen()).not.toThrow()
    const calls = ['a', 'b', 'c'].map(async (id) => recorded(log, await rowOf(id)))
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        status: 503,
        extras: { details: { made: true } },
      })
    expect(failures).toBe(1)
    expect(() => log.requireOpen()).toThrow(
      expect.objectContaining({ extras: expect.objectContaining({ details: { made: false } }) }),
    )
    away = false
    await vi.waitFor(() => expect(recovered).toBe(1), { timeout: 20_000 })
    expect(() => log.requireOpen()).not.toThrow()
    await recorded(log, await rowOf('d'))
    const stored = await database.query.selectFrom('calls').select('request_id').orderBy('id').execute()
    expect(stored.map(({ request_id }) => request_id)).toEqual(['a', 'b', 'c', 'd'])
    await log.close()
    await database.close()
  })

  it('refuses calls before the rows that wait fill the memory', async () => {
    const stuck: Pick<Database, 'burst'> = { burst: () => new Promise(() => undefined) }
    const log = aLog(stuck, { bounds: { mostRows: 3 } })
    const row = await rowOf('a')
    const ignored = () => undefined
    recorded(log, row).catch(ignored)
    // The first is with the database by now, and no longer waits.
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (let more = 0; more < 3; more++) {
      expect(() => log.requireOpen()).not.toThrow()
      recorded(log, row).catch(ignored)
    }
    expect(() => log.requireOpen()).toThrow(/was not made/)
  })

  it('gives up at its end when the database stays away, and says how many rows', async () => {
    const lost: number[] = []
    const notes = {
      failing: () => undefined,
      recovered: () => undefined,
      rejected: () => undefined,
      lost: (_error: unknown, rows: number) => lost.push(rows),
    }
    const log = aLog(
      { burst: () => Promise.reject(new StorageError('away', 'gone')) },
      { notes, bounds: { closeMs: 50 } },
    )
    const call = recorded(log, await rowOf('a'))
    const failed = expect(call).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await log.close()
    await failed
    expect(lost).toEqual([1])
  })

  it('commits what ends together in one transaction, before any of the calls goes on', async () => {
    const database = await openDatabase(optionsFor(':memory:'))
    let bursts = 0
    const counted: Pick<Database, 'burst'> = {
      burst: (...given) => {
        bursts += 1
        return database.burst(...given)
      },
    }
    const log = aLog(counted)
    const rows = await Promise.all(Array.from({ length: 20 }, (_each, at) => rowOf(`r${at}`)))
    await Promise.all(rows.map((row) => recorded(log, row)))
    await recorded(log, await rowOf('last'))
    expect(bursts).toBe(2)
    const stored = await database.query.selectFrom('calls').select(['request_id', 'deny_code', 'client']).execute()
    expect(stored).toHaveLength(21)
    expect(stored[0]).toEqual({ request_id: 'r0', deny_code: 'unknown_tool', client: 'shop' })
    await log.close()
    await database.close()
  })
})

// The rows of calls: committed before their writers go on, many in one transaction, and never the end of a call.
import { describe, expect, it } from 'vitest'
import { optionsFor } from '../../storage/database.fixture.ts'
import { type Database, openDatabase } from '../../storage/database.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { startSpan } from '../../telemetry/trace.ts'
import { aCaller } from '../pipeline.fixture.ts'
import { type CallRow, createCallLog } from './call-log.ts'
import { createUnknownNote } from './unknown.ts'

async function rowOf(id: string): Promise<CallRow> {
  const rows: CallRow[] = []
  const note = createUnknownNote({
    callLog: { write: async (row) => void rows.push(row) },
    metrics: createMetrics(),
    now: () => 0,
    wallClock: () => 1_000,
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

describe('the call log', () => {
  it('loses no call over a database that cannot write: it says how many rows are lost', async () => {
    const lost: number[] = []
    const log = createCallLog({ burst: () => Promise.reject(new Error('disk full')) }, (_error, rows) =>
      lost.push(rows),
    )
    const row = await rowOf('a')
    await Promise.all([log.write(row), log.write(row)])
    expect(lost).toEqual([2])
  })

  it('commits what ends together in one transaction, before anybody goes on', async () => {
    const database = await openDatabase(optionsFor(':memory:'))
    let bursts = 0
    const counted: Pick<Database, 'burst'> = {
      burst: (work) => {
        bursts += 1
        return database.burst(work)
      },
    }
    const log = createCallLog(counted, (error) => expect.fail(String(error)))
    const rows = await Promise.all(Array.from({ length: 20 }, (_each, at) => rowOf(`r${at}`)))
    await Promise.all(rows.map((row) => log.write(row)))
    await log.write(await rowOf('last'))
    expect(bursts).toBe(2)
    const stored = await database.query.selectFrom('calls').select(['request_id', 'deny_code', 'client']).execute()
    expect(stored).toHaveLength(21)
    expect(stored[0]).toEqual({ request_id: 'r0', deny_code: 'unknown_tool', client: 'shop' })
    await log.close()
    await database.close()
  })
})

// What one PostgreSQL server carries: call rows, the processor time of calls, changes of the configuration. docs/scale.md reports it.
import pg from 'pg'
import { batchesOf } from '../../gateway/pipeline/8-audit/call-rows.ts'
import type { Database } from '../../gateway/storage/database.ts'
import { openPostgres } from '../../gateway/storage/postgres.ts'
import { costOf, type Fleet, send, startFleet, WARM_CALLS } from './fleet-load.ts'
import { aDatabase, aPostgres, fleetIn, part } from './fleet-part.ts'
import { ask } from './gateway.ts'
import { callRows } from './history.ts'
import type { BenchRow } from './index.ts'
import { treeMs } from './quiet.ts'
import { keepOn } from './server.ts'

const ROWS = 200_000
const CHUNK = 64
const MILLION = 1_000_000
const MS_PER_ROW = 20

const open = (url: string): Promise<Database> =>
  openPostgres({
    url,
    poolMax: 10,
    dataDir: null,
    appVersion: '0',
    strict: true,
    log: { warn: () => undefined },
    clock: Date,
  })

/** As gateways insert them: bursts of 64, each one statement and one commit. */
async function* rowsOf(url: string, pid: number): AsyncGenerator<BenchRow> {
  const database = await open(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const logged = async (): Promise<number> => {
    const { rows } = await client.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes")
    return Number(rows[0]?.bytes)
  }
  const logBefore = await logged()
  const start = Date.now() - 3 * ROWS * MS_PER_ROW
  let from = 0
  for (const writers of [1, 3, 8]) {
    const until = from + ROWS
    const before = { at: performance.now(), cpu: treeMs(pid) }
    const write = async (): Promise<void> => {
      while (from < until) {
        const at = from
        from += CHUNK
        await database.burst(batchesOf(callRows(at, start)))
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
    const seconds = (performance.now() - before.at) / 1000
    const cpu = ((treeMs(pid) - before.cpu) * 1000) / ROWS
    yield {
      label: `call rows a second, ${writers} at a time`,
      value: (ROWS / seconds).toFixed(0),
      beside: `${cpu.toFixed(1)} µs CPU of the server each`,
    }
  }
  await database.close()
  const log = (await logged()) - logBefore
  const { rows } = await client.query<{ bytes: string; rows: string }>(
    "select sum(pg_total_relation_size(oid)) as bytes, (select count(*) from call_rows) as rows from pg_class where relkind = 'r' and relname ~ '^call_(rows|kinds)'",
  )
  await client.end()
  const bytes = Number(rows[0]?.bytes) / Number(rows[0]?.rows)
  yield {
    label: 'a million call rows with their indexes',
    value: `${((bytes * MILLION) / 1024 ** 2).toFixed(0)} MiB`,
    beside: `${bytes.toFixed(0)} bytes each, ${(log / from).toFixed(0)} of the log`,
  }
}

const SIZES = [1, 2, 3]
const RATE = 400

/** The whole machine, load and backend included: gateways, server and load take the same cores from each other. */
async function* callsOf(fleet: Fleet, pid: number): AsyncGenerator<BenchRow> {
  const { all } = fleet
  for (const each of all) keepOn(each.pid, 'all')
  await send(all, { most: WARM_CALLS, forMs: 8000, perSecond: Infinity })
  const cpu = treeMs(pid)
  const most = await send(all, { most: Infinity, forMs: 5000, perSecond: Infinity })
  const each = ((treeMs(pid) - cpu) * 1000) / most.calls
  yield {
    label: `calls a second, ${all.length} instance(s)`,
    value: (most.calls / most.seconds).toFixed(0),
    beside: `${most.calls - most.admitted} failed, ${each.toFixed(0)} ms of PostgreSQL per 1,000`,
  }
  const before = treeMs(pid)
  const { calls, micros } = await costOf({ all }, { most: Infinity, forMs: 5000, perSecond: RATE })
  const server = ((treeMs(pid) - before) * 1000) / calls
  yield {
    label: `CPU of 1,000 calls at ${RATE} a second, ${all.length} instance(s)`,
    value: `${server.toFixed(0)} ms of PostgreSQL`,
    beside: `${micros.toFixed(0)} ms of gateways`,
  }
}

const CHANGES_MS = 5000

/** Each appends to the one audit chain. */
async function changesOf({ all, first }: Fleet, pid: number): Promise<BenchRow> {
  const before = { at: performance.now(), cpu: treeMs(pid) }
  let changes = 0
  const admin = async (_none: unknown, at: number): Promise<void> => {
    for (const gantry = all[at % all.length] ?? first; performance.now() - before.at < CHANGES_MS; ) {
      await ask(gantry, 'PATCH', '/admin-api/clients/items', { description: `change ${changes}` })
      changes += 1
    }
  }
  await Promise.all(Array.from({ length: 12 }, admin))
  const seconds = (performance.now() - before.at) / 1000
  return {
    label: `changes a second, ${all.length} instance(s)`,
    value: (changes / seconds).toFixed(0),
    beside: `${((treeMs(pid) - before.cpu) / changes).toFixed(1)} ms CPU of the server each`,
  }
}

export const postgres = part('postgres', async function* (scope, upstream) {
  const { port, pid } = await aPostgres(scope)
  const { DATABASE_URL } = await aDatabase(port, 'rows')
  yield* rowsOf(DATABASE_URL, pid)
  for (const count of SIZES) {
    const fleet = await fleetIn(scope, startFleet(count, upstream, await aDatabase(port, `calls_${count}`)))
    yield* callsOf(fleet, pid)
    if (count !== 2) yield await changesOf(fleet, pid)
    await fleet.stop()
  }
})

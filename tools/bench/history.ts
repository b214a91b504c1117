// `npm run bench -- history`: summaries over the rollups of 100 million calls in 30 days, and what a row costs, on SQLite.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { batchesOf, valuesOf } from '../../gateway/pipeline/8-audit/call-rows.ts'
import { newestCall, ROLLED_TO, WIDTHS_MS } from '../../gateway/storage/call-rollups.ts'
import { type Database, openDatabase } from '../../gateway/storage/database.ts'
import { bucketOf, encode } from '../../gateway/storage/duration-histogram.ts'
import { jsonText } from '../../gateway/storage/json-text.ts'
import { openReader } from '../../gateway/storage/reader.ts'
import type { Query } from '../../gateway/storage/schema.ts'
import { createUpkeep, TASKS } from '../../gateway/storage/upkeep.ts'
import { OF_CALLS } from '../../gateway/storage/usage.ts'
import type { BenchPart, BenchRow } from './index.ts'

const DAY_MS = 86_400_000
const DAYS = 30
const CALLS = 100_000_000
/** Tools times keys times outcomes that are called in each slot. */
const SERIES = 500
const AIM_MS = 150
const ROUNDS = 7

export const history: BenchPart = {
  name: 'history',
  async *run() {
    const folder = mkdtempSync(path.join(tmpdir(), 'gantry-history-'))
    const file = path.join(folder, 'gantry.db')
    try {
      const log = { warn: () => undefined }
      const place = { path: file, dataDir: folder, backupBeforeMigrate: false }
      await (await openDatabase({ ...place, appVersion: '0', strict: true, log, clock: Date })).close()
      // A window that ends at 13:17 has edges of each width.
      const end = Math.floor(Date.now() / DAY_MS) * DAY_MS + 13 * 3_600_000 + 17 * 60_000
      fill(file, end)
      const reader = openReader(file)
      for (const [label, ask] of Object.entries(questionsTo(reader.query, end))) yield await timed(label, ask)
      reader.close()
      yield* rowCosts(path.join(folder, 'rows.db'))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Processor time: other programs do not count. */
async function timed(question: string, ask: () => Promise<unknown>): Promise<BenchRow> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    await ask()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
  const label = `${question} of 100 million calls`
  return { label, value: `${median.toFixed(0)} ms CPU`, aim: `${AIM_MS} ms`, met: median <= AIM_MS }
}

function questionsTo(query: Query, end: number): Record<string, () => Promise<unknown>> {
  const window = { fromMs: end - DAYS * DAY_MS, toMs: end, teamId: null }
  const most = { ...window, limit: 10 }
  return {
    'summary of 30 days': () => OF_CALLS.summary(query, window),
    'series by day': () => OF_CALLS.series(query, { ...window, slices: { fromMs: 0, widthMs: DAY_MS } }),
    'top tools': () => OF_CALLS.topTools(query, most),
    'use by key': () => OF_CALLS.byKey(query, most),
    'use by backend': () => OF_CALLS.byClient(query, { ...most, slices: { fromMs: window.fromMs, widthMs: DAY_MS } }),
    refusals: () => OF_CALLS.refusals(query, { ...window, groupBy: 'code' }),
    'summary of 7 days': () => OF_CALLS.summary(query, { ...window, fromMs: end - 7 * DAY_MS }),
  }
}

/** The rollups as the job would leave them, and rows of the last 5 minutes. */
function fill(at: string, end: number): void {
  const raw = new BetterSqlite3(at)
  raw.pragma('synchronous = OFF')
  const series = raw.prepare('INSERT INTO call_series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const slot = raw.prepare('INSERT INTO call_rollups VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const row =
    raw.prepare(`INSERT INTO calls (request_id, at_ms, principal, key_id, surface, client, tool, called_as, outcome,
    status_class, duration_ms, attempts, request_bytes, response_bytes) VALUES (?, ?, ?, ?, 'shard', ?, ?, ?, ?, '2xx', ?, 1, 100, 300)`)
  const of = (id: number) => ({
    client: `backend-${id % 20}`,
    tool: `tool-${Math.floor(id / 10)}`,
    key: 1 + (id % 10),
    outcome: ['success', 'success', 'success', 'error', 'refused'][id % 5] ?? '',
  })
  raw.transaction(() => {
    for (let id = 1; id <= SERIES; id++) {
      const { client, tool, key, outcome } = of(id)
      series.run(id, client, tool, `mcp-key:${key}`, key, 0, outcome, outcome === 'refused' ? 'quota' : '', '')
    }
    for (const width of WIDTHS_MS) {
      const calls = Math.round((CALLS * width) / (DAYS * DAY_MS) / SERIES)
      const durations = encode(
        new Map(Array.from({ length: 20 }, (_each, step) => [bucketOf(5 * 1.4 ** step), Math.ceil(calls / 20)])),
      )
      const first = Math.floor((end - (DAYS + 1) * DAY_MS) / width) * width
      for (let start = first; start < end; start += width)
        for (let id = 1; id <= SERIES; id++)
          slot.run(width, start, id, calls, calls * 40, 3_000, 0, calls * 300, start + width - 1, 1, durations)
    }
    const count = Math.round((CALLS * 420_000) / (DAYS * DAY_MS))
    for (let call = 0; call < count; call++) {
      const { client, tool, key, outcome } = of(1 + (call % SERIES))
      row.run(`r${call}`, end - (call % 420_000), `mcp-key:${key}`, key, client, tool, tool, outcome, call % 500)
    }
    raw.prepare('INSERT INTO meta VALUES (?, ?)').run(ROLLED_TO, String(Math.round(count * 0.8)))
  })()
  raw.close()
}

const ROWS = 200_000
const CHUNK = 64
const HALF_BYTES = 125
/** Retention and rollups together, of a call that costs about 100 µs. */
const AIM_US = 20
/** As long as the inserter gathers rows. */
const AIM_WAIT_MS = 50

async function* rowCosts(file: string): AsyncGenerator<BenchRow> {
  const place = { path: file, dataDir: path.dirname(file), backupBeforeMigrate: false, appVersion: '0', strict: true }
  const database = await openDatabase({ ...place, log: { warn: () => undefined }, clock: Date })
  const start = Date.now() - ROWS * 20
  for (let from = 0; from < ROWS; from += CHUNK) await database.burst(batchesOf(callRows(from, start)))
  const bytes = sizeOf(file) / ROWS
  yield {
    label: 'a call row with its index',
    value: `${bytes.toFixed(0)} bytes`,
    aim: `${HALF_BYTES} bytes`,
    met: bytes <= HALF_BYTES,
  }

  const waits = await waitsDuring(database, await newestCall(database.query), start)
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
  const label = `rows of new calls while ${ROWS.toLocaleString('en')} are added up, p99 of ${waits.length}`
  yield { label, value: `${p99.toFixed(1)} ms`, aim: `${AIM_WAIT_MS} ms`, met: p99 <= AIM_WAIT_MS }

  const before = process.cpuUsage()
  const now = Date.now() + 1
  await TASKS.prune(database, { calls: now, traffic: 0, spans: 0, now })
  const { user, system } = process.cpuUsage(before)
  const each = (user + system) / ROWS
  yield {
    label: 'retention of a call row',
    value: `${each.toFixed(2)} µs CPU`,
    aim: `${AIM_US} µs`,
    met: each <= AIM_US,
  }
  await database.close()
}

/** Ten callers, 40 tools; one call of 20 is refused. */
export const callRows = (from: number, start: number) =>
  Array.from({ length: CHUNK }, (_each, at) => {
    const call = from + at
    const pick = (call * 7_919) % 400
    const refused = call % 20 === 0
    return valuesOf({
      request_id: randomUUID(),
      at_ms: start + call * 20,
      principal: `mcp-key:${pick % 10}`,
      key_id: 1 + (pick % 10),
      surface: 'shard',
      client: `backend-${pick % 20}`,
      tool: `tool-${pick % 40}`,
      called_as: `backend-${pick % 20}__tool-${pick % 40}`,
      outcome: refused ? 'refused' : 'success',
      deny_code: refused ? 'rate_limited' : null,
      gate: refused ? 'limits' : null,
      status_class: refused ? 'none' : '2xx',
      duration_ms: call % 500,
      attempts: refused ? 0 : 1,
      target: refused ? null : 'primary',
      request_bytes: 100 + (call % 50),
      response_bytes: call % 2_000,
      trace_id: randomUUID().replaceAll('-', ''),
      program: 'claude-code',
      verdict: refused ? jsonText({ t: 'rate limit exceeded', s: 'guards.rateLimitPerMin', v: 600 }) : null,
    })
  })

function sizeOf(file: string): number {
  const raw = new BetterSqlite3(file, { readonly: true })
  const bytes = raw.prepare("SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'call_rows*' OR name = 'call_kinds'")
  const size = Number(bytes.pluck().get())
  raw.close()
  return size
}

/** How long each burst took while the thread adds up all rows. */
async function waitsDuring(database: Database, lastId: number, start: number): Promise<readonly number[]> {
  const upkeep = createUpkeep(database)
  const progress = { isDone: false }
  const adding = upkeep.do('rollUp', { lastId }).finally(() => void (progress.isDone = true))
  const waits: number[] = []
  while (!progress.isDone) {
    const began = performance.now()
    await database.burst(batchesOf(callRows(0, start)))
    waits.push(performance.now() - began)
    await pause(5)
  }
  // The thread alone does not keep this process alive.
  const alive = setInterval(() => undefined, 1_000)
  await adding
  await upkeep.close()
  clearInterval(alive)
  return waits
}

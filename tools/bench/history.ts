// `npm run bench -- history`: summaries over the rollups of 100 million calls in 30 days, on SQLite.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { ROLLED_TO, WIDTHS_MS } from '../../gateway/storage/call-rollups.ts'
import { openDatabase } from '../../gateway/storage/database.ts'
import { bucketOf, encode } from '../../gateway/storage/duration-histogram.ts'
import { openReader } from '../../gateway/storage/reader.ts'
import type { Query } from '../../gateway/storage/schema.ts'
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

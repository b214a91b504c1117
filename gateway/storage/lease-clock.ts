// The clock of leases and instance rows: that of the PostgreSQL server, so that machines whose clocks differ agree on what has expired. A file has one machine.

import { sql } from 'kysely'
import type { Clock } from '../telemetry/clock.ts'
import type { Database } from './database.ts'

export type LeaseClock = {
  now(): number
  /** Reads the server's time again; without an answer the last reading counts on. */
  readonly measure: () => Promise<void>
}

type Options = { readonly clock: Clock; readonly monotonic: () => number }

export async function openLeaseClock(
  { engine, query }: Pick<Database, 'engine' | 'query'>,
  { clock, monotonic }: Options,
): Promise<LeaseClock> {
  if (engine === 'sqlite') return { now: () => clock.now(), measure: () => Promise.resolve() }
  let aheadMs = 0
  async function measure(): Promise<void> {
    const sentMs = monotonic()
    const { rows } = await sql<{ now: string }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(
      query,
    )
    aheadMs = Number(rows[0]?.now) - (sentMs + monotonic()) / 2
  }
  await measure()
  return { now: () => Math.round(monotonic() + aheadMs), measure }
}

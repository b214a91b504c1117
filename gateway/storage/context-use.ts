// What answers of a window cost, by tool, client program and session: SQL in, rows out.
import type { Query } from './schema.ts'
import { type CallFilters, callsOf } from './usage-rows.ts'

type Windowed = Pick<CallFilters, 'teamId' | 'sessionId'> & { readonly fromMs: number; readonly toMs: number }

const number = (value: number | string | bigint | null): number => Number(value ?? 0)

/** What clients read: steps of composites and people's tries stay out. Refused calls have no answer. */
async function contextUse(query: Query, filters: Windowed) {
  const rows = await callsOf(query, filters)
    .select(['client', 'tool', 'program', 'surface', 'bundle', 'outcome'])
    .select(({ fn }) => [fn.countAll().as('calls'), fn.sum('response_bytes').as('bytes')])
    .where('surface', 'in', ['shard', 'bundle'])
    .where('tool', '!=', '')
    .where('outcome', '!=', 'refused')
    .groupBy(['client', 'tool', 'program', 'surface', 'bundle', 'outcome'])
    .execute()
  return rows.map(({ outcome: _outcome, client, calls, bytes, ...row }) => ({
    ...row,
    client,
    calls: number(calls),
    bytes: number(bytes),
  }))
}

/** Sessions by where they are and what their client calls itself. */
async function contextSessions(query: Query, filters: Windowed) {
  const rows = await callsOf(query, filters)
    .select(['client', 'program', 'surface', 'bundle', 'session'])
    .where('session', 'is not', null)
    .groupBy(['client', 'program', 'surface', 'bundle', 'session'])
    .execute()
  // A bundle has tools of several backends.
  const sessions = rows.map(({ client, ...row }) => ({ ...row, client: row.bundle === null ? client : null }))
  return [...new Map(sessions.map((each) => [JSON.stringify(each), each])).values()]
}

async function runs(query: Query, { limit, ...filters }: Windowed & { readonly limit: number }) {
  const rows = await callsOf(query, filters)
    .select('session')
    .select(({ fn }) => [
      fn.max('principal').as('principal'),
      fn.max('program').as('program'),
      fn.max('bundle').as('bundle'),
      fn.max('client').as('client'),
      fn.min('at_ms').as('first_ms'),
      fn.max('at_ms').as('last_ms'),
    ])
    .where('session', 'is not', null)
    .groupBy('session')
    .orderBy('last_ms', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ first_ms, last_ms, session, ...row }) => ({
    ...row,
    session: session ?? '',
    first_ms: number(first_ms),
    last_ms: number(last_ms),
  }))
}

/** By tool and outcome, for the cost that differs by tool. */
async function runCalls(query: Query, { sessions, ...filters }: Windowed & { readonly sessions: readonly string[] }) {
  if (sessions.length === 0) return []
  const rows = await callsOf(query, filters)
    .select(['session', 'client', 'tool', 'surface', 'deny_code'])
    .select(({ fn }) => [fn.countAll().as('calls'), fn.sum('response_bytes').as('bytes')])
    .where('session', 'in', sessions)
    .groupBy(['session', 'client', 'tool', 'surface', 'deny_code'])
    .execute()
  return rows.map(({ calls, bytes, ...row }) => ({ ...row, calls: number(calls), bytes: number(bytes) }))
}

export const OF_CONTEXT = { contextUse, contextSessions, runs, runCalls } as const

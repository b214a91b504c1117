// The call log as the admin API shows it: summed up by a thread over a file, and by this one over a database in memory.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Insertable } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonText } from '../storage/json-text.ts'
import type { Schema } from '../storage/schema.ts'
import { aHouse, type House, type HouseOptions } from './admin.fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Call = Partial<Insertable<Schema['calls']>> & { readonly ago?: number }

/** Calls that ended so long ago. */
async function note(house: House, calls: readonly Call[]): Promise<void> {
  await house.database.write(async (tx) => {
    for (const { ago = MINUTE, ...call } of calls)
      await tx
        .insertInto('calls')
        .values({
          request_id: 'r',
          at_ms: house.time.nowMs - ago,
          principal: 'mcp-env:0a1b2c3d',
          surface: 'shard',
          client: 'pets',
          tool: 'list',
          called_as: 'list',
          outcome: 'success',
          status_class: '2xx',
          duration_ms: 10,
          attempts: 1,
          request_bytes: 2,
          response_bytes: 100,
          ...call,
        })
        .execute()
  })
}

async function withCalls(calls: readonly Call[], options: HouseOptions = {}): Promise<House> {
  const house = await aHouse(options)
  await note(house, calls)
  return house
}

const get = async (house: House, where: string): Promise<Record<string, unknown>> => {
  const { status, json, text } = await house.asKey(`/admin-api/${where}`)
  expect(status, text).toBe(200)
  return json
}
const items = async (house: House, where: string): Promise<unknown> => (await get(house, where)).items

const MIXED: readonly Call[] = [
  ...Array.from({ length: 18 }, (): Call => ({ duration_ms: 10 })),
  { outcome: 'error', failure_kind: 'timeout', duration_ms: 100, tool: 'slow' },
  { outcome: 'error', failure_kind: 'timeout', duration_ms: 300, tool: 'slow' },
  { outcome: 'refused', deny_code: 'quota', gate: 'consumer_quota', duration_ms: 0, key_id: 7, principal: 'mcp-key:7' },
  { outcome: 'cancelled', failure_kind: 'cancelled', duration_ms: 5, cache: 'hit' },
  { client: null, tool: 'composed', duration_ms: 20 },
  { ago: 8 * DAY, duration_ms: 9999 },
]

describe('usage', () => {
  it('refuses what cannot be meant', async () => {
    const house = await withCalls([])
    for (const [query, field] of [
      ['summary?from=tomorrow', 'from'],
      ['summary?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
      ['summary?keyId=0', 'keyId'],
      ['summary?nonsense=1', 'nonsense'],
      ['timeseries?bucketMs=59999', 'bucketMs'],
      ['timeseries?bucketMs=60000', 'bucketMs'],
      ['top-tools?limit=many', 'limit'],
      ['by-client?points=0', 'points'],
      ['refusals?groupBy=colour', 'groupBy'],
    ] as const)
      expect(await house.asKey(`/admin-api/usage/${query}`), query).toMatchObject({
        status: 400,
        json: { error: { fields: [{ path: field }] } },
      })
    expect(await house.ask('/admin-api/calls', { headers: await house.aSession('ada', 'auditor') })).toMatchObject({
      status: 403,
    })
  })

  it.each(['memory', 'a file'])(
    'is summed up over the filters, in %s [ct.7.7.usage-summary ct.10.13.usage]',
    async (kind) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'gantry-usage-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const house = await withCalls(MIXED, kind === 'memory' ? {} : { path: path.join(folder, 'gantry.db') })
      expect(await get(house, 'usage/summary')).toEqual({
        from: new Date(house.time.nowMs - 7 * DAY).toISOString(),
        to: new Date(house.time.nowMs).toISOString(),
        calls: 23,
        errors: 2,
        refused: 1,
        cancelled: 1,
        errorRate: 2 / 21,
        avgMs: Math.round((180 + 100 + 300 + 0 + 5 + 20) / 23),
        p50Ms: 10,
        p95Ms: 100,
        maxMs: 300,
        tools: 3,
        keys: 1,
        cacheHits: 1,
        bytesOut: 2300,
      })
      expect(await get(house, 'usage/summary?client=pets&tool=slow')).toMatchObject({
        calls: 2,
        errorRate: 1,
        p50Ms: 100,
      })
      expect(await get(house, 'usage/summary?keyId=7')).toMatchObject({ calls: 1, refused: 1, errorRate: 0 })
      expect(await get(house, 'usage/summary?consumerId=7')).toMatchObject({ calls: 0, avgMs: 0, maxMs: 0 })
    },
  )

  it('covers the last 7 days, or the time asked for; the log covers everything [ct.7.7.windows]', async () => {
    const house = await withCalls([{ ago: 8 * DAY }, { ago: 6 * DAY }, { ago: HOUR }])
    const calls = async (query: string) => (await get(house, `usage/summary${query}`)).calls
    expect([await calls(''), await calls(`?from=${house.time.nowMs - 9 * DAY}`)]).toEqual([2, 3])
    expect(await calls(`?from=0&to=${house.time.nowMs - DAY}`)).toBe(2)
    expect(await items(house, 'calls')).toHaveLength(3)
  })

  it('is a series without gaps, by the hour or the day unless asked otherwise [ct.7.7.usage-series]', async () => {
    const house = await withCalls([
      { ago: 5 * MINUTE, duration_ms: 30 },
      { ago: 5 * MINUTE, duration_ms: 10, outcome: 'error' },
      { ago: 3 * HOUR, outcome: 'refused', deny_code: 'quota' },
    ])
    const { nowMs } = house.time
    const read = async (query: string) =>
      (await get(house, `usage/timeseries${query}`)) as { bucketMs: number; points: { t: number; calls: number }[] }
    const day = await read(`?from=${nowMs - DAY}`)
    expect([day.bucketMs, day.points.length]).toEqual([HOUR, 25])
    expect(day.points.every(({ t }, at) => t === nowMs - (nowMs % HOUR) + (at - 24) * HOUR)).toBe(true)
    expect(day.points.at(-1)).toEqual({
      t: nowMs - (nowMs % HOUR),
      calls: 2,
      errors: 1,
      refused: 0,
      avgMs: 20,
      p95Ms: 30,
    })
    expect(day.points.reduce((sum, { calls }) => sum + calls, 0)).toBe(3)
    expect(await read('')).toMatchObject({ bucketMs: DAY, points: { length: 8 } })
    expect((await read(`?from=${nowMs - 999 * MINUTE}&bucketMs=60000`)).points).toHaveLength(1000)
    const { json } = await house.asKey('/admin-api/usage/timeseries?from=0')
    const asked = /at least (\d+)/.exec(JSON.stringify(json))?.[1]
    expect((await read(`?from=0&bucketMs=${asked}`)).points.length).toBeLessThanOrEqual(1000)
  })

  it('names the tools of most calls first [ct.7.7.usage-top]', async () => {
    const house = await withCalls(MIXED)
    expect(await items(house, 'usage/top-tools?limit=1')).toMatchObject([{ client: 'pets', tool: 'list', calls: 20 }])
    expect(await items(house, 'usage/top-tools')).toEqual([
      expect.objectContaining({ tool: 'list', errors: 0, refused: 1, errorRate: 0 }),
      {
        client: 'pets',
        tool: 'slow',
        calls: 2,
        errors: 2,
        refused: 0,
        errorRate: 1,
        avgMs: 200,
        p95Ms: 300,
        maxMs: 300,
      },
    ])
  })

  it('is given by key, backend and consumer [ct.7.7.usage-by]', async () => {
    const house = await withCalls([
      { principal: 'mcp-key:1', key_id: 1, consumer_id: 1, ago: 5 * MINUTE },
      { principal: 'mcp-key:1', key_id: 1, consumer_id: 1, ago: 55 * MINUTE },
      { principal: 'jwt:ada', client: 'crm' },
      {
        principal: 'root',
        surface: 'admin',
        client: 'crm',
        duration_ms: 70,
        outcome: 'error',
        failure_kind: 'timeout',
      },
    ])
    const made = { revision: 1, created_at: '', updated_at: '' }
    await house.database.write(async (tx) => {
      await tx
        .insertInto('mcp_keys')
        .values({ ...made, label: 'Ada’s laptop', key_hash: 'h', key_prefix: 'gmk', enabled: 1, elevated: 0 })
        .execute()
      await tx
        .insertInto('consumers')
        .values({ ...made, name: 'Sales' })
        .execute()
    })
    expect(await items(house, 'usage/by-key')).toEqual([
      { keyId: 1, label: 'Ada’s laptop', principalKind: 'key', calls: 2, errors: 0, refused: 0 },
      { keyId: null, label: 'jwt:ada', principalKind: 'jwt', calls: 1, errors: 0, refused: 0 },
      { keyId: null, label: 'root', principalKind: 'admin', calls: 1, errors: 1, refused: 0 },
    ])
    expect(await items(house, 'usage/by-consumer')).toEqual([
      { consumerId: 1, name: 'Sales', calls: 2, errors: 0, refused: 0 },
    ])
    expect(await items(house, 'usage/by-client')).toEqual([
      { client: 'crm', calls: 2, errors: 1, refused: 0 },
      { client: 'pets', calls: 2, errors: 0, refused: 0 },
    ])
    expect(await items(house, `usage/by-client?from=${house.time.nowMs - HOUR}&points=6`)).toMatchObject([
      {
        client: 'crm',
        p95Ms: 70,
        series: [0, 0, 0, 0, 0, 2],
        lastError: { at: new Date(house.time.nowMs - MINUTE).toISOString(), kind: 'timeout', tool: 'list' },
      },
      { client: 'pets', p95Ms: 10, series: [1, 0, 0, 0, 0, 1], lastError: null },
    ])
  })

  it('groups refusals by code, tool or key [ct.7.7.usage-refusals]', async () => {
    const refusal = { outcome: 'refused', deny_code: 'quota', gate: 'consumer_quota' } as const
    const house = await withCalls([
      { ...refusal, key_id: 7 },
      { ...refusal, tool: 'drop', ago: 2 * MINUTE },
      { outcome: 'refused', deny_code: 'unknown_tool', gate: 'resolution', client: null, tool: 'nope' },
      {},
    ])
    const lastAt = new Date(house.time.nowMs - MINUTE).toISOString()
    expect(await items(house, 'usage/refusals')).toEqual([
      { code: 'quota', gate: 'consumer_quota', count: 2, lastAt },
      { code: 'unknown_tool', gate: 'resolution', count: 1, lastAt },
    ])
    const tools = (await items(house, 'usage/refusals?groupBy=tool')) as { tool: string }[]
    expect(tools.map(({ tool }) => tool).sort()).toEqual(['nope', 'pets__drop', 'pets__list'])
    expect(await items(house, 'usage/refusals?groupBy=key')).toMatchObject([
      { code: 'quota', keyId: null },
      { code: 'quota', keyId: 7 },
      { code: 'unknown_tool', keyId: null },
    ])
  })

  it('shows a team its own backends, and not whose keys called them', async () => {
    const house = await withCalls([{ principal: 'mcp-key:1', key_id: 1 }, { client: 'zebra' }, { client: null }])
    const made = { revision: 1, created_at: '', updated_at: '' }
    await house.database.write(async (tx) => {
      await tx
        .insertInto('teams')
        .values({ ...made, name: 'mine' })
        .execute()
      await tx
        .insertInto('mcp_keys')
        .values({ ...made, label: 'zebra key', key_hash: 'h', key_prefix: 'gmk', enabled: 1, elevated: 0 })
        .execute()
      await tx
        .insertInto('backends')
        .values({
          ...made,
          name: 'pets',
          kind: 'rest',
          source: 'manual',
          enabled: 1,
          base_url: 'http://127.0.0.1:9',
          tags: jsonText([]),
          discovered_at: '',
          team_id: 1,
        })
        .execute()
    })
    const headers = await house.aSession('lead', 'operator', { teamId: 1 })
    for (const route of ['summary', 'timeseries', 'top-tools', 'by-key', 'by-client', 'by-consumer', 'refusals'])
      expect((await house.ask(`/admin-api/usage/${route}`, { headers })).text).not.toContain('zebra')
    expect((await house.ask('/admin-api/usage/summary', { headers })).json).toMatchObject({ calls: 1 })
    const { json } = await house.ask('/admin-api/calls', { headers })
    expect(json.items).toMatchObject([{ client: 'pets' }])
  })
})

describe('the calls', () => {
  it('are listed newest first, page by page, as they were [ct.7.7.calls ct.10.12.call-row]', async () => {
    const house = await withCalls([
      { request_id: 'one' },
      { request_id: 'two', outcome: 'refused', deny_code: 'quota', session: 'abc', bundle: 'desk' },
      { request_id: 'three', client: 'crm' },
    ])
    const ids = async (query: string) =>
      ((await items(house, `calls${query}`)) as { requestId: string }[]).map(({ requestId }) => requestId)
    expect(await ids('')).toEqual(['three', 'two', 'one'])
    const first = await get(house, 'calls?limit=2')
    expect(await ids(`?limit=2&cursor=${String(first.nextCursor)}`)).toEqual(['one'])
    for (const query of ['outcome=refused', 'code=quota', 'sessionId=abc', 'bundle=desk', 'requestId=two'])
      expect(await ids(`?${query}`), query).toEqual(['two'])
    expect(await ids('?client=crm&tool=list')).toEqual(['three'])
    expect(((await items(house, 'calls?requestId=one')) as unknown[])[0]).toEqual({
      id: 1,
      requestId: 'one',
      at: new Date(house.time.nowMs - MINUTE).toISOString(),
      principal: 'mcp-env:0a1b2c3d',
      keyId: null,
      consumerId: null,
      surface: 'shard',
      bundle: null,
      sessionId: null,
      client: 'pets',
      tool: 'list',
      calledAs: 'list',
      method: null,
      outcome: 'success',
      denyCode: null,
      gate: null,
      failureKind: null,
      statusClass: '2xx',
      durationMs: 10,
      attempts: 1,
      cache: null,
      target: null,
      requestBytes: 2,
      responseBytes: 100,
      traceId: null,
      program: null,
      verdict: null,
    })
  })
})

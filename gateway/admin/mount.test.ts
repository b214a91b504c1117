import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GatewayError } from '../contract/error.ts'
import { type RouteTable, routes } from '../contract/route.ts'
import { openFront } from '../http/http.fixture.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import { createIdempotency } from './idempotency.ts'
import { type Handlers, mount } from './mount.ts'

const SECRET = 'shown this one time'
const record = z.object({ name: z.string(), revision: z.number().int() })
const made = z.object({ name: z.string(), key: z.string().nullable() })
const none = { none: 'a table of a test' } as const

const table = routes({
  get: {
    method: 'GET',
    path: '/admin-api/things/:name',
    access: 'viewer',
    summary: '',
    reply: record,
    params: z.object({ name: z.string().regex(/^[a-z]+$/) }),
    errors: ['ALREADY_EXISTS', 'BUNDLE_NOT_FOUND'],
  },
  create: {
    method: 'POST',
    path: '/admin-api/things',
    access: 'viewer',
    summary: '',
    status: 201,
    body: z.strictObject({ name: z.string(), password: z.string().optional() }),
    reply: made,
    shownOnce: ['key'],
    audit: none,
  },
  change: {
    method: 'PATCH',
    path: '/admin-api/things/:name',
    access: 'viewer',
    summary: '',
    params: z.object({ name: z.string() }),
    reply: record,
    audit: none,
  },
  drop: {
    method: 'DELETE',
    path: '/admin-api/things/:name',
    access: 'viewer',
    summary: '',
    status: 204,
    params: z.object({ name: z.string() }),
    audit: none,
  },
  broken: { method: 'GET', path: '/admin-api/broken', access: 'viewer', summary: '', reply: record },
  file: { method: 'GET', path: '/admin-api/file', access: 'viewer', summary: '', produces: ['text/csv'] },
  stream: { method: 'GET', path: '/admin-api/stream', access: 'viewer', summary: '', produces: ['text/event-stream'] },
  costly: {
    method: 'POST',
    path: '/admin-api/costly',
    access: 'viewer',
    summary: '',
    reply: z.object({}),
    audit: none,
    rateLimit: 'backup',
  },
})

async function aTable(
  over: Partial<Handlers<typeof table>> = {},
  { limit = 1_000, refuse = false }: { limit?: number; refuse?: boolean } = {},
) {
  const database = await aDatabase(':memory:')
  let count = 0
  const handlers: Handlers<typeof table> = {
    get: ({ params }) => ({ name: params.name, revision: 3 }),
    create: ({ body }) => ({ name: `${body.name}-${++count}`, key: SECRET }),
    change: ({ params }, { ifMatch }) => ({ name: `${params.name} ${String(ifMatch)}`, revision: 4 }),
    drop: () => undefined,
    broken: () => ({ name: 'no revision', revision: Number.NaN }),
    file: () => ({ contentType: 'text/csv; charset=utf-8', body: rows(), headers: { 'x-rows': '2' } }),
    stream: () => (stream) => {
      stream.send({ event: 'ready', data: '{}' })
      stream.close()
    },
    costly: () => ({}),
    ...over,
  }
  const identify = async () => {
    if (refuse) throw new GatewayError('UNAUTHORIZED', 'Sign in')
    return { actor: { name: 'ada', kind: 'session', role: 'viewer', teamId: null } } as const
  }
  const front = await openFront({ RATE_LIMIT_BACKUP: limit }, {}, (http) =>
    mount(http.app, table, handlers, {
      authenticator: { identify },
      idempotency: createIdempotency(database, { now: Date.now }),
      spend: http.limits.spend,
      openStream: http.openStream,
      registerBodyBytes: http.registerBodyBytes,
      endsStored: () => Promise.resolve(),
      confirmed: async () => ({ applied: ['one'], pending: [] }),
    }),
  )
  const ask = async (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) => {
    const headers = { ...(init.body !== undefined && { 'content-type': 'application/json' }), ...init.headers }
    const response = await fetch(`${front.url}/admin-api/${path}`, { ...init, headers })
    const text = await response.text()
    return {
      status: response.status,
      text,
      headers: response.headers,
      json: text.startsWith('{') ? JSON.parse(text) : undefined,
    }
  }
  return { front, database, ask, count: () => count }
}

async function* rows(): AsyncGenerator<string> {
  yield 'a,b\r\n'
  yield '1,2\r\n'
}

const post = (body: unknown, key: string) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'idempotency-key': key },
})

describe('mounting', () => {
  it('refuses a table with a row without a handler', async () => {
    const { front } = await aTable()
    const bare: RouteTable = { lonely: { method: 'GET', path: '/admin-api/lonely', access: 'viewer', summary: '' } }
    const parts = { authenticator: { identify: () => Promise.reject(new Error('never asked')) } } as never // never reached
    expect(() => mount(front.app, bare, {}, parts)).toThrow('GET /admin-api/lonely has no handler')
  })
})

describe('a reply', () => {
  it('that breaks its contract stays inside: 500, and the log has the reason', async () => {
    const { ask, front } = await aTable()
    const { status, json, text } = await ask('broken')
    expect([status, json.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(text).not.toContain('revision')
    expect(JSON.stringify(front.logged)).toContain('revision')
  })

  it('shows only what the contract names', async () => {
    const { ask } = await aTable({
      get: () => ({ name: 'x', revision: 1, hash: 'hidden' }) as { name: string; revision: number },
    })
    expect((await ask('things/x')).json).toEqual({ name: 'x', revision: 1 })
  })

  it('without content is 204 [ct.1.4.deleted]', async () => {
    const { ask } = await aTable()
    expect(await ask('things/x', { method: 'DELETE' })).toMatchObject({ status: 204, text: '' })
  })

  it('may be a file in pieces, or a stream', async () => {
    const { ask } = await aTable()
    const file = await ask('file')
    expect([file.status, file.text, file.headers.get('x-rows')]).toEqual([200, 'a,b\r\n1,2\r\n', '2'])
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const stream = await ask('stream')
    expect([stream.headers.get('content-type'), stream.text]).toEqual([
      'text/event-stream',
      'event: ready\ndata: {}\n\n',
    ])
  })

  it('is left out for HEAD', async () => {
    const { ask } = await aTable()
    for (const path of ['things/x', 'file', 'stream'])
      expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })
})

describe('a name in the path', () => {
  it('that breaks its pattern is not found, never 400 [ct.1.2.bad-path-is-404]', async () => {
    const { ask } = await aTable()
    for (const name of ['UPPER', '%00', '..%2f', '%F0%9F%98%80', '__proto__'])
      expect((await ask(`things/${name}`)).json).toMatchObject({ error: { code: 'BUNDLE_NOT_FOUND' } })
  })
  it('is decoded once [ct.1.2.decoded-once]', async () => {
    const { ask } = await aTable()
    expect((await ask('things/%252e', { method: 'PATCH' })).json).toMatchObject({ name: '%2e undefined' })
  })
})

describe('the limit of a family', () => {
  it('is spent by callers who may use the route only', async () => {
    const unauthorized = await aTable({}, { limit: 1, refuse: true })
    for (let turn = 0; turn < 3; turn++) expect((await unauthorized.ask('costly', { method: 'POST' })).status).toBe(401)
    const known = await aTable({}, { limit: 1 })
    expect((await known.ask('costly', { method: 'POST' })).status).toBe(200)
    const limited = await known.ask('costly', { method: 'POST', body: '{"broken' })
    expect(limited.status).toBe(429)
    expect(limited.json.error).toMatchObject({
      code: 'RATE_LIMITED',
      details: { limit: 1, windowMs: 60_000, tier: 'backup' },
    })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a revision', () => {
  it('that is invalid is refused', async () => {
    const { ask } = await aTable()
    for (const tag of ['3', '"x"', 'W/"3"', '"1", "2"'])
      expect(await ask('things/x', { method: 'PATCH', headers: { 'if-match': tag } })).toMatchObject({ status: 400 })
  })
  it('reaches the handler, and leaves as ETag [ct.1.7.etag]', async () => {
    const { ask } = await aTable()
    for (const [tag, seen] of [
      ['"3"', '3'],
      ['*', '*'],
    ] as const)
      expect((await ask('things/x', { method: 'PATCH', headers: { 'if-match': tag } })).json.name).toBe(`x ${seen}`)
    expect((await ask('things/x', { method: 'PATCH' })).headers.get('etag')).toBe('"4"')
    expect((await ask('things/x')).headers.get('etag')).toBe('"3"')
  })
  it('that the caller holds is not sent again [ct.1.7.if-none]', async () => {
    const { ask } = await aTable()
    for (const held of ['"3"', 'W/"3"', '"1", "3"', '*'])
      expect(await ask('things/x', { headers: { 'if-none-match': held } })).toMatchObject({ status: 304, text: '' })
    expect((await ask('things/x', { headers: { 'if-none-match': '"2"' } })).status).toBe(200)
  })
})

describe('an idempotency key', () => {
  it('that is invalid is refused before anything is done [ct.1.8.key]', async () => {
    const { ask, count } = await aTable()
    for (const key of ['x'.repeat(129), 'caf\u00e9'])
      expect((await ask('things', post({ name: 'a' }, key))).json.error.fields[0].path).toBe('Idempotency-Key')
    expect(count()).toBe(0)
  })

  it('used for another body is a conflict [ct.1.8.conflict]', async () => {
    const { ask, count } = await aTable()
    await ask('things', post({ name: 'a' }, 'k'))
    expect(await ask('things', post({ name: 'b' }, 'k'))).toMatchObject({
      status: 422,
      json: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
    })
    expect(count()).toBe(1)
  })

  it('replays the first answer, without what is shown once [ct.1.8.replay]', async () => {
    const { ask, count, database } = await aTable()
    const [first, again] = [
      await ask('things', post({ name: 'a' }, 'k')),
      await ask('things', post({ name: 'a' }, 'k')),
    ]
    expect([first.status, first.headers.get('idempotent-replayed'), first.json]).toEqual([
      201,
      null,
      { name: 'a-1', key: SECRET },
    ])
    expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([
      201,
      'true',
      { name: 'a-1', key: null },
    ])
    expect(count()).toBe(1)
    const rows = await database.query.selectFrom('idempotency_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(SECRET)
  })

  it('lets a repetition wait for the first, however many come', async () => {
    const { ask, count } = await aTable()
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('things', post({ name: 'a' }, 'k'))))
    expect(new Set(answers.map(({ json }) => json.name))).toEqual(new Set(['a-1']))
    expect(count()).toBe(1)
  })

  it('is free again after a failure', async () => {
    let turn = 0
    const { ask } = await aTable({
      create: ({ body }) => {
        if (turn++ === 0) throw new GatewayError('IN_USE', 'Not now')
        return { name: body.name, key: null }
      },
    })
    expect((await ask('things', post({ name: 'a' }, 'k'))).status).toBe(409)
    expect((await ask('things', post({ name: 'a' }, 'k'))).status).toBe(201)
  })

  it('keeps nothing from which a password could be guessed', async () => {
    const { ask, database } = await aTable()
    const hashes = new Set<string>()
    for (const password of ['one', 'two']) {
      await ask('things', post({ name: 'a', password }, `k-${password}`))
      const row = await database.query
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('key', '=', `k-${password}`)
        .executeTakeFirstOrThrow()
      hashes.add(row.body_hash)
    }
    expect(hashes.size).toBe(1)
  })
})

// What every record and every list does: paging, revisions, idempotency, times.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditEntry, ErrorEnvelope, UserRecord } from '#contract'
import { type Answer, addUser, type Gateway, passwordOf, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  for (const name of ['paged', 'stale', 'grown', 'rewritten', 'kept']) await addUser(gateway, name, 'viewer')
  // Each change is an entry of the audit log: enough of them for more than one page of any size.
  for (let turn = 0; turn < 210; turn++)
    await gateway.admin(path('paged'), { method: 'PATCH', body: { role: turn % 2 ? 'viewer' : 'operator' } })
})
afterAll(() => gateway.end())

const EntryPage = z.object({ items: z.array(AuditEntry), nextCursor: z.string().optional() })
const refusal = ({ status, json }: Answer) => ({ status, ...ErrorEnvelope.parse(json).error })
const page = async (query: string) => EntryPage.parse((await gateway.admin(`/admin-api/audit-log?${query}`)).json)
const path = (name: string) => `/admin-api/users/${name}`

describe('a page', () => {
  it('is refused for an invalid limit or cursor [ct.1.6.not-number ct.1.6.bad-cursor]', async () => {
    for (const list of ['users', 'audit-log'])
      for (const query of ['limit=many', 'limit=1e', 'cursor=!!!', 'cursor=abc', `cursor=${'A'.repeat(600)}`])
        expect(refusal(await gateway.admin(`/admin-api/${list}?${query}`))).toMatchObject({
          status: 400,
          code: 'VALIDATION_ERROR',
        })
  })

  it('holds 50 unless asked otherwise, within 1 and 200 [ct.1.6.default ct.1.6.clamped]', async () => {
    expect((await page('')).items).toHaveLength(50)
    expect((await page('limit=7')).items).toHaveLength(7)
    for (const limit of ['0', '-3']) expect((await page(`limit=${limit}`)).items).toHaveLength(1)
    expect((await page('limit=100000')).items).toHaveLength(200)
  })

  it('leads to the next until the last [ct.1.1.page ct.1.6.opaque ct.1.4.absent ct.19.10.ids]', async () => {
    const ids: number[] = []
    let cursor: string | undefined
    do {
      const { items, nextCursor } = await page(`limit=20${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      ids.push(...items.map(({ id }) => id))
      if (nextCursor !== undefined) expect(nextCursor).toMatch(/^[\w-]{1,512}$/)
      cursor = nextCursor
    } while (cursor !== undefined)
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => ids.length - index))
  })

  it('is not shifted by records that arrive in between [ct.1.6.keyset]', async () => {
    const first = await page('limit=30')
    await gateway.admin(path('paged'), { method: 'PATCH', body: { role: 'auditor' } })
    const second = await page(`limit=30&cursor=${first.nextCursor}`)
    expect(second.items[0]?.id).toBe((first.items.at(-1)?.id ?? 0) - 1)
  })
})

describe('a record', () => {
  const patch = (name: string, body: unknown, headers: Record<string, string> = {}) =>
    gateway.admin(path(name), { method: 'PATCH', body, headers })
  const role = (turn: number) => (turn % 2 ? 'operator' : 'viewer')

  // cites: ct.1.7.if-match ct.1.7.body ct.1.7.details ct.18.precondition_failed
  it('is not changed nor deleted on a revision that is another', async () => {
    await patch('stale', { role: 'operator' })
    const stale = { status: 412, code: 'PRECONDITION_FAILED', details: { currentRevision: 2 } }
    expect(refusal(await patch('stale', { role: 'auditor' }, { 'if-match': '"1"' }))).toMatchObject(stale)
    expect(refusal(await patch('stale', { role: 'auditor', revision: 1 }))).toMatchObject(stale)
    const gone = await gateway.admin(path('stale'), { method: 'DELETE', headers: { 'if-match': '"1"' } })
    expect(refusal(gone)).toMatchObject(stale)
    expect((await gateway.admin(path('stale'))).json).toMatchObject({ role: 'operator', revision: 2 })
  })

  it('has a revision that grows with each change, and returns it as ETag [ct.1.7.revision ct.1.7.etag ct.19.12.revision]', async () => {
    const read = await gateway.admin(path('grown'))
    expect([read.headers.get('etag'), UserRecord.parse(read.json).revision]).toEqual(['"1"', 1])
    for (let turn = 1; turn <= 3; turn++) {
      const changed = await patch('grown', { role: role(turn) }, { 'if-match': `"${turn}"` })
      expect([changed.headers.get('etag'), UserRecord.parse(changed.json).revision]).toEqual([
        `"${turn + 1}"`,
        turn + 1,
      ])
    }
    const last = await patch('grown', { role: 'auditor', revision: 4 })
    expect(last).toMatchObject({ status: 200, json: { role: 'auditor', revision: 5 } })
  })

  it('is changed by the last writer when no revision is named, or any [ct.1.7.last-wins ct.1.7.star]', async () => {
    await patch('rewritten', { role: 'operator' })
    expect((await patch('rewritten', { role: 'auditor' })).json).toMatchObject({ role: 'auditor' })
    expect((await patch('rewritten', { role: 'viewer' }, { 'if-match': '*' })).status).toBe(200)
    expect((await patch('not-there', { role: 'viewer' }, { 'if-match': '*' })).status).toBe(404)
  })

  it('is not sent again to who has it [ct.1.7.if-none]', async () => {
    const has = await gateway.admin(path('kept'), { headers: { 'if-none-match': '"1"' } })
    expect(has).toMatchObject({ status: 304, text: '' })
    expect((await gateway.admin(path('kept'), { headers: { 'if-none-match': '"7"' } })).status).toBe(200)
  })

  it('returns times as ISO text with milliseconds and Z [ct.1.1.iso ct.1.3.timestamps-out ct.19.9.times]', async () => {
    const { text } = await gateway.admin('/admin-api/audit-log?limit=5')
    const { text: users } = await gateway.admin('/admin-api/users?limit=5')
    const times = [...(text + users).matchAll(/"(?:created_at|createdAt|lastLoginAt)":("[^"]*"|\d+)/g)].map(
      ([, at]) => at,
    )
    expect(times.length).toBeGreaterThan(5)
    for (const at of times) expect(at).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/)
  })

  it('is found by a time in either form [ct.1.3.timestamps-in ct.19.9.times]', async () => {
    const { json } = await gateway.admin('/admin-api/audit-log?limit=3')
    const { items } = z.object({ items: z.array(z.object({ id: z.number(), created_at: z.string() })) }).parse(json)
    const at = items[2]?.created_at ?? ''
    const [iso, ms] = await Promise.all(
      [at, String(Date.parse(at))].map((from) => gateway.admin(`/admin-api/audit-log?from=${from}&limit=200`)),
    )
    expect(iso?.text).toBe(ms?.text)
    expect(refusal(await gateway.admin('/admin-api/audit-log?from=yesterday'))).toMatchObject({ status: 400 })
  })

  it('has an id that nothing has again [ct.1.1.id]', async () => {
    const ids = async () =>
      z
        .object({ items: z.array(z.object({ id: z.number().int().positive() })) })
        .parse((await gateway.admin('/admin-api/audit-log?limit=200')).json)
        .items.map(({ id }) => id)
    const all = await ids()
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual([...all].sort((a, b) => b - a))
  })
})

describe('an idempotency key', () => {
  const create = (username: string, key: string) =>
    gateway.admin('/admin-api/users', {
      method: 'POST',
      body: { username, password: passwordOf(username) },
      headers: { 'idempotency-key': key },
    })

  it('is refused when it is invalid [ct.1.8.key]', async () => {
    for (const key of ['x'.repeat(129), 'caf\u00e9']) expect((await create('never-made', key)).status).toBe(400)
    expect((await gateway.admin(path('never-made'))).status).toBe(404)
    expect((await create('made-once-1', '!'.repeat(128))).status).toBe(201)
  })

  it('is refused with another body [ct.1.8.conflict ct.18.idempotency_conflict]', async () => {
    expect((await create('made-once-2', 'key-2')).status).toBe(201)
    expect(refusal(await create('made-twice-2', 'key-2'))).toMatchObject({ status: 422, code: 'IDEMPOTENCY_CONFLICT' })
    expect((await gateway.admin(path('made-twice-2'))).status).toBe(404)
  })

  it('replays the first answer [ct.1.8.replay]', async () => {
    const [first, again] = [await create('made-once-3', 'key-3'), await create('made-once-3', 'key-3')]
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.json).toEqual(first.json)
    expect(refusal(await create('made-once-3', 'key-4'))).toMatchObject({ status: 409, code: 'USER_EXISTS' })
  })
})

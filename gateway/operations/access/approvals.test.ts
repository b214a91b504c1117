// Tickets over a real database: who waits, who may decide, and that one approval lets one call through once.
import { beforeEach, describe, expect, it } from 'vitest'
import { aCaller } from '../../pipeline/pipeline.fixture.ts'
import { countPending } from '../../storage/approvals.ts'
import { ROOT } from '../backends/backends.fixture.ts'
import {
  ann,
  approvals,
  approve,
  ask,
  bob,
  by,
  call,
  configure,
  eve,
  events,
  house,
  idOf,
  later,
  open,
  openBank,
  reasonOf,
  SETTINGS,
  tickets,
  use,
} from './approvals.fixture.ts'

beforeEach(openBank)

describe('a call without a ticket', () => {
  it('is queued once, and pending however often it comes again [ct.8.7.queued ct.8.7.same-ticket ct.8.7.pending]', async () => {
    const first = await tickets.request(call())
    expect(first).toEqual({
      reason: 'queued',
      ticket: {
        id: 1,
        status: 'pending',
        requiredLevels: 1,
        approvalsReceived: 0,
        expiresAt: new Date(house.time.nowMs + 86_400_000).toISOString(),
      },
    })
    const again = await Promise.all([1, 2, 3].map(() => tickets.request(call({ requestId: 'another' }))))
    for (const each of again) expect([each?.reason, idOf(each)]).toEqual(['pending', 1])
    expect(await reasonOf(tickets.judge(call(), 1))).toBe('pending')
    expect(events).toEqual(['created 1'])
  })

  it('gets one ticket when ten come at once', async () => {
    const answer = await Promise.all(Array.from({ length: 10 }, () => tickets.request(call())))
    expect(new Set(answer.map(idOf))).toEqual(new Set([1]))
    expect(answer.filter((each) => each?.reason === 'queued')).toHaveLength(1)
  })

  it('is pointed to the ticket that was approved in the meantime', async () => {
    await approve(await ask())
    expect(await tickets.request(call())).toMatchObject({ reason: 'pending', ticket: { id: 1, status: 'approved' } })
  })

  it('gets no ticket when it is only imagined', async () => {
    expect(await tickets.request(call({ rehearsed: true }))).toEqual({ reason: 'queued' })
    expect((await approvals.list(ROOT.actor, { limit: 10 })).items).toEqual([])
  })

  it('gets none beyond the most that may wait, until one is gone [ct.8.7.queue_full ct.17.effect.approval_max_pending]', async () => {
    for (const order of [1, 2, 3]) await ask({ args: { order } })
    expect(await tickets.request(call({ args: { order: 4 } }))).toEqual({ reason: 'queue_full' })
    expect(await reasonOf(tickets.request(call({ args: { order: 3 } })))).toBe('pending')
    await approvals.reject(ann, '2', {})
    expect(await reasonOf(tickets.request(call({ args: { order: 4 } })))).toBe('queued')
  })

  it('leaves room for others in a large queue, and cannot fill the disk (case CA-10)', async () => {
    open({ ...SETTINGS, APPROVAL_MAX_PENDING: 400 })
    for (let order = 0; order < 100; order += 1) await ask({ args: { order } })
    expect(await reasonOf(tickets.request(call({ args: { order: 'one more' } })))).toBe('queue_full')
    const other = aCaller({ name: 'mcp-key:2' })
    expect(await reasonOf(tickets.request(call({ caller: other })))).toBe('queued')
    const heavy = { text: 'x'.repeat(65 * 1_048_576) }
    expect(await reasonOf(tickets.request(call({ caller: other, args: heavy })))).toBe('queue_full')
  })

  it('does nothing where no approval is required, and is required where another rule does', async () => {
    const [asked, free] = [call().tool, call({}, 'other').tool]
    expect([tickets.needed(asked), tickets.needed(free)]).toEqual([true, false])
    open(SETTINGS, (name) => name === 'other')
    expect(tickets.needed(free)).toBe(true)
    await tickets.request(call({}, 'other'))
    expect(await approvals.get(ROOT.actor, '1')).toMatchObject({ reason: 'quarantine', requiredLevels: 1 })
  })
})

describe('a ticket', () => {
  it('lets its own call through once, and no second one [ct.8.7.passes ct.8.7.once ct.8.7.ended ct.8.7.states]', async () => {
    const id = await ask()
    expect(await use(id)).toBe('pending')
    expect(await approve(id)).toMatchObject({ status: 'approved', approvalsReceived: 1, requiredLevels: 1 })
    expect(await use(id)).toBe('passed')
    expect(await use(id)).toBe('consumed')
    expect(await approvals.get(ROOT.actor, '1')).toMatchObject({
      status: 'consumed',
      consumedAt: new Date(house.time.nowMs).toISOString(),
    })
    expect(await reasonOf(tickets.request(call()))).toBe('queued')
  })

  it('is used by one of many that come with it together', async () => {
    const id = await ask()
    await approve(id)
    const answer = await Promise.all(Array.from({ length: 20 }, () => reasonOf(tickets.consume(call(), id))))
    expect(answer.filter((reason) => reason === undefined)).toHaveLength(1)
    expect(new Set(answer)).toEqual(new Set([undefined, 'consumed']))
  })

  it('is for these arguments, this tool and this caller alone [ct.8.7.binding ct.8.7.mismatch]', async () => {
    await configure({}, 'other')
    const id = await ask({ args: { order: 1, to: { b: 2, a: 1 } } })
    await approve(id)
    const same = { to: { a: 1, b: 2 }, order: 1 }
    for (const args of [{ order: 1 }, { ...same, order: '1' }, { ...same, more: null }])
      expect(await use(id, { args })).toBe('args_mismatch')
    expect(await reasonOf(tickets.judge(call({ args: same }, 'other'), id))).toBe('args_mismatch')
    expect(await use(id, { args: same, caller: aCaller({ name: 'mcp-key:2' }) })).toBe('not_found')
    expect(await use(99, { args: same })).toBe('not_found')
    // The rule of the gate also holds where the ticket is spent.
    expect(await reasonOf(tickets.consume(call({ args: { order: 2 } }), id))).toBe('expired')
    expect(await use(id, { args: same })).toBe('passed')
  })

  it('is for the tool as it was when it was asked for (case CA-08)', async () => {
    const id = await ask()
    await approve(id)
    await configure({ levels: 2 }, 'refund', { overrides: { title: 'Pay back' } })
    expect(await reasonOf(tickets.judge(call(), id))).toBeUndefined()
    const { backend, tool } = call()
    const elsewhere = { ...backend, baseUrl: 'http://127.0.0.1:82' }
    const another = { ...tool, definition: { ...tool.definition, description: 'Sends money to all users' } }
    for (const given of [{ backend: elsewhere }, { tool: another }])
      expect(await reasonOf(tickets.judge(call(given), id))).toBe('args_mismatch')
    await configure({}, 'refund', { guardrails: { denyPatterns: ['x'], blockSecrets: false, scanResponses: false } })
    expect(await use(id)).toBe('args_mismatch')
  })

  it('ends by time, before it is approved and after [ct.17.effect.approval_ttl_ms ct.17.effect.approval_use_ttl_ms]', async () => {
    await ask()
    later(86_400_000)
    expect(await use(1)).toBe('expired')
    await expect(approve(1)).rejects.toMatchObject({ code: 'NOT_PENDING' })
    expect(idOf(await tickets.request(call()))).toBe(2)
    await approve(2)
    later(3_600_000)
    expect(await reasonOf(tickets.consume(call(), 2))).toBe('expired')
    expect((await approvals.list(ROOT.actor, { limit: 10 })).items.map(({ status }) => status)).toEqual([
      'expired',
      'expired',
    ])
    expect(events).toEqual(['created 1', 'expired 1', 'created 2', 'approved 2', 'expired 2'])
    expect((await house.audit()).filter(({ action }) => action === 'approval.expire')).toMatchObject([
      { target: '1', detail: { was: 'pending' } },
      { target: '2', detail: { was: 'approved' } },
    ])
  })

  it('lives as long as its tool says', async () => {
    await configure({ ttlMs: 60_000, useTtlMs: 10_000 })
    const id = await ask()
    later(59_999)
    const { expiresAt } = await approve(id)
    expect(Date.parse(expiresAt) - house.time.nowMs).toBe(10_000)
    later(10_000)
    expect(await use(id)).toBe('expired')
  })

  it('survives a restart', async () => {
    await approve(await ask())
    await house.reborn()
    open()
    expect(await use(1)).toBe('passed')
  })
})

describe('deciding', () => {
  it('takes as many people as were asked for, each once, and the levels of then [ct.8.7.distinct ct.18.already_decided ct.18.not_pending]', async () => {
    await configure({ levels: 2 })
    const id = await ask()
    await configure({ levels: 1 })
    expect(await approve(id)).toMatchObject({ status: 'pending', approvalsReceived: 1, requiredLevels: 2 })
    await expect(approve(id)).rejects.toMatchObject({ code: 'ALREADY_DECIDED' })
    expect(await use(id)).toBe('pending')
    expect(await approve(id, bob)).toMatchObject({ status: 'approved', approvalsReceived: 2, decidedBy: 'bob' })
    await expect(approve(id, eve)).rejects.toMatchObject({ code: 'NOT_PENDING' })
  })

  it('is final when one rejects', async () => {
    await configure({ levels: 3 })
    const id = await ask()
    await approve(id)
    expect(await approvals.reject(bob, String(id), { note: 'not today' })).toMatchObject({
      status: 'rejected',
      note: 'not today',
      decidedBy: 'bob',
      decisions: [
        { decidedBy: 'ann', decision: 'approved', note: null },
        { decidedBy: 'bob', decision: 'rejected', note: 'not today' },
      ],
    })
    expect(await use(id)).toBe('rejected')
    await expect(approve(id, eve)).rejects.toMatchObject({ code: 'NOT_PENDING' })
  })

  it('is counted once when fifty do it at the same moment', async () => {
    const id = await ask()
    const done = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => approve(id, by(`person-${at}`))))
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await approvals.get(ROOT.actor, String(id))).decisions).toHaveLength(1)
  })

  it('is refused to the person who made the call [ct.18.self_approval]', async () => {
    const id = await ask({ caller: aCaller({ name: 'ann', kind: 'admin' }) })
    await expect(approve(id)).rejects.toMatchObject({ code: 'SELF_APPROVAL' })
    await expect(approvals.reject(ann, String(id), {})).rejects.toMatchObject({ code: 'SELF_APPROVAL' })
    expect(await approve(id, bob)).toMatchObject({ status: 'approved' })
  })

  it('is open to every caller where no sign-in is required', async () => {
    const noUser = { name: 'auth-disabled', kind: 'disabled', role: 'admin', teamId: null } as const
    const id = await ask({ caller: aCaller({ name: noUser.name, kind: 'admin' }) })
    expect(await approve(id, { actor: noUser, requestId: 'x' })).toMatchObject({ status: 'approved' })
  })

  it('is for the named approvers, and never for a user without a name [ct.18.not_an_approver]', async () => {
    await configure({ levels: 2, approvers: ['bob', 'eve'] })
    const id = await ask()
    const bearer = { actor: { name: 'bob', kind: 'bearer', role: 'admin', teamId: null }, requestId: 'b' } as const
    for (const who of [ann, bearer])
      await expect(approvals.approve(who, String(id), {})).rejects.toMatchObject({ code: 'NOT_AN_APPROVER' })
    await approve(id, bob)
    expect(await approve(id, eve)).toMatchObject({ status: 'approved', approvers: ['bob', 'eve'] })
  })

  it('is not found by another team, nor by an unknown id [ct.18.approval_not_found]', async () => {
    const id = String(await ask())
    const unauthenticated = by('mallory', 'admin', 7)
    for (const asked of [
      () => approvals.get(unauthenticated.actor, id),
      () => approvals.approve(unauthenticated, id, {}),
      () => approvals.reject(unauthenticated, id, {}),
      ...['99', '0', '-1', 'x', '1.5', '9'.repeat(40)].map((absent) => () => approvals.get(ROOT.actor, absent)),
    ])
      await expect(asked()).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect((await approvals.list(unauthenticated.actor, { limit: 10 })).items).toEqual([])
    const { query } = house.database
    expect([await countPending(query, null), await countPending(query, 7)]).toEqual([1, 0])
  })

  it('is written into the audit log with who, what and the hash of the arguments [ct.13.2.approval]', async () => {
    const id = await ask()
    await approvals.approve(ann, String(id), { note: 'fine' })
    await use(id)
    await approvals.reject(bob, String(await ask({ args: { order: 2 } })), {})
    const entries = (await house.audit()).filter(({ action }) => action.startsWith('approval.'))
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['approval.request', '1'],
      ['approval.approve', '1'],
      ['approval.consume', '1'],
      ['approval.request', '2'],
      ['approval.reject', '2'],
    ])
    const { argsHash } = await approvals.get(ROOT.actor, '1')
    expect(entries[1]?.detail).toMatchObject({ tool: 'bank__refund', argsHash, note: 'fine', request_id: 'of ann' })
    expect(JSON.stringify(entries)).not.toContain('order')
  })
})

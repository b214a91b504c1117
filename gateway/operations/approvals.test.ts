// Tickets over a real database: who waits, who may decide, and that one approval lets one call through once.
import { beforeEach, describe, expect, it } from 'vitest'
import { ApprovalCfg } from '../contract/admin/tools.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import type { Actor } from '../contract/role.ts'
import type { Waiting } from '../pipeline/3-policy/approval.ts'
import type { ToolCall } from '../pipeline/call.ts'
import { aCall, aCaller } from '../pipeline/pipeline.fixture.ts'
import { countPending } from '../storage/approvals.ts'
import { createApprovalTickets } from './approval-tickets.ts'
import { createApprovals } from './approvals.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone } from './backends.fixture.ts'

const SETTINGS = { APPROVAL_TTL_MS: 86_400_000, APPROVAL_USE_TTL_MS: 3_600_000, APPROVAL_MAX_PENDING: 3 }

let house: BackendHouse
let events: string[]
let tickets: ReturnType<typeof createApprovalTickets>
let approvals: ReturnType<typeof createApprovals>

function open(settings = SETTINGS, forced: (name: string) => boolean = () => false): void {
  const { database, changes, registry, time } = house
  const clock = { now: () => time.nowMs }
  tickets = createApprovalTickets({
    database,
    changes,
    settings,
    clock,
    newId: () => 'by the clock',
    forced: ({ name }) => forced(name),
    onCreated: ({ id }) => events.push(`created ${id}`),
    onExpired: (rows) => events.push(...rows.map(({ id }) => `expired ${id}`)),
  })
  approvals = createApprovals({
    database,
    changes,
    registry,
    clock,
    settle: tickets.settle,
    onDecided: ({ id }, decision) => events.push(`${decision} ${id}`),
  })
}

beforeEach(async () => {
  house = await aBackendHouse()
  events = []
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({
      name: 'bank',
      base_url: 'http://127.0.0.1:81',
      tools: ['refund', 'other'].map((name) => ({ name, method: 'POST', endpoint: `/${name}`, description: name })),
    }),
  )
  await configure({})
  open()
})

const configure = (approval: object, tool = 'refund', more: object = {}) =>
  house.tools.update(ROOT, 'bank', tool, { approval: ApprovalCfg.parse(approval), ...more }, [])

function call(given: Partial<ToolCall> = {}, tool = 'refund'): ToolCall {
  const backend = house.registry.known('bank')
  const found = backend?.tools.get(tool)
  if (backend === undefined || found === undefined) throw new Error('the bank has no such tool')
  return aCall({ backend, tool: found, args: { order: 1 }, ...given })
}
const by = (name: string, role: Actor['role'] = 'operator', teamId: number | null = null) => ({
  actor: { name, kind: 'session', username: name, role, teamId } as const,
  requestId: `of ${name}`,
})
const [ann, bob, eve] = [by('ann'), by('bob'), by('eve')]
const idOf = (waiting: Waiting | undefined): number =>
  waiting && 'ticket' in waiting && waiting.ticket ? waiting.ticket.id : expect.fail(JSON.stringify(waiting))
const ask = async (given?: Partial<ToolCall>): Promise<number> => idOf(await tickets.request(call(given)))
const reasonOf = async (answer: Promise<Waiting | undefined>): Promise<string | undefined> => (await answer)?.reason
const use = async (id: number, given?: Partial<ToolCall>) =>
  (await reasonOf(tickets.judge(call(given), id))) ?? (await reasonOf(tickets.consume(call(given), id))) ?? 'passed'
const approve = (id: number, who: Parameters<typeof approvals.approve>[0] = ann) =>
  approvals.approve(who, String(id), undefined)
const later = (ms: number): void => {
  house.time.nowMs += ms
}

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
    const told = await Promise.all(Array.from({ length: 10 }, () => tickets.request(call())))
    expect(new Set(told.map(idOf))).toEqual(new Set([1]))
    expect(told.filter((each) => each?.reason === 'queued')).toHaveLength(1)
  })

  it('is pointed to the ticket that was approved meanwhile', async () => {
    await approve(await ask())
    expect(await tickets.request(call())).toMatchObject({ reason: 'pending', ticket: { id: 1, status: 'approved' } })
  })

  it('gets no ticket when it is only imagined', async () => {
    expect(await tickets.request(call({ rehearsed: true }))).toEqual({ reason: 'queued' })
    expect((await approvals.list(ROOT.actor, {}, { limit: 10 })).items).toEqual([])
  })

  it('gets none beyond the most that may wait, until one is gone [ct.8.7.queue_full ct.17.effect.approval_max_pending]', async () => {
    for (const order of [1, 2, 3]) await ask({ args: { order } })
    expect(await tickets.request(call({ args: { order: 4 } }))).toEqual({ reason: 'queue_full' })
    expect(await reasonOf(tickets.request(call({ args: { order: 3 } })))).toBe('pending')
    await approvals.reject(ann, '2', undefined)
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

  it('is none of its business where nobody asks for one, and is asked for where something else does', async () => {
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
    const told = await Promise.all(Array.from({ length: 20 }, () => reasonOf(tickets.consume(call(), id))))
    expect(told.filter((reason) => reason === undefined)).toHaveLength(1)
    expect(new Set(told)).toEqual(new Set([undefined, 'consumed']))
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
    // What the gate would have told is held where the ticket is spent as well.
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
    const another = { ...tool, definition: { ...tool.definition, description: 'Sends money to everybody' } }
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
    expect((await approvals.list(ROOT.actor, {}, { limit: 10 })).items.map(({ status }) => status)).toEqual([
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
    expect(await approvals.reject(bob, String(id), 'not today')).toMatchObject({
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

  it('is not for whoever made the call [ct.18.self_approval]', async () => {
    const id = await ask({ caller: aCaller({ name: 'ann', kind: 'admin' }) })
    await expect(approve(id)).rejects.toMatchObject({ code: 'SELF_APPROVAL' })
    await expect(approvals.reject(ann, String(id), undefined)).rejects.toMatchObject({ code: 'SELF_APPROVAL' })
    expect(await approve(id, bob)).toMatchObject({ status: 'approved' })
  })

  it('is for anybody where nobody signs in', async () => {
    const nobody = { name: 'auth-disabled', kind: 'disabled', role: 'admin', teamId: null } as const
    const id = await ask({ caller: aCaller({ name: nobody.name, kind: 'admin' }) })
    expect(await approve(id, { actor: nobody, requestId: 'x' })).toMatchObject({ status: 'approved' })
  })

  it('is for the approvers who are named, and nobody without a name is one [ct.18.not_an_approver]', async () => {
    await configure({ levels: 2, approvers: ['bob', 'eve'] })
    const id = await ask()
    const bearer = { actor: { name: 'bob', kind: 'bearer', role: 'admin', teamId: null }, requestId: 'b' } as const
    for (const who of [ann, bearer])
      await expect(approvals.approve(who, String(id), undefined)).rejects.toMatchObject({ code: 'NOT_AN_APPROVER' })
    await approve(id, bob)
    expect(await approve(id, eve)).toMatchObject({ status: 'approved', approvers: ['bob', 'eve'] })
  })

  it('is nothing to another team, and nothing that is not there [ct.18.approval_not_found]', async () => {
    const id = String(await ask())
    const stranger = by('mallory', 'admin', 7)
    for (const asked of [
      () => approvals.get(stranger.actor, id),
      () => approvals.approve(stranger, id, undefined),
      () => approvals.reject(stranger, id, undefined),
      ...['99', '0', '-1', 'x', '1.5', '9'.repeat(40)].map((absent) => () => approvals.get(ROOT.actor, absent)),
    ])
      await expect(asked()).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect((await approvals.list(stranger.actor, {}, { limit: 10 })).items).toEqual([])
    const { query } = house.database
    expect([await countPending(query, null), await countPending(query, 7)]).toEqual([1, 0])
  })

  it('is written into the audit log with who, what and the hash of the arguments [ct.13.2.approval]', async () => {
    const id = await ask()
    await approvals.approve(ann, String(id), 'fine')
    await use(id)
    await approvals.reject(bob, String(await ask({ args: { order: 2 } })), undefined)
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

describe('what is shown', () => {
  it('is the ticket whole to whoever may decide, and without arguments to viewers [ct.10.7.approval ct.7.7.approval]', async () => {
    const id = await ask({ caller: aCaller({ name: 'mcp-key:5', kind: 'key', keyId: 5 }) })
    const seen = await approvals.get(ann.actor, String(id))
    expect(seen).toMatchObject({
      clientName: 'bank',
      toolName: 'refund',
      args: { order: 1 },
      argsJson: '{"order":1}',
      requestedBy: 5,
      requestedByPrincipal: 'mcp-key:5',
      requestId: 'request-1',
      reason: 'tool',
      decisions: [],
      previous: null,
      teamId: null,
    })
    for (const role of ['viewer', 'auditor'] as const)
      expect(await approvals.get(by('v', role).actor, String(id))).toMatchObject({ args: null, argsJson: 'null' })
  })

  it('is never what the redact paths name, not even what was named later', async () => {
    await configure({}, 'refund', { redactPaths: ['card.number'] })
    const id = await ask({ args: { card: { number: '4111', owner: 'Zoe' } } })
    expect((await approvals.get(ann.actor, String(id))).args).toEqual({ card: { number: '[REDACTED]', owner: 'Zoe' } })
    const stored = await house.database.query.selectFrom('approvals').select('args').executeTakeFirstOrThrow()
    expect(stored.args).not.toContain('4111')
    await configure({}, 'refund', { redactPaths: ['card'] })
    expect((await approvals.get(ann.actor, String(id))).argsJson).toBe('{"card":"[REDACTED]"}')
  })

  it('tells in what a call differs from the one that was approved last', async () => {
    await approve(await ask({ args: { order: 1, to: { name: 'Zoe' }, note: 'x' } }))
    await approvals.reject(ann, String(await ask({ args: { order: 9 } })), undefined)
    const id = await ask({ args: { order: 2, to: { name: 'Zoe', again: true } } })
    expect((await approvals.get(ann.actor, String(id))).previous).toEqual({
      id: 1,
      decidedAt: new Date(house.time.nowMs).toISOString(),
      diff: [
        { path: '/note', kind: 'removed', before: 'x', after: null },
        { path: '/order', kind: 'changed', before: 1, after: 2 },
        { path: '/to/again', kind: 'added', before: null, after: true },
      ],
    })
    expect((await approvals.get(by('v', 'viewer').actor, String(id))).previous).toBeNull()
  })

  it('is listed newest first, by status, backend and tool, page by page [ct.7.7.approvals]', async () => {
    await configure({}, 'other')
    await ask()
    await tickets.request(call({}, 'other'))
    await ask({ args: { order: 2 } })
    await approve(1)
    const ids = async (filter: Parameters<typeof approvals.list>[1]) =>
      (await approvals.list(ann.actor, filter, { limit: 10 })).items.map(({ id }) => id)
    expect(await ids({})).toEqual([3, 2, 1])
    expect(await ids({ status: 'pending' })).toEqual([3, 2])
    expect(await ids({ tool: 'other' })).toEqual([2])
    expect(await ids({ client: 'nobody' })).toEqual([])
    const first = await approvals.list(ann.actor, {}, { limit: 2 })
    const rest = await approvals.list(ann.actor, {}, { limit: 2, cursor: first.nextCursor })
    expect([first.items.length, rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([2, [1], undefined])
  })

  it('belongs to the team its backend has now, and of a backend that is gone to the one it had', async () => {
    const id = String(await ask())
    const mine = someone(3).actor
    await house.database.write(async (tx) => {
      const team = { name: 'mine', revision: 1, created_at: '', updated_at: '', created_by: null }
      await tx
        .insertInto('teams')
        .values({ id: 3, ...team })
        .execute()
      await tx.updateTable('backends').set({ team_id: 3 }).execute()
    })
    expect(await approvals.get(mine, id)).toMatchObject({ teamId: 3 })
    await house.database.write((tx) => tx.deleteFrom('backends').execute())
    await expect(approvals.get(mine, id)).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' })
    expect(await approvals.get(ROOT.actor, id)).toMatchObject({ teamId: null })
  })
})

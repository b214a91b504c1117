// Tickets as people see them: what of a call is shown, to whom, and what it differs in.
import { beforeEach, describe, expect, it } from 'vitest'
import { aCaller } from '../../pipeline/pipeline.fixture.ts'
import { ROOT, someone } from '../backends/backends.fixture.ts'
import { ann, approvals, approve, ask, by, call, configure, house, openBank, tickets } from './approvals.fixture.ts'

beforeEach(openBank)

describe('what is shown', () => {
  it('is the whole ticket for users who may decide, and without arguments for viewers [ct.10.7.approval ct.7.7.approval]', async () => {
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

  it('shows how a call differs from the one that was approved last', async () => {
    await approve(await ask({ args: { order: 1, to: { name: 'Zoe' }, note: 'x' } }))
    await approvals.reject(ann, String(await ask({ args: { order: 9 } })), {})
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
    const ids = async (filter: Partial<Parameters<typeof approvals.list>[1]>) =>
      (await approvals.list(ann.actor, { ...filter, limit: 10 })).items.map(({ id }) => id)
    expect(await ids({})).toEqual([3, 2, 1])
    expect(await ids({ status: 'pending' })).toEqual([3, 2])
    expect(await ids({ tool: 'other' })).toEqual([2])
    expect(await ids({ client: 'missing' })).toEqual([])
    const first = await approvals.list(ann.actor, { limit: 2 })
    const rest = await approvals.list(ann.actor, { limit: 2, cursor: first.nextCursor })
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

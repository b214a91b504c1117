import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '#contract'
import { verifyAudit } from '../audit-log/verify.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import { createChanges, difference, requireRevision } from './changes.ts'

async function aJournal() {
  const database = await aDatabase(':memory:')
  const received: AuditEntry[] = []
  const changes = createChanges(database, Date, (entry) => void received.push(entry))
  const rows = async () => ({
    meta: (await database.query.selectFrom('meta').selectAll().execute()).filter(({ key }) => key === 'changed'),
    audit: await database.query.selectFrom('audit_log').selectAll().execute(),
  })
  return { database, changes, received, rows }
}
const by = { actor: { name: 'ada' }, requestId: 'r-1' }

describe('a change and its entry', () => {
  it('are rolled back together, without notification [ct.13.1.together]', async () => {
    const { database, changes, received, rows } = await aJournal()
    const late = changes(by, async (tx, audit) => {
      await database.meta.set('changed', 'yes', tx)
      await audit('user.update', 'grace')
      throw new Error('too late')
    })
    await expect(late).rejects.toThrow('too late')
    expect(await rows()).toEqual({ meta: [], audit: [] })
    expect(received).toEqual([])
  })

  it('are rolled back when the entry cannot be written (security case AU-08) [ct.13.1.together]', async () => {
    const { database, changes, rows } = await aJournal()
    await database.write((tx) => tx.schema.alterTable('audit_log').renameColumn('detail', 'gone').execute())
    const work = changes(by, async (tx, audit) => {
      await database.meta.set('changed', 'yes', tx)
      await audit('user.update', 'grace')
    })
    await expect(work).rejects.toThrow('detail')
    expect((await rows()).meta).toEqual([])
  })

  it('are announced after the commit, with their request id [ct.13.2.request_id]', async () => {
    const { database, changes, received } = await aJournal()
    const value = await changes(by, async (_tx, audit) => {
      await audit('user.update', 'grace', { before: 1, after: 2 })
      expect(received).toEqual([])
      return 'done'
    })
    expect(value).toBe('done')
    expect(received).toMatchObject([
      { actor: 'ada', action: 'user.update', target: 'grace', detail: { request_id: 'r-1', before: 1, after: 2 } },
    ])
    expect(await verifyAudit(database, Date)).toMatchObject({ valid: true, checked: 1 })
  })
})

describe('a difference', () => {
  it('names changed fields only, and is absent without changes', () => {
    expect(difference({ a: 1, b: { c: 1 } }, { a: 1, b: { c: 1 } })).toBeUndefined()
    expect(difference({ a: 1, b: 2 }, { a: 1, b: 3, d: null })).toEqual({
      before: { b: 2, d: null },
      after: { b: 3, d: null },
    })
  })
})

describe('a revision', () => {
  it('must be current, for each named record', () => {
    for (const stale of [[1], [2, 1], ['*', 3]] as const)
      expect(() => requireRevision(2, stale)).toThrow(
        expect.objectContaining({ extras: { details: { currentRevision: 2 } } }),
      )
    for (const fine of [[], [undefined, undefined], [2, undefined], ['*', 2]] as const)
      expect(() => requireRevision(2, fine)).not.toThrow()
  })
})

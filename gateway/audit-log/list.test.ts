import { expect, it } from 'vitest'
import type { AuditAction } from '#contract'
import { aDatabase } from '../storage/database.fixture.ts'
import { AT, anEvent, append, tamper } from './audit.fixture.ts'
import { appendAudit } from './chain.ts'
import type { AuditFilters } from './filter.ts'
import { listAudit } from './list.ts'

const ACTIONS: readonly AuditAction[] = [
  'tool.enable',
  'tool.cache.update',
  'mcp_key.create',
  'mcp_session.close',
  'user.create',
]

async function aMixedLog() {
  const database = await aDatabase()
  for (const [index, action] of ACTIONS.entries())
    await database.write((tx) => appendAudit(tx, anEvent(index + 1, { action, actor: index % 2 ? 'bob' : 'ada' })))
  const ids = async (filters: AuditFilters, limit = 50) =>
    (await listAudit(database.query, { ...filters, teamId: null }, { limit })).items.map(({ id }) => id)
  return { database, ids }
}

it('names keys, approvals and schedules by what they are now', async () => {
  const { query, ...database } = await aDatabase()
  const key = { label: 'Claude Code', key_hash: 'x', key_prefix: 'mcp_x', created_at: '', updated_at: '' }
  const { id } = await database.write((tx) =>
    tx
      .insertInto('mcp_keys')
      .values({ ...key, elevated: 0, enabled: 1, revision: 1, team_id: 7 })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const entries: readonly (readonly [AuditAction, string, string])[] = [
    ['mcp_key.revoke', 'ada', String(id)],
    ['tool.call', `mcp-key:${id}`, 'pets__list'],
    ['mcp_key.revoke', 'mcp-key:99', '99'],
    ['user.create', 'ada', String(id)],
  ]
  for (const [index, [action, actor, target]] of entries.entries())
    await database.write((tx) => appendAudit(tx, anEvent(index + 1, { action, actor, target })))
  const labels = async (teamId: number | null) =>
    (await listAudit(query, { teamId }, { limit: 9 })).items.map(({ actorLabel, targetLabel }) => [
      actorLabel,
      targetLabel,
    ])
  expect((await labels(null)).reverse()).toEqual([
    [undefined, 'Claude Code'],
    ['Claude Code', undefined],
    [undefined, undefined],
    [undefined, undefined],
  ])
})

it('refuses a cursor that is not its own [ct.1.6.bad-cursor]', async () => {
  const { query } = await aDatabase(':memory:')
  await expect(listAudit(query, { teamId: null }, { limit: 1, cursor: 'zz' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  })
})

it('filters by actor, target, exact action, action prefix and time [ct.7.7.audit-filters]', async () => {
  const { ids } = await aMixedLog()
  expect(await ids({})).toEqual([5, 4, 3, 2, 1])
  expect(await ids({ actor: 'bob' })).toEqual([4, 2])
  expect(await ids({ target: 'pets__t3' })).toEqual([3])
  expect(await ids({ action: 'tool.enable' })).toEqual([1])
  expect(await ids({ action: 'tool.' })).toEqual([2, 1])
  expect(await ids({ action: 'tool' })).toEqual([])
  expect(await ids({ action: 'mcp_key.' })).toEqual([3])
  expect(await ids({ action: 'mcpXkey.' })).toEqual([])
  const at = (number: number) => new Date(AT + number).toISOString()
  expect(await ids({ from: at(2), to: at(4) })).toEqual([4, 3, 2])
  expect(await ids({ action: 'tool.', actor: 'ada', from: at(1) })).toEqual([1])
})

it('takes filters as values, never as patterns or SQL (security case ST-14)', async () => {
  const { database, ids } = await aMixedLog()
  for (const hostile of ["' or 1=1 --", '%', '_', "%'; drop table audit_log; --", '%.', '_____.'])
    for (const field of ['actor', 'target', 'action', 'from'] as const)
      expect(await ids({ [field]: hostile, to: '0' })).toEqual([])
  expect(await append(database, 1)).toHaveLength(1)
})

it('pages newest first; concurrent entries never shift a page [ct.1.6.keyset ct.7.7.audit-log]', async () => {
  const { database } = await aMixedLog()
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const page = await listAudit(database.query, { teamId: null }, { limit: 2, cursor })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
    await append(database, 1)
  } while (cursor !== undefined)
  expect(seen).toEqual([5, 4, 3, 2, 1])
})

it('shows a damaged row instead of failing', async () => {
  const { database } = await aMixedLog()
  tamper(database, (raw) => raw.exec("update audit_log set detail = '{', actor = x'00' where id = 5"))
  const { items } = await listAudit(database.query, { teamId: null }, { limit: 1 })
  expect(items).toMatchObject([{ id: 5, actor: '\u0000', detail: { unreadable: '{' } }])
})

import { describe, expect, it } from 'vitest'
import { AUDIT_ACTIONS, AuditEntry, AuditVerdict } from '#contract'
import { aHouse, type House } from './admin.fixture.ts'

type Page = { items: AuditEntry[]; nextCursor?: string }
const list = async (house: House, query = '') => (await house.asKey(`/admin-api/audit-log?${query}`)).json as Page

async function aHistory() {
  const house = await aHouse()
  for (const name of ['one', 'two', 'three']) {
    await house.asKey('/admin-api/users', { method: 'POST', body: { username: name, password: 'long enough to do' } })
    house.time.nowMs += 60_000
  }
  await house.signIn('one', 'long enough to do')
  return house
}

describe('the audit log', () => {
  it('refuses an unknown filter [ct.7.7.audit-format]', async () => {
    const house = await aHouse()
    for (const path of [
      'audit-log?from=yesterday',
      'audit-log?to=',
      'audit-log/export?format=pdf',
      'audit-log/export?limit=1',
      'audit-log/verify?deep=1',
    ])
      expect(await house.asKey(`/admin-api/${path}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })

  it('is listed newest first, in pages, to a viewer [ct.7.7.audit-log ct.13.1.entry]', async () => {
    const house = await aHistory()
    const { json } = await house.ask('/admin-api/audit-log?limit=3', { headers: await house.aSession('ada', 'viewer') })
    const first = json as Page
    expect(first.items.map((item) => AuditEntry.strict().parse(item).id)).toEqual([5, 4, 3])
    expect((await list(house, `limit=3&cursor=${first.nextCursor}`)).items.map(({ id }) => id)).toEqual([2, 1])
  })

  it('is filtered by actor, action, target and time [ct.7.7.audit-filters ct.1.3.timestamps-in]', async () => {
    const house = await aHistory()
    const targets = async (query: string) => (await list(house, query)).items.map(({ target }) => target)
    const [newest, , oldest] = (await list(house, 'action=user.create')).items
    expect(await targets('action=user.')).toEqual(['three', 'two', 'one'])
    expect(await targets('action=user')).toEqual([])
    expect(await targets('actor=one')).toEqual(['one'])
    expect(await targets('target=two')).toEqual(['two'])
    expect(await targets(`action=user.&from=${newest?.created_at}`)).toEqual(['three'])
    expect(await targets(`to=${Date.parse(oldest?.created_at ?? '')}`)).toEqual(['one'])
  })

  it('lists every action there is [ct.7.7.audit-actions]', async () => {
    const house = await aHouse()
    const { actions } = (await house.asKey('/admin-api/audit-log/actions')).json as { actions: string[] }
    expect(actions).toEqual(AUDIT_ACTIONS)
  })

  it('is verified, and a change behind its back is seen [ct.7.7.audit-verify]', async () => {
    const house = await aHistory()
    const verify = async () => AuditVerdict.strict().parse((await house.asKey('/admin-api/audit-log/verify')).json)
    expect(await verify()).toMatchObject({ valid: true, checked: 4, brokenAt: null, headId: 4 })
    await house.database.write((tx) =>
      tx.updateTable('audit_log').set({ actor: 'missing' }).where('id', '=', 2).execute(),
    )
    expect(await verify()).toMatchObject({ valid: false, brokenAt: 2, reason: 'hash_mismatch' })
  })

  it('is verified so often and no more [ct.7.7.audit-verify-rate]', async () => {
    const house = await aHouse({ env: { RATE_LIMIT_EXPENSIVE: '1' } })
    const status = async (path: string) => (await house.asKey(`/admin-api/audit-log/${path}`)).status
    expect([await status('verify'), await status('verify'), await status('export')]).toEqual([200, 429, 200])
  })

  it('is exported as a file that shows its own export [ct.7.7.audit-export ct.13.2.audit.export ct.13.4.filename]', async () => {
    const house = await aHistory()
    const auditor = await house.aSession('ada', 'auditor')
    for (const [format, type] of [
      ['json', 'application/json'],
      ['csv', 'text/csv'],
      ['html', 'text/html'],
    ] as const) {
      const answer = await house.ask(`/admin-api/audit-log/export?format=${format}&action=audit.`, { headers: auditor })
      expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect(answer.headers.get('content-disposition')).toMatch(
        new RegExp(`^attachment; filename="gantry-audit-\\d{8}T\\d{6}Z\\.${format}"$`),
      )
      expect(answer.text).toContain('audit.export')
      expect(answer.text).not.toContain('user.create')
    }
    const exports = await list(house, 'action=audit.export')
    expect(exports.items.map(({ actor, detail }) => [actor, detail?.format])).toEqual([
      ['ada', 'html'],
      ['ada', 'csv'],
      ['ada', 'json'],
    ])
  })
})

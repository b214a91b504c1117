import { describe, expect, it } from 'vitest'
import { UserRecord } from '#contract'
import { aHouse, type House, PASSWORD, sessionFrom } from './admin.fixture.ts'

const path = (name: string) => `/admin-api/users/${name}`
const create = (house: House, body: unknown) => house.asKey('/admin-api/users', { method: 'POST', body })
const change = (house: House, name: string, body: unknown, headers = {}) =>
  house.asKey(path(name), { method: 'PATCH', body, headers })
const remove = (house: House, name: string, headers = {}) => house.asKey(path(name), { method: 'DELETE', headers })
const audit = async ({ database }: House) => {
  const rows = await database.query.selectFrom('audit_log').selectAll().where('action', 'like', 'user.%').execute()
  return rows.map(({ action, target, detail }) => ({ action, target, ...(JSON.parse(detail ?? '{}') as object) }))
}

describe('a user', () => {
  // cites: ct.7.6.user-name ct.7.6.user-password ct.7.6.user-weak ct.7.6.user-exists ct.18.user_exists
  it.each([
    ['a space in the name', { username: 'with space', password: PASSWORD }, 400, 'VALIDATION_ERROR'],
    ['a name that is too long', { username: 'x'.repeat(65), password: PASSWORD }, 400, 'VALIDATION_ERROR'],
    ['a short password', { username: 'new', password: 'elevenchars' }, 400, 'VALIDATION_ERROR'],
    ['a long password', { username: 'new', password: 'x'.repeat(257) }, 400, 'VALIDATION_ERROR'],
    ['the name as password', { username: 'same-as-name', password: 'Same-as-Name' }, 400, 'WEAK_PASSWORD'],
    ['an unknown role', { username: 'new', password: PASSWORD, role: 'king' }, 400, 'VALIDATION_ERROR'],
    ['a team', { username: 'new', password: PASSWORD, teamId: 1 }, 404, 'TEAM_NOT_FOUND'],
    ['a name that is taken', { username: 'ADA', password: PASSWORD }, 409, 'USER_EXISTS'],
  ])('is not made with %s', async (_case, body, status, code) => {
    const house = await aHouse()
    await house.addUser('ada', 'viewer')
    expect(await create(house, body)).toMatchObject({ status, code })
    expect(await audit(house)).toEqual([])
  })

  it('is made once by many at the same moment', async () => {
    const house = await aHouse()
    const answer = await Promise.all(
      Array.from({ length: 5 }, () => create(house, { username: 'ada', password: PASSWORD })),
    )
    expect(answer.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409])
    expect(await audit(house)).toHaveLength(1)
  })

  it('is created, read, listed and deleted, and the log has all but the password [ct.7.6.user ct.7.6.users ct.13.2.user ct.13.2.secrets]', async () => {
    const house = await aHouse()
    const made = await create(house, { username: ' Ada ', password: PASSWORD, role: 'operator' })
    const record = {
      username: 'ada',
      role: 'operator',
      isActive: true,
      teamId: null,
      authMethod: 'password',
      lastLoginAt: null,
      revision: 1,
    }
    expect(made.status).toBe(201)
    expect(UserRecord.strict().parse(made.json)).toMatchObject(record)
    expect((await house.asKey(path('ada'))).json).toEqual(made.json)
    expect((await house.asKey('/admin-api/users')).json).toEqual({ items: [made.json] })
    expect((await remove(house, 'ada')).status).toBe(204)
    for (const answer of [await house.asKey(path('ada')), await remove(house, 'ada'), await change(house, 'ada', {})])
      expect(answer).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
    expect(await audit(house)).toEqual([
      {
        action: 'user.create',
        target: 'ada',
        request_id: made.headers.get('x-request-id'),
        after: { role: 'operator', isActive: true, teamId: null, password: '[set]' },
      },
      {
        action: 'user.delete',
        target: 'ada',
        request_id: expect.any(String),
        before: { role: 'operator', isActive: true, teamId: null },
      },
    ])
    expect(JSON.stringify(await house.database.query.selectFrom('audit_log').selectAll().execute())).not.toContain(
      PASSWORD,
    )
  })

  it('is changed field by field, and the log has the former values [ct.1.3.patch-absent ct.13.2.before-after ct.7.6.user-alias]', async () => {
    const house = await aHouse()
    await house.addUser('ada', 'viewer')
    expect((await change(house, 'ada', { role: 'auditor' })).json).toMatchObject({
      role: 'auditor',
      isActive: true,
      revision: 2,
    })
    expect((await change(house, 'ada', { is_active: false })).json).toMatchObject({
      role: 'auditor',
      isActive: false,
      revision: 3,
    })
    expect(await change(house, 'ada', { is_active: true, isActive: true })).toMatchObject({ status: 400 })
    await change(house, 'ada', { password: 'set by another user' })
    expect(await audit(house)).toMatchObject([
      { before: { role: 'viewer' }, after: { role: 'auditor' } },
      { before: { isActive: true }, after: { isActive: false } },
      { before: { password: '[set]' }, after: { password: '[set]' } },
    ])
  })

  it('that is set to its present values stays unchanged, without an entry', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    expect(await change(house, 'ada', { role: 'viewer', isActive: true })).toMatchObject({
      status: 200,
      json: { revision: 1 },
    })
    expect(await audit(house)).toEqual([])
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(200)
  })

  it('is not changed nor deleted on another revision [ct.1.7.if-match ct.1.7.body ct.1.7.details ct.18.precondition_failed]', async () => {
    const house = await aHouse()
    await house.addUser('ada', 'viewer')
    await change(house, 'ada', { role: 'operator' })
    const stale = [
      await change(house, 'ada', { role: 'auditor' }, { 'if-match': '"1"' }),
      await change(house, 'ada', { role: 'auditor', revision: 1 }),
      await change(house, 'ada', { role: 'auditor', revision: 1 }, { 'if-match': '"2"' }),
      await change(house, 'ada', { password: 'set by another user', revision: 1 }),
      await remove(house, 'ada', { 'if-match': '"7"' }),
    ]
    for (const answer of stale)
      expect(answer).toMatchObject({
        status: 412,
        code: 'PRECONDITION_FAILED',
        json: { error: { details: { currentRevision: 2 } } },
      })
    expect((await change(house, 'ada', { role: 'auditor', revision: 2 }, { 'if-match': '"2"' })).json).toMatchObject({
      revision: 3,
    })
    expect((await change(house, 'ada', { role: 'viewer' }, { 'if-match': '*' })).headers.get('etag')).toBe('"4"')
  })

  it('keeps its password when the user signs in through single sign-on', async () => {
    const house = await aHouse()
    await house.addUser('ada', 'viewer')
    await house.database.write((tx) => tx.updateTable('users').set({ auth_method: 'oidc' }).execute())
    expect(await change(house, 'ada', { password: 'set by another user' })).toMatchObject({
      status: 409,
      code: 'SSO_USER',
    })
    expect(await change(house, 'ada', { role: 'operator' })).toMatchObject({
      json: { authMethod: 'oidc', role: 'operator' },
    })
  })

  // cites: ct.7.6.user-sessions ct.2.5.revoke
  it.each([
    ['role', 'PATCH', { role: 'operator' }],
    ['flag', 'PATCH', { isActive: false }],
    ['password', 'PATCH', { password: 'set by another user' }],
    ['existence', 'DELETE', undefined],
  ])('loses the sessions with its %s', async (_what, method, body) => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    const other = await house.aSession('grace', 'viewer')
    await house.asKey(path('ada'), { method, ...(body && { body }) })
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(401)
    expect((await house.ask('/admin-api/auth/me', { headers: other })).status).toBe(200)
  })

  it('that changes itself gets a new session', async () => {
    const house = await aHouse()
    await house.addUser('boss', 'admin')
    const session = await house.aSession('ada', 'admin')
    const answer = await house.ask(path('ada'), { method: 'PATCH', headers: session, body: { role: 'operator' } })
    const reopened = sessionFrom(answer)
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(401)
    expect((await house.ask('/admin-api/auth/me', { headers: reopened })).json).toMatchObject({ role: 'operator' })
  })
})

describe('the last admin', () => {
  const asked = [
    ['demoted', (house: House, name: string) => change(house, name, { role: 'operator' })],
    ['switched off', (house: House, name: string) => change(house, name, { isActive: false })],
    ['deleted', (house: House, name: string) => remove(house, name)],
  ] as const

  // cites: ct.7.6.last-admin ct.18.last_admin_protected
  it.each(asked)('is not %s, independent of other users', async (_how, ask) => {
    const house = await aHouse()
    await house.addUser('boss', 'admin')
    await house.addUser('asleep', 'admin', { isActive: false })
    await house.addUser('worker', 'operator')
    expect(await ask(house, 'boss')).toMatchObject({ status: 409, code: 'LAST_ADMIN_PROTECTED' })
    expect(await audit(house)).toEqual([])
    await house.addUser('second', 'admin')
    expect((await ask(house, 'boss')).status).toBeLessThan(300)
  })

  // cites: ct.7.6.last-superadmin ct.18.last_superadmin_protected
  it.each(asked)('without a team is not %s while others have one', async (_how, ask) => {
    const house = await aHouse()
    await house.addUser('boss', 'admin')
    await house.addUser('lead', 'admin', { teamId: 7 })
    expect(await ask(house, 'boss')).toMatchObject({ status: 409, code: 'LAST_SUPERADMIN_PROTECTED' })
    expect((await ask(house, 'lead')).status).toBeLessThan(300)
  })

  it('is left by two who remove each other at once', async () => {
    const house = await aHouse()
    await house.addUser('one', 'admin')
    await house.addUser('two', 'admin')
    const both = await Promise.all([remove(house, 'one'), remove(house, 'two')])
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 409])
  })

  it('may be missing where only keys administer: other users change freely', async () => {
    const house = await aHouse()
    await house.addUser('ada', 'viewer')
    expect((await change(house, 'ada', { role: 'operator' })).status).toBe(200)
    expect((await remove(house, 'ada')).status).toBe(204)
  })
})

describe('the list of users', () => {
  it('comes by name, in pages that a new name does not shift [ct.1.6.keyset ct.1.1.page]', async () => {
    const house = await aHouse()
    for (const name of ['d', 'b', 'e', 'a', 'c']) await house.addUser(name, 'viewer')
    const page = async (query: string) =>
      (await house.asKey(`/admin-api/users?${query}`)).json as { items: UserRecord[]; nextCursor?: string }
    const first = await page('limit=2')
    await house.addUser('aa', 'viewer')
    const second = await page(`limit=2&cursor=${first.nextCursor}`)
    const last = await page(`limit=2&cursor=${second.nextCursor}`)
    expect([first, second, last].map(({ items }) => items.map(({ username }) => username).join(''))).toEqual([
      'ab',
      'cd',
      'e',
    ])
    expect(last).not.toHaveProperty('nextCursor')
  })

  it('takes no cursor of its own making [ct.1.6.bad-cursor ct.1.6.not-number]', async () => {
    const house = await aHouse()
    for (const query of ['cursor=!!!', 'cursor=YWJj', 'limit=many', 'limit=1&limit=2'])
      expect(await house.asKey(`/admin-api/users?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

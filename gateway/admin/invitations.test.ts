// Invitation links: who gets one, what ends it, and that it works once.
import { describe, expect, it } from 'vitest'
import { aHouse, type House, PASSWORD, sessionFrom } from './admin.fixture.ts'

const DAY_MS = 86_400_000
const inDays = (house: House, days: number): string => new Date(house.time.nowMs + days * DAY_MS).toISOString()
const create = (house: House, body: object) => house.asKey('/admin-api/users', { method: 'POST', body })
const invitation = (house: House, name: string, method: string, body?: object) =>
  house.asKey(`/admin-api/users/${name}/invitation`, { method, ...(body && { body }) })
const read = (house: House, token: string) =>
  house.ask('/admin-api/auth/invitation', { method: 'POST', body: { token } })
const accept = (house: House, token: string, password = PASSWORD, headers = {}) =>
  house.ask('/admin-api/auth/invitation/accept', { method: 'POST', body: { token, password }, headers })
const tokenIn = (url: unknown): string => String(url).split('/').at(-1) ?? ''
const user = async (house: House, name: string) => (await house.asKey(`/admin-api/users/${name}`)).json

async function anInvited(house: House, username = 'ada', more: object = {}): Promise<string> {
  const made = await create(house, { username, invitation: { expiresAt: inDays(house, 7) }, ...more })
  expect(made.status).toBe(201)
  return tokenIn(made.json.invitationUrl)
}
const ended = (reason: string) => ({
  status: 410,
  code: 'INVITATION_ENDED',
  json: { error: { details: { reason } } },
})
const entries = async ({ database }: House, action: string) =>
  database.query.selectFrom('audit_log').select(['actor', 'target', 'detail']).where('action', '=', action).execute()

describe('an invited user', () => {
  it.each([
    ['neither a password nor an invitation', {}],
    ['both', { password: PASSWORD, invitation: { expiresAt: Date.UTC(2026, 1, 3) } }],
    ['an end in the past', { invitation: { expiresAt: Date.UTC(2026, 0, 1) } }],
    ['an end after 30 days', { invitation: { expiresAt: Date.UTC(2026, 3, 1) } }],
    ['an invitation without an end', { invitation: {} }],
  ])('is not made with %s', async (_case, body) => {
    const house = await aHouse()
    expect(await create(house, { username: 'ada', ...body })).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((await house.asKey('/admin-api/users')).json).toEqual({ items: [] })
  })

  it('chooses a password at the link and is signed in, with the role and the team of the invitation', async () => {
    const house = await aHouse()
    const team = (await house.asKey('/admin-api/teams', { method: 'POST', body: { name: 'blue' } })).json
    const expiresAt = inDays(house, 7)
    const made = await create(house, {
      username: 'ada',
      role: 'operator',
      teamId: team.id,
      invitation: { expiresAt },
    })
    expect(made.json).toMatchObject({ username: 'ada', invitation: { expiresAt } })
    expect(made.json.invitationUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/admin\/invite\/giu_[\w-]{43}$/)
    const token = tokenIn(made.json.invitationUrl)
    expect(await user(house, 'ada')).not.toHaveProperty('invitationUrl')
    expect((await read(house, token)).json).toEqual({ username: 'ada', expiresAt })

    expect(await accept(house, token, 'ada')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    const accepted = await accept(house, token)
    expect(accepted.json).toMatchObject({ user: { username: 'ada', role: 'operator', teamId: team.id } })
    const me = await house.ask('/admin-api/auth/me', { headers: sessionFrom(accepted) })
    expect(me.json).toMatchObject({ authenticated: true, user: { username: 'ada' } })
    expect(await user(house, 'ada')).toMatchObject({ invitation: null, lastLoginAt: expect.any(String) })
    await house.signIn('ada')

    expect(await entries(house, 'auth.invitation.accept')).toMatchObject([{ actor: 'ada', target: 'ada' }])
    const [created] = await entries(house, 'user.create')
    expect(JSON.parse(created?.detail ?? '')).toMatchObject({ after: { invitation: { expiresAt } } })
    const stored = JSON.stringify([
      await house.database.query.selectFrom('users').selectAll().execute(),
      await house.database.query.selectFrom('audit_log').selectAll().execute(),
    ])
    expect(stored).not.toContain(token)
  })

  it('cannot sign in before, with any password', async () => {
    const house = await aHouse()
    await anInvited(house)
    for (const password of [PASSWORD, 'null', ' '])
      expect(
        await house.ask('/admin-api/auth/login', { method: 'POST', body: { username: 'ada', password } }),
      ).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' })
  })

  it('may not choose the own name as password', async () => {
    const house = await aHouse()
    const token = await anInvited(house, 'a-name-of-twelve')
    expect(await accept(house, token, 'A-name-of-TWELVE')).toMatchObject({ status: 400, code: 'WEAK_PASSWORD' })
    expect((await accept(house, token)).status).toBe(200)
  })

  it('is no admin who could remain as the last one', async () => {
    const house = await aHouse()
    await house.addUser('root', 'admin')
    const token = await anInvited(house, 'next', { role: 'admin' })
    const demote = () => house.asKey('/admin-api/users/root', { method: 'PATCH', body: { role: 'viewer' } })
    expect(await demote()).toMatchObject({ status: 409, code: 'LAST_ADMIN_PROTECTED' })
    expect((await accept(house, token)).status).toBe(200)
    expect((await demote()).status).toBe(200)
  })
})

describe('an invitation link', () => {
  it('works once, also for many at the same moment', async () => {
    const house = await aHouse()
    const token = await anInvited(house)
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(house, token)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410, 410, 410, 410])
    expect(await read(house, token)).toMatchObject(ended('used'))
    expect(await entries(house, 'auth.invitation.accept')).toHaveLength(1)
  })

  it('ends at its time, and the answer says when that was', async () => {
    const house = await aHouse()
    const token = await anInvited(house)
    const end = inDays(house, 7)
    house.time.nowMs = Date.parse(end)
    for (const answer of [await read(house, token), await accept(house, token)]) {
      expect(answer).toMatchObject(ended('expired'))
      expect(answer.text).toContain(end)
    }
    expect(await user(house, 'ada')).toMatchObject({ invitation: { expiresAt: end } })
  })

  it('ends with a revocation, which a new link follows', async () => {
    const house = await aHouse()
    const token = await anInvited(house)
    expect((await invitation(house, 'ada', 'DELETE')).status).toBe(204)
    expect(await accept(house, token)).toMatchObject(ended('revoked'))
    expect(await user(house, 'ada')).toMatchObject({ invitation: { expiresAt: null } })
    expect(await invitation(house, 'ada', 'DELETE')).toMatchObject({ status: 404, code: 'INVITATION_NOT_FOUND' })
    const next = await invitation(house, 'ada', 'POST', { expiresAt: inDays(house, 1) })
    expect(next.status).toBe(201)
    expect(await accept(house, token)).toMatchObject({ status: 404, code: 'INVITATION_NOT_FOUND' })
    expect((await accept(house, tokenIn(next.json.invitationUrl))).status).toBe(200)
    expect(await entries(house, 'user.invitation.revoke')).toMatchObject([{ target: 'ada' }])
    expect(await entries(house, 'user.invitation.create')).toMatchObject([{ target: 'ada' }])
  })

  it('rests while the user is deactivated, and ends with the user and with a password set by an admin', async () => {
    const house = await aHouse()
    const token = await anInvited(house)
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { isActive: false } })
    expect(await accept(house, token)).toMatchObject(ended('revoked'))
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { isActive: true, password: PASSWORD } })
    expect(await accept(house, token, 'another password')).toMatchObject(ended('used'))
    await house.signIn('ada')
    await house.asKey('/admin-api/users/ada', { method: 'DELETE' })
    expect(await accept(house, token)).toMatchObject({ status: 404, code: 'INVITATION_NOT_FOUND' })
  })

  it('is only for users without a password, and from admins without a team', async () => {
    const house = await aHouse()
    await house.addUser('known', 'viewer')
    const body = { expiresAt: inDays(house, 1) }
    expect(await invitation(house, 'known', 'POST', body)).toMatchObject({ status: 400, code: 'NOT_APPLICABLE' })
    expect(await invitation(house, 'unknown', 'POST', body)).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
    const team = (await house.asKey('/admin-api/teams', { method: 'POST', body: { name: 'blue' } })).json
    await anInvited(house)
    const headers = await house.aSession('lead', 'admin', { teamId: Number(team.id) })
    const path = '/admin-api/users/ada/invitation'
    expect((await house.ask(path, { method: 'POST', body, headers })).status).toBe(403)
    expect((await house.ask(path, { method: 'DELETE', headers })).status).toBe(403)
  })

  it('ends the session that the browser came with', async () => {
    const house = await aHouse()
    const token = await anInvited(house)
    const other = await house.aSession('other', 'viewer')
    expect((await accept(house, token, PASSWORD, other)).status).toBe(200)
    expect((await house.ask('/admin-api/auth/me', { headers: other })).status).toBe(401)
  })

  it('counts as sign-ins do', async () => {
    const house = await aHouse({ env: { RATE_LIMIT_LOGIN: '2' } })
    const token = await anInvited(house)
    await read(house, 'giu_guessed')
    await accept(house, 'giu_guessed-again')
    for (const answer of [await read(house, token), await accept(house, token)])
      expect(answer).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })
})

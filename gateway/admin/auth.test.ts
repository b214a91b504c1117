import { describe, expect, it } from 'vitest'
import { Me, SessionRecord } from '#contract'
import { aHouse, type House, KEY, PASSWORD, type SessionHeaders, sessionFrom } from './admin.fixture.ts'

const login = (house: House, body: unknown, headers: Record<string, string> = {}) =>
  house.ask('/admin-api/auth/login', { method: 'POST', body, headers })
const me = (house: House, headers: Record<string, string>) => house.ask('/admin-api/auth/me', { headers })
const actions = async ({ database }: House) =>
  (await database.query.selectFrom('audit_log').selectAll().orderBy('id').execute()).map(
    ({ actor, action, target }) => `${actor} ${action} ${target}`,
  )

describe('signing in', () => {
  // cites: ct.7.1.login-refused ct.18.invalid_credentials
  it('gives every refusal the same answer, and records the user it named', async () => {
    const house = await aHouse()
    await house.addUser('awake', 'viewer')
    await house.addUser('asleep', 'viewer', { isActive: false })
    const tries = [
      ['my own password!', PASSWORD],
      ['awake', 'not the password'],
      ['asleep', PASSWORD],
    ].map(([username, password]) => login(house, { username, password }, { 'x-request-id': 'same' }))
    const answer = await Promise.all(tries)
    expect(new Set(answer.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answer[0]).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' })
    expect(answer.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
    expect((await actions(house)).sort()).toEqual(
      ['asleep', 'awake', 'unknown'].map((name) => `anonymous auth.login_failed ${name}`),
    )
  })

  it('takes text only, so long and no longer (security case AN-14)', async () => {
    const house = await aHouse()
    for (const body of [
      {},
      { username: 'a' },
      { username: { $ne: '' }, password: [] },
      { username: 'a', password: 'x'.repeat(257) },
    ])
      expect(await login(house, body)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await actions(house)).toEqual([])
  })

  it('is limited per address, and limits no other address [ct.7.1.login-rate]', async () => {
    const house = await aHouse({ env: { RATE_LIMIT_LOGIN: '2' } })
    await house.addUser('ada', 'viewer')
    for (let turn = 0; turn < 2; turn++)
      expect((await login(house, { username: 'ada', password: 'x' })).status).toBe(401)
    expect(await login(house, { username: 'ada', password: PASSWORD })).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    })
    expect((await house.asKey('/admin-api/auth/me')).status).toBe(200)
  })

  it('opens a session that the browser keeps to itself [ct.7.1.login ct.7.1.login-result ct.2.5.cookies]', async () => {
    const house = await aHouse()
    await house.addUser('ada', 'operator')
    const answer = await login(house, { username: ' ADA ', password: PASSWORD })
    const token = answer.headers.get('x-csrf-token')
    expect(answer).toMatchObject({
      status: 200,
      json: {
        user: { username: 'ada', role: 'operator', teamId: null, team_id: null },
        csrfToken: token,
        csrf_token: token,
      },
    })
    const [session, csrf] = answer.headers.getSetCookie()
    expect(session).toMatch(/^__Host-gantry_session=[\w-]{43}; Path=\/; SameSite=Lax; Secure; HttpOnly$/)
    expect(csrf).toBe(`__Host-gantry_csrf=${token}; Path=/; SameSite=Lax; Secure`)
    expect(await actions(house)).toEqual(['ada auth.login ada'])
    expect((await house.asKey('/admin-api/users/ada')).json).toMatchObject({
      lastLoginAt: expect.any(String),
      revision: 1,
    })
  })

  it('names the cookies plainly where HTTPS is given up [ct.2.5.insecure]', async () => {
    const house = await aHouse({ env: { SESSION_COOKIE_SECURE: 'false', NODE_ENV: 'development' } })
    const session = await house.aSession('ada', 'viewer')
    expect(session.cookie).toMatch(/^gantry_session=.+; gantry_csrf=/)
    expect((await me(house, session)).status).toBe(200)
    expect((await me(house, { cookie: session.cookie.replaceAll('gantry_', '__Host-gantry_') })).status).toBe(401)
  })

  it('never takes a token that was there before: a new one, and the old one ends (security case CS-04)', async () => {
    const house = await aHouse()
    const before = await house.aSession('ada', 'viewer')
    const planted = '__Host-gantry_session=planted-by-an-attacker'
    expect(
      sessionFrom(await login(house, { username: 'ada', password: PASSWORD }, { cookie: planted })).cookie,
    ).not.toContain('planted')
    const after = sessionFrom(await login(house, { username: 'ada', password: PASSWORD }, { cookie: before.cookie }))
    expect((await me(house, before)).status).toBe(401)
    expect((await me(house, after)).status).toBe(200)
  })
})

describe('who is signed in', () => {
  it('is a session with its token and end, or a key without [ct.7.1.me ct.7.1.me-compat]', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'auditor')
    const own = Me.strict().parse((await me(house, { cookie: session.cookie })).json)
    expect(own).toMatchObject({
      authMethod: 'session',
      role: 'auditor',
      csrfToken: session['x-csrf-token'],
      expiresAt: expect.any(String),
    })
    const key = Me.strict().parse((await me(house, { authorization: `Bearer ${KEY}` })).json)
    expect(key).toEqual({ authenticated: true, authMethod: 'bearer', auth_method: 'bearer', user: null, role: 'admin' })
  })

  it('may come through a proxy that has a scheme of its own', async () => {
    const house = await aHouse()
    const { cookie } = await house.aSession('ada', 'viewer')
    expect((await me(house, { cookie, authorization: 'Basic cHJveHk6cHJveHk=' })).status).toBe(200)
  })

  it('is every caller with AUTH_DISABLED [ct.2.1.auth-disabled]', async () => {
    const house = await aHouse({ env: { AUTH_DISABLED: 'true', NODE_ENV: 'development' } })
    expect((await me(house, { authorization: 'Bearer wrong' })).json).toMatchObject({
      authMethod: 'disabled',
      role: 'admin',
    })
    await house.ask('/admin-api/users', { method: 'POST', body: { username: 'ada', password: PASSWORD } })
    expect(await actions(house)).toEqual(['auth-disabled user.create ada'])
  })
})

describe('signing out', () => {
  it('needs the token while there is a session [ct.7.1.logout-csrf]', async () => {
    const house = await aHouse()
    const { cookie } = await house.aSession('ada', 'viewer')
    expect(await house.ask('/admin-api/auth/logout', { method: 'POST', headers: { cookie } })).toMatchObject({
      code: 'CSRF_VALIDATION_FAILED',
    })
    expect((await me(house, { cookie })).status).toBe(200)
  })

  it('ends the session and clears the cookies, however often [ct.7.1.logout ct.1.8.logout]', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    for (const headers of [session, session, { authorization: 'Bearer wrong' }]) {
      const answer = await house.ask('/admin-api/auth/logout', { method: 'POST', headers })
      expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } })
      expect(answer.headers.getSetCookie()).toEqual([
        '__Host-gantry_session=; Path=/; SameSite=Lax; Secure; HttpOnly; Max-Age=0',
        '__Host-gantry_csrf=; Path=/; SameSite=Lax; Secure; Max-Age=0',
      ])
    }
    expect((await me(house, session)).status).toBe(401)
    expect(await actions(house)).toEqual(['ada auth.login ada', 'ada auth.logout ada'])
  })
})

describe('the own password (security case CS-11)', () => {
  const change = (house: House, headers: SessionHeaders, body: unknown) =>
    house.ask('/admin-api/auth/me/password', { method: 'PATCH', headers, body })
  const fresh = 'another one, as good'

  // cites: ct.7.1.password-wrong ct.7.1.password-weak ct.7.1.password-length ct.18.weak_password ct.1.3.two-spellings
  it('is not changed without the current one, nor to a weak one', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada-of-the-engine', 'viewer')
    const cases = [
      [{ currentPassword: 'wrong', newPassword: fresh }, 'INVALID_CREDENTIALS'],
      [{ currentPassword: 'wrong', newPassword: 'ada-of-the-engine' }, 'INVALID_CREDENTIALS'],
      [{ currentPassword: PASSWORD, newPassword: PASSWORD }, 'WEAK_PASSWORD'],
      [{ currentPassword: PASSWORD, newPassword: 'Ada-of-the-Engine' }, 'WEAK_PASSWORD'],
      [{ currentPassword: PASSWORD, newPassword: 'elevenchars' }, 'VALIDATION_ERROR'],
      [{ currentPassword: PASSWORD, newPassword: fresh, new_password: fresh }, 'VALIDATION_ERROR'],
      [{ newPassword: fresh }, 'VALIDATION_ERROR'],
    ] as const
    for (const [body, code] of cases) expect(await change(house, session, body)).toMatchObject({ code })
    expect((await me(house, session)).status).toBe(200)
  })

  it('does not exist for users of single sign-on', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    await house.database.write((tx) => tx.updateTable('users').set({ auth_method: 'oidc' }).execute())
    expect(await change(house, session, { currentPassword: PASSWORD, newPassword: fresh })).toMatchObject({
      code: 'SSO_USER',
    })
  })

  it('ends every session and opens a new one [ct.7.1.password ct.2.5.revoke]', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    const other = await house.signIn('ada')
    const answer = await change(house, session, { current_password: PASSWORD, new_password: fresh })
    const reopened = sessionFrom(answer)
    expect(answer.json).toEqual({
      status: 'ok',
      csrfToken: reopened['x-csrf-token'],
      csrf_token: reopened['x-csrf-token'],
    })
    const statuses = await Promise.all([session, other, reopened].map(async (each) => (await me(house, each)).status))
    expect(statuses).toEqual([401, 401, 200])
    await expect(house.signIn('ada')).rejects.toThrow('401')
    await house.signIn('ada', fresh)
  })

  it('is changed by one of two who try at once', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    const both = await Promise.all(
      ['first of two words', 'second of two words'].map((newPassword) =>
        change(house, session, { currentPassword: PASSWORD, newPassword }),
      ),
    )
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401])
  })

  it('is limited [ct.7.1.password-rate]', async () => {
    const house = await aHouse({ env: { RATE_LIMIT_EXPENSIVE: '1' } })
    const session = await house.aSession('ada', 'viewer')
    const body = { currentPassword: 'wrong', newPassword: fresh }
    expect((await change(house, session, body)).status).toBe(401)
    expect((await change(house, session, body)).status).toBe(429)
  })
})

describe('the own sessions', () => {
  it('are listed, newest first, in pages [ct.7.1.sessions ct.7.1.session-record]', async () => {
    const house = await aHouse()
    const session = await house.aSession('ada', 'viewer')
    await house.aSession('grace', 'viewer')
    const newest = await house.signIn('ada')
    const page = async (query: string) => {
      const { json } = await house.ask(`/admin-api/auth/sessions?${query}`, { headers: session })
      return json as { items: SessionRecord[]; nextCursor?: string }
    }
    const all = await page('')
    expect(all.items.map((item) => SessionRecord.strict().parse(item).current)).toEqual([false, true])
    expect(all.items[0]).toMatchObject({ ipAddress: '127.0.0.1', userAgent: 'node' })
    const first = await page('limit=1')
    const second = await page(`limit=1&cursor=${first.nextCursor}`)
    expect([...first.items, ...second.items]).toEqual(all.items)
    expect(second).not.toHaveProperty('nextCursor')
    expect((await me(house, newest)).status).toBe(200)
  })

  it("are ended one by one, never another's [ct.7.1.session-end ct.18.session_not_found]", async () => {
    const house = await aHouse()
    const ada = await house.aSession('ada', 'viewer')
    const grace = await house.aSession('grace', 'admin')
    const end = (id: string, headers: SessionHeaders) =>
      house.ask(`/admin-api/auth/sessions/${id}`, { method: 'DELETE', headers })
    const { json } = await house.ask('/admin-api/auth/sessions', { headers: ada })
    const id = String((json as { items: SessionRecord[] }).items[0]?.id)
    for (const wrong of ['0', '-1', '1e3', '99999', 'x', '01', `${id}.0`])
      expect(await end(wrong, ada)).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(await end(id, grace)).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    const answer = await end(id, ada)
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([204, 2])
    expect((await me(house, ada)).status).toBe(401)
  })

  it('are ended all but the own one [ct.7.1.revoke-others]', async () => {
    const house = await aHouse()
    const ada = await house.aSession('ada', 'viewer')
    const others = [await house.signIn('ada'), await house.signIn('ada')]
    const revoke = () => house.ask('/admin-api/auth/sessions/revoke-others', { method: 'POST', headers: ada })
    expect((await revoke()).json).toEqual({ revoked: 2 })
    for (const other of others) expect((await me(house, other)).status).toBe(401)
    const before = (await actions(house)).length
    expect((await revoke()).json).toEqual({ revoked: 0 })
    expect((await actions(house)).length).toBe(before)
  })
})

describe('single sign-on', () => {
  it('is offered where the environment sets it up [ct.7.1.oidc-config]', async () => {
    const house = await aHouse({
      env: { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' },
    })
    expect((await house.ask('/admin-api/auth/oidc/config')).json).toEqual({ enabled: true })
  })
})

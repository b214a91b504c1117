// People and keys at the admin API: signing in, sessions, CSRF, roles, users.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ADMIN, ErrorEnvelope, fillPath, Me, ROLES, type Route, SessionRecord, UserRecord } from '#contract'
import {
  ADMIN_KEY,
  addUser,
  aUser,
  type Gateway,
  passwordOf,
  type SessionHeaders,
  sessionOf,
  signIn,
  startGateway,
} from './gateway.fixture.ts'
import { change, codeOf, login, me, user } from './identity.fixture.ts'

const SECOND_KEY = 'a-second-key-of-the-scenarios'
const ROUTES: readonly Route[] = Object.values(ADMIN).flatMap((table) => Object.values<Route>(table))

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ ADMIN_API_KEYS: `${ADMIN_KEY},${SECOND_KEY}` })
})
afterAll(() => gateway.end())

describe('signing in', () => {
  // cites: ct.7.1.login-refused ct.18.invalid_credentials
  it('answers alike to an unknown user, a wrong password and an inactive user (security case AN-12)', async () => {
    await addUser(gateway, 'asleep', 'viewer')
    await change(gateway, 'asleep', { isActive: false })
    await addUser(gateway, 'awake', 'viewer')
    const attempts = [
      { username: 'missing', password: passwordOf('missing') },
      { username: 'awake', password: 'not the password at all' },
      { username: 'asleep', password: passwordOf('asleep') },
    ]
    const answers = await Promise.all(attempts.map((body) => login(gateway, body)))
    const message = answers.map(({ status, json }) => {
      const { request_id, ...rest } = ErrorEnvelope.parse(json).error
      expect(request_id).not.toBe('')
      return JSON.stringify({ status, rest })
    })
    expect(new Set(message).size).toBe(1)
    expect(answers.map(codeOf)).toEqual(Array.from({ length: 3 }, () => '401 INVALID_CREDENTIALS'))
  })

  it('gives a session with both spellings of its token [ct.7.1.login ct.7.1.login-result ct.7.1.user-brief ct.2.3.p gw.route.auth-group]', async () => {
    await addUser(gateway, 'grace', 'operator')
    const answer = await login(gateway, { username: 'grace', password: passwordOf('grace') })
    const csrf = answer.headers.get('x-csrf-token')
    expect(answer.json).toEqual({
      user: { username: 'grace', role: 'operator', teamId: null, team_id: null },
      csrfToken: csrf,
      csrf_token: csrf,
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(answer.headers.getSetCookie()).toHaveLength(2)
  })

  it('sets cookies that only this origin gets, over HTTPS (security case CS-01) [ct.2.5.cookies]', async () => {
    await addUser(gateway, 'cookie', 'viewer')
    const cookies = (
      await login(gateway, { username: 'cookie', password: passwordOf('cookie') })
    ).headers.getSetCookie()
    const named = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? ''
    for (const name of ['__Host-gantry_session', '__Host-gantry_csrf'])
      for (const attribute of ['Path=/', 'SameSite=Lax', 'Secure']) expect(named(name).split('; ')).toContain(attribute)
    expect(named('__Host-gantry_session')).toMatch(/; HttpOnly/)
    expect(named('__Host-gantry_csrf')).not.toMatch(/HttpOnly/)
  })

  it('shows every caller whether single sign-on is offered [ct.7.1.oidc-config]', async () => {
    expect((await gateway.ask('/admin-api/auth/oidc/config')).json).toEqual({ enabled: false })
  })
})

describe('who is signed in', () => {
  it('receives its session with token and end [ct.7.1.me ct.7.1.me-compat ct.19.11.csrf gw.auth.admin-api]', async () => {
    const session = await aUser(gateway, 'tell', 'auditor')
    const message = Me.parse((await me(gateway, { cookie: session.cookie })).json)
    expect(message).toMatchObject({
      authenticated: true,
      authMethod: 'session',
      auth_method: 'session',
      user: { username: 'tell', role: 'auditor' },
      role: 'auditor',
      csrfToken: session['x-csrf-token'],
      csrf_token: session['x-csrf-token'],
    })
    expect(message.expiresAt).toMatch(/Z$/)
  })

  it('is returned for every listed key, without user and token [ct.7.1.me gw.auth-var.admin_api_keys gw.auth.admin-api]', async () => {
    for (const key of [ADMIN_KEY, SECOND_KEY]) {
      const { json } = await me(gateway, { authorization: `Bearer ${key}` })
      expect(json).toMatchObject({ authMethod: 'bearer', user: null, role: 'admin' })
      expect(json).not.toHaveProperty('csrfToken')
    }
    expect((await me(gateway, { authorization: `Bearer ${ADMIN_KEY},${SECOND_KEY}` })).status).toBe(401)
  })

  it('is decided by the Bearer, valid or not (security case CS-03) [ct.2.1.bearer-first]', async () => {
    const { cookie } = await aUser(gateway, 'both', 'viewer')
    expect((await me(gateway, { cookie, authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await me(gateway, { cookie, authorization: `Bearer ${ADMIN_KEY}` })).json).toMatchObject({
      authMethod: 'bearer',
    })
  })

  it('acts under the user name or the fingerprint of the key [ct.2.2.session ct.2.2.bearer ct.2.2.system]', async () => {
    const session = await aUser(gateway, 'actor', 'admin')
    const body = { username: 'made-by-actor', password: passwordOf('made') }
    await gateway.ask('/admin-api/users', { method: 'POST', body, headers: session })
    const actorOf = async (query: string) => {
      const { json } = await gateway.admin(`/admin-api/audit-log?${query}`)
      return z.object({ items: z.array(z.object({ actor: z.string() })) }).parse(json).items[0]?.actor
    }
    expect(await actorOf('target=made-by-actor')).toBe('actor')
    const fingerprint = createHash('sha256').update(ADMIN_KEY).digest('hex').slice(0, 8)
    expect(await actorOf('target=actor&action=user.create')).toBe(`bearer:${fingerprint}`)
    expect(await actorOf('action=system.start')).toBe('system')
  })
})

describe('CSRF', () => {
  // cites: ct.2.5.csrf gw.auth.admin-csrf gw.route.mutations-csrf ct.18.csrf_validation_failed
  it('is asked of every mutation under a session (security case CS-02)', async () => {
    const session = await aUser(gateway, 'forged', 'admin')
    const other = await aUser(gateway, 'forger', 'admin')
    // These begin a session: the password or the token of the link is in their body.
    const begin = ['login', 'invitation', 'invitation/accept'].map((name) => `/admin-api/auth/${name}`)
    const mutations = ROUTES.filter(({ method, path }) => method !== 'GET' && !begin.includes(path))
    expect(mutations.length).toBeGreaterThan(5)
    for (const { method, path } of mutations)
      for (const token of [undefined, 'wrong', other['x-csrf-token']]) {
        const headers = { cookie: session.cookie, ...(token !== undefined && { 'x-csrf-token': token }) }
        const filled = fillPath(path, { username: 'forged', id: '1', name: 'x', tool: 'x' })
        expect(`${path} ${codeOf(await gateway.ask(filled, { method, headers }))}`).toBe(
          `${path} 403 CSRF_VALIDATION_FAILED`,
        )
      }
    expect((await me(gateway, { cookie: session.cookie })).status).toBe(200)
  })

  it('is not asked of a Bearer [ct.2.5.csrf-bearer]', async () => {
    expect((await change(gateway, 'missing-at-all', { role: 'viewer' })).status).toBe(404)
  })
})

describe('signing out', () => {
  it('ends the session and clears the cookies, however often (security case CS-05) [ct.7.1.logout ct.1.8.logout]', async () => {
    const session = await aUser(gateway, 'leaver', 'viewer')
    for (let turn = 0; turn < 2; turn++) {
      const answer = await gateway.ask('/admin-api/auth/logout', { method: 'POST', headers: session })
      expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } })
      const cleared = answer.headers.getSetCookie()
      if (turn === 0) for (const cookie of cleared) expect(cookie).toMatch(/Max-Age=0|Expires=Thu, 01 Jan 1970/)
      if (turn === 0) expect(cleared).toHaveLength(2)
    }
    expect((await me(gateway, { cookie: session.cookie })).status).toBe(401)
    expect((await gateway.ask('/admin-api/auth/logout', { method: 'POST' })).status).toBe(200)
  })

  it('needs the token while there is a session [ct.7.1.logout-csrf]', async () => {
    const { cookie } = await aUser(gateway, 'stayer', 'viewer')
    const answer = await gateway.ask('/admin-api/auth/logout', { method: 'POST', headers: { cookie } })
    expect(codeOf(answer)).toBe('403 CSRF_VALIDATION_FAILED')
    expect((await me(gateway, { cookie })).status).toBe(200)
  })
})

describe('sessions', () => {
  const list = async (session: SessionHeaders) => {
    const { json } = await gateway.ask('/admin-api/auth/sessions', { headers: session })
    return z.object({ items: z.array(SessionRecord) }).parse(json).items
  }

  it('are listed newest first, with the own one marked [ct.7.1.sessions ct.7.1.session-record]', async () => {
    const first = await aUser(gateway, 'lister', 'viewer')
    const second = await signIn(gateway, 'lister', passwordOf('lister'))
    const [newer, older, ...more] = await list(second)
    expect(more).toEqual([])
    expect([newer?.current, older?.current]).toEqual([true, false])
    expect((await list(first)).map(({ current }) => current)).toEqual([false, true])
    expect(newer?.ipAddress).toBe('127.0.0.1')
  })

  it('are ended one by one, the own ones only [ct.7.1.session-end ct.18.session_not_found]', async () => {
    const mine = await aUser(gateway, 'mine', 'viewer')
    const other = await signIn(gateway, 'mine', passwordOf('mine'))
    const foreign = await aUser(gateway, 'foreign', 'admin')
    const [target] = (await list(mine)).filter(({ current }) => !current)
    const path = `/admin-api/auth/sessions/${target?.id}`
    expect(codeOf(await gateway.ask(path, { method: 'DELETE', headers: foreign }))).toBe('404 SESSION_NOT_FOUND')
    expect((await gateway.ask(path, { method: 'DELETE', headers: mine })).status).toBe(204)
    expect((await me(gateway, other)).status).toBe(401)
    expect(codeOf(await gateway.ask(path, { method: 'DELETE', headers: mine }))).toBe('404 SESSION_NOT_FOUND')
  })

  it('are ended all but the own one [ct.7.1.revoke-others ct.1.4.action]', async () => {
    const mine = await aUser(gateway, 'alone', 'viewer')
    const others = [
      await signIn(gateway, 'alone', passwordOf('alone')),
      await signIn(gateway, 'alone', passwordOf('alone')),
    ]
    const answer = await gateway.ask('/admin-api/auth/sessions/revoke-others', { method: 'POST', headers: mine })
    expect(answer.json).toEqual({ revoked: 2 })
    expect(await Promise.all([mine, ...others].map(async (one) => (await me(gateway, one)).status))).toEqual([
      200, 401, 401,
    ])
  })
})

describe('the own password', () => {
  const path = '/admin-api/auth/me/password'
  const put = (session: SessionHeaders, body: unknown) => gateway.ask(path, { method: 'PATCH', body, headers: session })
  const fresh = 'another password, as good'

  // cites: ct.7.1.password-wrong ct.7.1.password-weak ct.7.1.password-length ct.18.weak_password
  it('is not changed without the current one, nor to a weak one', async () => {
    const session = await aUser(gateway, 'a-long-user-name', 'viewer')
    const currentPassword = passwordOf('a-long-user-name')
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ currentPassword: 'not the password', newPassword: fresh }, '401 INVALID_CREDENTIALS'],
      [{ currentPassword, newPassword: currentPassword }, '400 WEAK_PASSWORD'],
      [{ currentPassword, newPassword: 'a-long-user-name' }, '400 WEAK_PASSWORD'],
      [{ currentPassword, newPassword: 'elevenchars' }, '400 VALIDATION_ERROR'],
      [{ currentPassword, newPassword: 'x'.repeat(257) }, '400 VALIDATION_ERROR'],
      [{ currentPassword }, '400 VALIDATION_ERROR'],
    ]
    for (const [body, code] of cases) expect(codeOf(await put(session, body))).toBe(code)
    expect((await me(gateway, session)).status).toBe(200)
  })

  it('is changed with a session of its own; the others end [ct.7.1.password ct.2.5.revoke ct.19.11.csrf]', async () => {
    const session = await aUser(gateway, 'changer', 'viewer')
    const other = await signIn(gateway, 'changer', passwordOf('changer'))
    const answer = await put(session, { currentPassword: passwordOf('changer'), newPassword: fresh })
    const { csrfToken, csrf_token } = z
      .object({ status: z.literal('ok'), csrfToken: z.string(), csrf_token: z.string() })
      .parse(answer.json)
    expect(csrf_token).toBe(csrfToken)
    expect((await me(gateway, other)).status).toBe(401)
    expect((await me(gateway, session)).status).toBe(401)
    expect((await me(gateway, sessionOf(answer))).status).toBe(200)
    expect((await login(gateway, { username: 'changer', password: passwordOf('changer') })).status).toBe(401)
    expect((await login(gateway, { username: 'changer', password: fresh })).status).toBe(200)
  })

  it('may be spelled in snake_case [ct.7.1.password-alias]', async () => {
    const session = await aUser(gateway, 'snake', 'viewer')
    const body = { current_password: passwordOf('snake'), new_password: fresh }
    expect((await put(session, body)).status).toBe(200)
  })

  it('belongs to session users only [ct.2.3.self]', async () => {
    const body = { currentPassword: 'x', newPassword: fresh }
    expect(codeOf(await gateway.admin(path, { method: 'PATCH', body }))).toBe('403 FORBIDDEN')
    expect(codeOf(await gateway.admin('/admin-api/auth/sessions'))).toBe('403 FORBIDDEN')
  })
})

describe('roles', () => {
  // cites: ct.2.1.admin-role ct.2.3.v ct.2.3.u ct.2.3.s ct.18.forbidden ct.1.1.role gw.route.role-gated
  // cites: ct.19.7.status ct.19.21.auditor ct.19.22.superadmin
  it('open exactly the routes of the table', async () => {
    expect([...ROLES].sort()).toEqual(['admin', 'auditor', 'operator', 'viewer'])
    const rank = { viewer: 0, auditor: 1, operator: 2, admin: 3, superadmin: 3, self: 0 }
    for (const role of ROLES) {
      const session = await aUser(gateway, `role-${role}`, role)
      for (const { method, path, access } of ROUTES) {
        if (access === 'public' || path.endsWith('/events') || method !== 'GET') continue
        const filled = fillPath(path, { username: 'missing', id: '1', name: 'x', tool: 'x' })
        const { status } = await gateway.ask(filled, { headers: session })
        expect({ role, path, forbidden: status === 403 }).toEqual({ role, path, forbidden: rank[role] < rank[access] })
      }
    }
  })

  it('keep mutations from those below as well', async () => {
    for (const role of ['viewer', 'auditor', 'operator']) {
      const headers = await aUser(gateway, `below-${role}`, role)
      const body = { username: 'never-made', password: passwordOf('never') }
      expect(codeOf(await gateway.ask('/admin-api/users', { method: 'POST', body, headers }))).toBe('403 FORBIDDEN')
      expect(codeOf(await gateway.ask('/admin-api/backup', { method: 'POST', headers }))).toBe('403 FORBIDDEN')
    }
    expect((await gateway.admin(user('never-made'))).status).toBe(404)
  })
})

describe('users', () => {
  const make = (body: unknown) => gateway.admin('/admin-api/users', { method: 'POST', body })

  // cites: ct.7.6.user-name ct.7.6.user-password ct.7.6.user-weak ct.7.6.user-exists ct.18.user_exists
  it('are not made with a bad name, a bad password or a name that is taken', async () => {
    await addUser(gateway, 'taken', 'viewer')
    const password = passwordOf('new')
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ username: 'with space', password }, '400 VALIDATION_ERROR'],
      [{ username: '-dash', password }, '400 VALIDATION_ERROR'],
      [{ username: 'x'.repeat(65), password }, '400 VALIDATION_ERROR'],
      [{ username: 'short', password: 'elevenchars' }, '400 VALIDATION_ERROR'],
      [{ username: 'long', password: 'x'.repeat(257) }, '400 VALIDATION_ERROR'],
      [{ username: 'same-as-password', password: 'same-as-password' }, '400 WEAK_PASSWORD'],
      [{ username: 'role', password, role: 'king' }, '400 VALIDATION_ERROR'],
      [{ username: 'taken', password }, '409 USER_EXISTS'],
      [{ username: 'TAKEN', password }, '409 USER_EXISTS'],
    ]
    for (const [body, code] of cases) expect(codeOf(await make(body))).toBe(code)
  })

  it('are made lower-cased, viewers by default, without a visible password [ct.7.6.user-create ct.10.4.user ct.1.4.created ct.1.4.null-present]', async () => {
    const answer = await make({ username: ' Ada.L@Example ', password: passwordOf('ada') })
    expect(answer.status).toBe(201)
    expect(UserRecord.strict().parse(answer.json)).toMatchObject({
      username: 'ada.l@example',
      role: 'viewer',
      isActive: true,
      teamId: null,
      authMethod: 'password',
      lastLoginAt: null,
      revision: 1,
    })
    expect(answer.text).not.toContain(passwordOf('ada'))
  })

  // cites: ct.7.6.users ct.7.6.user ct.7.0.not-found ct.18.user_not_found ct.1.4.deleted ct.1.4.updated ct.1.8.delete
  // cites: gw.route.access-users ct.1.3.patch-absent ct.19.10.ids
  it('are listed by name, read, changed and deleted', async () => {
    await addUser(gateway, 'zed', 'viewer')
    await addUser(gateway, 'abe', 'operator')
    const { json } = await gateway.admin('/admin-api/users?limit=200')
    const names = z
      .object({ items: z.array(UserRecord) })
      .parse(json)
      .items.map(({ username }) => username)
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(['abe', 'zed']))
    expect((await gateway.admin(user('abe'))).json).toMatchObject({ username: 'abe', role: 'operator' })
    const changed = await change(gateway, 'abe', { role: 'auditor' })
    expect(changed).toMatchObject({
      status: 200,
      json: { username: 'abe', role: 'auditor', isActive: true, revision: 2 },
    })
    const gone = await gateway.admin(user('abe'), { method: 'DELETE' })
    expect(gone).toMatchObject({ status: 204, text: '' })
    for (const method of ['GET', 'DELETE'])
      expect(codeOf(await gateway.admin(user('abe'), { method }))).toBe('404 USER_NOT_FOUND')
    expect(codeOf(await change(gateway, 'abe', { role: 'viewer' }))).toBe('404 USER_NOT_FOUND')
  })

  it('may be switched off by either spelling [ct.7.6.user-alias]', async () => {
    await addUser(gateway, 'switched', 'viewer')
    expect((await change(gateway, 'switched', { is_active: false })).json).toMatchObject({ isActive: false })
    expect((await change(gateway, 'switched', { isActive: true })).json).toMatchObject({ isActive: true })
  })

  // cites: ct.7.6.user-sessions ct.2.5.revoke
  it.each([
    ['role', 'PATCH', { role: 'operator' }],
    ['flag', 'PATCH', { isActive: false }],
    ['password', 'PATCH', { password: 'set by another user' }],
    ['existence', 'DELETE', undefined],
  ])('lose their sessions with their %s (security case AN-15)', async (what, method, body) => {
    const session = await aUser(gateway, `loser-of-${what}`, 'viewer')
    await gateway.admin(user(`loser-of-${what}`), { method, ...(body && { body }) })
    expect((await me(gateway, session)).status).toBe(401)
  })
})

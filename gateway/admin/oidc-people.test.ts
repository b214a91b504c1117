// Who single sign-on lets in, and as what.
import { describe, expect, it } from 'vitest'
import { hostileProvider } from '../auth/openid.fixture.ts'
import { type House, PASSWORD } from './admin.fixture.ts'
import { attempt, cookieSession, enable, failed, ssoHouse } from './oidc.fixture.ts'

describe('who may sign in', () => {
  const signInAs = (house: House, provider: Awaited<ReturnType<typeof hostileProvider>>, claims: object) =>
    attempt(house, provider, (nonce) => provider.sign(nonce, { ...claims }))
  const users = async (house: House) =>
    (await house.asKey('/admin-api/users')).json.items as { username: string; role: string; authMethod: string }[]

  it('is refused to a name of another user, and to an empty name [ct.7.1.oidc-callback]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await house.addUser('boss', 'admin')
    for (const preferred_username of ['boss', 'BOSS', '', ' ', '-x', 'a b', 'a'.repeat(65), 7, null, ['ada']])
      expect(failed(await signInAs(house, provider, { preferred_username }))).toBe('not_allowed')
    expect((await signInAs(house, provider, { preferred_username: 'Ada' })).headers.get('location')).toBe('/admin')
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'ada' }))).toBe('not_allowed')
    expect((await users(house)).map(({ username, authMethod }) => `${username} ${authMethod}`)).toEqual([
      'ada oidc',
      'boss password',
    ])
    // The same person under another name is the same user.
    expect((await signInAs(house, provider, { preferred_username: 'lovelace' })).headers.get('location')).toBe('/admin')
    expect(await users(house)).toHaveLength(2)
  })

  it('is refused to a user who was switched off, with the same code', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await signInAs(house, provider, {})
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { isActive: false } })
    expect(failed(await signInAs(house, provider, {}))).toBe('user_inactive')
  })

  it('is for known users only, when none may be created', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    await signInAs(house, provider, {})
    await enable(house, provider.issuer, { autoProvision: false })
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' }))).toBe('not_allowed')
    expect((await signInAs(house, provider, {})).headers.get('location')).toBe('/admin')
    // Made by an administrator under the address that the provider has verified: the same person.
    await enable(house, provider.issuer, { autoProvision: false, usernameClaim: 'email' })
    await house.addUser('grace@example.com', 'operator')
    const grace = { sub: 'u-3', email: 'grace@example.com' }
    expect(failed(await signInAs(house, provider, { ...grace, email_verified: false }))).toBe('not_allowed')
    const answer = await signInAs(house, provider, { ...grace, email_verified: true })
    expect(answer.headers.get('location')).toBe('/admin')
    expect((await users(house)).find(({ username }) => username === 'grace@example.com')).toMatchObject({
      role: 'operator',
      authMethod: 'oidc',
    })
  })

  it('has a verified address of an allowed domain', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { allowedDomains: ['Example.com'] })
    const mail = (email: unknown, email_verified: unknown = true) =>
      signInAs(house, provider, { email, email_verified })
    provider.replies.userinfo = { sub: 'u-1', email: 'x@example.com', email_verified: true }
    for (const [email, verified] of [
      ['ada@evil.example', true],
      ['ada@sub.example.com', true],
      ['ada@example.com.evil.example', true],
      ['example.com', true],
      ['@example.com', true],
      ['ada@example.com', false],
      ['ada@example.com', 'true'],
      ['ada@example.com', null],
      [['ada@example.com'], true],
    ] as const)
      expect.soft(failed(await mail(email, verified)), `${String(email)} ${String(verified)}`).toBe('not_allowed')
    expect((await mail('Ada@EXAMPLE.com')).headers.get('location')).toBe('/admin')
  })

  it('has the highest role that a group gives, decided again at every sign-in', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, {
      roleClaim: 'realm_access.roles',
      roleMap: { ops: 'operator', auditors: 'auditor', toString: 'admin' },
    })
    await house.addUser('boss', 'admin')
    const as = async (roles: unknown): Promise<string | undefined> => {
      expect((await signInAs(house, provider, { realm_access: { roles } })).headers.get('location')).toBe('/admin')
      return (await users(house)).find(({ username }) => username === 'ada')?.role
    }
    provider.replies.userinfo = { sub: 'u-1', realm_access: { roles: ['ops'] } }
    expect(await as(['auditors', 'ops', 'x'])).toBe('operator')
    expect(await as('auditors')).toBe('auditor')
    expect(await as(['constructor', '__proto__', 7, null, ['ops']])).toBe('viewer')
    expect(await as([])).toBe('viewer')
    const session = cookieSession(await signInAs(house, provider, { realm_access: { roles: ['ops'] } }))
    expect((await house.ask('/admin-api/auth/me', { headers: session })).json).toMatchObject({ role: 'operator' })
    await signInAs(house, provider, { realm_access: { roles: [] } })
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(401)
  })

  it('keeps the role an administrator gave, when the provider has no say in roles', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { defaultRole: 'auditor' })
    await signInAs(house, provider, {})
    expect((await users(house))[0]).toMatchObject({ role: 'auditor' })
    await house.asKey('/admin-api/users/ada', { method: 'PATCH', body: { role: 'operator' } })
    await signInAs(house, provider, {})
    expect((await users(house))[0]).toMatchObject({ role: 'operator' })
  })

  it('is not the last admin whom the provider demotes: one has to remain', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer, { roleClaim: 'groups', roleMap: { admins: 'admin' } })
    await signInAs(house, provider, { groups: ['admins'] })
    expect(failed(await signInAs(house, provider, { groups: ['none'] }))).toBe('not_allowed')
    expect((await users(house))[0]).toMatchObject({ role: 'admin' })
  })

  it('comes from the token; the userinfo endpoint adds claims and never overrides one', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    const { replies: answer } = provider
    await enable(house, provider.issuer, { roleClaim: 'groups', roleMap: { admins: 'admin', ops: 'operator' } })
    answer.userinfo = { sub: 'u-1', preferred_username: 'boss', groups: ['admins'] }
    await signInAs(house, provider, { groups: ['ops'] })
    expect(await users(house)).toMatchObject([{ username: 'ada', role: 'operator' }])
    answer.userinfo = { sub: 'u-9', preferred_username: 'boss', groups: ['admins'] }
    expect(failed(await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' }))).toBe('exchange')
    answer.userinfo = { sub: 'u-2', preferred_username: 'boss', groups: ['ops'] }
    await signInAs(house, provider, { sub: 'u-2', preferred_username: 'bob' })
    expect((await users(house)).map(({ username, role }) => `${username} ${role}`)).toEqual([
      'ada operator',
      'bob operator',
    ])
  })

  it('has no password here [ct.7.1.password-sso ct.18.sso_user]', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    await enable(house, provider.issuer)
    const session = cookieSession(await signInAs(house, provider, {}))
    const me = await house.ask('/admin-api/auth/me', { headers: session })
    expect(me.json).toMatchObject({ authMethod: 'session', user: { username: 'ada' } })
    const body = { currentPassword: PASSWORD, newPassword: 'another password entirely' }
    const headers = { ...session, 'x-csrf-token': String(me.json.csrfToken) }
    expect(await house.ask('/admin-api/auth/me/password', { method: 'PATCH', body, headers })).toMatchObject({
      status: 409,
      code: 'SSO_USER',
    })
    const reset = { method: 'PATCH', body: { password: PASSWORD } }
    expect(await house.asKey('/admin-api/users/ada', reset)).toMatchObject({ status: 409, code: 'SSO_USER' })
    const login = { method: 'POST', body: { username: 'ada', password: PASSWORD } }
    expect(await house.ask('/admin-api/auth/login', login)).toMatchObject({ code: 'INVALID_CREDENTIALS' })
  })
})

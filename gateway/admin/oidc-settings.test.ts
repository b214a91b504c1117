// The settings of single sign-on: kept, hidden, tested, or the environment's.
import { describe, expect, it } from 'vitest'
import { CLIENT, hostileProvider } from '../auth/openid.fixture.ts'
import { aHouse, type House } from './admin.fixture.ts'
import { attempt, BOX_KEY, begin, CALLBACK, enable, failed, put, SETTINGS, ssoAudit, ssoHouse } from './oidc.fixture.ts'

describe('the settings', () => {
  const given = { issuer: 'https://id.example', clientId: 'gantry' }

  it('have their defaults, never show the secret, and move their revision [ct.7.1.oidc-settings ct.7.1.oidc-put ct.7.1.oidc-record ct.7.1.oidc-input ct.13.2.oidc.update]', async () => {
    const house = await ssoHouse()
    const answer = await put(house, { ...given, clientSecret: CLIENT.secret })
    expect(answer.json).toEqual({
      ...given,
      enabled: false,
      clientSecretSet: true,
      redirectUri: `${house.front.url}${CALLBACK}`,
      scopes: 'openid profile email',
      usernameClaim: 'preferred_username',
      roleClaim: null,
      roleMap: {},
      defaultRole: 'viewer',
      allowedDomains: [],
      autoProvision: true,
      source: 'database',
      revision: 1,
    })
    expect((await put(house, { ...given, clientSecret: CLIENT.secret, revision: 7 })).status).toBe(412)
    expect((await put(house, given)).json).toMatchObject({ clientSecretSet: true, revision: 1 })
    expect((await put(house, { ...given, enabled: true })).json).toMatchObject({ enabled: true, revision: 2 })
    const rows = JSON.stringify(await house.database.query.selectFrom('oidc_settings').selectAll().execute())
    expect(rows).not.toContain(CLIENT.secret)
    expect(rows).toContain('local:v1:')
    const entries = await ssoAudit(house, 'oidc.update')
    expect(JSON.stringify(entries)).not.toContain(CLIENT.secret)
    expect(entries[1]).toMatchObject({ target: given.issuer, detail: { after: { clientSecret: '[set]' } } })
  })

  it('take no wrong value [ct.7.1.oidc-put]', async () => {
    const house = await aHouse({ env: { SECRET_ENCRYPTION_KEY: BOX_KEY } })
    for (const issuer of ['not a url', 'ftp://id.example', 'https://user:pass@id.example', 'http://id.example'])
      expect(await put(house, { ...given, issuer })).toMatchObject({ status: 400, code: 'INVALID_URL' })
    for (const wrong of [
      { scopes: 'profile' },
      { defaultRole: 'root' },
      { roleMap: { a: 'root' } },
      { allowedDomains: ['a b'] },
      { usernameClaim: '' },
      { teamId: 1 },
    ])
      expect(await put(house, { ...given, ...wrong })).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })

  it('do not send the secret of one provider to another', async () => {
    const house = await ssoHouse()
    await put(house, { ...given, clientSecret: CLIENT.secret })
    const other = { ...given, issuer: 'https://other.example' }
    expect(await put(house, other)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((await put(house, { ...other, clientSecret: 'its own' })).status).toBe(200)
  })

  it('keep no secret where there is no key to seal it with [ct.7.1.oidc-put]', async () => {
    const house = await aHouse()
    expect(await put(house, { ...given, clientSecret: 'x' })).toMatchObject({
      status: 501,
      code: 'SECRET_BOX_NOT_CONFIGURED',
    })
    expect(await house.database.query.selectFrom('oidc_settings').selectAll().execute()).toEqual([])
  })

  it('are the environment’s when it has all three [ct.18.managed_by_env ct.17.effect.oidc_issuer ct.17.effect.oidc_client_id ct.17.effect.oidc_client_secret ct.17.effect.oidc_redirect_uri ct.17.effect.oidc_role_claim ct.17.effect.oidc_role_map]', async () => {
    const provider = await hostileProvider()
    const redirectUri = 'https://gantry.example/back'
    const house = await aHouse({
      // The address of the operator's own provider is not questioned.
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_REDIRECT_URI: redirectUri,
        OIDC_ROLE_CLAIM: 'groups',
        OIDC_ROLE_MAP: 'ops=operator',
      },
    })
    house.time.nowMs = Date.now()
    expect((await house.ask('/admin-api/auth/oidc/config')).json).toEqual({ enabled: true })
    expect((await house.asKey(SETTINGS)).json).toMatchObject({
      enabled: true,
      source: 'env',
      issuer: provider.issuer,
      clientSecretSet: true,
      redirectUri,
      roleMap: { ops: 'operator' },
    })
    expect(await put(house, given)).toMatchObject({ status: 409, code: 'MANAGED_BY_ENV' })
    const answer = await attempt(house, provider, (nonce) => provider.sign(nonce, { groups: 'ops' }))
    expect(answer.headers.get('location')).toBe('/admin')
    const [{ form, authorization } = { form: new URLSearchParams(), authorization: '' }] = provider.seen
    expect(form.get('redirect_uri')).toBe(redirectUri)
    expect(form.has('client_secret')).toBe(false)
    const [id, secret] = Buffer.from(authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':')
    expect([id, new URLSearchParams(`s=${secret}`).get('s')]).toEqual([CLIENT.id, CLIENT.secret])
    expect((await house.asKey('/admin-api/users/ada')).json).toMatchObject({ role: 'operator' })
  })

  it('of the environment say what is asked, who may come and as what [ct.17.effect.oidc_scopes ct.17.effect.oidc_username_claim ct.17.effect.oidc_default_role ct.17.effect.oidc_allowed_domains ct.17.effect.oidc_auto_provision]', async () => {
    const provider = await hostileProvider()
    const env = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPES: 'openid nicknames',
      OIDC_USERNAME_CLAIM: 'nickname',
      OIDC_DEFAULT_ROLE: 'auditor',
      OIDC_ALLOWED_DOMAINS: 'example.com',
    }
    const come = (house: House, email: string) =>
      attempt(house, provider, (nonce) => provider.sign(nonce, { nickname: 'grace', email, email_verified: true }))
    const house = await aHouse({ env })
    house.time.nowMs = Date.now()
    expect((await begin(house)).location.searchParams.get('scope')).toBe('openid nicknames')
    expect(failed(await come(house, 'grace@evil.example'))).toBe('not_allowed')
    expect((await come(house, 'grace@example.com')).headers.get('location')).toBe('/admin')
    expect((await house.asKey('/admin-api/users/grace')).json).toMatchObject({ role: 'auditor', authMethod: 'oidc' })
    const closed = await aHouse({ env: { ...env, OIDC_AUTO_PROVISION: 'false' } })
    expect(failed(await come(closed, 'grace@example.com'))).toBe('not_allowed')
  })

  it('send the secret in the body to a provider that takes it only there', async () => {
    const house = await ssoHouse()
    const provider = await hostileProvider()
    provider.replies.discovery = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    await enable(house, provider.issuer)
    await attempt(house, provider, provider.sign)
    expect(provider.seen[0]?.authorization).toBeUndefined()
    expect(provider.seen[0]?.form.get('client_secret')).toBe(CLIENT.secret)
  })

  it('can be tested before they are kept [ct.7.1.oidc-test]', async () => {
    const house = await ssoHouse()
    const { issuer, replies: answer } = await hostileProvider()
    const test = (body: object) => house.asKey(`${SETTINGS}/test`, { method: 'POST', body })
    expect(await test({})).toMatchObject({ status: 404, code: 'SSO_NOT_CONFIGURED' })
    expect((await test({ issuer })).json).toEqual({
      ok: true,
      issuer,
      endpoints: {
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      error: null,
    })
    await enable(house, issuer)
    answer.keys = []
    expect((await test({})).json).toMatchObject({ ok: false, issuer, endpoints: {}, error: expect.any(String) })
    const closed = await aHouse()
    const refused = await closed.asKey(`${SETTINGS}/test`, {
      method: 'POST',
      body: { issuer: 'https://127.0.0.1:4443' },
    })
    expect(refused.json).toMatchObject({ ok: false, error: expect.stringContaining('not allowed') })
  })
})

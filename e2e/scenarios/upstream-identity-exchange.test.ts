// Token exchange (RFC 8693) and the assertion of an identity provider (ID-JAG): a caller's own token becomes one of the backend, or the call is refused.
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openIssuer, signingKey, tokenOf } from '../../gateway/auth/jwt.fixture.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { outcome } from './access.fixture.ts'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { aMember, BOX_KEY, registerPeople, setIdentity } from './upstream-identity.fixture.ts'

const KEY = signingKey('one')
const ISSUER = 'https://idp.test'
const GRANT = 'urn:ietf:params:oauth:grant-type:'
const TYPE = 'urn:ietf:params:oauth:token-type:'
const forms: { path: string; form: Record<string, string>; authorization: string | undefined }[] = []
const seen: (string | undefined)[] = []
let status = 200
let url = ''
let gateway: Gateway
const closing: (() => Promise<unknown>)[] = []

const subjectOf = (token: string | undefined): string =>
  String((JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as { sub?: unknown }).sub) // a token of this test
const token = (sub: string, more: object = {}): Env => {
  const exp = Math.floor(Date.now() / 1000) + 300
  return {
    authorization: `Bearer ${tokenOf({ alg: KEY.alg, kid: KEY.kid }, { iss: ISSUER, aud: 'gantry', sub, exp, ...more }, KEY)}`,
  }
}
const me = (headers: Env) => outcome(gateway, headers, { path: '/mcp/people', name: 'me' })

beforeAll(async () => {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const json = (code: number, value: unknown): void =>
        void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (path === '/') return json(200, {})
      if (!path.startsWith('/token')) {
        seen.push(request.headers.authorization)
        return json(200, { as: request.headers.authorization })
      }
      const form = Object.fromEntries(new URLSearchParams(body))
      forms.push({ path, form, authorization: request.headers.authorization })
      if (status !== 200) return json(status, { error: status === 400 ? 'invalid_grant' : 'server_error' })
      const given = form.subject_token === undefined ? form.assertion : `jag-${subjectOf(form.subject_token)}`
      const access = form.requested_token_type === `${TYPE}id-jag` ? given : `for-${given?.replace('jag-', '')}`
      return json(200, {
        access_token: access,
        issued_token_type: `${TYPE}access_token`,
        token_type: 'Bearer',
        expires_in: 300,
      })
    })
  })
  const exchange = await listening(server)
  url = exchange.url
  closing.push(exchange.close)
  const idp = await openIssuer(KEY)
  closing.push(idp.close)
  gateway = await startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    SECRET_ENCRYPTION_KEY: BOX_KEY,
    JWT_JWKS_URL: idp.url,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: 'gantry',
  })
  await registerPeople(gateway, url)
})
afterAll(async () => {
  await gateway.end()
  for (const close of closing) await close()
})
beforeEach(() => {
  status = 200
  forms.length = 0
  seen.length = 0
})

const exchange = () => ({
  mode: 'exchange',
  tokenUrl: `${url}/token`,
  clientId: 'gantry',
  clientSecret: 'the secret of the gateway',
  audience: 'people',
  scopes: ['read'],
})

it('exchanges the token of each caller, and keeps what it got for it', async () => {
  await setIdentity(gateway, exchange())
  const ada = token('ada')
  for (const headers of [ada, ada, token('bob')]) expect(await me(headers)).toBe('ok')
  expect(seen).toEqual(['Bearer for-ada', 'Bearer for-ada', 'Bearer for-bob'])
  expect(forms.map(({ form }) => subjectOf(form.subject_token))).toEqual(['ada', 'bob'])
  expect(forms[0]).toMatchObject({
    authorization: expect.stringMatching(/^Basic /),
    form: {
      grant_type: `${GRANT}token-exchange`,
      subject_token_type: `${TYPE}access_token`,
      audience: 'people',
      scope: 'read',
    },
  })
})

it('refuses who brings no token, and whose token is not exchanged; a provider that is away is a failure', async () => {
  await setIdentity(gateway, exchange())
  const member = await aMember(gateway, 'eve')
  expect(await me({ authorization: `Bearer ${member.key}` })).toBe('identity_required')
  status = 400
  expect(await me(token('ada', { jti: 'refused' }))).toBe('identity_required')
  status = 503
  expect(await me(token('ada', { jti: 'away' }))).toBe('failed')
  expect(seen).toEqual([])
})

it('takes the assertion of the identity provider to the authorization server of the backend', async () => {
  await setIdentity(gateway, {
    ...exchange(),
    mode: 'id_jag',
    audience: undefined,
    resourceIssuer: 'https://as.people.test',
    resourceTokenUrl: `${url}/token/resource`,
    resourceClientId: 'gantry-at-people',
    resourceClientSecret: 'another secret',
  })
  expect(await me(token('ada', { jti: 'jag' }))).toBe('ok')
  expect(seen).toEqual(['Bearer for-ada'])
  expect(forms.map(({ path }) => path)).toEqual(['/token', '/token/resource'])
  expect(forms[0]?.form).toMatchObject({
    requested_token_type: `${TYPE}id-jag`,
    subject_token_type: `${TYPE}id_token`,
    audience: 'https://as.people.test',
  })
  expect(forms[1]?.form).toMatchObject({ grant_type: `${GRANT}jwt-bearer`, assertion: 'jag-ada' })
  const shown = await gateway.admin('/admin-api/clients/people/identity')
  expect(shown.json).toMatchObject({ mode: 'id_jag', clientSecretSet: true })
  expect(shown.text).not.toContain('secret of')
})

// Identity providers for tests on loopback: a real OpenID provider, and a scripted one.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { listening } from '../net/listening.fixture.ts'

export const CLIENT = { id: 'gantry', secret: 'a client secret + of/the=tests' }

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  const { url, close } = await listening(server)
  onTestFinished(close)
  return url
}

export type Person = { readonly sub: string } & Readonly<Record<string, unknown>>

/** The package `oidc-provider`, with a sign-in page that accepts `who`. */
export async function realProvider(redirectUri: string, { inToken = true }: { readonly inToken?: boolean } = {}) {
  const state: { who: Person; deny: boolean } = { who: { sub: 'u-1', preferred_username: 'ada' }, deny: false }
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const issuer = await listen((request, response) => answer(request, response))
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups', 'realm_access'],
    },
    // True follows the standard strictly: claims come from userinfo only.
    conformIdTokenClaims: !inToken,
    cookies: { keys: ['a key of the tests'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' }] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ ...state.who }) }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  const pages = provider.callback()
  answer = (request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return void pages(request, response)
    const refusal = { error: 'access_denied', error_description: 'not today' }
    void provider.interactionFinished(request, response, state.deny ? refusal : { login: { accountId: state.who.sub } })
  }
  return { issuer, state }
}

type Reply = { readonly form: URLSearchParams; readonly authorization: string | undefined }

/** A scripted provider: each answer can be replaced. */
export async function hostileProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const seen: Reply[] = []
  const hits: string[] = []
  const now = (): number => Math.floor(Date.now() / 1000)
  const message = {
    discovery: {} as Record<string, unknown>,
    keys: [jwk] as unknown[],
    idToken: async (): Promise<string> => '',
    tokens: undefined as unknown,
    userinfo: { sub: 'u-1' } as unknown,
    status: 200,
  }
  const issuer = await listen((request, response) => {
    const path = request.url ?? ''
    hits.push(path)
    const send = (body: unknown): void => {
      response.writeHead(message.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (path === '/.well-known/openid-configuration')
      return send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        ...message.discovery,
      })
    if (path === '/keys') return send({ keys: message.keys })
    if (path === '/userinfo') return send(message.userinfo)
    if (path !== '/token') return void response.writeHead(404).end()
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ form: new URLSearchParams(body), authorization: request.headers.authorization })
      void message.idToken().then((id_token) => send(message.tokens ?? { id_token, access_token: 'an access token' }))
    })
  })
  /** A valid token with overrides. */
  const sign = (
    nonce: string,
    claims: Readonly<Record<string, unknown>> = {},
    {
      key = privateKey,
      header = {},
    }: { key?: CryptoKey | Uint8Array; header?: Readonly<Record<string, unknown>> } = {},
  ): Promise<string> =>
    new SignJWT({
      iss: issuer,
      aud: CLIENT.id,
      sub: 'u-1',
      iat: now(),
      exp: now() + 300,
      nonce,
      preferred_username: 'ada',
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .sign(key)
  return { issuer, replies: message, seen, hits, sign, jwk, now }
}

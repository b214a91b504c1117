// A backend that is called as people, its authorization server (oidc-provider, with a hook that misbehaves), and the browser of a person.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type ClientMetadata, Provider } from 'oidc-provider'
import { request as send } from 'undici'
import { onTestFinished } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type Answer, type Gateway, passwordOf, type SessionHeaders, signIn } from './gateway.fixture.ts'

export const BOX_KEY = Buffer.alloc(32, 7).toString('base64')

type Closing = (close: () => Promise<void>) => void

type Answering = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

async function answering(answer: Answering, closing: Closing): Promise<string> {
  const server = createServer((request, response) => void answer(request, response))
  const { url, close } = await listening(server)
  closing(close)
  return url
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // of a request without encoding
  return Buffer.concat(chunks)
}

export type Reply = { status: number; body: Record<string, unknown>; headers: Record<string, string> }
export type Provided = Awaited<ReturnType<typeof openProvider>>
type Offering = {
  readonly scopes?: readonly string[]
  /** Registered by hand. */
  readonly clients?: readonly ClientMetadata[]
  /** Accepts clients by their metadata document, and reads it so. */
  readonly documents?: (url: string) => Promise<Response>
}

/** A provider that goes with the test. */
export const aProvider = (offering: Offering = {}): Promise<Provided> => openProvider(offering, onTestFinished)

/** `twist`: what the provider answers instead, by path. */
export async function openProvider(
  { scopes = ['read', 'write'], clients = [], documents }: Offering,
  closing: Closing,
) {
  const state = {
    who: 'a person',
    ttlSeconds: 300,
    twist: undefined as ((path: string, reply: Reply, form: URLSearchParams) => void | Promise<void>) | undefined,
    asked: [] as { path: string; form: URLSearchParams }[],
  }
  let inner: RequestListener = () => undefined
  const behind = await answering((request, response) => inner(request, response), closing)
  const issuer = await answering(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const body = await bodyOf(request)
    const form = new URLSearchParams(body.toString('utf8'))
    if (request.method === 'POST') state.asked.push({ path, form })
    const { 'content-length': _length, connection: _connection, ...headers } = request.headers
    const answer = await send(behind + (request.url ?? ''), {
      method: request.method as 'GET', // any method that a client of HTTP sends
      headers: { ...headers, 'x-forwarded-proto': 'http' } as unknown as Record<string, string>, // undici takes lists as well
      body: body.length === 0 ? null : body,
    })
    const text = await answer.body.text()
    const passed = Object.entries(answer.headers).filter(
      ([name]) => !/^(connection|content-length|transfer-encoding)$/.test(name),
    )
    const reply: Reply = {
      status: answer.statusCode,
      body: parsed(text),
      headers: Object.fromEntries(passed) as Record<string, string>,
    }
    await state.twist?.(path, reply, form)
    response.writeHead(reply.status, reply.headers)
    response.end(Object.keys(reply.body).length === 0 ? text : JSON.stringify(reply.body))
  }, closing)
  const provider = new Provider(issuer, {
    clients: [...clients],
    ...(documents && { fetch: (url) => documents(String(url)) }),
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    ttl: {
      AccessToken: () => state.ttlSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      ...(documents && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: scopes.join(' '),
          accessTokenTTL: state.ttlSeconds,
          accessTokenFormat: 'opaque',
        }),
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, params } = oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(`openid offline_access ${scopes.join(' ')}`)
      const asked = String(params?.scope ?? '')
      if (typeof params?.resource === 'string') grant.addResourceScope(params.resource, asked)
      await grant.save()
      return grant
    },
  })
  provider.proxy = true
  const pages = provider.callback()
  inner = (request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return void pages(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: state.who }, consent: {} })
  }
  return {
    issuer,
    state,
    /** Whose token this is, with which scopes; undefined for any other text. */
    async owner(token: string): Promise<{ readonly sub: string; readonly scopes: readonly string[] } | undefined> {
      const found = await provider.AccessToken.find(token)
      return found?.accountId ? { sub: found.accountId, scopes: [...found.scopes] } : undefined
    },
    tokenRequests: () => state.asked.filter(({ path }) => path === '/token').map(({ form }) => form),
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // checked
  } catch {
    return {}
  }
}

export type Known = { readonly sub: string | null; readonly token: string | null }

export type Resource = Awaited<ReturnType<typeof openResource>>
export const aResource = (provided: Provided, how: { readonly challenge?: boolean } = {}): Promise<Resource> =>
  openResource(provided, how, onTestFinished)

/** A REST backend that answers whom it sees, refuses unknown callers, and wants `write` for `/write`. */
export async function openResource(
  provided: Provided,
  { challenge = true }: { readonly challenge?: boolean },
  closing: Closing,
) {
  const seen: Known[] = []
  const state = { metadata: {} as Record<string, unknown>, refuseAll: false, demand: null as string | null }
  const url = await answering(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const json = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (path === '/.well-known/oauth-protected-resource')
      return json(200, {
        resource: `${url}/`,
        authorization_servers: [provided.issuer],
        scopes_supported: ['read'],
        ...state.metadata,
      })
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
    const owner = token === null ? undefined : await provided.owner(token)
    if (path !== '/') seen.push({ sub: owner?.sub ?? null, token })
    if (owner === undefined || state.refuseAll)
      return json(
        401,
        { error: 'who are you' },
        challenge
          ? { 'www-authenticate': `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"` }
          : {},
      )
    const wanted = state.demand ?? (path === '/write' && !owner.scopes.includes('write') ? 'write' : null)
    if (wanted !== null)
      return json(
        403,
        { error: 'insufficient_scope' },
        { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` },
      )
    const more = path === '/large' ? { items: Array.from({ length: 400 }, (_none, id) => ({ id, of: owner.sub })) } : {}
    return json(200, { sub: owner.sub, scopes: owner.scopes, echo: path === '/leak' ? token : undefined, ...more })
  }, closing)
  return { url, seen, state }
}

const tool = (name: string) => ({
  name,
  method: 'GET',
  endpoint: `/${name}`,
  description: `About ${name}`,
  inputSchema: { type: 'object', properties: {} },
})

export async function must(answer: Promise<Answer>, status = 200): Promise<Answer> {
  const given = await answer
  if (given.status !== status) throw new Error(`Expected ${status}, but: ${given.status} ${given.text}`)
  return given
}

/** Registers the backend `people`, called as each person. */
export async function registerPeople(
  gateway: Gateway,
  url: string,
  identity: object = {},
  name = 'people',
): Promise<void> {
  const tools = ['me', 'write', 'leak', 'large'].map(tool)
  await must(
    gateway.admin('/register', { method: 'POST', body: { name, base_url: `${url}/`, health_url: `${url}/`, tools } }),
  )
  await setIdentity(gateway, { mode: 'per_principal', ...identity }, name)
}

export const setIdentity = (gateway: Gateway, body: object, name = 'people'): Promise<Answer> =>
  must(gateway.admin(`/admin-api/clients/${name}/identity`, { method: 'PUT', body }))

export type Member = { readonly name: string; readonly session: SessionHeaders; readonly key: string }

/** A user who signed in, and a key that is theirs. */
export async function aMember(gateway: Gateway, name: string, role = 'viewer'): Promise<Member> {
  const body = { username: name, password: passwordOf(name), role }
  await must(gateway.admin('/admin-api/users', { method: 'POST', body }), 201)
  const key = await must(
    gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: name, person: name } }),
    201,
  )
  const session = await signIn(gateway, name, passwordOf(name))
  return { name, session, key: (key.json as { key: string }).key } // a created key has one
}

const cookieText = (answer: Answer): string[] =>
  answer.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0] ?? '')
    .filter((each) => !each.endsWith('='))

/** What the person's browser does between the two visits at the gateway: the address that leads back. */
export async function atProvider(provided: Provided, location: string, who: string): Promise<URL> {
  provided.state.who = who
  const jar = new Map<string, string>()
  let next = new URL(location)
  for (let hop = 0; hop < 8; hop++) {
    if (next.origin !== provided.issuer) return next
    const answer = await send(next, {
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    const text = await answer.body.text()
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/)
      jar.set(name, value)
    }
    const to = answer.headers.location
    if (typeof to !== 'string') throw new Error(`The provider stopped at ${next}: ${answer.statusCode} ${text}`)
    next = new URL(to, next)
  }
  throw new Error('The provider leads in a circle')
}

export type Begun = { readonly location: string; readonly cookie: string }
export async function begin(gateway: Gateway, { session }: Member, link?: string, name = 'people'): Promise<Begun> {
  const answer = await must(
    gateway.ask(`/admin-api/clients/${name}/connection/begin`, {
      method: 'POST',
      headers: session,
      body: link ? { link } : {},
    }),
  )
  const { location } = answer.json as { location: string } // by the contract
  return { location, cookie: [session.cookie, ...cookieText(answer)].join('; ') }
}

/** Where the gateway leads the browser after the provider. */
export async function comeBack(gateway: Gateway, cookie: string, to: URL): Promise<URLSearchParams> {
  const answer = await must(gateway.ask(to.pathname + to.search, { headers: { cookie } }), 302)
  return new URL(answer.headers.get('location') ?? '', gateway.url).searchParams
}

export async function connect(
  gateway: Gateway,
  provided: Provided,
  member: Member,
  link?: string,
  name = 'people',
): Promise<URLSearchParams> {
  const { location, cookie } = await begin(gateway, member, link, name)
  return comeBack(gateway, cookie, await atProvider(provided, location, member.name))
}

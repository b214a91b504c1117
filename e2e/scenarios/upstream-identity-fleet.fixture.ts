// An authorization server whose tokens last five minutes on a clock of its own, the backends that accept them, and people who are connected already.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createPrincipals } from '../../gateway/identity/principals.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { localProvider } from '../../gateway/secrets/local.ts'
import { optionsFor } from '../../gateway/storage/database.fixture.ts'
import { jsonText } from '../../gateway/storage/json-text.ts'
import { openPostgres } from '../../gateway/storage/postgres.ts'
import type { StoredUpstreamClient } from '../../gateway/storage/stored.ts'
import { grantRef, insertUpstreamClient, replaceGrant } from '../../gateway/storage/upstream-grants.ts'
import { insertUser } from '../../gateway/storage/users.ts'
import type { Ends } from './gateway.fixture.ts'
import { BOX_KEY } from './upstream-identity.fixture.ts'

export const LIFETIME_MS = 300_000
/** The clocks of gateways are read a moment after that of the server. */
const SKEW_MS = 60_000
const AT = '2026-01-01T00:00:00.000Z'

type Given = { readonly access: string; readonly refresh: string }
type Shown = { readonly request: IncomingMessage; readonly response: ServerResponse }
export type World = Awaited<ReturnType<typeof openWorld>>

/** `owner` is `backend.person`. Refresh tokens rotate; a lost answer alone may be asked for again. */
export async function openWorld(ends: Ends) {
  const state = { offMs: 0, holding: false, killing: false }
  const counts = { refreshed: 0, calls: 0, asked: 0, again: 0, double: 0, stale: 0, foreign: 0, expired: 0 }
  const serials = new Map<string, number>()
  const issuedAt = new Map<string, number>()
  const shown = new Map<string, Shown>()
  const held: (() => void)[] = []
  /** The connections of processes that were killed. */
  const dead = new WeakSet<object>()
  const now = (): number => Date.now() + state.offMs

  function give(owner: string): Given {
    const serial = (serials.get(owner) ?? 0) + 1
    serials.set(owner, serial)
    const access = `access-${owner}-${serial}`
    issuedAt.set(access, now())
    return { access, refresh: `refresh-${owner}-${serial}` }
  }

  function refresh({ request, response }: Shown, token: string): void {
    const json = (status: number, body: object): void => {
      if (!response.destroyed)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    counts.asked += 1
    const owner = token.split('-')[1] ?? ''
    const before = shown.get(token)
    if (before !== undefined) counts[dead.has(before.request.socket) ? 'again' : 'double'] += 1
    shown.set(token, { request, response })
    // The one after it was shown already: what was stored is older than what was used.
    if (shown.has(`refresh-${owner}-${Number(token.split('-')[2]) + 1}`)) {
      counts.stale += 1
      return json(400, { error: 'invalid_grant' })
    }
    const given = give(owner)
    counts.refreshed += 1
    const answer = (): void =>
      json(200, {
        access_token: given.access,
        refresh_token: given.refresh,
        token_type: 'Bearer',
        expires_in: LIFETIME_MS / 1000,
      })
    if (state.holding) held.push(answer)
    else answer()
  }

  function called(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://a')
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const [, owner = ''] = token.split('-')
    const issued = issuedAt.get(token)
    const wanted = `${pathname.split('/')[1]}.${searchParams.get('who')}`
    counts.calls += 1
    if (issued === undefined || owner !== wanted) counts.foreign += 1
    if (issued !== undefined && now() > issued + LIFETIME_MS + SKEW_MS) counts.expired += 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ owner }))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      if (request.url?.includes('/me')) called(request, response)
      else response.end('{}')
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // of a request without encoding
    const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('refresh_token') ?? ''
    refresh({ request, response }, token)
  }
  const server = createServer((request, response) => void answer(request, response))
  // A connection that closes is one of a process that was killed.
  server.keepAliveTimeout = 600_000
  server.on('connection', (socket) =>
    socket.on('close', () => {
      if (state.killing) dead.add(socket)
    }),
  )
  const { url, close } = await listening(server)
  ends(close)
  return {
    url,
    state,
    counts,
    give,
    held: () => held.length,
    /** How many were held. */
    release(): number {
      state.holding = false
      const all = held.splice(0)
      for (const answer of all) answer()
      return all.length
    },
  }
}

const clientOf = (url: string): StoredUpstreamClient => ({
  clientId: 'gantry',
  authMethod: 'none',
  authorization: `${url}/authorize`,
  token: `${url}/token`,
  revocation: null,
  namesItself: false,
  resource: null,
  audience: null,
  origin: new URL(url).origin,
  redirectUri: null,
})

/** Users `p0`…, each connected to every backend `b0`…, written as the gateway writes them. */
export async function connectAll(databaseUrl: string, { url, give }: World, people: number): Promise<void> {
  const place = { dataDir: null, url: databaseUrl, poolMax: 2 }
  const database = await openPostgres({ ...optionsFor(':memory:'), ...place })
  const box = localProvider(BOX_KEY, Buffer.alloc(16))
  const { query } = database
  const principals = createPrincipals({ database, monotonic: () => performance.now() })
  const names = Array.from({ length: people }, (_none, at) => `p${at}`)
  try {
    const backends = await query.selectFrom('backends').select(['id', 'name']).where('name', 'like', 'b%').execute()
    await database.write(async (tx) => {
      for (const username of names)
        await insertUser(tx, {
          username,
          password_hash: null,
          role: 'viewer',
          is_active: 1,
          team_id: null,
          auth_method: 'oidc',
          created_at: AT,
          updated_at: AT,
        })
    })
    const ids = new Map<string, string>()
    for (const username of names) ids.set(username, (await principals.of({ kind: 'user', username }))?.id ?? '')
    for (const { id, name } of backends)
      await database.write(async (tx) => {
        const row = await insertUpstreamClient(tx, {
          backend_id: id,
          issuer: url,
          generation: 1,
          origin: 'form',
          client: jsonText(clientOf(url)),
          secret: null,
          created_at: AT,
        })
        for (const [person, principal] of ids) {
          const grant = { backend_id: id, principal }
          await replaceGrant(tx, {
            ...grant,
            person,
            client_id: row.id,
            state: 'connected',
            sealed: await box.seal(JSON.stringify(give(`${name}.${person}`)), grantRef(grant, url, 1)),
            token_hash: 'seeded',
            scopes: '',
            expires_at_ms: Date.now() + LIFETIME_MS,
            lifetime_ms: LIFETIME_MS,
            version: 1,
            retrying_since: null,
            last_error: null,
            created_at: AT,
            updated_at: AT,
          })
        }
      })
  } finally {
    await database.close()
  }
}

/** The states of all connections, and how many hold each. */
export async function statesOf(databaseUrl: string): Promise<Record<string, number>> {
  const place = { dataDir: null, url: databaseUrl, poolMax: 1 }
  const database = await openPostgres({ ...optionsFor(':memory:'), ...place })
  try {
    const rows = await database.query
      .selectFrom('upstream_grants')
      .select(['state', ({ fn }) => fn.countAll<string>().as('count')])
      .groupBy('state')
      .execute()
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
  } finally {
    await database.close()
  }
}

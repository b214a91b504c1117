// The transport against a real server on loopback: refusals, CSRF token, desktop channel.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { ADMIN, ApiError, type ClientRequest, createClient } from '#contract'
import { desktopBridge } from './desktop.ts'
import { createDesktopTransport, createHttpTransport, pickTransport } from './transport.ts'

type Seen = { readonly line: string; readonly csrf: string | undefined }
type Answer = { readonly status: number; readonly body: unknown; readonly raw?: string }

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const me = (csrfToken: string): Answer => ({ status: 200, body: { authenticated: true, csrfToken } })
const refused = (code: string, status: number, more: object = {}): Answer => ({
  status,
  body: { error: { code, message: 'No.', request_id: 'req-1', ...more } },
})

async function gateway(answer: (seen: Seen, request: IncomingMessage) => Answer) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const csrf = request.headers['x-csrf-token']
    const entry = { line: `${request.method} ${request.url}`, csrf: Array.isArray(csrf) ? csrf[0] : csrf }
    seen.push(entry)
    const { status, body, raw } = answer(entry, request)
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-header' })
    response.end(raw ?? JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const base = `http://127.0.0.1:${address.port}`
  const transport = createHttpTransport({ fetch: (path, init) => fetch(`${base}${String(path)}`, init) })
  return { seen, api: createClient(ADMIN, transport), stop: () => server.close() }
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

describe('refusals', () => {
  it('carries the code, the request id, the fields and the waiting time', async () => {
    const { api } = await gateway(() =>
      refused('RATE_LIMITED', 429, { retryAfterMs: 4200, fields: [{ path: 'username', message: 'is wrong' }] }),
    )
    const error = await failure(api.auth.login({ body: { username: 'a', password: 'b' } }))
    expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', requestId: 'req-1', retryAfterMs: 4200 })
    expect(error.fields).toEqual([{ path: 'username', message: 'is wrong' }])
  })

  it('reports status and request id of a foreign answer', async () => {
    const { api } = await gateway(() => ({ status: 502, body: undefined, raw: '<html>Bad gateway</html>' }))
    expect(await failure(api.overview.get())).toMatchObject({ code: 'HTTP_502', requestId: 'req-header' })
  })

  it('reports an unreachable gateway', async () => {
    const transport = createHttpTransport({ fetch: () => Promise.reject(new TypeError('refused')) })
    const error = await failure(createClient(ADMIN, transport).overview.get())
    expect(error).toMatchObject({ status: 0, code: 'GATEWAY_UNREACHABLE' })
  })

  it('times out', async () => {
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('timeout'))))
    const error = await failure(createClient(ADMIN, createHttpTransport({ fetch, deadlineMs: 5 })).overview.get())
    expect(error.code).toBe('GATEWAY_UNREACHABLE')
  })

  it('does not repeat a mutation without a new token', async () => {
    const { api, seen } = await gateway(({ line }) =>
      line.startsWith('GET') ? me('stale') : refused('CSRF_VALIDATION_FAILED', 403),
    )
    await api.auth.me()
    expect((await failure(api.auth.revokeOthers())).code).toBe('CSRF_VALIDATION_FAILED')
    expect(seen.filter(({ line }) => line.startsWith('POST'))).toHaveLength(1)
  })

  it('does not treat another 403 as a stale token', async () => {
    const { api, seen } = await gateway(() => refused('FORBIDDEN', 403))
    expect((await failure(api.auth.revokeOthers())).code).toBe('FORBIDDEN')
    expect(seen).toHaveLength(1)
  })
})

describe('the CSRF token', () => {
  it('is sent with mutations only, once received', async () => {
    const { api, seen } = await gateway(({ line }) => (line.endsWith('/me') ? me('t-1') : { status: 200, body: {} }))
    await api.auth.me()
    await api.overview.get()
    await api.auth.revokeOthers()
    expect(seen.map(({ csrf }) => csrf)).toEqual([undefined, undefined, 't-1'])
  })

  it('is refreshed after a refusal, and the mutation is repeated', async () => {
    const { api, seen } = await gateway(({ line, csrf }) => {
      if (line.endsWith('/me')) return me('t-2')
      return csrf === 't-2' ? { status: 200, body: { revoked: 3 } } : refused('CSRF_VALIDATION_FAILED', 403)
    })
    expect(await api.auth.revokeOthers()).toEqual({ revoked: 3 })
    expect(seen.map(({ line }) => line.split(' ')[0])).toEqual(['POST', 'GET', 'POST'])
  })

  it('is replaced after a password change', async () => {
    const { api, seen } = await gateway(({ line }) =>
      line.startsWith('PATCH')
        ? { status: 200, body: { status: 'ok', csrfToken: 't-new' } }
        : { status: 200, body: { authenticated: true, csrfToken: 't-old', revoked: 0 } },
    )
    await api.auth.me()
    await api.auth.changePassword({ body: { currentPassword: 'a', newPassword: 'twelve-letters' } })
    await api.users.delete({ params: { username: 'ada' } })
    expect(seen.at(-1)?.csrf).toBe('t-new')
  })
})

describe('the desktop window', () => {
  const answer = { status: 200, headers: {}, body: '{"revoked":1}' }

  it('is not detected in a browser or an imitation', () => {
    expect(desktopBridge({})).toBeUndefined()
    expect(desktopBridge({ desktop: { adminRequest: 'yes' } })).toBeUndefined()
  })

  it('carries all requests if present', async () => {
    const asked: ClientRequest[] = []
    const desktop = desktopBridge({
      desktop: {
        adminRequest: (request: ClientRequest) => {
          asked.push(request)
          return Promise.resolve(answer)
        },
      },
    })
    const transport = pickTransport(desktop, { fetch: () => Promise.reject(new Error('fetch was asked')) })
    expect(await createClient(ADMIN, transport).auth.revokeOthers()).toEqual({ revoked: 1 })
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/admin-api/auth/sessions/revoke-others' })
  })

  it('reports that its main process does not answer', async () => {
    const transport = createDesktopTransport({ adminRequest: () => Promise.reject(new Error('gone')) })
    expect((await failure(createClient(ADMIN, transport).overview.get())).code).toBe('GATEWAY_UNREACHABLE')
  })
})

import { request as rawRequest } from 'node:http'
import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { GatewayError } from '#contract'
import { createAuthenticator, requireAccess } from './admin.ts'
import { createCookies } from './cookies.ts'
import { injectAsDesktop } from './desktop.ts'

const KEY = 'an-admin-key-of-the-tests'

/** A minimal server that returns the caller. */
async function aServer(over: Partial<{ AUTH_DISABLED: boolean; ADMIN_API_KEYS: readonly string[] }> = {}) {
  const settings = { AUTH_DISABLED: false, ADMIN_API_KEYS: [KEY, 'a-second-key-of-the-tests'], ...over }
  const authenticator = createAuthenticator({
    settings,
    cookies: createCookies({ secure: true }),
    sessions: { find: async () => undefined },
  })
  const app = Fastify()
  onTestFinished(() => app.close())
  const inner = { answer: 401 }
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof GatewayError ? error.status : 500).send({ error: String(error) }),
  )
  const get = (url: string, handler: (request: FastifyRequest) => Promise<unknown>) =>
    app.route({ method: 'GET', url, handler })
  get('/who', async (request) => (await authenticator.identify(request.raw)).actor)
  // A handler that calls the same server from inside its request.
  get('/nested', async (request) => {
    await authenticator.identify(request.raw)
    inner.answer = (await app.inject('/who')).statusCode
    return {}
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, url, inner }
}

describe('the desktop window', () => {
  it('is recognized by its request, with the name of its user [ct.2.2.bearer]', async () => {
    const { app } = await aServer()
    const answer = await injectAsDesktop(app, 'ada', { url: '/who' })
    expect(answer.json()).toEqual({ name: 'desktop:ada', kind: 'desktop', role: 'admin', teamId: null })
  })

  it('cannot be impersonated by any network request at any time', async () => {
    const { app, url } = await aServer()
    const headers = {
      'x-desktop': 'ada',
      authorization: 'desktop:ada',
      cookie: 'desktop=ada',
      'user-agent': 'lightMyRequest',
    }
    expect((await fetch(`${url}/who`, { headers })).status).toBe(401)
    expect((await app.inject({ url: '/who', headers })).statusCode).toBe(401)
    // Sent from within the window's own request: the mark must not leak.
    const [asDesktop, overTheNetwork] = await Promise.all([
      injectAsDesktop(app, 'ada', { url: '/who' }),
      injectAsDesktop({ inject: (() => fetch(`${url}/who`)) as never }, 'ada', { url: '/who' }), // a window that leaves its page
    ])
    expect(asDesktop.statusCode).toBe(200)
    expect(overTheNetwork).toMatchObject({ status: 401 })
  })

  it('has one request per ticket: nested requests of its handler are not marked', async () => {
    const { app, inner } = await aServer()
    expect((await injectAsDesktop(app, 'ada', { url: '/nested' })).statusCode).toBe(200)
    expect(inner.answer).toBe(401)
  })
})

describe('a key', () => {
  it('is each entry of the list, named by the first digits of its hash [gw.auth-var.admin_api_keys ct.2.2.bearer]', async () => {
    const { url } = await aServer()
    const who = async (authorization: string) => fetch(`${url}/who`, { headers: { authorization } })
    expect(await (await who(`Bearer ${KEY}`)).json()).toMatchObject({
      name: expect.stringMatching(/^bearer:[0-9a-f]{8}$/),
      kind: 'bearer',
    })
    expect((await who('Bearer a-second-key-of-the-tests')).status).toBe(200)
    for (const wrong of [`${KEY},a-second-key-of-the-tests`, KEY.slice(0, -1), `${KEY}x`, 'x'.repeat(8000)])
      expect((await who(`Bearer ${wrong}`)).status).toBe(401)
  })

  it('does not exist when none is listed', async () => {
    const { url } = await aServer({ ADMIN_API_KEYS: [] })
    for (const authorization of ['Bearer ', 'Bearer', 'Bearer undefined'])
      expect((await fetch(`${url}/who`, { headers: { authorization } })).status).toBe(401)
  })

  it('is rejected when sent beside another', async () => {
    const { url } = await aServer()
    const status = await new Promise((resolve, reject) => {
      const headers = ['Host', new URL(url).host, 'Authorization', `Bearer ${KEY}`, 'Authorization', 'Bearer other']
      rawRequest(`${url}/who`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(401)
  })
})

describe('access', () => {
  it('is refused with the required role', () => {
    const viewer = { name: 'v', kind: 'session', role: 'viewer', teamId: null } as const
    expect(() => requireAccess(viewer, 'operator')).toThrow('the role operator')
    expect(() => requireAccess({ ...viewer, role: 'admin', teamId: 7 }, 'superadmin')).toThrow(
      'an admin without a team',
    )
    expect(() => requireAccess({ ...viewer, kind: 'bearer' }, 'self')).toThrow('signed in')
    expect(() => requireAccess(viewer, 'viewer')).not.toThrow()
  })
})

// The tokens of a real flow (access, refresh, code, client secret) stand in nothing that the gateway answers, logs, exports or keeps. Security case RS-01.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { API, type Route, type RouteTable } from '#contract'
import { rpc } from './data-plane.fixture.ts'
import { type Answer, type Ask, aGateway } from './gateway.fixture.ts'
import {
  aMember,
  aProvider,
  aResource,
  atProvider,
  BOX_KEY,
  begin,
  connect,
  must,
  registerPeople,
} from './upstream-identity.fixture.ts'

const GIVEN = {
  client_id: 'given-by-hand',
  client_secret: 'a secret that was given by hand, long enough',
  redirect_uris: ['http://127.0.0.1/admin-api/connect/callback'],
  application_type: 'native' as const,
  grant_types: ['authorization_code', 'refresh_token'],
}
const STREAM = 'text/event-stream'
const LISTS = Object.values<RouteTable>(API)
  .flatMap((table) => Object.values<Route>(table))
  .filter(({ method, path, produces = [] }) => method === 'GET' && !path.includes(':') && !produces.includes(STREAM))
const OF_PEOPLE = ['', '/identity', '/connections', '/tools', '/tools/leak', '/upstream-auth', '/oauth']

/** Every file below a folder, as text. */
const filesIn = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = join(entry.parentPath, entry.name)
    return entry.isFile() ? [[file, readFileSync(file, 'latin1')] as const] : []
  })

it('are nowhere: answers, pages, log, audit, calls, captured calls, traces, exports, metrics, files', async () => {
  const provided = await aProvider({ clients: [GIVEN] })
  const resource = await aResource(provided)
  const gateway = await aGateway({
    ALLOW_PRIVATE_IPS: 'true',
    SECRET_ENCRYPTION_KEY: BOX_KEY,
    RATE_LIMIT_SSO: '100000',
    LOG_LEVEL: 'trace',
    AUDIT_TOOL_CALLS: 'all',
    TRACE_STORAGE: 'true',
    TRAFFIC_CAPTURE: 'true',
  })
  const client = { clientId: GIVEN.client_id, clientSecret: GIVEN.client_secret }
  await registerPeople(gateway, resource.url, client)
  const ada = await aMember(gateway, 'ada', 'admin')
  const planted = new Map<string, string>([[GIVEN.client_secret, 'client secret']])
  provided.state.twist = (path, { body }) => {
    if (path !== '/token') return
    for (const name of ['access_token', 'refresh_token'])
      if (typeof body[name] === 'string') planted.set(body[name], name)
  }
  const texts: (readonly [string, string])[] = []
  const read = async (what: string, answer: Promise<Answer>): Promise<Answer> => {
    const given = await answer
    texts.push([what, `${given.text}\n${JSON.stringify([...given.headers])}`])
    return given
  }
  const asked = (path: string, more: Ask = {}): Promise<Answer> =>
    read(path, gateway.ask(path, { headers: ada.session, ...more }))
  const post = (path: string, body: object): Promise<Answer> => asked(path, { method: 'POST', body })
  const call = (name: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${ada.key}` }
    return read(name, rpc(gateway, 'tools/call', { name, arguments: {} }, { path: '/mcp/people', headers }))
  }

  // From the link of a refused call to the page after the provider.
  const link = /\/connect\/([\w-]+)/.exec((await call('leak')).text)?.[1] ?? ''
  await asked(`/connect/${link}`)
  await asked(`/admin/connections?link=${link}`)
  await post('/admin-api/connections/link', { link })
  await must(post('/admin-api/clients/people/connection/offer', { link }))
  const { location, cookie } = await begin(gateway, ada, link)
  const back = await atProvider(provided, location, 'ada')
  planted.set(back.searchParams.get('code') ?? '', 'code')
  const came = await must(read('callback', gateway.ask(back.pathname + back.search, { headers: { cookie } })), 302)
  await asked(came.headers.get('location') ?? '')
  expect((await call('leak')).text).toContain('ada')
  // Refused, renewed and failed calls, and the end of a connection.
  await call('write')
  resource.state.refuseAll = true
  await call('me')
  resource.state.refuseAll = false
  provided.state.ttlSeconds = 1
  await connect(gateway, provided, ada)
  await call('leak')

  for (const { path } of LISTS) await read(path, gateway.admin(path))
  for (const path of OF_PEOPLE) await read(path, gateway.admin(`/admin-api/clients/people${path}`))
  const { items: captured } = (await gateway.admin('/admin-api/traffic?limit=50')).json as { items: { id: number }[] } // by the contract
  expect(captured.length).toBeGreaterThan(2)
  for (const { id } of captured) await read('captured', gateway.admin(`/admin-api/traffic/${id}`))
  const { items: traces } = (await gateway.admin('/admin-api/traces?limit=50')).json as { items: { traceId: string }[] } // by the contract
  for (const { traceId } of traces) await read('trace', gateway.admin(`/admin-api/traces/${traceId}`))
  await must(gateway.ask('/admin-api/clients/people/connection', { method: 'DELETE', headers: ada.session }), 204)
  await gateway.stop()
  texts.push(['log', gateway.output()], ...filesIn(gateway.folder))

  expect(new Set(planted.values())).toEqual(new Set(['client secret', 'code', 'access_token', 'refresh_token']))
  expect(resource.seen.some(({ token }) => token !== null && planted.get(token) === 'access_token')).toBe(true)
  const found = texts.flatMap(([where, text]) =>
    [...planted].flatMap(([secret, what]) => (text.includes(secret) ? [`${what} in ${where}`] : [])),
  )
  expect(found).toEqual([])
})

// Every way to call a backend that is called as people: the right person reaches it, or the call is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWsBackend, type WsBackend } from '../../gateway/sockets/ws-backend.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { bearer, mint } from './access.fixture.ts'
import { openSession, rpc } from './data-plane.fixture.ts'
import { type Ask, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import {
  aMember,
  BOX_KEY,
  connect,
  type Member,
  must,
  openProvider,
  openResource,
  type Provided,
  type Resource,
  registerPeople,
  setIdentity,
} from './upstream-identity.fixture.ts'

let gateway: Gateway
let provided: Provided
let resource: Resource
let peer: McpPeer
let sockets: WsBackend
/** Of an application that may name the person of a call. */
let trusted: Env
const members = new Map<string, Member>()
const closing: (() => Promise<unknown>)[] = []

const member = (name: string): Member => {
  const found = members.get(name)
  if (found === undefined) throw new Error(`There is no ${name}`)
  return found
}
const post = (path: string, body: object, headers?: Env) =>
  headers ? gateway.ask(path, { method: 'POST', body, headers }) : gateway.admin(path, { method: 'POST', body })
const key = (name: string): Env => ({ authorization: `Bearer ${member(name).key}` })

const PROGRAM = `export default async function (): Promise<any> {
  const kept = await keep(await call('people__me', {}))
  return { kept, two: await call('tools__echo', {}) }
}`

beforeAll(async () => {
  const close = (each: () => Promise<unknown>): void => void closing.push(each)
  provided = await openProvider({}, close)
  resource = await openResource(provided, {}, close)
  peer = await startMcpPeer({
    era: 'both',
    besideTools: true,
    intercept: (request) => {
      // Lists are open to all; what is done is done as a person.
      if (request.method !== 'tools/call' && request.method !== 'resources/read') return false
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
      void (token === undefined ? Promise.resolve(undefined) : provided.owner(token)).then((owner) => {
        resource.seen.push({ sub: owner?.sub ?? null, token: token ?? null })
        const content = [{ type: 'text', text: JSON.stringify({ sub: owner?.sub ?? null }) }]
        const contents = [{ uri: 'peer://notes', text: JSON.stringify({ sub: owner?.sub ?? null }) }]
        return request.answer({
          jsonrpc: '2.0',
          id: request.id,
          result: request.method === 'tools/call' ? { content } : { contents },
        })
      })
      return true
    },
  })
  closing.push(peer.close)
  sockets = await openWsBackend()
  closing.push(sockets.close)
  gateway = await startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    SECRET_ENCRYPTION_KEY: BOX_KEY,
    RATE_LIMIT_SSO: '100000',
    TRAFFIC_CAPTURE: 'true',
  })
  await registerPeople(gateway, resource.url)
  await must(post('/register', { name: 'tools', mcp_url: peer.url }))
  await must(
    gateway.admin('/admin-api/clients/tools/upstream-auth', {
      method: 'PUT',
      body: { type: 'bearer', token: 'shared-token-of-all' },
    }),
  )
  await must(
    gateway.admin('/admin-api/clients/people/upstream-auth', {
      method: 'PUT',
      body: { type: 'bearer', token: 'shared-token-of-all' },
    }),
  )
  await setIdentity(
    gateway,
    {
      mode: 'per_principal',
      issuer: provided.issuer,
      scopes: ['read'],
      resource: `${resource.url}/`,
      endpoints: null,
    },
    'tools',
  )
  const say = { name: 'say', method: 'GET', endpoint: '/echo', description: 'd', inputSchema: { type: 'object' } }
  const talk = {
    name: 'talk',
    base_url: sockets.url.replace('ws:', 'http:'),
    health_url: `${resource.url}/`,
    tools: [say],
  }
  await must(post('/register', talk))
  const ws = { ws: { wsUrl: `${sockets.url}/echo` } }
  await must(gateway.admin('/admin-api/clients/talk/tools/say', { method: 'PATCH', body: ws }))
  await setIdentity(
    gateway,
    { mode: 'per_principal', issuer: provided.issuer, scopes: ['read'], resource: `${resource.url}/` },
    'talk',
  )
  trusted = bearer((await mint(gateway, { namesPeople: true })).key)
  for (const name of ['ada', 'bob', 'eve']) members.set(name, await aMember(gateway, name, 'admin'))
  for (const name of ['ada', 'bob'])
    for (const backend of ['people', 'tools', 'talk'])
      await connect(gateway, provided, member(name), undefined, backend)
  await must(
    post('/admin-api/composites', {
      name: 'both',
      inputSchema: { type: 'object', properties: {} },
      steps: [
        { id: 'one', targetClient: 'people', targetTool: 'me' },
        { id: 'two', targetClient: 'tools', targetTool: 'echo' },
      ],
    }),
    201,
  )
  const script = {
    name: 'program',
    steps: [
      { id: 'one', targetClient: 'people', targetTool: 'me' },
      { id: 'two', targetClient: 'tools', targetTool: 'echo' },
    ],
    script: { source: PROGRAM },
  }
  await must(post('/admin-api/composites', script), 201)
  const { json } = await must(gateway.admin('/admin-api/composites/program'))
  const { review } = json as { review: { hash: string } } // by the contract
  await must(post('/admin-api/composites/program/approve', { hash: review.hash }))
  await must(
    post('/admin-api/bundles', {
      name: 'all',
      tools: [
        { client: 'people', tool: 'me' },
        { client: 'tools', tool: 'echo' },
      ],
      composites: ['both', 'program'],
    }),
    201,
  )
})
afterAll(async () => {
  await gateway.end()
  for (const close of closing) await close()
})

type Way = readonly [what: string, calls: number, call: (who: string) => Promise<unknown>]
const tool = async (path: string, name: string, headers: Env): Promise<unknown> =>
  (await rpc(gateway, 'tools/call', { name, arguments: {} }, { path, headers })).json
const inSession = async (path: string, who: string): Promise<Env> => ({
  ...key(who),
  ...(await openSession(gateway, '2025-11-25', path, key(who))),
})
const keyId = async (who: string): Promise<number> => {
  const { json } = await gateway.admin(`/admin-api/mcp-keys?q=${who}`)
  return (json as { items: { id: number }[] }).items[0]?.id ?? 0 // by the contract
}
const asUser = (who: string, path: string, ask: Ask) => gateway.ask(path, { headers: member(who).session, ...ask })
const named = (who: string): Env => ({ ...trusted, 'x-end-user-id': who })
const trial = { method: 'POST', body: { args: {} } } as const

const WAYS: readonly Way[] = [
  ['a shard over REST', 1, (who) => tool('/mcp/people', 'me', key(who))],
  ['a shard over MCP', 1, (who) => tool('/mcp/tools', 'echo', key(who))],
  ['a shard over MCP, in a session', 1, async (who) => tool('/mcp/tools', 'echo', await inSession('/mcp/tools', who))],
  [
    'a resource of a shard',
    1,
    async (who) => {
      const headers = await inSession('/mcp/tools', who)
      return (await rpc(gateway, 'resources/read', { uri: 'peer://notes' }, { path: '/mcp/tools', headers })).json
    },
  ],
  ['a bundle', 1, (who) => tool('/mcp-custom/all', 'people__me', key(who))],
  ['a composite', 2, (who) => tool('/mcp-custom/all', 'both', key(who))],
  ['a script that keeps a result', 2, (who) => tool('/mcp-custom/all', 'program', key(who))],
  ['a trusted key that names the person', 1, (who) => tool('/mcp/people', 'me', named(who))],
  ['a composite of a trusted key that names the person', 2, (who) => tool('/mcp-custom/all', 'both', named(who))],
  ['a script of a trusted key that names the person', 2, (who) => tool('/mcp-custom/all', 'program', named(who))],
  [
    'a socket of a tool',
    1,
    async (who) => {
      sockets.seen.length = 0
      const answer = await tool('/mcp/talk', 'say', key(who))
      for (const { headers } of sockets.seen) {
        const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null
        const owner = token === null ? undefined : await provided.owner(token)
        resource.seen.push({ sub: owner?.sub ?? null, token })
      }
      return answer
    },
  ],
  [
    'the runner, as oneself',
    1,
    async (who) => (await asUser(who, '/admin-api/clients/people/tools/me/test', trial)).json,
  ],
  [
    'the runner, on behalf of a key',
    1,
    async (who) => {
      const body = { args: {}, keyId: await keyId(who) }
      return (await gateway.admin('/admin-api/clients/people/tools/me/test', { method: 'POST', body })).json
    },
  ],
  [
    'a replay, as oneself',
    1,
    async (who) => {
      const { json } = await gateway.admin('/admin-api/traffic?client=people&limit=1')
      const [row] = (json as { items: { id: number }[] }).items // by the contract
      return (await asUser(who, `/admin-api/traffic/${row?.id}/replay`, { method: 'POST', body: {} })).json
    },
  ],
]

const seenBy = async (call: Promise<unknown>): Promise<readonly (string | null)[]> => {
  resource.seen.length = 0
  await call
  return resource.seen.map(({ sub }) => sub)
}

describe('a person who calls', () => {
  it.each(WAYS)('through %s reaches the backend as themselves, or not at all', async (_what, calls, call) => {
    for (const who of ['ada', 'bob', 'ada'])
      expect(await seenBy(call(who))).toEqual(Array.from({ length: calls }, () => who))
    resource.seen.length = 0
    const refused = JSON.stringify(await call('eve'))
    expect(refused).toMatch(/oauth_required|connect/)
    expect(resource.seen).toEqual([])
  })

  it('without a person is refused: an admin key in the runner, a monitor, a dry run', async () => {
    resource.seen.length = 0
    const tried = await gateway.admin('/admin-api/clients/people/tools/me/test', trial)
    expect(tried.json).toMatchObject({ outcome: 'refused', code: 'identity_required' })
    const dry = await gateway.admin('/admin-api/clients/people/tools/me/test', {
      method: 'POST',
      body: { args: {}, dryRun: true },
    })
    expect(dry.json).toMatchObject({ code: 'identity_required' })
    await must(
      gateway.admin('/admin-api/clients/people/tools/me', {
        method: 'PATCH',
        body: { monitor: {} },
      }),
    )
    const run = await gateway.admin('/admin-api/clients/people/tools/me/monitor/run', { method: 'POST', body: {} })
    expect(run.text).not.toContain('"lastStatus":"ok"')
    expect(resource.seen).toEqual([])
  })

  it('reaches no result that was kept for another person, by the handle that their trusted key received', async () => {
    const contextBudget = { mode: 'handle', maxResponseBytes: 2_000 }
    await must(gateway.admin('/admin-api/clients/people/tools/large', { method: 'PATCH', body: { contextBudget } }))
    const handle = /result:[\w-]{22}/.exec(JSON.stringify(await tool('/mcp/people', 'large', named('ada'))))?.[0]
    const asks = async (headers: Env, more: object = {}): Promise<string> => {
      const args = { name: 'result_query', arguments: { handle, path: 'items.7.of', ...more } }
      return (await rpc(gateway, 'tools/call', args, { path: '/mcp/people', headers })).text
    }
    const passesOn = async (headers: Env): Promise<string> => {
      const args = { name: 'me', arguments: { of: { $ref: `${handle}#/sub` } } }
      return (await rpc(gateway, 'tools/call', args, { path: '/mcp/people', headers })).text
    }
    expect(await asks(named('ada'))).toContain('ada')
    expect(await asks(trusted, { __end_user: 'ada' })).toContain('ada')
    for (const headers of [named('bob'), trusted, key('ada'), key('bob')])
      expect(await asks(headers)).toContain('No result is kept under this handle')
    const links = (headers: Env) =>
      rpc(
        gateway,
        'resources/read',
        { uri: handle?.replace('result:', 'gantry://result/') },
        { path: '/mcp/people', headers },
      )
    expect((await links(named('ada'))).text).toContain('items')
    expect((await links(named('bob'))).text).toContain('RESULT_NOT_FOUND')
    expect(await passesOn(named('ada'))).toContain('\\"sub\\":\\"ada\\"')
    expect(await passesOn(named('bob'))).toContain('No result is kept under this handle')
  })

  it('is not taken to another server of the backend: no token of a person goes there', async () => {
    const other = await openResource(provided, {}, (close) => void closing.push(close))
    const canary = { secondaryBaseUrl: `${other.url}/`, weight: 100 }
    await must(gateway.admin('/admin-api/clients/people/canary', { method: 'PUT', body: canary }))
    try {
      expect(JSON.stringify(await tool('/mcp/people', 'me', key('ada')))).toContain('for another address')
    } finally {
      await must(gateway.admin('/admin-api/clients/people/canary', { method: 'DELETE' }), 204)
    }
    expect(other.seen).toEqual([])
  })

  it('never makes the stored credential go out', () => {
    expect(resource.seen.some(({ token }) => token === 'shared-token-of-all')).toBe(false)
    const called = peer.seen.filter(({ method }) => method === 'tools/call' || method === 'resources/read')
    expect(called.length).toBeGreaterThan(5)
    expect(called.some(({ headers }) => headers.authorization === 'Bearer shared-token-of-all')).toBe(false)
  })
})

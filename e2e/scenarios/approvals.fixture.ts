// A shop whose tool needs an approval, the people who decide, and a listener for the notifications.
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { Approval } from '#contract'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { body } from './curation.fixture.ts'
import { openUpstream, type Result, ROOMY, refusalOf, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { type Answer, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { PCG_ENV } from './pcg.fixture.ts'

const KEYS = ['the-key-of-an-agent', 'the-key-of-another'] as const
export const AGENT: Env = { authorization: `Bearer ${KEYS[0]}` }
export const OTHER: Env = { authorization: `Bearer ${KEYS[1]}` }
/** What webhooks are signed with. */
export const SECRET = 'a secret that signs the webhooks'

type Hook = { readonly headers: Record<string, unknown>; readonly body: string }

let lastName = 0
/** Arguments of no earlier call. */
export const fresh = (): { name: string } => ({ name: `Rex ${(lastName += 1)}` })

export const ticketOf = (result: Result): number => {
  const { approval } = refusalOf(result) as { approval?: { id: number } }
  return approval?.id ?? expect.fail(JSON.stringify(result))
}

export const reasonOf = (result: Result): unknown => refusalOf(result).reason

/** One gateway for the file; before each test the tool asks for one approval and nothing else. */
export function useApprovals() {
  let gateway: Gateway
  let shop: Upstream
  let server: Server
  let people: { readonly ann: Env; readonly bob: Env; readonly viewer: Env }
  const hooks: Hook[] = []
  const sink: { answers: number | 'never' } = { answers: 204 }

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        hooks.push({ headers: request.headers, body: text })
        if (sink.answers !== 'never') response.writeHead(sink.answers).end()
      })
    })
    const { url } = await listening(server)
    ;[gateway, shop] = await Promise.all([
      startGateway({
        ...ROOMY,
        ...PCG_ENV,
        MCP_API_KEYS: KEYS.join(','),
        APPROVAL_WEBHOOK_URL: `${url}/hook`,
        APPROVAL_WEBHOOK_TIMEOUT_MS: '3000',
        WEBHOOK_SIGNING_SECRET: SECRET,
        GATEWAY_PUBLIC_URL: 'https://gantry.example/',
      }),
      openUpstream(),
    ])
    await register(gateway, shop)
    people = {
      ann: await aPerson('ann', 'operator'),
      bob: await aPerson('bob', 'admin'),
      viewer: await aPerson('vic', 'viewer'),
    }
  })
  afterAll(async () => {
    await gateway.end()
    await shop.close()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(async () => {
    sink.answers = 204
    hooks.length = 0
    shop.seen.length = 0
    await configure('addPet', { approval: {}, guards: null, sensitive: null, redactPaths: null })
  })

  async function aPerson(username: string, role: string): Promise<Env> {
    const password = `the password of ${username}`
    const made = await gateway.admin('/admin-api/users', { method: 'POST', body: { username, password, role } })
    expect(made.status).toBe(201)
    const login = await gateway.ask('/admin-api/auth/login', { method: 'POST', body: { username, password } })
    const cookie = login.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    return { cookie: cookie.join('; '), 'x-csrf-token': login.headers.get('x-csrf-token') ?? '' }
  }

  async function configure(tool: string, patch: object, client = 'petstore'): Promise<void> {
    const done = await gateway.admin(`/admin-api/clients/${client}/tools/${tool}`, { method: 'PATCH', body: patch })
    expect([done.status, done.text]).toEqual([200, expect.any(String)])
  }

  async function calling(name: string, args: object, headers: Env = AGENT, path = '/mcp/petstore'): Promise<Result> {
    const { json, text } = await rpc(gateway, 'tools/call', { name, arguments: args }, { path, headers })
    if (typeof json !== 'object' || json === null || !('result' in json)) throw new Error(`No result: ${text}`)
    return json.result as Result // the shape a test expects is what it then looks at
  }
  const addPet = (args: object, headers?: Env) => calling('addPet', args, headers)
  const decide = (id: number, what: 'approve' | 'reject', who: Env = people.ann, note?: string): Promise<Answer> =>
    gateway.ask(`/admin-api/approvals/${id}/${what}`, {
      method: 'POST',
      body: note === undefined ? {} : { note },
      headers: who,
    })
  const approve = async (id: number, who?: Env): Promise<void> => {
    const { status, text } = await decide(id, 'approve', who)
    expect([status, text]).toEqual([200, expect.any(String)])
  }
  const read = async (id: number, who: Env = people.ann): Promise<Approval> =>
    Approval.parse((await gateway.ask(`/admin-api/approvals/${id}`, { headers: who })).json)
  const posts = (): number => shop.seen.filter((line) => line.startsWith('POST')).length
  const audited = async (action: string) => {
    const { items } = body(await gateway.admin(`/admin-api/audit-log?limit=50&action=${action}`))
    return items as { actor: string; target: string; detail: Record<string, unknown> }[] // a page of entries
  }

  return {
    gateway: () => gateway,
    people: () => people,
    /** What the webhook received, and what it answers. */
    hooks,
    sink,
    configure,
    calling,
    addPet,
    decide,
    approve,
    read,
    posts,
    audited,
  }
}

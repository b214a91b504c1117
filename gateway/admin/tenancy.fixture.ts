// A gateway with two teams and records of no team: one of everything that can belong to a team, for each of the three.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { ROLES, type Role } from '#contract'
import { createGateway, loadSettings } from '../index.ts'
import { answerJson, startServer } from '../registry/upstream-server.fixture.ts'

const KEY = 'an-admin-key-of-the-tests'
export const byKey = { authorization: `Bearer ${KEY}` }
/** In every name, label and text of the other team, and in records of no team. */
export const CANARY = 'zebra'
export const NOBODYS = 'tapir'

export type Headers = Readonly<Record<string, string>>
export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}
export type Ask = (where: string, method: string, headers?: Headers, body?: unknown) => Promise<Reply>
/** The parameters of one team's records, by the path they occur in. */
export type Records = Readonly<Record<string, Readonly<Record<string, string>>>>
/** Of what is not at all. */
export const ABSENT: Records = {
  '/admin-api/clients/:name': { name: 'absent', tool: 'echo', id: '999' },
  '/clients/:name': { name: 'absent' },
  '/admin-api/bundles/:name': { name: 'absent', id: '999' },
  '/admin-api/composites/:name': { name: 'absent' },
  '/admin-api/mcp-keys/:id': { id: '999' },
  '/admin-api/catalog/:id': { id: 'custom:999' },
  '/admin-api/teams/:id': { id: '999' },
  '/admin-api/approvals/:id': { id: '999' },
  '/admin-api/traffic/:id': { id: '999' },
  '/admin-api/consumers/:id': { id: '999' },
  '/admin-api/budgets/:id': { id: '999' },
  '/admin-api/policies/:id': { id: '999' },
  '/admin-api/ws-proxy-targets/:name': { name: 'absent' },
  '/admin-api/alerts/:id': { id: '999' },
  '/admin-api/schedules/:id': { id: '999' },
  '/admin-api/mcp-sessions/:id': { id: '0123456789abcdef' },
  '/admin-api/auth/sessions/:id': { id: '999' },
  '/admin-api/traces/:traceId': { traceId: '9'.repeat(32) },
}
/** What a route needs to reach the record; `{}` by default. */
export const BODIES: Readonly<Record<string, unknown>> = {
  'identity.setIdentity': { mode: 'none' },
  'clients.setTags': { tags: ['mine'] },
  'composites.approve': { hash: '0'.repeat(64) },
  'clients.setOauth': { tokenUrl: 'https://id.example/token', clientId: 'x', clientSecret: 'y' },
  'targets.setCanary': { secondaryBaseUrl: 'https://second.example' },
  'targets.setLb': { strategy: 'random' },
  'targets.addUpstream': { baseUrl: 'https://second.example' },
  'localServices.allow': { address: '127.0.0.1', port: 1 },
  'clients.setUpstreamAuth': { type: 'bearer', token: 'mine' },
  'tools.setEnabled': { toolNames: ['echo'], enabled: false },
  'tools.update': { enabled: false },
  'tools.setTags': { tags: ['mine'] },
  'toolExamples.create': { label: 'mine' },
  'bundles.clone': { name: 'cloned' },
  'policies.apply': { tools: [{ client: 'gnu', tool: 'echo' }] },
}

export type Tenancy = {
  readonly url: string
  readonly folder: string
  readonly ask: Ask
  /** One of each role, of the own team. */
  readonly people: Readonly<Record<Role, Headers>>
  /** An administrator of the other team. */
  readonly theirs: Headers
  readonly foreign: Records
  readonly unowned: Records
  close(): Promise<void>
}

// oxlint-disable-next-line no-restricted-globals -- this is the browser of the tests, outside the gateway
const browse = fetch

const asking =
  (url: string): Ask =>
  async (where, method, headers = {}, body) => {
    const response = await browse(url + where, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = /^[{[]/.test(text) ? (JSON.parse(text) as Record<string, unknown>) : {} // every JSON answer here is an object
    return { status: response.status, headers: Object.fromEntries(response.headers), text, json }
  }

export async function must(message: Promise<Reply>, status = 201): Promise<Record<string, unknown>> {
  const { status: got, json, text } = await message
  if (got !== status) throw new Error(`answered ${got}: ${text}`)
  return json
}

/** What an answer says, but for which request it was and which name was asked for. */
export function twin({ status, headers, text }: Reply, params: Readonly<Record<string, string>>): string {
  const { date: _date, 'x-request-id': id = '?', ...rest } = headers
  const printed = Object.values(params).reduce(
    (left, value) => left.replaceAll(`"${value}"`, '"…"'),
    text.replaceAll(id, 'id'),
  )
  return JSON.stringify([status, rest, printed])
}

async function aPerson(
  { ask, url }: Pick<Tenancy, 'ask' | 'url'>,
  username: string,
  role: Role,
  teamId: unknown,
): Promise<Headers> {
  const password = `the password of ${username}`
  await must(ask('/admin-api/users', 'POST', byKey, { username, password, role, teamId }))
  const login = await browse(`${url}/admin-api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const cookies = login.headers.getSetCookie().map((each) => each.split(';', 1)[0])
  return { cookie: cookies.join('; '), 'x-csrf-token': login.headers.get('x-csrf-token') ?? '' }
}

/** One of everything that can belong to a team, made by this person. */
async function furnish(ask: Ask, upstream: string, by: Headers, word: string, session: string): Promise<Records> {
  const tools = [{ name: 'echo', method: 'GET', endpoint: '/echo', description: `says ${word}` }]
  await must(ask('/register', 'POST', by, { name: word, base_url: upstream, tools }), 200)
  await must(ask(`/admin-api/clients/${word}/tags`, 'PUT', by, { tags: [`${word}-tag`] }), 200)
  const members = [{ client: word, tool: 'echo' }]
  await must(ask('/admin-api/bundles', 'POST', by, { name: `${word}-bundle`, tools: members }))
  const step = { targetClient: word, targetTool: 'echo' }
  const composite = { name: `${word}-composite`, description: word, steps: [step] }
  await must(ask('/admin-api/composites', 'POST', by, composite))
  const link = await must(ask(`/admin-api/bundles/${word}-bundle/install-links`, 'POST', by, { label: word }))
  const key = await must(ask('/admin-api/mcp-keys', 'POST', by, { label: `${word} key` }))
  const entry = { slug: `${word}-entry`, name: word, kind: 'mcp', mcpUrl: `${upstream}/mcp` }
  const made = await must(ask('/admin-api/catalog', 'POST', by, entry))
  await must(ask(`/admin-api/clients/${word}/tools/echo/test`, 'POST', by, { args: {} }), 200)
  await must(ask(`/admin-api/clients/${word}/tools/echo`, 'PATCH', by, { approval: {} }), 200)
  const waits = await must(ask(`/admin-api/clients/${word}/tools/echo/test`, 'POST', by, { args: { word } }), 200)
  const { structuredContent } = waits.result as { structuredContent: { approval: { id: number } } } // a refusal
  await must(ask(`/admin-api/clients/${word}/tools/echo`, 'PATCH', by, { approval: null }), 200)
  const example = await must(ask(`/admin-api/clients/${word}/tools/echo/examples`, 'POST', by, { label: word }))
  const consumer = await must(ask('/admin-api/consumers', 'POST', by, { name: word }))
  const budget = await must(ask('/admin-api/budgets', 'POST', by, { name: word, per: 'tool', maxCalls: 1_000_000 }))
  const policy = await must(ask('/admin-api/policies', 'POST', by, { name: word, timeoutMs: 1000 }))
  const socket = { name: `${word}-socket`, backendWsUrl: upstream.replace('http', 'ws') }
  await must(ask('/admin-api/ws-proxy-targets', 'POST', by, socket))
  const rule = { name: word, eventType: 'client_unreachable', webhookUrl: `${upstream}/hook`, client: word }
  const alert = await must(ask('/admin-api/alerts', 'POST', by, rule))
  const off = { targetType: 'tool', clientName: word, toolName: 'echo', action: 'disable', cron: '0 3 1 1 *' }
  const schedule = await must(ask('/admin-api/schedules', 'POST', by, off))
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: word, version: '1' } }
  const accept = { authorization: `Bearer ${String(key.key)}`, accept: 'application/json, text/event-stream' }
  await must(ask(`/mcp/${word}`, 'POST', accept, { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }), 200)
  const { items } = (await ask('/admin-api/mcp-sessions', 'GET', byKey)).json as {
    items: { surface: string; ref: string }[]
  }
  const traceId = await vi.waitFor(
    async () => {
      const { json } = await ask(`/admin-api/traces?client=${word}&limit=1`, 'GET', byKey)
      const [trace] = json.items as { traceId: string }[] // a list
      if (trace === undefined) throw new Error(`no trace of ${word} is kept`)
      return trace.traceId
    },
    { timeout: 20_000, interval: 20 },
  )
  return {
    '/admin-api/traffic/:id': { id: await capturedOf(ask, word) },
    '/admin-api/approvals/:id': { id: String(structuredContent.approval.id) },
    '/admin-api/consumers/:id': { id: String(consumer.id) },
    '/admin-api/budgets/:id': { id: String(budget.id) },
    '/admin-api/policies/:id': { id: String(policy.id) },
    '/admin-api/alerts/:id': { id: String(alert.id) },
    '/admin-api/schedules/:id': { id: String(schedule.id) },
    '/admin-api/ws-proxy-targets/:name': { name: `${word}-socket` },
    '/admin-api/mcp-sessions/:id': { id: items.find(({ surface }) => surface === `client:${word}`)?.ref ?? 'none' },
    '/admin-api/clients/:name': { name: word, tool: 'echo', id: String(example.id) },
    '/clients/:name': { name: word },
    '/admin-api/bundles/:name': { name: `${word}-bundle`, id: String(link.id) },
    '/admin-api/composites/:name': { name: `${word}-composite` },
    '/admin-api/mcp-keys/:id': { id: String(key.id) },
    '/admin-api/catalog/:id': { id: String(made.id) },
    '/admin-api/auth/sessions/:id': { id: session },
    '/admin-api/traces/:traceId': { traceId },
  }
}

/** A call of theirs, once it is written down. */
async function capturedOf(ask: Ask, word: string): Promise<string> {
  for (;;) {
    const { items } = (await ask(`/admin-api/traffic?client=${word}`, 'GET', byKey)).json as { items: { id: number }[] } // a list
    if (items[0]) return String(items[0].id)
  }
}

function start(folder: string): ReturnType<typeof createGateway> {
  const families = ['GLOBAL', 'LOGIN', 'REGISTER', 'EXPENSIVE', 'INSTALL_LINK', 'SSO', 'MCP']
  const env = {
    ADMIN_API_KEYS: KEY,
    DB_PATH: path.join(folder, 'gantry.db'),
    PORT: '0',
    HOST: '127.0.0.1',
    ALLOW_PRIVATE_IPS: 'true',
    TRAFFIC_CAPTURE: 'true',
    TRACE_STORAGE: 'true',
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
    ...Object.fromEntries(families.map((family) => [`RATE_LIMIT_${family}`, '1000000'])),
  }
  return createGateway({
    loaded: loadSettings({ env, readFile: () => '' }),
    home: 'headless',
    writeLog: () => undefined,
  })
}

export async function startTenancy(): Promise<Tenancy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-tenancy-'))
  const upstream = await startServer((_hit, response) => answerJson(response, {}))
  const gateway = await start(folder)
  const url = await gateway.listen()
  const ask = asking(url)
  const mine = await must(ask('/admin-api/teams', 'POST', byKey, { name: 'mine' }))
  const other = await must(ask('/admin-api/teams', 'POST', byKey, { name: `${CANARY} team` }))
  const person = (name: string, role: Role, teamId: unknown) => aPerson({ ask, url }, name, role, teamId)
  const own: [Role, Headers][] = []
  for (const role of ROLES) own.push([role, await person(`my-${role}`, role, mine.id)])
  const people = Object.fromEntries(own) as Record<Role, Headers> // one entry per role, from the list of roles
  const theirs = await person(`${CANARY}-admin`, 'admin', other.id)
  const boss = await person(`${NOBODYS}-boss`, 'admin', null)
  const furnished = async (by: Headers, word: string): Promise<Records> => {
    const { items } = (await ask('/admin-api/auth/sessions', 'GET', by)).json as { items: { id: number }[] } // a list
    return furnish(ask, upstream.url, by, word, String(items[0]?.id))
  }
  await furnished(people.admin, 'gnu')
  const foreign = { ...(await furnished(theirs, CANARY)), '/admin-api/teams/:id': { id: String(other.id) } }
  const unowned = await furnished(boss, NOBODYS)
  return {
    url,
    folder,
    ask,
    people,
    theirs,
    foreign,
    unowned,
    async close() {
      await gateway.close()
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// Every route that changes something, done once on the whole gateway: each leaves the entries its row of the table names, one of each.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { API, fillPath, type Route, type RouteTable } from '#contract'
import { openUpstream, ROOMY, type Upstream } from './data-plane.fixture.ts'
import {
  ADMIN_KEY,
  type Answer,
  type Env,
  type Gateway,
  passwordOf,
  REMOVED,
  sessionOf,
  startGateway,
} from './gateway.fixture.ts'
import { program, writeServers } from './local-servers.fixture.ts'

type WriteRoute = Exclude<Route, { method: 'GET' }>
type Fields = Record<string, unknown>

/** What these need is no part of a gateway alone: their own tests look at their entries. */
const ELSEWHERE = new Set([
  'oidc.setSettings',
  'identity.revokeConnection',
  'identity.disconnect',
  // A kept result needs a session: kept-results.test.ts.
  'keptResults.open',
  'keptResults.export',
  ...Object.keys(API.pcg).map((verb) => `pcg.${verb}`),
])

const MUTATIONS: ReadonlyMap<string, WriteRoute> = new Map(
  Object.entries<RouteTable>(API).flatMap(([noun, table]) =>
    Object.entries<Route>(table).flatMap(([verb, route]) =>
      route.method === 'GET' || (typeof route.audit === 'object' && 'none' in route.audit)
        ? []
        : [[`${noun}.${verb}`, route] as const],
    ),
  ),
)

const BY_KEY = { authorization: `Bearer ${ADMIN_KEY}` }
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { operationId: 'pets' } } },
}
let gateway: Gateway
let upstream: Upstream
const ownFolder = mkdtempSync(join(tmpdir(), 'gantry-servers-'))
beforeAll(async () => {
  writeServers(join(ownFolder, 'servers.json'), { local: program('good', { secrets: ['TOKEN'] }) })
  ;[gateway, upstream] = await Promise.all([
    startGateway({
      ...ROOMY,
      TRAFFIC_CAPTURE: 'true',
      LOCAL_SERVERS_FILE: join(ownFolder, 'servers.json'),
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      // Entries of calls come a moment after their answer, and are no changes.
      AUDIT_TOOL_CALLS: 'off',
    }),
    openUpstream(),
  ])
  upstream.answer = (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(DOCUMENT))
})
afterAll(async () => {
  await gateway.end()
  await upstream.close()
  rmSync(ownFolder, REMOVED)
})

type Reply = { readonly answer: Answer; readonly json: Fields }
async function ask(method: string, where: string, body: unknown, headers: Env): Promise<Reply> {
  const answer = await gateway.ask(where, { method, body, headers })
  if (answer.status >= 300) throw new Error(`${method} ${where} answered ${answer.status}: ${answer.text}`)
  return { answer, json: (answer.json ?? {}) as Fields } // every answer of the admin API is an object
}

const done = new Set<string>()
const left: { readonly name: string; readonly wanted: readonly string[]; readonly entries: readonly string[] }[] = []

type Doing = {
  readonly params?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  readonly headers?: Env
  /** Of several that the row names, those that this request leaves. */
  readonly entries?: readonly string[]
}

async function perform(name: string, { params = {}, body, headers = BY_KEY, entries }: Doing = {}): Promise<Reply> {
  const route = MUTATIONS.get(name)
  if (route === undefined) throw new Error(`There is no route ${name} that changes something`)
  const texts = Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)]))
  const reply = await ask(route.method, fillPath(route.path, texts), body, headers)
  const { json } = await ask('GET', '/admin-api/audit-log?limit=20', undefined, BY_KEY)
  const { items } = json as { items: { action: string; detail: { request_id?: string } | null }[] } // a list
  const id = reply.answer.headers.get('x-request-id')
  done.add(name)
  left.push({
    name,
    wanted: [...(entries ?? [route.audit].flat().map(String))].sort(),
    entries: items.flatMap(({ action, detail }) => (detail?.request_id === id ? [action] : [])).sort(),
  })
  return reply
}

const TOOLS = [
  {
    name: 'pets',
    method: 'GET',
    endpoint: '/pets',
    description: 'pets',
    inputSchema: { type: 'object', properties: { verb: {} } },
  },
]
const SHOP = { name: 'shop' }
const PETS = { ...SHOP, tool: 'pets' }
const member = { client: 'shop', tool: 'pets' }

async function backends(): Promise<void> {
  await perform('register.register', {
    body: { ...SHOP, base_url: upstream.url, tools: TOOLS },
    entries: ['client.register'],
  })
  await perform('register.register', {
    body: { name: 'read', openapi_url: `${upstream.url}/openapi.json`, base_url: upstream.url },
    entries: ['client.register'],
  })
  const local_service = { address: '127.0.0.1', port: Number(new URL(upstream.url).port) }
  await perform('register.preview', { body: { ...SHOP, base_url: upstream.url, tools: TOOLS, local_service } })
  await perform('localServices.allow', { params: SHOP, body: local_service })
  await perform('localServices.revoke', { params: SHOP })
  await perform('register.rediscover', { params: { name: 'read' } })
  await perform('clients.setEnabled', { body: { names: ['shop'], enabled: false }, entries: ['client.disable'] })
  await perform('clients.update', {
    params: SHOP,
    body: { enabled: true, description: 'x' },
    entries: ['client.enable', 'client.update'],
  })
  await perform('clients.resetBreaker', { params: SHOP })
  await perform('clients.setTags', { params: SHOP, body: { tags: ['a'] } })
  const oauth = { tokenUrl: `${upstream.url}/token`, clientId: 'x', clientSecret: 'y' }
  await perform('clients.setOauth', { params: SHOP, body: oauth })
  await perform('clients.clearOauth', { params: SHOP })
  await perform('clients.setUpstreamAuth', { params: SHOP, body: { type: 'bearer', token: 'x' } })
  await perform('clients.clearUpstreamAuth', { params: SHOP })
  await perform('identity.setIdentity', { params: SHOP, body: { mode: 'shared' } })
}

async function servers(): Promise<void> {
  const second = { secondaryBaseUrl: upstream.url }
  await perform('targets.setCanary', { params: SHOP, body: second, entries: ['client.canary.set'] })
  await perform('targets.clearCanary', { params: SHOP })
  await perform('targets.setLb', { params: SHOP, body: { strategy: 'round-robin' }, entries: ['client.lb.set'] })
  const { json } = await perform('targets.addUpstream', { params: SHOP, body: { baseUrl: upstream.url } })
  const target = { ...SHOP, id: Number(json.id) }
  await perform('targets.updateUpstream', { params: target, body: { weight: 5 } })
  await perform('targets.removeUpstream', { params: target })
  await perform('targets.clearLb', { params: SHOP })
}

async function tools(): Promise<void> {
  await perform('tools.setEnabled', {
    params: SHOP,
    body: { toolNames: ['pets'], enabled: false },
    entries: ['tool.disable'],
  })
  await perform('tools.update', {
    params: PETS,
    body: { enabled: true, guards: { timeoutMs: 9 }, quarantinePolicy: {} },
    entries: ['tool.enable', 'tool.guards.update', 'tool.quarantine.update'],
  })
  await perform('tools.setTags', { params: PETS, body: { tags: ['a'] } })
  await perform('tools.clearQuarantine', { params: PETS })
  await perform('tools.purgeCache', { params: PETS })
  await perform('tools.update', { params: PETS, body: { monitor: {} }, entries: ['tool.monitor.update'] })
  await perform('monitors.rebaseline', { params: PETS })
  await perform('tools.test', { params: PETS, body: { args: {} } })
  const { json } = await perform('toolExamples.create', { params: PETS, body: { label: 'x' } })
  const example = { ...PETS, id: Number(json.id) }
  await perform('toolExamples.update', { params: example, body: { label: 'y' } })
  await perform('toolExamples.delete', { params: example })
}

async function approvals(): Promise<void> {
  const settings = { params: PETS, entries: ['tool.approval.update'] }
  await perform('tools.update', { ...settings, body: { approval: {} } })
  await perform('monitors.approve', { params: PETS, body: { confirm: true } })
  for (const verb of ['approve', 'reject']) {
    const waits = await perform('tools.test', {
      params: PETS,
      body: { args: { verb } },
      entries: ['approval.request', 'tool.test'],
    })
    const { result } = waits.json as { result: { structuredContent: { approval: { id: number } } } } // a refusal
    // The requester may not decide.
    await perform(`approvals.${verb}`, {
      params: { id: result.structuredContent.approval.id },
      body: {},
      headers: await session('ann'),
    })
  }
  await perform('tools.update', { ...settings, body: { approval: null } })
}

async function curation(): Promise<void> {
  const entry = { slug: 'mine', name: 'Mine', kind: 'rest', openapiUrl: `${upstream.url}/openapi.json` }
  const { json: made } = await perform('catalog.create', { body: entry })
  const id = String(made.id)
  await perform('catalog.update', { params: { id }, body: { ...entry, name: 'Ours' } })
  await perform('catalog.install', {
    params: { id },
    body: { name: 'installed' },
    entries: ['catalog.install', 'client.register'],
  })
  await perform('catalog.delete', { params: { id } })
  const step = { targetClient: 'shop', targetTool: 'pets' }
  await perform('composites.create', { body: { name: 'macro', steps: [step] } })
  await perform('composites.update', { params: { name: 'macro' }, body: { description: 'x' } })
  const source = 'export default () => 1'
  const scripted = await perform('composites.update', { params: { name: 'macro' }, body: { script: { source } } })
  const { hash } = scripted.json.review as { hash: string } // a script has one
  await perform('composites.approve', { params: { name: 'macro' }, body: { hash } })
  await perform('composites.test', { params: { name: 'macro' }, body: { dryRun: true } })
  await perform('bundles.create', { body: { name: 'zoo', tools: [member], composites: ['macro'] } })
  await perform('bundles.update', { params: { name: 'zoo' }, body: { description: 'x' } })
  await perform('bundles.clone', { params: { name: 'zoo' }, body: { name: 'copy' } })
  const { json: link } = await perform('installLinks.create', { params: { name: 'zoo' }, body: { label: 'x' } })
  await perform('installLinks.delete', { params: { name: 'zoo', id: Number(link.id) } })
  await perform('bundles.delete', { params: { name: 'copy' } })
  await perform('composites.delete', { params: { name: 'macro' } })
}

async function access(): Promise<void> {
  const { json: key } = await perform('mcpKeys.create', { body: { label: 'x' } })
  const params = { id: Number(key.id) }
  await perform('mcpKeys.update', { params, body: { label: 'y' } })
  const { json: rotated } = await perform('mcpKeys.rotate', { params })
  const bearer = { authorization: `Bearer ${String(rotated.key)}`, accept: 'application/json, text/event-stream' }
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  await ask('POST', '/mcp/shop', { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }, bearer)
  const { json: sessions } = await ask('GET', '/admin-api/mcp-sessions', undefined, BY_KEY)
  const { items } = sessions as { items: { ref: string }[] } // a list
  await perform('mcpSessions.close', { params: { id: items[0]?.ref ?? 'none' } })
  await perform('mcpKeys.revoke', { params })
  await perform('mcpKeys.delete', { params })
  const { json: consumer } = await perform('consumers.create', { body: { name: 'x' } })
  await perform('consumers.update', { params: { id: Number(consumer.id) }, body: { monthlyQuota: 5 } })
  await perform('consumers.delete', { params: { id: Number(consumer.id) } })
  const { json: budget } = await perform('budgets.create', { body: { name: 'x', per: 'key', maxCalls: 5 } })
  await perform('budgets.update', { params: { id: Number(budget.id) }, body: { maxCalls: 6 } })
  await perform('budgets.delete', { params: { id: Number(budget.id) } })
  const { json: policy } = await perform('policies.create', { body: { name: 'x', timeoutMs: 5 } })
  const ofPolicy = { id: Number(policy.id) }
  await perform('policies.update', { params: ofPolicy, body: { timeoutMs: 6 } })
  await perform('policies.apply', { params: ofPolicy, body: { tools: [member] } })
  await perform('policies.delete', { params: ofPolicy })
}

async function machines(): Promise<void> {
  const { json } = await ask('GET', '/admin-api/instances', undefined, BY_KEY)
  const { items } = json as { items: { id: string }[] } // a list
  const params = { id: items[0]?.id ?? 'none' }
  await perform('instances.drain', { params })
  await perform('instances.resume', { params })
  const server = { name: 'local' }
  await perform('localServers.setSecret', { params: { ...server, key: 'TOKEN' }, body: { value: 'a-value' } })
  await perform('localServers.restart', { params: server })
  await perform('localServers.stop', { params: server })
  await perform('localServers.deleteSecret', { params: { ...server, key: 'TOKEN' } })
}

async function people(): Promise<void> {
  const { json: team } = await perform('teams.create', { body: { name: 'blue' } })
  await perform('teams.update', { params: { id: Number(team.id) }, body: { name: 'green' } })
  await perform('users.create', { body: { username: 'ann', password: passwordOf('ann'), role: 'admin' } })
  await perform('users.create', { body: { username: 'bob', password: passwordOf('bob'), role: 'viewer' } })
  const bob = { username: 'bob' }
  const eve = { username: 'eve' }
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  await perform('users.create', { body: { ...eve, invitation: { expiresAt } } })
  await perform('users.revokeInvitation', { params: eve })
  const { json: invited } = await perform('users.invite', { params: eve, body: { expiresAt } })
  const token = String(invited.invitationUrl).split('/').at(-1)
  await perform('auth.acceptInvitation', { body: { token, password: passwordOf('eve') }, headers: {} })
  await perform('users.update', { params: bob, body: { role: 'operator' } })
  await perform('users.setTeam', { params: bob, body: { teamId: team.id } })
  await perform('clients.setTeam', { params: { name: 'read' }, body: { teamId: team.id } })
  await perform('clients.setTeam', { params: { name: 'read' }, body: { teamId: null } })
  await perform('users.setTeam', { params: bob, body: { teamId: null } })
  await perform('teams.delete', { params: { id: Number(team.id) } })
  await session('bob')
  const mine = await session('bob')
  const { json: sessions } = await ask('GET', '/admin-api/auth/sessions', undefined, mine)
  const { items } = sessions as { items: { id: number; current: boolean }[] } // a list
  await perform('auth.revokeSession', { params: { id: items.find(({ current }) => !current)?.id ?? 0 }, headers: mine })
  await session('bob')
  await perform('auth.revokeOthers', { headers: mine })
  const body = { currentPassword: passwordOf('bob'), newPassword: passwordOf('bob, again') }
  const { answer } = await perform('auth.changePassword', { body, headers: mine })
  await perform('auth.logout', { headers: sessionOf(answer) })
  await perform('users.delete', { params: bob })
}

async function session(username: string): Promise<Env> {
  const body = { username, password: passwordOf(username) }
  const { answer } = await perform('auth.login', { body, headers: {}, entries: ['auth.login'] })
  return sessionOf(answer)
}

/** The newest captured call; it is written down after its answer. */
async function captured(): Promise<number | undefined> {
  const { json } = await ask('GET', '/admin-api/traffic?client=shop&tool=pets&limit=1', undefined, BY_KEY)
  const { items } = json as { items: { id: number }[] } // a list
  return items[0]?.id
}

async function operations(): Promise<void> {
  await perform('config.backup')
  await expect.poll(captured, { timeout: 20_000 }).not.toBeUndefined()
  await perform('traffic.replay', { params: { id: (await captured()) ?? 0 }, body: { dryRun: true } })
  await perform('traffic.purge')
  await perform('traces.clear')
  const { json: snapshot } = await perform('configDocuments.takeSnapshot', { body: { label: 'x' } })
  await perform('configDocuments.import', { body: { version: 1, consumers: [{ name: 'of a document' }] } })
  await perform('configDocuments.rollback', { params: { id: Number(snapshot.id) }, body: {} })
  await perform('configDocuments.deleteSnapshot', { params: { id: Number(snapshot.id) } })
  const target = { name: 'socket' }
  await perform('wsTargets.create', { body: { ...target, backendWsUrl: upstream.url.replace('http', 'ws') } })
  await perform('wsTargets.update', { params: target, body: { maxConnections: 5 } })
  await perform('wsTargets.disconnectAll', { params: target })
  await perform('wsTargets.delete', { params: target })
  const rule = { name: 'loud', eventType: 'error_rate', webhookUrl: upstream.url }
  const { json: alert } = await perform('alerts.create', { body: rule })
  const ofAlert = { id: Number(alert.id) }
  await perform('alerts.update', { params: ofAlert, body: { threshold: 0.9 } })
  await perform('alerts.test', { params: ofAlert })
  await perform('alerts.delete', { params: ofAlert })
  const off = { targetType: 'client', clientName: 'read', action: 'disable', cron: '0 3 1 1 *' }
  const { json: schedule } = await perform('schedules.create', { body: off })
  const ofSchedule = { id: Number(schedule.id) }
  await perform('schedules.update', { params: ofSchedule, body: { note: 'for the night' } })
  await perform('schedules.run', { params: ofSchedule, entries: ['schedule.fire', 'client.disable'] })
  await perform('schedules.delete', { params: ofSchedule })
  await perform('register.teardown', { params: { name: 'read' } })
  await perform('clients.delete', { params: { name: 'installed' } })
}

it('is written down once for each thing it does, and no route is left out (security case AU-10)', async () => {
  for (const part of [backends, servers, people, tools, approvals, curation, access, machines, operations]) await part()
  expect(left.filter(({ wanted, entries }) => JSON.stringify(wanted) !== JSON.stringify(entries))).toEqual([])
  expect([...MUTATIONS.keys()].filter((name) => !done.has(name) && !ELSEWHERE.has(name))).toEqual([])
})

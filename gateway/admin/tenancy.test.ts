// One team and everything of another: every route of the API against every record that is not one's own, from the tables alone.
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API, fillPath, mayUse, Overview, ROLES, type Role, type Route, type RouteTable } from '#contract'
import {
  ABSENT,
  type Ask,
  BODIES,
  byKey,
  CANARY,
  type Headers,
  must,
  NOBODYS,
  type Records,
  startTenancy,
  type Tenancy,
  twin,
} from './tenancy.fixture.ts'

type Row = { readonly name: string; readonly route: Route }
// The routes of editors are there with an editor host only; their own suite asks them.
const { pcg: _pcg, ...TABLES } = API
const ROWS: readonly Row[] = Object.entries<RouteTable>(TABLES).flatMap(([noun, table]) =>
  Object.entries<Route>(table).map(([verb, route]) => ({ name: `${noun}.${verb}`, route })),
)
let tenancy: Tenancy
let ask: Ask
let people: Tenancy['people']
/** Parameters of records of the other team, and of no team. */
let foreign: Records
let unowned: Records
/** A value that no record has: the path only filters. */
const FILTERS = new Set(['tools.tagged'])
/** Which noun has the rows of a table; a table of records that is not here fails the suite. */
const NOUNS: Readonly<Record<string, string>> = {
  alert_rules: 'alerts',
  approvals: 'approvals',
  backends: 'clients',
  budgets: 'budgets',
  bundles: 'bundles',
  catalog_entries: 'catalog',
  composites: 'composites',
  consumers: 'consumers',
  guard_policies: 'policies',
  mcp_keys: 'mcpKeys',
  pcg_editors: 'pcg',
  schedules: 'schedules',
  traffic: 'traffic',
  users: 'users',
  ws_targets: 'wsTargets',
}

beforeAll(async () => {
  tenancy = await startTenancy()
  ;({ ask, people, foreign, unowned } = tenancy)
}, 300_000)
afterAll(() => tenancy.close())

const prefixOf = (route: Route): string | undefined =>
  Object.keys(ABSENT)
    .filter((prefix) => route.path === prefix || route.path.startsWith(`${prefix}/`))
    .sort((a, b) => b.length - a.length)[0]
const hasParams = ({ route }: Row): boolean => route.path.includes(':')
const mayReach = (route: Route, role: Role): boolean =>
  route.access !== 'public' && mayUse({ kind: 'session', name: 'x', username: 'x', teamId: 1, role }, route.access)
const reaching = (rows: readonly Row[]) =>
  rows.flatMap(({ name, route }) =>
    ROLES.filter((role) => mayReach(route, role)).map((role) => ({ name, route, role })),
  )
const RECORDS = ROWS.filter((row) => hasParams(row) && !FILTERS.has(row.name))

describe('the matrix', () => {
  it('has a record for every route that names one, and a row for every table of records', () => {
    expect(RECORDS.filter(({ route }) => route.access !== 'superadmin' && prefixOf(route) === undefined)).toEqual([])
    const stored = new BetterSqlite3(path.join(tenancy.folder, 'gantry.db'), { readonly: true })
    const tables = stored.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[]
    const owned = tables.filter((table) =>
      (stored.pragma(`table_info(${table})`) as { name: string }[]).some(({ name }) => name === 'team_id'),
    )
    expect(owned.filter((table) => table !== 'audit_log' && NOUNS[table] === undefined)).toEqual([])
    const counted = stored.prepare('select id from teams where name like ?').pluck().get(`${CANARY}%`)
    const bare = owned.filter(
      (table) =>
        NOUNS[table] !== undefined &&
        NOUNS[table] in TABLES &&
        stored.prepare(`select count(*) from ${table} where team_id = ?`).pluck().get(counted) === 0,
    )
    stored.close()
    expect(bare).toEqual([])
  })

  it('sends bodies that get as far as the record', () => {
    const refused = RECORDS.filter(({ name, route }) => {
      const schema = route.method === 'GET' ? undefined : route.body
      return schema !== undefined && !schema.safeParse(BODIES[name] ?? {}).success && route.access !== 'superadmin'
    })
    expect(refused.map(({ name }) => name)).toEqual([])
  })
})

// cites: ct.2.3.team-foreign ct.2.3.team-null ct.7.7.team-scoped gw.auth.7-tenant-reads ct.19.7.not-yours
describe('a record of another team, or of none, (security cases AZ-15, TN-01)', () => {
  let before: string
  const all = async (): Promise<string> => {
    const reads =
      'clients tools bundles composites mcp-keys catalog?source=custom teams users consumers budgets policies mcp-sessions approvals alerts schedules ws-proxy-targets traffic'.split(
        ' ',
      )
    const lists = await Promise.all(reads.map((read) => ask(`/admin-api/${read}`, 'GET', byKey)))
    return JSON.stringify(
      lists.map(({ json }) =>
        (json.items as Record<string, unknown>[]).filter((item) => /zebra|tapir/.test(JSON.stringify(item))),
      ),
      (name, value: unknown) => (name.startsWith('last') ? undefined : value),
    )
  }
  beforeAll(async () => {
    before = await all()
  })

  it.each(reaching(RECORDS))('is to $role what does not exist: $name', async ({ name, route, role }) => {
    const prefix = prefixOf(route) ?? ''
    const body = route.method === 'GET' ? undefined : (BODIES[name] ?? {})
    const send = async (records: Records): Promise<string> => {
      const params = records[prefix] ?? {}
      const answer = await ask(fillPath(route.path, params), route.method, people[role], body)
      expect(answer.status, answer.text).toBe(404)
      expect(answer.text).not.toMatch(/zebra|tapir/)
      return twin(answer, params)
    }
    const absent = await send(ABSENT)
    expect(await send(foreign)).toBe(absent)
    if (unowned[prefix]) expect(await send(unowned)).toBe(absent)
  })

  it('is as it was after all of that', async () => {
    expect(await all()).toBe(before)
    const { json } = await ask('/admin-api/audit-log?limit=200', 'GET', byKey)
    const touched = (json.items as { actor: string; target: string }[]).filter(
      ({ actor, target }) => actor.startsWith('my-') && /zebra|tapir/.test(target),
    )
    expect(touched).toEqual([])
  })

  it('takes no longer to be refused than an unknown record', async () => {
    const fastest = async (name: string): Promise<number> => {
      const times: number[] = []
      for (let turn = 0; turn < 30; turn++) {
        const from = performance.now()
        await ask(`/admin-api/clients/${name}`, 'GET', people.viewer)
        times.push(performance.now() - from)
      }
      return Math.min(...times)
    }
    const [there, absent] = [await fastest(CANARY), await fastest('absent')]
    expect(there / absent).toBeGreaterThan(0.2)
    expect(there / absent).toBeLessThan(5)
  })
})

describe('what a list, a count or a search shows (security case TN-04)', () => {
  const LISTS = ROWS.filter(({ name, route }) => route.method === 'GET' && !hasParams({ name, route }))
  /** A stream that does not end has its own test. */
  const READ = LISTS.filter(({ route }) => route.produces?.[0] !== 'text/event-stream')
  const QUERIES: Readonly<Record<string, readonly string[]>> = {
    'tools.list': ['', '?limit=1000', `?client=${CANARY}`, `?q=${CANARY}`, `?tag=${CANARY}-tag`],
    'clients.list': ['', `?q=${CANARY}`, `?tag=${CANARY}-tag`],
    'bundles.list': ['', `?q=${CANARY}`],
    'composites.list': ['', `?q=${CANARY}`],
    'mcpKeys.list': ['', `?q=${CANARY}`, '?active=true'],
    'catalog.list': ['', `?q=${CANARY}`, '?source=custom'],
    'approvals.list': ['', `?client=${CANARY}`, '?status=pending'],
    'context.run': ['?session=0123456789abcdef'],
    'usage.summary': ['', `?client=${CANARY}`],
    'usage.topTools': ['', `?client=${CANARY}`],
    'usage.byKey': ['', '?limit=200'],
    'usage.byClient': ['', '?points=12'],
    'usage.refusals': ['', '?groupBy=tool', '?groupBy=key'],
    'usage.calls': ['', `?client=${CANARY}`, '?limit=200'],
    'traces.usual': [`?client=${CANARY}&tool=${CANARY}`],
    'auditLog.list': ['?limit=200', `?target=${CANARY}`, `?actor=${CANARY}-admin`, '?action=client.'],
    'auditLog.export': ['?format=json', '?format=csv', '?format=html'],
    'connect.snippets': [`?scope=client&name=gnu`, '?scope=bundle&name=gnu-bundle', '?scope=system'],
  }

  it.each(reaching(READ))('is nothing of the others, to $role: $name', async ({ name, route, role }) => {
    for (const query of QUERIES[name] ?? ['']) {
      const answer = await ask(route.path + query, 'GET', people[role])
      expect(answer.status, answer.text).toBe(200)
      // A filter the caller sent comes back in an export; what it found must not.
      expect(answer.text).not.toMatch(/zebra|tapir/)
    }
  })

  it('counts the own records only [ct.10.14.team-scoped]', async () => {
    const { json } = await ask('/admin-api/overview', 'GET', people.viewer)
    const answer = Overview.parse(json)
    expect(answer).toMatchObject({
      clients: { total: 1 },
      tools: { total: 1 },
      bundles: { total: 1 },
      composites: { total: 1 },
      adminUsers: null,
    })
    const whole = Overview.parse((await ask('/admin-api/overview', 'GET', byKey)).json)
    expect(whole).toMatchObject({ clients: { total: 3 }, bundles: { total: 3 }, composites: { total: 3 } })
    expect(answer.keys.active).toBeLessThan(whole.keys.active)
    expect(whole.adminUsers).not.toBeNull()
  })

  it('measures the own backends only', async () => {
    for (const word of [CANARY, NOBODYS, 'gnu'])
      await must(ask(`/admin-api/clients/${word}/health-check`, 'POST', byKey, {}), 200)
    const whole = await ask('/metrics', 'GET', byKey)
    for (const word of [CANARY, NOBODYS, 'gnu']) expect(whole.text).toContain(`client="${word}"`)
    const own = await ask('/metrics', 'GET', people.viewer)
    expect(own.status).toBe(200)
    expect(own.text).toContain('client="gnu"')
    expect(own.text).not.toMatch(/zebra|tapir|mcp_registry_clients|mcp_sessions_active/)
  })

  it('verifies the whole chain for every permitted user, of any team [ct.13.1.verdict-whole]', async () => {
    const [own, whole] = [
      await ask('/admin-api/audit-log/verify', 'GET', people.auditor),
      await ask('/admin-api/audit-log/verify', 'GET', byKey),
    ]
    expect(own.json).toMatchObject({ valid: true, checked: whole.json.checked, headHash: whole.json.headHash })
  })

  it('reaches the live events only from the own records', async () => {
    const abort = new AbortController()
    // oxlint-disable-next-line no-restricted-globals -- this is the browser of the tests, outside the gateway
    const stream = await fetch(`${tenancy.url}/admin-api/events`, { headers: people.operator, signal: abort.signal })
    let received = ''
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString()
    })().catch(() => undefined)
    await expect.poll(() => received).toContain('ready')
    for (const [by, word] of [
      [tenancy.theirs, CANARY],
      [byKey, NOBODYS],
      [people.admin, 'gnu'],
    ] as const) {
      await must(ask(`/admin-api/clients/${word}`, 'PATCH', by, { description: `${word} changed` }), 200)
      await must(ask(`/admin-api/bundles/${word}-bundle`, 'PATCH', by, { description: `${word} changed` }), 200)
    }
    await expect.poll(() => received).toContain('gnu-bundle')
    abort.abort()
    await reading
    expect(received).toContain('client.update')
    expect(received).not.toMatch(/zebra|tapir/)
  })
})

describe('what a team makes', () => {
  const admin = () => people.admin
  const ids = async (where: string): Promise<unknown[]> =>
    ((await ask(where, 'GET', admin())).json.items as { teamId?: unknown }[]).map(({ teamId }) => teamId)

  it('is its own [ct.2.3.team-created ct.4.6.team ct.10.stamps-team ct.2.3.team]', async () => {
    const { json } = await ask('/admin-api/teams', 'GET', admin())
    const [team] = json.items as { id: number }[]
    for (const where of ['clients', 'bundles', 'composites', 'mcp-keys'])
      expect(new Set(await ids(`/admin-api/${where}`)), where).toEqual(new Set([team?.id]))
  })

  it.each([
    [
      'a bundle',
      '/admin-api/bundles',
      'POST',
      (client: string) => ({ name: 'twin', tools: [{ client, tool: 'echo' }] }),
    ],
    [
      'a bundle changed',
      '/admin-api/bundles/gnu-bundle',
      'PATCH',
      (client: string) => ({ tools: [{ client, tool: 'echo' }] }),
    ],
    [
      'a bundle of its composites',
      '/admin-api/bundles',
      'POST',
      (client: string) => ({ name: 'twin', tools: [], composites: [`${client}-composite`] }),
    ],
    [
      'a composite',
      '/admin-api/composites',
      'POST',
      (client: string) => ({ name: 'twin', description: 'x', steps: [{ targetClient: client, targetTool: 'echo' }] }),
    ],
    [
      'a composite changed',
      '/admin-api/composites/gnu-composite',
      'PATCH',
      (client: string) => ({ steps: [{ targetClient: client, targetTool: 'echo' }] }),
    ],
  ] as const)('cannot name what is another team’s: %s (security case TN-05)', async (_what, where, method, bodyOf) => {
    const send = async (client: string) => {
      const answer = await ask(where, method, admin(), bodyOf(client))
      expect(answer.status, answer.text).toBe(400)
      return twin(answer, {}).replaceAll(client, '…')
    }
    const absent = await send('okapi')
    expect(await send(CANARY)).toBe(absent)
    expect(await send(NOBODYS)).toBe(absent)
  })

  it('is joined to nothing of another team: keys, consumers, policies, trials', async () => {
    const own = (await ask('/admin-api/policies', 'GET', admin())).json.items as { id: number }[]
    const apply = `/admin-api/policies/${own[0]?.id}/apply`
    const of = (records: Records, path: string): string => records[path]?.id ?? '999'
    const asked: readonly ((records: Records, client: string) => readonly [string, string, unknown?])[] = [
      (records) => [
        '/admin-api/mcp-keys',
        'POST',
        { label: 'x', consumerId: Number(of(records, '/admin-api/consumers/:id')) },
      ],
      (records) => [`/admin-api/bundles/gnu-bundle/preview?keyId=${of(records, '/admin-api/mcp-keys/:id')}`, 'GET'],
      (records) => [
        '/admin-api/clients/gnu/tools/echo/test',
        'POST',
        { args: {}, dryRun: true, keyId: Number(of(records, '/admin-api/mcp-keys/:id')) },
      ],
      (_records, client) => [
        '/admin-api/clients/gnu/tools/echo/test',
        'POST',
        { args: {}, dryRun: true, bundle: `${client}-bundle` },
      ],
      (_records, client) => [apply, 'POST', { bundle: `${client}-bundle` }],
      (_records, client) => [apply, 'POST', { tools: [{ client, tool: 'echo' }], dryRun: true }],
    ]
    for (const request of asked) {
      const send = async (records: Records, client: string): Promise<string> => {
        const [where, method, body] = request(records, client)
        const answer = await ask(where, method, admin(), body)
        expect(answer.text, where).not.toContain('says')
        return twin(answer, {}).replaceAll(client, '…')
      }
      const absent = await send(ABSENT, 'okapi')
      expect(await send(foreign, CANARY)).toBe(absent)
      expect(await send(unowned, NOBODYS)).toBe(absent)
    }
  })

  it('switches nothing of another team on or off', async () => {
    const body = { names: [CANARY, NOBODYS, 'absent', 'gnu'], enabled: true }
    const { json } = await ask('/admin-api/clients', 'PATCH', admin(), body)
    expect(json).toEqual({ results: { [CANARY]: false, [NOBODYS]: false, absent: false, gnu: true } })
  })

  it('opens no door to another team’s tools', async () => {
    const made = await must(ask('/admin-api/mcp-keys', 'POST', admin(), { label: 'wide', scopes: null }))
    const call = (client: string, method: string, params: object) =>
      ask(
        `/mcp/${client}`,
        'POST',
        { authorization: `Bearer ${String(made.key)}`, accept: 'application/json, text/event-stream' },
        { jsonrpc: '2.0', id: 1, method, params },
      )
    const list = await call('gnu', 'tools/list', {})
    expect(list.text).toContain('echo')
    for (const client of [CANARY, NOBODYS]) {
      expect((await call(client, 'tools/list', {})).text).not.toContain('says')
      const called = await call(client, 'tools/call', { name: 'echo', arguments: {} })
      expect(called.text).not.toContain('"isError":false')
      expect(called.text).toMatch(/unknown_tool|NOT_FOUND|key_scope|KEY_SCOPE/)
    }
  })

  it('is reached by no global route (security case TN-02)', async () => {
    const global = ROWS.filter(({ route }) => route.access === 'superadmin')
    expect(global.length).toBeGreaterThan(10)
    for (const { name, route } of global) {
      const params = new Proxy<Record<string, string>>({}, { get: () => 'x' })
      const body = route.method === 'GET' ? undefined : {}
      const answer = await ask(fillPath(route.path, params), route.method, admin(), body)
      expect(answer.json, name).toMatchObject({ error: { code: 'FORBIDDEN' } })
    }
  })
})

// Last, because nothing is the other team's afterwards.
describe('a backend that is given away', () => {
  it('is its new team’s from then on, and theirs alone [ct.7.2.team]', async () => {
    const give = (client: string, teamId: unknown) => ask(`/admin-api/clients/${client}/team`, 'PUT', byKey, { teamId })
    expect((await give('okapi', null)).json).toMatchObject({ error: { code: 'CLIENT_NOT_FOUND' } })
    expect((await give(CANARY, 999)).json).toMatchObject({ error: { code: 'TEAM_NOT_FOUND' } })
    expect((await give(CANARY, 'mine')).json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    const { items } = (await ask('/admin-api/teams', 'GET', people.viewer)).json as { items: { id: number }[] }
    const mine = items[0]?.id
    const answer = await give(CANARY, mine)
    expect(answer.json).toMatchObject({ name: CANARY, teamId: mine })
    expect((await give(CANARY, mine)).status).toBe(200)
    const read = (by: Headers) => ask(`/admin-api/clients/${CANARY}`, 'GET', by)
    expect([(await read(people.viewer)).status, (await read(tenancy.theirs)).status]).toEqual([200, 404])
    const own = await ask('/admin-api/audit-log?action=client.team.set', 'GET', people.viewer)
    expect(own.json.items).toMatchObject([{ target: CANARY, detail: { after: { teamId: mine } } }])
    expect((await ask('/admin-api/audit-log?action=client.team.set', 'GET', tenancy.theirs)).json.items).toEqual([])
    expect((await give(CANARY, null)).json).toMatchObject({ teamId: null })
    expect((await read(people.viewer)).status).toBe(404)
  })
})

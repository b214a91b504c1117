// Teams side by side on one gateway: cursors that change hands, and a thousand calls at once that must not meet.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import BetterSqlite3 from 'better-sqlite3'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { API, Overview, type Page, type Route, type RouteTable } from '#contract'
import { bearer, openSessionAs } from './access.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Answer, type Env, type Gateway, passwordOf, signIn, startGateway } from './gateway.fixture.ts'

/** No name is part of another, or of anything the gateway says by itself. */
const TEAMS = ['aardvark', 'bandicoot', 'capybara', 'dormouse'] as const
type Team = (typeof TEAMS)[number]
type Tenant = { readonly admin: Env; readonly keys: readonly { readonly id: number; readonly headers: Env }[] }

let gateway: Gateway
let upstream: { readonly url: string; readonly close: () => void }
const tenants = new Map<Team, Tenant>()
const of = (team: Team): Tenant => {
  const found = tenants.get(team)
  if (found === undefined) throw new Error(`${team} has not moved in`)
  return found
}

/** Answers late, or badly, with the path it was asked: the path names the team. */
function openUpstream(): Promise<typeof upstream> {
  const server = createServer(({ url = '' }, response) => {
    const turn = Number(new URL(url, 'http://x').searchParams.get('n') ?? 0)
    setTimeout(
      () => {
        response.writeHead(turn % 7 === 3 ? 500 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ text: url }))
      },
      (turn * 37) % 60,
    )
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // a TCP server has no other kind of address
      const close = (): void => {
        server.close()
        server.closeAllConnections()
      }
      resolve({ url: `http://127.0.0.1:${port}`, close })
    })
  })
}

const must = async (answer: Promise<Answer>): Promise<Record<string, unknown>> => {
  const { status, text, json } = await answer
  if (status >= 300) throw new Error(`answered ${status}: ${text}`)
  return json as Record<string, unknown> // what every route here answers
}

/** Two of everything a team can have, made by an administrator of it. */
async function moveIn(team: Team): Promise<void> {
  const { id } = await must(gateway.admin('/admin-api/teams', { method: 'POST', body: { name: team } }))
  const person = { username: `${team}-admin`, password: passwordOf(team), role: 'admin', teamId: id }
  await must(gateway.admin('/admin-api/users', { method: 'POST', body: person }))
  const admin = await signIn(gateway, person.username, person.password)
  const make = (path: string, body: object) => must(gateway.ask(path, { method: 'POST', body, headers: admin }))
  const n = { type: 'object', properties: { n: { type: 'integer' } } }
  const keys: { id: number; headers: Env }[] = []
  for (const which of ['one', 'two']) {
    const name = `${team}-${which}`
    const tools = ['echo', 'other', 'held'].map((tool) => ({
      name: tool,
      method: 'GET',
      endpoint: `/${team}/${tool}`,
      description: `Says ${team}`,
      inputSchema: n,
    }))
    await make('/register', { name, base_url: upstream.url, tools })
    await must(
      gateway.ask(`/admin-api/clients/${name}/tags`, { method: 'PUT', body: { tags: [name] }, headers: admin }),
    )
    await make('/admin-api/bundles', { name, tools: [{ client: name, tool: 'echo' }] })
    const steps = [{ targetClient: name, targetTool: 'echo' }]
    await make('/admin-api/composites', { name, description: `Of ${team}`, steps })
    await make('/admin-api/consumers', { name })
    await make('/admin-api/budgets', { name, per: 'tool', maxCalls: 1_000 })
    await make('/admin-api/policies', { name, timeoutMs: 20_000 })
    await make('/admin-api/alerts', { name, eventType: 'client_unreachable', webhookUrl: upstream.url })
    const off = { targetType: 'client', clientName: name, action: 'disable', cron: '0 3 1 1 *' }
    await make('/admin-api/schedules', off)
    await make('/admin-api/catalog', { slug: name, name, kind: 'mcp', mcpUrl: `${upstream.url}/mcp` })
    await make('/admin-api/ws-proxy-targets', {
      name: `${name}-socket`,
      backendWsUrl: upstream.url.replace('http', 'ws'),
    })
    await must(
      gateway.ask(`/admin-api/clients/${name}/tools/other`, { method: 'PATCH', body: { monitor: {} }, headers: admin }),
    )
    const made = await make('/admin-api/mcp-keys', { label: name })
    const key = String(made.key)
    keys.push({ id: Number(made.id), headers: bearer(key) })
    await openSessionAs(gateway, key, `/mcp/${name}`)
    await openSessionAs(gateway, key, `/mcp-custom/${name}`)
    await must(
      gateway.ask(`/admin-api/clients/${name}/tools/held`, {
        method: 'PATCH',
        body: { requiresApproval: true },
        headers: admin,
      }),
    )
    for (const tool of ['echo', 'held'])
      await must(
        gateway.ask(`/mcp/${name}`, {
          method: 'POST',
          headers: { accept: 'application/json, text/event-stream', 'x-request-id': `${name}-0`, ...bearer(key) },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } },
        }),
      )
    await signIn(gateway, person.username, person.password)
  }
  tenants.set(team, { admin, keys })
}

beforeAll(async () => {
  upstream = await openUpstream()
  gateway = await startGateway({
    ...ROOMY,
    RETRY_MAX_ATTEMPTS: '1',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    TRAFFIC_CAPTURE: 'true',
    TRACE_STORAGE: 'true',
  })
  for (const team of TEAMS) await moveIn(team)
  // What is recorded of calls is written after their answers.
  for (const list of ['traffic', 'traces'])
    await vi.waitFor(async () => {
      const { text } = await gateway.admin(`/admin-api/${list}?limit=200`)
      expect(text.split('"dormouse-two').length).toBeGreaterThan(2)
    }, 20_000)
}, 240_000)
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

const others = (team: Team): RegExp => new RegExp(TEAMS.filter((each) => each !== team).join('|'))

describe('a cursor of another team (security case TN-03)', () => {
  const LISTS = Object.values<RouteTable>(API)
    .flatMap((table) => Object.values<Route>(table))
    .filter(({ method, path, query, access }) => {
      const pages = query !== undefined && 'cursor' in query.shape
      return method === 'GET' && !path.includes(':') && pages && access !== 'superadmin'
    })
    .map(({ path }) => path)
  /** A team has one of these, itself; of editors there are none here. */
  const SHORT = ['/admin-api/teams', '/admin-api/pcg/editors']
  type Items = Page<Record<string, unknown>>
  const read = async (team: Team, path: string, query: string): Promise<Items & { readonly text: string }> => {
    const { status, json, text } = await gateway.ask(`${path}?${query}`, { headers: of(team).admin })
    expect([path, status]).toEqual([path, 200])
    return { ...(json as Items), text } // what a list answers
  }
  /** Those that came with the gateway are visible to all. */
  const narrow = (path: string): string => (path === '/admin-api/catalog' ? 'source=custom&' : '')
  const stable = (items: readonly Record<string, unknown>[]): string[] =>
    items.map(({ id, ref, traceId, client, clientName, name, label, toolName }) =>
      JSON.stringify([id ?? ref ?? traceId, client ?? clientName, name ?? label ?? toolName]),
    )

  it('is a place in the list of its holder: it shows nothing of another list', async () => {
    expect(LISTS.length).toBeGreaterThan(8)
    for (const path of LISTS.filter((each) => !SHORT.includes(each))) {
      const first = await read('bandicoot', path, `${narrow(path)}limit=1`)
      expect([path, first.nextCursor]).toEqual([path, expect.any(String)])
      const cursor = encodeURIComponent(first.nextCursor ?? '')
      for (const team of ['aardvark', 'capybara'] as const) {
        const reply = await read(team, path, `${narrow(path)}limit=200&cursor=${cursor}`)
        expect([path, others(team).exec(reply.text)?.[0]]).toEqual([path, undefined])
        // A part of one's own, from some place to the end: neither counted nor cut by what others have.
        const whole = stable((await read(team, path, `${narrow(path)}limit=200`)).items)
        const part = stable(reply.items)
        expect([path, part]).toEqual([path, part.length === 0 ? [] : whole.slice(-part.length)])
      }
    }
  })

  it('is no way to another’s numbers either: counts are of what is listed', async () => {
    for (const team of TEAMS) {
      const { json } = await gateway.ask('/admin-api/overview', { headers: of(team).admin })
      const { clients, bundles, composites, keys, sessions } = Overview.parse(json)
      const listed = (await read(team, '/admin-api/mcp-sessions', 'limit=200')).items.length
      expect([team, clients.total, bundles.total, composites.total, keys.active]).toEqual([team, 2, 2, 2, 2])
      // A backend's and a bundle's, for either key.
      expect([team, listed, sessions.streamable]).toEqual([team, 4, 4])
    }
  })

  it('that was tampered with is refused, or shows no more than that', async () => {
    for (const path of LISTS.filter((each) => !SHORT.includes(each))) {
      const { nextCursor = '' } = await read('bandicoot', path, `${narrow(path)}limit=1`)
      const forged = [
        nextCursor.slice(0, -1),
        `${nextCursor}A`,
        `A${nextCursor.slice(1)}`,
        nextCursor.toLowerCase(),
        'i1',
        "' or 1=1 --",
        'A'.repeat(600),
        Buffer.from('i1e3', 'utf16le').toString('base64url'),
        Buffer.from('nzzzz', 'utf16le').toString('base64url'),
        Buffer.from('i999999999', 'utf16le').toString('base64url'),
      ]
      for (const cursor of forged) {
        const asked = `${path}?${narrow(path)}limit=200&cursor=${encodeURIComponent(cursor)}`
        const { status, text } = await gateway.ask(asked, { headers: of('capybara').admin })
        expect([path, cursor, [200, 400].includes(status)]).toEqual([path, cursor, true])
        expect([path, cursor, others('capybara').exec(text)?.[0]]).toEqual([path, cursor, undefined])
      }
    }
  })
})

describe('a thousand calls of all teams at once (security case TN-08)', () => {
  type Reply = { readonly team: Team; readonly at: number; readonly status: number; readonly text: string }
  const REPLIES: Reply[] = []
  let aborted = 0

  beforeAll(async () => {
    const agent = new Agent({ connections: 250 })
    const one = async (at: number): Promise<void> => {
      const team = TEAMS[at % TEAMS.length] ?? 'aardvark'
      const which = at % 3 === 0 ? 'two' : 'one'
      const [path, name] =
        at % 5 === 0 ? [`/mcp-custom/${team}-${which}`, `${team}-${which}__echo`] : [`/mcp/${team}-${which}`, 'echo']
      const stop = new AbortController()
      const givesUp = at % 11 === 5
      if (givesUp) setTimeout(() => stop.abort(), at % 30)
      try {
        const answer = await request(gateway.url + path, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'x-request-id': `${team}-${at}`,
            ...of(team).keys[at % 2]?.headers,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: `${team}:${at}`,
            method: 'tools/call',
            params: { name, arguments: { n: at } },
          }),
          dispatcher: agent,
          signal: stop.signal,
        })
        REPLIES.push({ team, at, status: answer.statusCode, text: await answer.body.text() })
      } catch (error) {
        if (!givesUp) throw error
        aborted += 1
      }
    }
    await Promise.all(Array.from({ length: 1_000 }, (_each, at) => one(at)))
    await agent.close()
  }, 240_000)

  it('get each their own answer, beside failed and cancelled calls', () => {
    expect([REPLIES.length + aborted, aborted > 0]).toEqual([1_000, true])
    const wrong = REPLIES.filter(({ team, at, status, text }) => {
      const { id } = JSON.parse(text) as { id: string }
      return (
        status !== 200 || id !== `${team}:${at}` || !text.includes(`/${team}/echo?n=${at}`) || others(team).test(text)
      )
    })
    expect(wrong).toEqual([])
    expect(REPLIES.filter(({ text }) => text.includes('"isError":true')).length).toBeGreaterThan(100)
  })

  it('are recorded and logged each under its own key, its own backend, its own request', async () => {
    const owner = new Map(TEAMS.flatMap((team) => of(team).keys.map(({ id }) => [id, team] as const)))
    type Row = {
      readonly key_id: number
      readonly client: string
      readonly request_id: string
      readonly surface: string
    }
    const stored = new BetterSqlite3(`${gateway.folder}/gantry.db`, { readonly: true })
    const rows = (): Row[] =>
      stored
        .prepare(`select key_id, client, request_id, surface from calls where request_id glob '*-[0-9]*'`)
        .all() as Row[] // the columns that were asked for
    await expect.poll(() => rows().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(REPLIES.length)
    const mixed = rows().filter(({ key_id, client, request_id }) => {
      const team = owner.get(key_id)
      return team === undefined || !client.startsWith(team) || !request_id.startsWith(`${team}-`)
    })
    stored.close()
    expect(mixed).toEqual([])
    const lines = gateway.output().split('\n')
    const named = lines.filter((line) => TEAMS.some((team) => line.includes(team)))
    expect(named.length).toBeGreaterThan(REPLIES.length / 2)
    expect(named.filter((line) => TEAMS.filter((team) => line.includes(team)).length > 1)).toEqual([])
  })

  it('leave in the log of a team what the team did, and nothing else', async () => {
    for (const team of TEAMS) {
      const { text } = await gateway.ask('/admin-api/audit-log?limit=200', { headers: of(team).admin })
      expect([team, text.includes(team), others(team).exec(text)?.[0]]).toEqual([team, true, undefined])
    }
  })
})

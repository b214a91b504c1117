// No request makes a program start or changes a command line: every route, every control-plane tool, registrations, imports, and what the window may ask.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CHANNELS } from '#channels'
import { API, type RouteTable } from '#contract'
import { NAMES, rowOf } from '../../gateway/control/catalog.fixture.ts'
import { SYS_TOOLS } from '../../gateway/control/tools.ts'
import { ADMIN_KEY, aFolder, aGateway, type Gateway, startGateway } from './gateway.fixture.ts'
import { listed, processesWith, program, writeServers } from './local-servers.fixture.ts'

const folder = aFolder(afterAll)
const file = join(folder, 'servers.json')
const proof = join(folder, 'proof')
let gateway: Gateway
let before = ''
let command = ''
const shown = async (): Promise<string> =>
  ((await gateway.admin('/admin-api/local-servers/notes')).json as { command: string }).command
beforeAll(async () => {
  writeServers(file, { notes: program() })
  gateway = await startGateway({ LOCAL_SERVERS_FILE: file }, folder)
  await listed(gateway, 'notes')
  before = readFileSync(file, 'utf8')
  command = await shown()
})
afterAll(() => gateway.end())

/** No program ran, and the file and what it names are as they were. */
async function expectUnchanged(): Promise<void> {
  expect([existsSync(proof), processesWith(proof)]).toEqual([false, []])
  expect(readFileSync(file, 'utf8')).toBe(before)
  const { json } = await gateway.admin('/admin-api/local-servers')
  expect(json).toMatchObject({ items: [{ name: 'notes', command }], problems: [] })
}

const ROUTES = Object.values<RouteTable>(API).flatMap((table) => Object.values(table))

/** Would leave a file behind, and be seen in /proc by its marker. */
function evil() {
  const one = { type: 'stdio', command: '/usr/bin/touch', args: [proof], env: { GANTRY_PROOF: proof }, cwd: '/' }
  return {
    name: 'evil',
    kind: 'mcp',
    transport: 'stdio',
    mcp_transport: 'stdio',
    ...one,
    source: 'program',
    base_url: 'gantry://notes',
    mcpServers: { evil: one, notes: one },
    localServers: [{ name: 'evil', ...one }],
    LOCAL_SERVERS_FILE: proof,
    registration: { name: 'evil', kind: 'mcp', ...one },
  }
}

describe('no request starts a program [MC-15] [AZ-17]', () => {
  it('of every route, with the fields of a local server in its body or query', async () => {
    expect(ROUTES.length).toBeGreaterThan(150)
    const query = new URLSearchParams({ command: '/usr/bin/touch', args: proof, name: 'evil', mcpServers: '{}' })
    for (const { method, path } of ROUTES) {
      // Its own end, the backup of a database, and streams without an end.
      if (/drain|backup|events|stream/.test(path)) continue
      for (const name of ['evil', 'notes']) {
        const url = path.replaceAll(':name', name).replaceAll(/:[A-Za-z]+/g, '1')
        const { status } =
          method === 'GET'
            ? await gateway.admin(`${url}?${query}`)
            : await gateway.admin(url, { method, body: { ...evil(), name } })
        expect(status, `${method} ${url}`).toBeLessThan(500)
      }
    }
    await expectUnchanged()
  }, 120_000)

  it.each(['/register', '/admin-api/discovery/preview'])('of %s: a command is no source', async (path) => {
    const { name, command: started, args, env, transport } = evil()
    for (const body of [
      { name, command: started, args },
      { name, kind: 'mcp', command: started, args, env },
      { name, kind: 'stdio', command: started },
      { name, kind: 'mcp', transport, command: started },
      { name, kind: 'mcp', mcp_transport: 'stdio', mcp_url: 'http://127.0.0.1:9/mcp', command: started },
      { name, kind: 'mcp', mcp_url: 'gantry://notes' },
      { name, mcp_url: `file://${started}` },
    ])
      expect((await gateway.admin(path, { method: 'POST', body })).status, JSON.stringify(body)).toBe(400)
    expect(existsSync(proof)).toBe(false)
  })

  it('of the name of a local server: no registration replaces it', async () => {
    const body = { name: 'notes', mcp_url: 'http://127.0.0.1:9/mcp' }
    const taken = await gateway.admin('/register', { method: 'POST', body })
    expect(taken.json).toMatchObject({ error: { code: 'NAME_COLLISION' } })
  })

  it('of every tool of the control plane, with its own arguments and those of a local server', async () => {
    expect(NAMES).toEqual(SYS_TOOLS.map(({ name }) => name))
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, accept: 'application/json, text/event-stream' }
    const call = (name: string, args: object) =>
      gateway.ask('/mcp', {
        method: 'POST',
        headers,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: { ...args, __confirm: true } },
        },
      })
    for (const name of NAMES)
      for (const args of [{ ...rowOf(name).about('notes', 1), ...evil() }, { ...evil(), name: 'notes' }, { ...evil() }])
        expect((await call(name, args)).status, name).toBe(200)
    await expectUnchanged()
  }, 60_000)

  it('of an import of a document', async () => {
    const exported = JSON.parse((await gateway.admin('/admin-api/config/export')).text)
    const clients = [...exported.clients, { ...evil(), tools: [] }].map((one) => ({
      ...one,
      ...evil(),
      name: one.name,
    }))
    await gateway.admin('/admin-api/config/import?registerClients=true', {
      method: 'POST',
      body: { ...exported, clients, mcpServers: evil().mcpServers },
    })
    await expectUnchanged()
    expect((await gateway.admin('/admin-api/clients/evil')).status).toBe(404)
  })

  it('without the setting: no route has a local server', async () => {
    const without = await aGateway()
    expect((await without.admin('/admin-api/local-servers')).json).toMatchObject({ items: [], problems: [] })
    for (const verb of ['restart', 'stop'])
      expect((await without.admin(`/admin-api/local-servers/notes/${verb}`, { method: 'POST' })).status).toBe(404)
  })
})

/** The names of every field that a schema accepts, at any depth. */
function fieldsOf(schema: z.ZodType): readonly string[] {
  const names: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties' && typeof value === 'object' && value !== null) names.push(...Object.keys(value))
      visit(value)
    }
  }
  visit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  return names
}

describe('what can be asked for has no field of a command', () => {
  const COMMANDS = /^(?:command|argv|cwd|exec|shell|file|spawn|stdio|mcpservers)$/i

  it('of every route; args are those of a call of a tool', () => {
    const found = ROUTES.flatMap((route) => {
      const schemas = [route.query, 'body' in route ? route.body : undefined]
      const fields = schemas.flatMap((schema) => (schema ? fieldsOf(schema) : []))
      return fields.map((field) => ({ at: `${route.method} ${route.path}`, field }))
    })
    expect(found.length).toBeGreaterThan(300)
    expect(found.filter(({ field }) => COMMANDS.test(field))).toEqual([])
  })

  it('of every channel of the window: it names an entry, a bundle by its hash, hosts and folders, which main shows', () => {
    const found = Object.entries(CHANNELS).flatMap(([at, { input }]) => fieldsOf(input).map((field) => ({ at, field })))
    expect(found.filter(({ at }) => at.startsWith('servers:')).map(({ field }) => field)).toContain('sha256')
    expect(found.filter(({ field }) => COMMANDS.test(field))).toEqual([])
  })
})

// No request makes a program start or changes a command line: every route, registrations, imports, control-plane tools.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { API, type RouteTable } from '#contract'
import { ADMIN_KEY, aGateway } from './gateway.fixture.ts'
import { aHost, listed, processesWith, program } from './local-servers.fixture.ts'

/** Would leave a file behind, and be seen in /proc by its marker. */
function evil(proof: string) {
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
  it('of every mutating route, with the fields of a local server in its body', async () => {
    const { gateway, file, folder } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    const proof = join(folder, 'proof')
    const before = readFileSync(file, 'utf8')
    const command = ((await gateway.admin('/admin-api/local-servers/notes')).json as { command: string }).command
    for (const table of Object.values<RouteTable>(API))
      for (const { method, path } of Object.values(table)) {
        // Its own end, and the backup of a database.
        if (method === 'GET' || /drain|backup/.test(path)) continue
        for (const name of ['evil', 'notes']) {
          const url = path.replaceAll(':name', name).replaceAll(/:[A-Za-z]+/g, '1')
          const { status } = await gateway.admin(url, { method, body: { ...evil(proof), name } })
          expect(status, `${method} ${url}`).toBeLessThan(500)
        }
      }
    expect(existsSync(proof)).toBe(false)
    expect(processesWith(proof)).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe(before)
    const { json } = await gateway.admin('/admin-api/local-servers')
    expect(json).toMatchObject({ items: [{ name: 'notes', command }], problems: [] })
  }, 120_000)

  it.each(['/register', '/admin-api/discovery/preview'])('of %s: a command is no source', async (path) => {
    const { gateway, folder } = await aHost({ notes: program() })
    const proof = join(folder, 'proof')
    const { name, command, args, env, transport } = evil(proof)
    for (const body of [
      { name, command, args },
      { name, kind: 'mcp', command, args, env },
      { name, kind: 'stdio', command },
      { name, kind: 'mcp', transport, command },
      { name, kind: 'mcp', mcp_transport: 'stdio', mcp_url: 'http://127.0.0.1:9/mcp', command },
      { name, kind: 'mcp', mcp_url: 'gantry://notes' },
      { name, mcp_url: `file://${command}` },
    ])
      expect((await gateway.admin(path, { method: 'POST', body })).status, JSON.stringify(body)).toBe(400)
    expect(existsSync(proof)).toBe(false)
  })

  it('of the name of a local server: no registration replaces it', async () => {
    const { gateway } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    const body = { name: 'notes', mcp_url: 'http://127.0.0.1:9/mcp' }
    const taken = await gateway.admin('/register', { method: 'POST', body })
    expect(taken.json).toMatchObject({ error: { code: 'NAME_COLLISION' } })
  })

  it('of an import of a document, or of a tool of the control plane', async () => {
    const { gateway, file, folder } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    const proof = join(folder, 'proof')
    const before = readFileSync(file, 'utf8')
    const exported = JSON.parse((await gateway.admin('/admin-api/config/export')).text)
    const clients = [...exported.clients, { ...evil(proof), tools: [] }].map((one) => ({
      ...one,
      ...evil(proof),
      name: one.name,
    }))
    await gateway.admin('/admin-api/config/import?registerClients=true', {
      method: 'POST',
      body: { ...exported, clients, mcpServers: evil(proof).mcpServers },
    })
    const tool = { name: 'sys_register_client', arguments: evil(proof) }
    await gateway.ask('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool },
    })
    expect(existsSync(proof)).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await gateway.admin('/admin-api/clients/evil')).status).toBe(404)
  })

  it('without the setting: no route has a local server', async () => {
    const gateway = await aGateway()
    expect((await gateway.admin('/admin-api/local-servers')).json).toMatchObject({ items: [], problems: [] })
    for (const verb of ['restart', 'stop'])
      expect((await gateway.admin(`/admin-api/local-servers/notes/${verb}`, { method: 'POST' })).status).toBe(404)
  })
})

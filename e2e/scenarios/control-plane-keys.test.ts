// Managed keys on the control plane, over real sockets: roles, scopes, the same bytes for hidden and unknown records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { legacy, modern, resultFields, resultOf, sys } from './control-plane.fixture.ts'
import { type Env } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

const source = (name: string) => ({
  name,
  base_url: 'http://127.0.0.1:18099',
  tools: [
    { name: 'read', method: 'GET', endpoint: '/r', description: 'Reads' },
    { name: 'write', method: 'POST', endpoint: '/w', description: 'Writes' },
  ],
})

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await spawnGateway({ ALLOW_PRIVATE_IPS: 'true', RATE_LIMIT_MCP: '1000000' })
  for (const name of ['mine', 'canary-theirs', 'canary-dark'])
    await resultFields(gateway, 'sys_register_client', source(name))
  await resultFields(gateway, 'sys_set_client_enabled', { name: 'canary-dark', enabled: false })
})
afterAll(() => gateway.end())

type Key = { readonly id: number; readonly key: string; readonly headers: Env }

async function mint(settings: object): Promise<Key> {
  const made = await resultFields(gateway, 'sys_mint_key', { label: 'a key', ...settings, __confirm: true })
  const { id, key } = made as { id: number; key: string } // the record of a fresh key
  return { id, key, headers: { authorization: `Bearer ${key}` } }
}
const MINE = { adminRole: 'operator', elevated: true, scopes: { clients: ['mine'] } }

describe('a managed key', () => {
  it('comes in by its role, and only by that [gw.auth.control-plane ct.2.1.control-role]', async () => {
    const none = await mint({})
    for (const ask of [legacy, modern]) {
      const answer = await ask(gateway, 'tools/list', {}, none.headers)
      expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
    }
    const viewer = await mint({ adminRole: 'viewer' })
    const { tools } = resultOf(await modern(gateway, 'tools/list', {}, viewer.headers))
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual([
      'sys_audit_tail',
      'sys_get_client',
      'sys_list_bundles',
      'sys_list_clients',
      'sys_list_keys',
      'sys_list_tools',
      'sys_metrics',
      'search_tools',
    ])
    const refused = await sys(gateway, 'sys_delete_client', { name: 'mine', __confirm: true }, viewer.headers)
    expect(refused.structuredContent).toMatchObject({ code: 'role_required', gate: 'role' })
    // What it may not see it does not find either.
    const found = await resultFields(gateway, 'search_tools', { query: 'delete backend' }, viewer.headers)
    expect(JSON.stringify(found)).not.toContain('sys_delete_client')
  })

  it('acts under its own name, and mints no other', async () => {
    const key = await mint({ adminRole: 'admin', elevated: true })
    const toggle = (enabled: boolean) =>
      resultFields(gateway, 'sys_set_tool_enabled', { client: 'mine', tool: 'write', enabled }, key.headers)
    await toggle(false)
    await toggle(true)
    const { items } = await resultFields(gateway, 'sys_audit_tail', { limit: 1 }, key.headers)
    expect(items).toMatchObject([{ action: 'tool.enable', actor: `mcp-key:${key.id}`, target: 'mine__write' }])
    const refused = await sys(gateway, 'sys_mint_key', { label: 'more', __confirm: true }, key.headers)
    expect(refused.structuredContent).toMatchObject({ code: 'env_bearer_required', gate: 'env_bearer' })
    // Nor is it one on the admin API.
    expect((await gateway.ask('/admin-api/clients', { headers: key.headers })).status).toBe(401)
  })

  it('bound to a bundle opens nothing else, with any role (security case AZ-11) [ct.2.4.bundle-bound]', async () => {
    const key = await mint({ adminRole: 'admin', scopes: { bundles: ['nowhere'] } })
    const answer = await legacy(gateway, 'tools/list', {}, key.headers)
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'KEY_SCOPE' } }])
  })

  it('is out at once when it is revoked, in a session too', async () => {
    const key = await mint(MINE)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const opened = await legacy(gateway, 'initialize', params, key.headers)
    const session = { ...key.headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    expect((await legacy(gateway, 'ping', {}, session)).status).toBe(200)
    expect(await resultFields(gateway, 'sys_revoke_key', { id: key.id })).toEqual({
      id: key.id,
      revokedAt: expect.any(String),
    })
    expect((await legacy(gateway, 'ping', {}, session)).status).toBe(401)
    expect((await legacy(gateway, 'ping', {}, key.headers)).status).toBe(401)
  })
})

/** Every tool that names something, about a backend of this name. */
const ABOUT: readonly (readonly [name: string, args: (client: string) => object])[] = [
  ['sys_get_client', (name) => ({ name })],
  ['sys_diagnose', (client) => ({ client, tool: 'read' })],
  ['sys_diagnose', (client) => ({ tool: `${client}__read` })],
  ['sys_set_client_enabled', (name) => ({ name, enabled: true })],
  ['sys_set_tool_enabled', (client) => ({ client, tool: 'read', enabled: true })],
  ['sys_set_guard', (client) => ({ client, tool: 'read', guards: null })],
  ['sys_reset_circuit_breaker', (name) => ({ name })],
  ['sys_delete_client', (name) => ({ name })],
  ['sys_register_client', (name) => source(name)],
]

describe('what is out of scope', () => {
  it.each(ABOUT)('%s answers in the same bytes as an unknown record (security case AZ-03)', async (name, args) => {
    const { headers } = await mint(MINE)
    const ask = async (client: string): Promise<string> => {
      const answer = await legacy(gateway, 'tools/call', { name, arguments: args(client) }, headers)
      expect(resultOf(answer).isError).toBe(true)
      const resultFields = [...answer.headers].filter(([header]) => header !== 'x-request-id' && header !== 'date')
      return JSON.stringify([
        answer.status,
        resultFields,
        answer.text.replace(answer.headers.get('x-request-id') ?? '', '<id>'),
      ])
    }
    // Names of one length, so that nothing but their existence could differ.
    const answers = [await ask('canary-theirs'), await ask('absent-theirs')]
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).not.toContain('theirs')
    expect(new Set([await ask('canary-dark'), await ask('absent-dark')]).size).toBe(1)
  })

  it('is no name to register, and what is in scope is, though nothing has it yet [ct.6.2.scope-register]', async () => {
    const key = await mint({ ...MINE, scopes: { clients: ['mine', 'yet-to-come'] } })
    for (const name of ['canary-theirs', 'absent-theirs']) {
      const refused = await sys(gateway, 'sys_register_client', source(name), key.headers)
      expect(refused.structuredContent).toMatchObject({ code: 'CLIENT_NOT_FOUND', message: 'Client not found' })
    }
    const made = await resultFields(gateway, 'sys_register_client', source('yet-to-come'), key.headers)
    expect(made).toMatchObject({ status: 'registered', name: 'yet-to-come' })
    await resultFields(gateway, 'sys_delete_client', { name: 'yet-to-come' }, key.headers)
    // By tools alone a key reaches no backend, not even one that is still to be.
    const pairs = await mint({ ...MINE, scopes: { tools: ['yet-to-come__read'] } })
    const refused = await sys(gateway, 'sys_register_client', source('yet-to-come'), pairs.headers)
    expect(refused.structuredContent).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  })

  it('is in no answer by a name: not in lists, search, log, figures or messages (security case AZ-05)', async () => {
    const { headers } = await mint({ ...MINE, adminRole: 'admin' })
    await resultFields(gateway, 'sys_create_bundle', {
      name: 'canary-all',
      tools: [{ client: 'canary-theirs', tool: 'read' }],
    })
    const answers = [
      await sys(gateway, 'sys_list_clients', {}, headers),
      await sys(gateway, 'sys_list_clients', { q: 'canary' }, headers),
      await sys(gateway, 'sys_list_tools', {}, headers),
      await sys(gateway, 'sys_list_tools', { client: 'canary-theirs' }, headers),
      await sys(gateway, 'sys_list_bundles', {}, headers),
      await sys(gateway, 'sys_list_keys', {}, headers),
      await sys(gateway, 'sys_audit_tail', { limit: 200 }, headers),
      await sys(gateway, 'sys_metrics', {}, headers),
      await sys(gateway, 'search_tools', { query: 'canary theirs' }, headers),
    ]
    expect(JSON.stringify(answers)).not.toContain('canary-')
    expect(answers[2]?.structuredContent).toMatchObject({ items: [{ tool: 'read' }, { tool: 'write' }] })
    const refused = await sys(
      gateway,
      'sys_create_bundle',
      { name: 'odd', tools: [{ client: 'canary-theirs', tool: 'read' }] },
      headers,
    )
    const absent = await sys(
      gateway,
      'sys_create_bundle',
      { name: 'odd', tools: [{ client: 'absent-theirs', tool: 'read' }] },
      headers,
    )
    expect(refused.content[0]?.text.replace('canary', 'absent')).toBe(absent.content[0]?.text)
    expect(refused.structuredContent.code).toBe('UNKNOWN_TOOL')
  })

  it('takes as long to refuse as what does not exist (security case AZ-03)', async () => {
    const { headers } = await mint(MINE)
    const spent: Record<string, number[]> = { 'canary-theirs': [], 'absent-theirs': [] }
    // In turns, so that other load on the machine affects both alike.
    for (let round = 0; round < 150; round++)
      for (const [name, times] of Object.entries(spent)) {
        const since = performance.now()
        await legacy(gateway, 'tools/call', { name: 'sys_get_client', arguments: { name } }, headers)
        times.push(performance.now() - since)
      }
    const [hidden = 0, absent = 0] = Object.values(spent).map(
      (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)],
    )
    expect(hidden / absent).toBeGreaterThan(0.7)
    expect(hidden / absent).toBeLessThan(1.4)
  })
})

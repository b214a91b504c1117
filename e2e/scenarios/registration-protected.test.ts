// Sources that want a credential from the first request: registered in one step, by an admin, and the secret never comes back.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { ADMIN_KEY, aUser, type Gateway } from './gateway.fixture.ts'
import { call, codeOf, listed, register, registered, startNear } from './registration.fixture.ts'

const TOKEN = 'sesame-of-the-mcp-server'
const bearer = { type: 'bearer', token: TOKEN }

let gateway: Gateway
let peer: McpPeer
let api: UpstreamServer
beforeAll(async () => {
  const paths = { '/items': { get: { operationId: 'listItems', responses: { 200: { description: 'ok' } } } } }
  ;[gateway, peer, api] = await Promise.all([
    startNear(),
    startMcpPeer({ era: 'both', bearer: TOKEN }),
    startServer(({ headers, url }, response) => {
      if (headers['x-key'] !== TOKEN) answerJson(response, { error: 'who?' }, 401)
      else if (url !== '/openapi.json') answerJson(response, { items: [] })
      else answerJson(response, { openapi: '3.0.0', info: { title: 't', version: '1' }, paths })
    }),
  ])
})
afterAll(() => Promise.all([gateway.end(), peer.close(), api.close()]))

const preview = (body: object) => gateway.admin('/admin-api/discovery/preview', { method: 'POST', body })

describe('upstream_auth', () => {
  it('registers a protected MCP server, which is called with it [ct.0.15.register]', async () => {
    const without = await register(gateway, { name: 'locked', mcp_url: peer.url })
    expect([codeOf(without), without.text]).toEqual(['DISCOVERY_ERROR', expect.stringContaining('401')])
    const made = await register(gateway, { name: 'locked', mcp_url: peer.url, upstream_auth: bearer })
    expect(made.status, made.text).toBe(200)
    expect(made.json).not.toHaveProperty('warnings')
    expect(await listed(gateway, 'locked')).toContain('echo')
    expect(await call(gateway, 'locked', 'echo', { a: 1 })).toMatchObject({ structuredContent: { a: 1 } })
  })

  it('registers a protected specification, and re-discovers it with what is stored [ct.0.15.register]', async () => {
    const upstream_auth = { type: 'header', headerName: 'X-Key', value: TOKEN }
    const source = { name: 'api', openapi_url: `${api.url}/openapi.json`, base_url: api.url }
    expect((await preview({ ...source, upstream_auth })).json).toMatchObject({ count: 1 })
    await registered(gateway, { ...source, upstream_auth })
    expect((await gateway.admin('/admin-api/clients/api/rediscover', { method: 'POST', body: {} })).status).toBe(200)
    expect(await call(gateway, 'api', 'listItems')).toMatchObject({ structuredContent: { items: [] } })
  })

  it('is shown nowhere [ct.0.15.write-only]', async () => {
    const made = await register(gateway, { name: 'quiet', mcp_url: peer.url, upstream_auth: bearer })
    const wrong = { name: 'quiet', mcp_url: peer.url, upstream_auth: { type: 'bearer', token: `${TOKEN}\n` } }
    const shown = [
      made,
      await register(gateway, wrong),
      await preview({ mcp_url: peer.url, upstream_auth: bearer }),
      await gateway.admin('/admin-api/clients/quiet'),
      await gateway.admin('/admin-api/clients/quiet/upstream-auth'),
      await gateway.admin('/admin-api/audit-log?limit=200'),
      await gateway.admin('/admin-api/config/export'),
    ].map(({ text }) => text)
    expect([...shown, gateway.output()].join()).not.toContain(TOKEN)
    expect(shown[4]).toContain('"configured":true')
    expect(shown[5]).toContain('client.upstream_auth.set')
  })

  it('is for admins, and for an MCP server it is a header [ct.0.15.admin]', async () => {
    const operator = await aUser(gateway, 'olga', 'operator')
    const body = { name: 'hers', mcp_url: peer.url, upstream_auth: bearer }
    for (const path of ['/register', '/admin-api/discovery/preview']) {
      const refused = await gateway.ask(path, { method: 'POST', body, headers: operator })
      expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN'])
    }
    const query = { type: 'query', paramName: 'key', value: TOKEN }
    expect(codeOf(await register(gateway, { ...body, upstream_auth: query }))).toBe('NOT_APPLICABLE')
    expect((await gateway.admin('/admin-api/clients/hers')).status).toBe(404)
  })

  it('is read by the command line from a file, never from its arguments', async () => {
    const file = join(gateway.folder, 'credential.json')
    writeFileSync(file, JSON.stringify(bearer))
    const env = { GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY, HOME: gateway.folder }
    const add = (auth: string) => gantry(env, ['backend', 'add', 'from-cli', '--mcp', peer.url, '--auth', auth])
    expect(await add(`@${file}`)).toMatchObject({ code: 0, out: expect.stringContaining('/mcp/from-cli') })
    expect(await add(JSON.stringify(bearer))).toMatchObject({ code: 64, error: expect.stringContaining('@file') })
  })
})

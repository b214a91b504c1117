// A service on loopback that an admin allows for one backend: reached by its calls, by nothing else, and refused again at once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { call, ROOMY, refusalOf } from './data-plane.fixture.ts'
import { type Answer, type Gateway, startGateway } from './gateway.fixture.ts'

const DOCUMENT = { openapi: '3.1.0', info: { title: 'Pets' }, paths: { '/pets': { get: { operationId: 'list' } } } }
const codeOf = ({ json }: Answer) => (json as { error?: { code?: string } }).error?.code
const post = (gateway: Gateway, path: string, body: object) => gateway.admin(path, { method: 'POST', body })

let gateway: Gateway
let service: UpstreamServer
let peer: McpPeer
beforeAll(async () => {
  service = await startServer(({ url }, response) => answerJson(response, url === '/spec' ? DOCUMENT : { pets: 3 }))
  peer = await startMcpPeer()
  gateway = await startGateway({ ...ROOMY, ALLOW_PRIVATE_IPS: 'false' })
})
afterAll(async () => {
  await gateway.end()
  await Promise.all([service.close(), peer.close()])
})

const found = async (url: string) =>
  (await post(gateway, '/admin-api/discovery/local-services', { url })).json as { services: object[] }

it('a call reaches an allowed REST service until it is revoked, and no other backend does', async () => {
  const payload = { name: 'pets', openapi_url: `${service.url}/spec` }
  expect(codeOf(await post(gateway, '/register', payload))).toBe('SSRF_BLOCKED')
  const [local_service] = (await found(payload.openapi_url)).services
  expect((await post(gateway, '/admin-api/discovery/preview', { ...payload, local_service })).json).toMatchObject({
    title: 'Pets',
    count: 1,
  })
  // A preview leaves no permission.
  expect(codeOf(await post(gateway, '/register', payload))).toBe('SSRF_BLOCKED')
  expect((await post(gateway, '/register', { ...payload, local_service })).json).toMatchObject({ tools_count: 1 })
  expect(await call(gateway, 'list', {}, '/mcp/pets')).toMatchObject({ structuredContent: { pets: 3 } })
  const again = await post(gateway, '/admin-api/clients/pets/rediscover', { dryRun: true })
  expect(again.json).toMatchObject({ diff: { unchanged: 1 } })
  expect(codeOf(await post(gateway, '/register', { ...payload, name: 'other' }))).toBe('SSRF_BLOCKED')

  const revoked = await gateway.admin('/admin-api/clients/pets/local-service', { method: 'DELETE' })
  expect(revoked.status).toBe(204)
  const before = service.hits.length
  expect(refusalOf(await call(gateway, 'list', {}, '/mcp/pets'))).toMatchObject({ code: 'ssrf_blocked' })
  expect(service.hits).toHaveLength(before)
})

it('a call reaches an allowed MCP server, and its session ends with the permission', async () => {
  const payload = { name: 'peer', mcp_url: peer.url }
  expect(codeOf(await post(gateway, '/register', payload))).toBe('SSRF_BLOCKED')
  const [local_service] = (await found(peer.url)).services
  expect((await post(gateway, '/register', { ...payload, local_service })).status).toBe(200)
  const health = async () => (await post(gateway, '/admin-api/clients/peer/health-check', {})).json
  expect(await health()).toMatchObject({ ok: true })
  await gateway.admin('/admin-api/clients/peer/local-service', { method: 'DELETE' })
  const before = peer.seen.length
  expect(await health()).toMatchObject({ ok: false })
  expect(peer.seen).toHaveLength(before)
})

it('an export does not carry the permission, and an import gives none', async () => {
  const payload = { name: 'pets', openapi_url: `${service.url}/spec` }
  const [local_service] = (await found(payload.openapi_url)).services
  await post(gateway, '/register', { ...payload, local_service })
  const { text, json } = await gateway.admin('/admin-api/config/export')
  expect(text).not.toContain('local_service')
  expect(text).not.toContain('localService')
  const second = await startGateway({ ...ROOMY, ALLOW_PRIVATE_IPS: 'false' })
  try {
    const { hits } = service
    const before = hits.length
    const imported = await post(second, '/admin-api/config/import?registerClients=true', json as object)
    expect(imported.json).toMatchObject({ skipped: expect.arrayContaining([expect.objectContaining({ id: 'pets' })]) })
    expect((await second.admin('/admin-api/clients/pets')).status).toBe(404)
    expect(hits).toHaveLength(before)
  } finally {
    await second.end()
  }
})

// The names of registered backends move to another address that policy permits: no connection follows until a person re-discovers.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { answerJson, aServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openWsBackend, wsConnect } from '../../gateway/sockets/ws-backend.fixture.ts'
import { startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { aFolder, UNCHECKED } from './gateway.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'
import { EDITORS, PCG_ENV } from './pcg.fixture.ts'
import { call, jsonOf, listed, registered, spawnNear } from './registration.fixture.ts'

const HOME = '127.0.0.1'
const ELSEWHERE = '127.0.0.2'
/** Other systems give loopback one address. */
const linux = process.platform === 'linux'
const why = linux ? '' : '; skipped: 127.0.0.2 exists on Linux only'
const ENV = {
  NODE_OPTIONS: `--import=${new URL('moved-names.mjs', import.meta.url).href}`,
  HEALTH_CHECK_INTERVAL_MS: '200',
  RETRY_MAX_ATTEMPTS: '0',
  OPENAPI_DISCOVERY_TIMEOUT_MS: '60000',
}

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
const listening = (server: TcpServer | Server, port: number, host: string): Promise<void> => {
  open.push(() => new Promise((resolve) => server.close(resolve)))
  return new Promise((resolve) => void server.listen(port, host, resolve))
}

/** Where no connection may go; counts how many went. */
async function aTrap(ports: readonly number[]): Promise<() => number> {
  let met = 0
  for (const port of ports) {
    const trap = createServer((socket) => {
      met += 1
      socket.destroy()
    })
    await listening(trap, port, ELSEWHERE)
  }
  return () => met
}

function naming(folder: string) {
  const [names, lookups] = [join(folder, 'names'), join(folder, 'lookups')]
  return {
    leadTo: (address: string) =>
      writeFileSync(
        names,
        JSON.stringify(
          Object.fromEntries(['up', 'api', 'docs', 'ws', 'unreal'].map((name) => [`${name}.test`, [address]])),
        ),
      ),
    forget: () => rmSync(lookups, { force: true }),
    asked: () => (existsSync(lookups) ? readFileSync(lookups, 'utf8').trim().split('\n') : []),
  }
}

const API = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      get: {
        operationId: 'pets',
        summary: 'All pets',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
      },
    },
  },
}
const must = async (
  gateway: GatewayProcess,
  path: string,
  method: string,
  body?: unknown,
): Promise<Record<string, unknown>> => {
  const answer = await gateway.admin(path, { method, ...(body === undefined ? {} : { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return jsonOf(answer)
}
const pins = async (gateway: GatewayProcess, name: string) =>
  (await must(gateway, `/admin-api/clients/${name}`, 'GET')).resolvedIps

describe.skipIf(!linux)('a name that moves after its registration', () => {
  it(`is never dialled at its new address by a call, a health check, list_changed, a monitor or a WebSocket, also after a restart (security case SS-04${why}) [ct.19.15.pins]`, async () => {
    const folder = aFolder()
    const names = naming(folder)
    names.leadTo(HOME)
    const api = await aServer(({ url }, response) => answerJson(response, url === '/openapi.json' ? API : []))
    const peer = await startMcpPeer({ listChanged: true })
    const ws = await openWsBackend()
    open.push(peer.close, ws.close)
    const mcpPort = Number(new URL(peer.url).port)
    let gateway = await spawnNear(ENV, folder)
    open.push(() => gateway.end())

    await registered(gateway, { name: 'up', mcp_url: `http://up.test:${mcpPort}/mcp` })
    const base_url = `http://api.test:${api.port}`
    await registered(gateway, {
      name: 'shop',
      openapi_url: `http://docs.test:${api.port}/openapi.json`,
      base_url,
      health_url: `${base_url}/health`,
    })
    await must(gateway, '/admin-api/ws-proxy-targets', 'POST', {
      name: 'chat',
      backendWsUrl: `ws://ws.test:${ws.port}/echo`,
    })
    await must(gateway, '/admin-api/clients/shop/tools/pets', 'PATCH', { monitor: { args: {} } })

    const met = await aTrap([mcpPort, api.port, ws.port])
    names.leadTo(ELSEWHERE)
    names.forget()

    for (const tool of ['second', 'third']) {
      expect(await call(gateway, 'up', 'echo', { a: 1 })).not.toHaveProperty('isError')
      expect(await call(gateway, 'shop', 'pets', {})).not.toHaveProperty('isError')
      for (const name of ['up', 'shop'])
        expect(await must(gateway, `/admin-api/clients/${name}/health-check`, 'POST')).toMatchObject({ ok: true })
      expect(await must(gateway, '/admin-api/clients/shop/tools/pets/monitor/run', 'POST')).toMatchObject({
        status: 'ok',
      })
      const socket = await wsConnect(`${gateway.url}/ws-proxy/chat`)
      socket.socket.send('hello')
      await expect.poll(() => socket.frames).toEqual(['hello'])
      socket.socket.close()
      await must(gateway, '/admin-api/clients/up', 'PATCH', { enabled: false })
      await must(gateway, '/admin-api/clients/up', 'PATCH', { enabled: true })

      await expect.poll(() => peer.streams(), { timeout: 20_000 }).toBeGreaterThan(0)
      peer.changeTools([{ name: tool, inputSchema: { type: 'object' } }])
      await expect.poll(() => listed(gateway, 'up'), { timeout: 20_000 }).toEqual([tool])
      peer.changeTools([
        { name: tool, inputSchema: { type: 'object' } },
        { name: 'echo', inputSchema: { type: 'object' } },
      ])
      await expect.poll(() => listed(gateway, 'up'), { timeout: 20_000 }).toEqual(['echo', tool])
      expect([await pins(gateway, 'up'), await pins(gateway, 'shop')]).toEqual([[HOME], [HOME]])

      if (tool === 'second') {
        await gateway.stop()
        gateway = await spawnNear(ENV, folder)
      }
    }
    expect({ connections: met(), lookups: names.asked() }).toEqual({ connections: 0, lookups: [] })
  }, 120_000)

  it(`fails with the remedy until a re-discovery pins it again; configuration and aliases stay (security case SS-06${why}) [ct.4.3.repin]`, async () => {
    const folder = aFolder()
    const names = naming(folder)
    names.leadTo(HOME)
    const answering = (): Server =>
      createHttpServer(({ url }, response) => answerJson(response, url === '/openapi.json' ? API : { pets: [] }))
    const home = answering()
    await listening(home, 0, HOME)
    const { port } = home.address() as AddressInfo // a TCP server has one
    // A health check that fails before the call would evict the backend.
    const gateway = await spawnNear({ ...ENV, ...UNCHECKED }, folder)
    open.push(() => gateway.end())
    await registered(gateway, { name: 'shop', openapi_url: `http://api.test:${port}/openapi.json` })
    await must(gateway, '/admin-api/clients/shop/tools/pets', 'PATCH', {
      overrides: { displayName: 'animals' },
      guards: { rateLimitPerMin: 500 },
    })
    const configured = (await must(gateway, '/admin-api/clients/shop/tools/pets', 'GET')).config

    home.closeAllConnections()
    await new Promise((resolve) => home.close(resolve))
    await listening(answering(), port, ELSEWHERE)
    names.leadTo(ELSEWHERE)
    const failed = await call(gateway, 'shop', 'animals')
    expect(failed).toMatchObject({
      isError: true,
      _meta: { 'gantry/failure': { kind: 'network', details: { remedy: 'rediscover' } } },
    })
    expect(await must(gateway, '/admin-api/clients/shop/health-check', 'POST')).toMatchObject({
      ok: false,
      error: expect.stringContaining('an administrator can re-discover it'),
    })

    await must(gateway, '/admin-api/clients/shop/rediscover', 'POST', {})
    expect(await pins(gateway, 'shop')).toEqual([ELSEWHERE])
    expect(await call(gateway, 'shop', 'animals')).not.toHaveProperty('isError')
    expect((await must(gateway, '/admin-api/clients/shop/tools/pets', 'GET')).config).toEqual(configured)
  })

  it(`is never dialled at its new address by an editor, until its URL is set again (security case SS-04${why})`, async () => {
    const folder = aFolder()
    const names = naming(folder)
    names.leadTo(HOME)
    let dialled = 0
    const home = createHttpServer((_request, response) => {
      dialled += 1
      response.end()
    })
    await listening(home, 0, HOME)
    const { port } = home.address() as AddressInfo // a TCP server has one
    let gateway = await spawnNear({ ...PCG_ENV, ...ENV }, folder)
    open.push(() => gateway.end())
    const url = `http://unreal.test:${port}`
    const editor = `${EDITORS}/stage`
    const connect = async (): Promise<void> => {
      const before = dialled
      // What answers there is no editor, which is all the same to where it is looked for.
      await gateway.admin(`${editor}/connect`, { method: 'POST', body: {} })
      expect(dialled).toBeGreaterThan(before)
    }
    await must(gateway, EDITORS, 'POST', { name: 'stage', driver: 'remote-control', url, autoConnect: false })
    await connect()

    const met = await aTrap([port])
    names.leadTo(ELSEWHERE)
    names.forget()
    await must(gateway, editor, 'PATCH', { token: 'a token of the tests' })
    await connect()
    await gateway.stop()
    gateway = await spawnNear({ ...PCG_ENV, ...ENV }, folder)
    await connect()
    expect({ connections: met(), lookups: names.asked() }).toEqual({ connections: 0, lookups: [] })

    await must(gateway, editor, 'PATCH', { url })
    await gateway.admin(`${editor}/connect`, { method: 'POST', body: {} })
    expect({ connections: met() > 0, lookups: names.asked() }).toEqual({ connections: true, lookups: ['unreal.test'] })
    expect(await must(gateway, editor, 'GET')).toMatchObject({ url })

    // As it was stored before addresses were: found at the first start, and not again.
    for (const address of [HOME, ELSEWHERE]) {
      await gateway.stop()
      if (address === HOME) {
        const database = new Database(join(folder, 'gantry.db'))
        database.exec('UPDATE pcg_editors SET resolved_url = NULL')
        database.close()
      }
      names.leadTo(address)
      gateway = await spawnNear({ ...PCG_ENV, ...ENV }, folder)
      await connect()
    }
  })
})

// The proxy over real sockets, for cases that scenarios cannot reach: changed DNS, slow readers, shutdown.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { NO_USER } from '../auth/unknown-user.ts'
import { openFront } from '../http/http.fixture.ts'
import { createOutbound } from '../net/outbound.ts'
import type { LiveWsTarget, WsTargets } from '../registry/ws-targets.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createProxy, type Proxy } from './proxy.ts'
import { openWsBackend, type WsBackend, wsConnect } from './ws-backend.fixture.ts'

let backend: WsBackend
beforeAll(async () => {
  backend = await openWsBackend()
})
afterAll(() => backend.close())

const MIB = 1_048_576
const PIECE = 65_536
const FLOOD = 64 * MIB
const CALLER = { ...NO_USER, name: 'anonymous', kind: 'anonymous' } as const

/** One target behind a real HTTP server; `addresses` is its changeable DNS result. */
async function aProxy(path: string, over: Partial<LiveWsTarget> = {}) {
  const names = { addresses: ['127.0.0.1'] as readonly string[] | undefined }
  const outbound = createOutbound({
    allowPrivate: true,
    connections: 1,
    resolve: async () => {
      if (names.addresses === undefined) throw new Error('no such name')
      return names.addresses
    },
  })
  const target: LiveWsTarget = {
    id: 1,
    name: 'chat',
    pin: await outbound.pinSocket(`ws://chat.test:${backend.port}`),
    path,
    maxConnections: 100,
    maxMessageBytes: MIB,
    idleTimeoutMs: 60_000,
    enabled: true,
    teamId: null,
    revision: 1,
    ...over,
  }
  const targets: WsTargets = {
    load: () => Promise.resolve(),
    reload: () => Promise.resolve(),
    get: () => target,
    all: () => [target],
    subscribe: () => undefined,
  }
  let proxy: Proxy | undefined
  const metrics = createMetrics()
  const relayed = (direction: 'up' | 'down'): number =>
    metrics.read('mcp_ws_proxy_bytes_total', { target: 'chat', direction }).value
  const front = await openFront({}, {}, (http) => {
    const made = createProxy({
      targets,
      outbound,
      streams: http.streams,
      settings: {
        WS_PROXY_MAX_GLOBAL_CONNECTIONS: 1_000,
        WS_PROXY_DIAL_TIMEOUT_MS: 5_000,
        WS_PROXY_REVALIDATE_INTERVAL_MS: 86_400_000,
        CIRCUIT_BREAKER_FAILURE_THRESHOLD: 5,
        CIRCUIT_BREAKER_WINDOW_MS: 60_000,
        CIRCUIT_BREAKER_RESET_TIMEOUT_MS: 60_000,
        CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: 60_000,
      },
      metrics,
      log: { warn: () => undefined },
      monotonic: () => performance.now(),
    })
    http.app.get('/ws-proxy/chat', (request, reply) => {
      made.open(target, { caller: CALLER, protocol: undefined }, () =>
        http.upgrades.accept(request, reply, { maxMessageBytes: target.maxMessageBytes, protocol: undefined }),
      )
    })
    proxy = made
  })
  if (proxy === undefined) throw new Error('The front mounted nothing')
  const { close, ...rest } = proxy
  onTestFinished(async () => {
    close()
    await front.stop()
    await outbound.close()
  })
  return {
    ...rest,
    names,
    front,
    relayed: () => relayed('up') + relayed('down'),
    connect: () => wsConnect(`${front.url}/ws-proxy/chat`),
  }
}

describe('the WebSocket proxy', () => {
  it('closes connections once the name resolves to a forbidden address, and keeps the checked address [ct.9.6.caps gw.setting.ws_proxy_revalidate_interval_ms] (security case WS-05)', async () => {
    const { names, connect, revalidate } = await aProxy('/echo')
    const client = await connect()
    // Other permitted or unresolvable names change nothing.
    for (const addresses of [['127.0.0.2'], undefined]) {
      names.addresses = addresses
      await revalidate()
    }
    client.socket.send('still here')
    await expect.poll(() => client.frames).toEqual(['still here'])
    names.addresses = ['169.254.169.254']
    await revalidate()
    const reason = '1008 the address of this target is not permitted any more'
    expect(await client.closed).toBe(reason)
    expect(await (await connect()).closed).toBe(reason)
    names.addresses = ['127.0.0.1']
    await revalidate()
    const again = await connect()
    again.socket.send('back')
    await expect.poll(() => again.frames).toEqual(['back'])
  })

  it.each([
    ['the client', '/flood'],
    ['the backend', '/deaf'],
  ])('is not read faster than %s reads, and loses nothing by it (security case WS-04)', async (side, path) => {
    const { connect, relayed } = await aProxy(path)
    const client = await connect()
    if (side === 'the client') {
      client.socket.pause()
      client.socket.send(String(FLOOD))
    } else for (let sent = 0; sent < FLOOD; sent += PIECE) client.socket.send(Buffer.alloc(PIECE))
    // The stalled bytes are in the system's buffers and our limited one.
    let before = -1
    const still = (): boolean => {
      const now = relayed()
      const [same, some] = [now === before, now > MIB]
      before = now
      return same && some
    }
    await expect.poll(still, { timeout: 20_000, interval: 200 }).toBe(true)
    expect(relayed()).toBeLessThan(FLOOD / 2)
    if (side === 'the client') client.socket.resume()
    else backend.listen()
    await expect.poll(relayed).toBeGreaterThanOrEqual(FLOOD)
    if (side === 'the client') await expect.poll(() => client.frames.length).toBe(FLOOD / PIECE)
  })

  it('keeps no state of thousands of closed connections (security case WS-01)', async () => {
    const { connect, active } = await aProxy('/echo')
    for (let round = 0; round < 10; round++) {
      const clients = await Promise.all(Array.from({ length: 20 }, connect))
      for (const [n, { socket }] of clients.entries()) {
        if (n % 2 === 0) socket.terminate()
        else socket.close()
      }
      await Promise.all(clients.map(({ closed }) => closed))
    }
    await expect.poll(() => active('chat')).toBe(0)
    await expect.poll(backend.open).toBe(0)
  })

  it('closes everything when the gateway stops [ct.3.ws-proxy]', async () => {
    const { connect, front } = await aProxy('/echo')
    const client = await connect()
    const [stopped, closed] = await Promise.all([front.stop(), client.closed])
    expect([stopped, closed]).toEqual([{ forced: false }, '1001 the gateway is stopping'])
  })
})

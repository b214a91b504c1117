// Connections are not shared between two pins of one name, nor between two credentials of one pin.
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listening } from './listening.fixture.ts'
import { createOutbound } from './outbound.ts'
import { type Pin, pinAt } from './pin.ts'
import { createPools, MOST_PASSING } from './pools.ts'

const bounds = { deadlineMs: 20_000, maxBytes: 1_000 }

/** Records the requests of each connection. */
async function anUpstream(host: string, port = 0) {
  const carried = new Map<number, Set<string>>()
  const server = createServer(({ socket, headers, url }, response) => {
    const mine = carried.get(socket.remotePort ?? 0) ?? new Set()
    carried.set(socket.remotePort ?? 0, mine.add(`${headers.authorization ?? ''}${url?.replace(/\d+$/, '')}`))
    response.end(`${host} ${url}`)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return { port: (server.address() as AddressInfo).port, carried } // a TCP server has one
}

it('two backends of one name with different pins: a thousand calls, each to its own (security case SS-18)', async () => {
  const one = await anUpstream('127.0.0.1')
  const two = await anUpstream('127.0.0.2', one.port)
  let asked = 0
  const outbound = createOutbound({
    allowPrivate: true,
    connections: 4,
    resolve: async () => [(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2'],
  })
  onTestFinished(() => outbound.close())
  const url = `http://shared.test:${one.port}`
  const pins = [await outbound.pin(url), await outbound.pin(url)]
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => {
      const pin = pins[at % 2]
      if (pin === undefined) throw new Error('two pins were made')
      const pool = outbound.pool(pin, 'same')
      return outbound.exchange(pool, { method: 'GET', path: `/nonce/${at}`, headers: {}, ...bounds })
    }),
  )
  expect(answers.map(({ body }) => body.toString())).toEqual(
    Array.from({ length: 1_000 }, (_, at) => `127.0.0.${(at % 2) + 1} /nonce/${at}`),
  )
  expect([...one.carried.keys(), ...two.carried.keys()].length).toBeLessThanOrEqual(8)
  expect(asked).toBe(2)
})

it('two tenants at one address: no connection carries both their credentials (security case SS-19)', async () => {
  const { port, carried } = await anUpstream('127.0.0.1')
  const outbound = createOutbound({ allowPrivate: true, connections: 2 })
  onTestFinished(() => outbound.close())
  const url = `http://127.0.0.1:${port}`
  const pin = await outbound.pin(url)
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      ['red', 'blue'].flatMap((tenant) => {
        const headers = { authorization: tenant }
        return [
          outbound.exchange(outbound.pool(pin, tenant), { method: 'GET', path: '/call', headers, ...bounds }),
          // As for sources, probes and tokens.
          outbound.request({ url: `${url}/probe`, pin, owner: tenant, headers, ...bounds }),
        ]
      }),
    )
  const tenants = [...carried.values()].map((seen) => new Set([...seen].map((text) => text.split('/')[0])))
  expect(tenants.every(({ size }) => size === 1)).toBe(true)
  expect(new Set(tenants.flatMap((each) => [...each]))).toEqual(new Set(['red', 'blue']))
  // Still reused.
  expect(tenants.length).toBeLessThanOrEqual(4)
})

describe('requests without a pin', () => {
  const OPTIONS = { connections: 4, connectTimeoutMs: 10_000 }
  const pinOf = (url: string, ...addresses: string[]): Pin => pinAt(new URL(url), addresses, { allowPrivate: true })

  it('use one pool for any order of the resolved addresses, and another one for other addresses', async () => {
    const pools = createPools()
    onTestFinished(() => pools.close())
    const first = pools.passing(pinOf('http://keys.test', '127.0.0.1', '127.0.0.2'), OPTIONS)
    expect(pools.passing(pinOf('http://keys.test', '127.0.0.2', '127.0.0.1'), OPTIONS)).toBe(first)
    const second = pools.passing(pinOf('http://keys.test', '127.0.0.3'), OPTIONS)
    expect([second === first, first.closed, second.closed]).toEqual([false, true, false])
    await pools.drop('')
    expect(second.destroyed).toBe(true)
  })

  it('evict the least recently used pool at the limit', () => {
    const pools = createPools()
    onTestFinished(() => pools.close())
    const open = (at: number) => pools.passing(pinOf(`http://hook-${at}.test`, '127.0.0.1'), OPTIONS)
    const all = Array.from({ length: MOST_PASSING }, (_none, at) => open(at))
    expect(open(0)).toBe(all[0])
    open(MOST_PASSING)
    expect(all.filter(({ closed }) => closed)).toEqual([all[1]])
  })

  it('finish when the address changes under way, and keep no connection to the old one', async () => {
    const held: (() => void)[] = []
    const open = new Set<Socket>()
    const server = createServer((request, response) => {
      if (request.url === '/slow') held.push(() => void response.end('slow'))
      else response.end('fast')
    })
    server.keepAliveTimeout = 600_000
    server.on('connection', (socket) => open.add(socket.once('close', () => open.delete(socket))))
    const { port, close } = await listening(server, '0.0.0.0')
    onTestFinished(close)
    let asked = 0
    const outbound = createOutbound({
      allowPrivate: true,
      connections: 4,
      resolve: async () => [`127.0.0.${(asked += 1)}`],
    })
    onTestFinished(() => outbound.close())
    const ask = async (path: string) =>
      (await outbound.request({ url: `http://moves.test:${port}${path}`, ...bounds })).body.toString()
    const slow = ask('/slow')
    await vi.waitUntil(() => held.length === 1, { timeout: 20_000 })
    for (let again = 0; again < 5; again += 1) expect(await ask('/fast')).toBe('fast')
    for (const answer of held) answer()
    expect(await slow).toBe('slow')
    await vi.waitUntil(() => open.size === 1, { timeout: 20_000 })
  })
})

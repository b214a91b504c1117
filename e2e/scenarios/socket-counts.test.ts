// As many WebSocket connections as the shipped caps allow, one more, and thousands that come and go: the counters end where they began.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWsBackend, type WsBackend, type WsClient, wsConnect } from '../../gateway/sockets/ws-backend.fixture.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { bearer, mint } from './access.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const TARGETS = '/admin-api/ws-proxy-targets'
const GLOBAL = 500
const EACH = 10
const CYCLES = IS_LONG ? 10_000 : 500

let gateway: Gateway
let backend: WsBackend
let headers: Env
beforeAll(async () => {
  ;[gateway, backend] = await Promise.all([startGateway(ROOMY), openWsBackend()])
  headers = bearer((await mint(gateway)).key)
  for (let at = 0; at <= GLOBAL / EACH; at += 1) {
    const body = { name: `t${at}`, backendWsUrl: `${backend.url}/echo` }
    const { status, text } = await gateway.admin(TARGETS, { method: 'POST', body })
    expect([status, text]).toEqual([201, text])
  }
})
afterAll(() => Promise.all([gateway.end(), backend.close()]))

const open = (at: number): Promise<WsClient> => wsConnect(`${gateway.url}/ws-proxy/t${at}`, { headers })
async function active(): Promise<number> {
  const { items } = (await gateway.admin(`${TARGETS}?limit=200`)).json as { items: { activeConnections: number }[] } // a page
  return items.reduce((sum, { activeConnections }) => sum + activeConnections, 0)
}

it('refuses the 11th connection of a target and the 501st of all, and opens again when they are gone (security case WS-01)', async () => {
  const held: WsClient[] = []
  for (let at = 0; at < GLOBAL / EACH; at += 1)
    held.push(...(await Promise.all(Array.from({ length: EACH }, () => open(at)))))
  expect(held.filter(({ status }) => status !== 101)).toEqual([])
  expect([(await open(0)).status, (await open(GLOBAL / EACH)).status]).toEqual([503, 503])
  expect(await active()).toBe(GLOBAL)
  for (const { socket } of held) socket.close()
  await expect.poll(active).toBe(0)
  await expect.poll(backend.open).toBe(0)
  expect((await open(GLOBAL / EACH)).status).toBe(101)
}, 300_000)

it(`counts no connection that is gone, after ${CYCLES} that connected, closed or broke off (security case WS-01; in the long mode: 10,000)`, async () => {
  const before = await active()
  for (let cycle = 0; cycle < CYCLES; cycle += EACH) {
    const clients = await Promise.all(Array.from({ length: EACH }, () => open((cycle / EACH) % (GLOBAL / EACH))))
    for (const [at, { status, socket }] of clients.entries()) {
      expect(status).toBe(101)
      if (at % 2 === 0) socket.terminate()
      else socket.close()
    }
    await Promise.all(clients.map(({ closed }) => closed))
    // The cap of the target would refuse those of the next turn.
    if (cycle % GLOBAL === GLOBAL - EACH) await expect.poll(active).toBe(before)
  }
  await expect.poll(active).toBe(before)
  await expect.poll(backend.open).toBe(before)
}, 600_000)

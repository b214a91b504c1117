// The moments of a request: of a new connection over TLS, of one that is used again, of one that waits, and of none.
import { createServer as createPlain } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:net'
import tls from 'node:tls'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { aLeaf, anAuthority } from './certificates.fixture.ts'
import type { ExchangeError, ExchangeResponse } from './exchange.ts'
import { listening } from './listening.fixture.ts'
import { createOutbound } from './outbound.ts'
import { Timing } from './timing.ts'

const NAME = 'timed.test'
const authority = anAuthority()
const before = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...before, authority.certificate]))
afterAll(() => tls.setDefaultCACertificates(before))

async function listensForTest(server: Server & { closeAllConnections(): void }): Promise<number> {
  const { port, close } = await listening(server)
  onTestFinished(close)
  return port
}

/** Connections stay for the next request, however slow the machine is. */
const KEPT = { keepAliveTimeout: 120_000 }

async function client(url: string, timed: boolean, connections = 1) {
  const outbound = createOutbound({ allowPrivate: true, connections, timed, resolve: async () => ['127.0.0.1'] })
  onTestFinished(() => outbound.close())
  const pool = outbound.pool(await outbound.pin(url), 'x')
  return (timing?: Timing) =>
    new Promise<ExchangeResponse | ExchangeError>((resolve) => {
      const request = { method: 'GET' as const, path: '/', headers: {}, deadlineMs: 60_000, maxBytes: 1_000 }
      outbound.dispatch(pool, { ...request, ...(timing && { timing }) }, resolve)
    })
}

const inOrder = (...moments: (number | undefined)[]): void => {
  expect(moments).toEqual(moments.map(() => expect.any(Number)))
  expect([...moments].sort((a, b) => Number(a) - Number(b))).toEqual(moments)
}

it('has connect and TLS for the first request of a connection only', async () => {
  const server = createServer({ ...KEPT, ...aLeaf(NAME, authority) }, (_request, response) => response.end('here'))
  const ask = await client(`https://${NAME}:${await listensForTest(server)}`, true)
  const [first, second] = [new Timing(), new Timing()]
  await ask(first)
  await ask(second)
  inOrder(
    first.began,
    first.dial?.from,
    first.dial?.connected,
    first.dial?.secured,
    first.sent,
    first.head,
    first.ended,
  )
  inOrder(second.began, second.sent, second.head, second.ended)
  expect(second.dial).toBeUndefined()
})

it('has no TLS without it, and no dial where an untimed request opened the connection', async () => {
  const port = await listensForTest(createPlain(KEPT, (_request, response) => response.end('here')))
  const [ask, other] = await Promise.all([true, true].map((timed) => client(`http://${NAME}:${port}`, timed)))
  const [first, second] = [new Timing(), new Timing()]
  await ask?.(first)
  expect(first.dial).toMatchObject({ secured: undefined, connected: expect.any(Number) })
  await other?.()
  await other?.(second)
  expect(second.dial).toBeUndefined()
  inOrder(second.sent, second.head, second.ended)
})

it('shows that a request waited for a connection in use', async () => {
  const waiting: (() => void)[] = []
  const server = createPlain(KEPT, (_request, response) => waiting.push(() => response.end('here')))
  const ask = await client(`http://${NAME}:${await listensForTest(server)}`, true)
  const [first, second] = [new Timing(), new Timing()]
  const answers = [ask(first), ask(second)]
  await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(1)
  waiting[0]?.()
  await answers[0]
  await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(2)
  waiting[1]?.()
  await answers[1]
  expect(second.began).toBeLessThan(Number(first.sent))
  expect(second.sent).toBeGreaterThanOrEqual(Number(first.head))
  expect(second.dial).toBeUndefined()
})

it('records neither request nor response without a connection', async () => {
  const server = createPlain()
  const port = await listensForTest(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  const ask = await client(`http://${NAME}:${port}`, true)
  const timing = new Timing()
  await ask(timing)
  expect(timing).toMatchObject({ sent: undefined, head: undefined, dial: undefined, ended: expect.any(Number) })
})

it('measures no connection of a gateway that makes no spans', async () => {
  const port = await listensForTest(createPlain(KEPT, (_request, response) => response.end('here')))
  const timing = new Timing()
  await (await client(`http://${NAME}:${port}`, false))(timing)
  expect(timing.dial).toBeUndefined()
})

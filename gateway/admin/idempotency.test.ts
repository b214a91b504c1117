// A create with an Idempotency-Key that takes longer than its claim is leased, in one process and in two.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { createIdempotency } from './idempotency.ts'

const LEASE_MS = 800
const actor = { name: 'ada', kind: 'session', role: 'admin', teamId: null } as const

/** An upstream that answers when it is let go, as the one a registration reads. */
async function aSlowUpstream() {
  const waiting: (() => void)[] = []
  const server = createServer((_request, response) => void waiting.push(() => response.end('{}'))).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP listener
  return { url: `http://127.0.0.1:${port}/`, asked: () => waiting.length, answer: () => waiting.forEach((go) => go()) }
}

/** One process: a front of its own over a database that others have as well. */
async function aProcess(database: Pick<Database, 'write'>, upstream: string, now = Date.now) {
  const idempotency = createIdempotency(database, { now }, { leaseMs: LEASE_MS })
  const app = Fastify()
  onTestFinished(() => app.close())
  app.post('/records', (request, reply) =>
    idempotency
      .once(request, { actor, shownOnce: ['secret'] }, async () => {
        await (await fetch(upstream)).text()
        return { status: 201, value: { id: 1, secret: 's' } }
      })
      .then(({ status, value, replayed }) => reply.code(status).send({ value, replayed }))
      .catch((error: unknown) => reply.code(409).send({ error: String(error) })),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return async (body: object = {}) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' }
    const response = await fetch(`${url}/records`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }
}

const first = { value: { id: 1, secret: 's' }, replayed: false }
const again = { value: { id: 1, secret: null }, replayed: true }

it('runs once, however long it takes: a repetition here and in another process waits for it', async () => {
  const [database, upstream] = [await aDatabase(), await aSlowUpstream()]
  const [here, there] = [await aProcess(database, upstream.url), await aProcess(database, upstream.url)]
  const creating = here()
  await expect.poll(upstream.asked).toBe(1)
  await pause(3 * LEASE_MS)
  const repeated = [here(), there()]
  await pause(LEASE_MS)
  expect(upstream.asked()).toBe(1)
  upstream.answer()
  expect([await creating, ...(await Promise.all(repeated))]).toEqual([first, again, again])
  expect(upstream.asked()).toBe(1)
})

it('runs once though the clock is set ahead and the database takes no lease', async () => {
  const [database, upstream] = [await aDatabase(), await aSlowUpstream()]
  let aheadMs = 0
  let broken = false
  const write: Database['write'] = (work) =>
    broken ? Promise.reject(new Error('the disk is full')) : database.write(work)
  const here = await aProcess({ write }, upstream.url, () => Date.now() + aheadMs)
  const creating = here()
  await expect.poll(upstream.asked).toBe(1)
  broken = true
  await pause(2 * LEASE_MS)
  aheadMs = 3_600_000
  const repeated = here()
  expect(await here({ other: true })).toEqual({ error: expect.stringContaining('another body') })
  upstream.answer()
  expect([await creating, await repeated]).toEqual([first, again])
  broken = false
  const status = () => database.query.selectFrom('idempotency_keys').select('status').executeTakeFirst()
  await expect.poll(status).toEqual({ status: 201 })
  expect(await (await aProcess(database, upstream.url))()).toEqual(again)
  expect(upstream.asked()).toBe(1)
})

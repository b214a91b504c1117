// kill -9 while approved calls are between "approved", "dispatched" and "recorded": each runs at most once, and no ticket is usable twice.
import { rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IS_LONG } from '../fuzz/mode.ts'
import { body } from './curation.fixture.ts'
import {
  call,
  configure,
  openUpstream,
  type Result,
  ROOMY,
  refusalOf,
  register,
  type Upstream,
} from './data-plane.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

const KILLS = IS_LONG ? 50 : 5
const EACH = 10

let gateway: GatewayProcess
let shop: Upstream
/** How often the backend was asked for each name. */
const executed = new Map<string, number>()
/** The backend answers only where this is set. */
let answers = true
let arrived: () => void = () => undefined

beforeAll(async () => {
  ;[gateway, shop] = await Promise.all([spawnGateway(ROOMY), openUpstream()])
  shop.answer = (request, response: ServerResponse) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { name } = JSON.parse(text) as { name: string } // what addPet sends
      executed.set(name, (executed.get(name) ?? 0) + 1)
      arrived()
      if (answers) response.setHeader('content-type', 'application/json').end('{"made":true}')
    })
  }
  await register(gateway, shop)
  await configure(gateway, 'addPet', { approval: {} })
})
afterAll(async () => {
  await gateway.end()
  rmSync(gateway.folder, { recursive: true, force: true })
  await shop.close()
})

const addPet = (args: object): Promise<Result> => call(gateway, 'addPet', args)

async function approved(name: string): Promise<number> {
  const { approval } = refusalOf(await addPet({ name })) as { approval?: { id: number } } // the refusal that queues
  const id = approval?.id ?? 0
  const { status } = await gateway.admin(`/admin-api/approvals/${id}/approve`, { method: 'POST', body: {} })
  expect(status).toBe(200)
  return id
}

/** Kills the gateway once so many of the calls have reached the backend; the others are somewhere before. */
async function killedAfter(count: number, tickets: ReadonlyMap<string, number>): Promise<void> {
  let seen = 0
  const enough = new Promise<void>((resolve) => {
    arrived = () => {
      seen += 1
      if (seen >= count) resolve()
    }
  })
  answers = false
  const lost = [...tickets].map(([name, id]) => addPet({ name, __approval_id: id }))
  const settled = Promise.allSettled(lost)
  await enough
  gateway.signal('SIGKILL')
  await gateway.exited
  await settled
  arrived = () => undefined
  answers = true
}

it(`runs no approved call twice, with ${KILLS * EACH} approved calls over ${KILLS} kills (security case CA-09; in the long mode: 50 kills)`, async () => {
  let again = 0
  for (let round = 0; round < KILLS; round += 1) {
    const tickets = new Map<string, number>()
    for (let at = 0; at < EACH; at += 1) tickets.set(`pet-${round}-${at}`, await approved(`pet-${round}-${at}`))
    await killedAfter(1 + (round % EACH), tickets)
    gateway = await spawnGateway(ROOMY, gateway.folder)
    for (const [name, id] of tickets) {
      const before = executed.get(name) ?? 0
      const result = await addPet({ name, __approval_id: id })
      if (result.isError === true)
        // A used ticket says that the call may have run. A person has to look.
        expect(refusalOf(result)).toMatchObject({ code: 'approval', reason: 'consumed' })
      else {
        again += 1
        expect([name, before]).toEqual([name, 0])
      }
      expect(body(await gateway.admin(`/admin-api/approvals/${id}`))).toMatchObject({ status: 'consumed' })
      expect(refusalOf(await addPet({ name, __approval_id: id }))).toMatchObject({ reason: 'consumed' })
    }
  }
  expect([...executed].filter(([, times]) => times > 1)).toEqual([])
  expect(executed.size).toBeGreaterThanOrEqual(KILLS)
  expect(again).toBeLessThan(KILLS * EACH)
}, 600_000)

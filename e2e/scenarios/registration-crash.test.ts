// A gateway that dies in the middle of a registration: what existed stays as it was, nothing new exists, and nothing has to be repaired.

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { bothEngines } from './engines.fixture.ts'
import { aFolder } from './gateway.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'
import { jsonOf, listed, register, registered, spawnNear } from './registration.fixture.ts'

const ENV = {
  MAX_TOOLS_PER_CLIENT: '2000',
  OPENAPI_DISCOVERY_TIMEOUT_MS: '60000',
}
const WIDE = 800
const document = (count: number, suffix: string): object => ({
  openapi: '3.1.0',
  info: {},
  paths: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `/p${at}`,
      { get: { operationId: `op${at}`, summary: `Does ${at}${suffix}` } },
    ]),
  ),
})

let api: UpstreamServer
let served: object = {}
beforeAll(async () => {
  api = await startServer((_hit, response) => answerJson(response, served))
})
afterAll(() => api.close())

/** Every backend with the number of its tools, and how many tools belong to none. */
function held(folder: string): {
  readonly backends: Record<string, number>
  readonly stray: number
  readonly sound: unknown
} {
  const database = new Database(join(folder, 'gantry.db'))
  try {
    const rows = database
      .prepare(
        'SELECT b.name, COUNT(t.id) AS tools FROM backends b LEFT JOIN tools t ON t.backend_id = b.id GROUP BY b.id',
      )
      .all() as { name: string; tools: number }[] // the columns that were asked for
    const stray = database
      .prepare('SELECT COUNT(*) AS n FROM tools WHERE backend_id NOT IN (SELECT id FROM backends)')
      .get()
    return {
      backends: Object.fromEntries(rows.map(({ name, tools }) => [name, tools])),
      stray: (stray as { n: number }).n, // as above
      sound: database.pragma('integrity_check', { simple: true }),
    }
  } finally {
    database.close()
  }
}

/** Kills the gateway at some moment after the source was read, which is when it parses, writes, or has just answered. */
async function killedWhile(
  gateway: GatewayProcess,
  registering: Promise<unknown>,
  until: number | (() => Promise<unknown>),
): Promise<boolean> {
  const hits = api.hits.length
  const answered = registering.then(
    () => true,
    () => false,
  )
  while (api.hits.length === hits) await wait(1)
  await (typeof until === 'number' ? wait(until) : until())
  gateway.signal('SIGKILL')
  await gateway.exited
  return answered
}

it('is all there or not there at all, old and new alike', { timeout: 300_000 }, async () => {
  const folder = aFolder()
  served = document(3, '')
  let gateway = await spawnNear(ENV, folder)
  await registered(gateway, { name: 'old', openapi_url: `${api.url}/spec` })
  let died = 0
  for (const delayMs of IS_LONG ? [0, 200, 600] : [0, 200]) {
    served = document(WIDE, ` again ${delayMs}`)
    const name = `new-${delayMs}`
    const both = Promise.all([
      register(gateway, { name, openapi_url: `${api.url}/spec` }),
      register(gateway, { name: 'old', openapi_url: `${api.url}/spec` }),
    ])
    if (!(await killedWhile(gateway, both, delayMs))) died += 1
    const { backends, stray, sound } = held(folder)
    expect([stray, sound]).toEqual([0, 'ok'])
    expect([undefined, WIDE]).toContain(backends[name])
    expect([3, WIDE]).toContain(backends.old)
    // It starts from that without help, and shows what it holds.
    gateway = await spawnNear(ENV, folder)
    expect(await listed(gateway, 'old')).toHaveLength(backends.old ?? 0)
    expect((await gateway.admin(`/admin-api/clients/${name}`)).status).toBe(backends[name] === undefined ? 404 : 200)
    expect(jsonOf(await gateway.admin('/admin-api/audit-log/verify'))).toMatchObject({ valid: true })
    // An entry in the log for each registration that is there, and none for one that is not.
    const { items } = jsonOf<{ items: unknown[] }>(
      await gateway.admin(`/admin-api/audit-log?action=client.register&target=${name}`),
    )
    expect(items).toHaveLength(backends[name] === undefined ? 0 : 1)
  }
  await gateway.end()
  expect(died).toBeGreaterThan(0)
})

describe.each(bothEngines())('an import that registers backends, on $on', ({ hasEngine, anEngine }) => {
  it.skipIf(!hasEngine)('is all there or not there at all, and can be repeated', { timeout: 300_000 }, async () => {
    served = document(WIDE / 2, '')
    const source = await spawnNear(ENV, aFolder())
    for (const name of ['one', 'two']) await registered(source, { name, openapi_url: `${api.url}/spec` })
    const tools = ['one', 'two'].map((client) => ({ client, tool: 'op1' }))
    const made = await source.admin('/admin-api/bundles', { method: 'POST', body: { name: 'both', tools } })
    expect(made.status, made.text).toBe(201)
    const { text } = await source.admin('/admin-api/config/export')
    await source.end()
    const body = { format: 'json', raw: text, registerClients: true, confirm: true }

    let died = 0
    // The last is killed as soon as one of its backends is there.
    for (const delayMs of IS_LONG ? [0, 100, 400, undefined] : [0, undefined]) {
      const { folder, env, query } = await anEngine()
      const begin = (): Promise<GatewayProcess> => spawnNear({ ...ENV, ...env }, folder)
      const stored = async (): Promise<Record<string, number>> => {
        const rows = await query(
          "select b.name, count(t.id) as tools from backends b left join tools t on t.backend_id = b.id where b.kind <> 'pcg' group by b.name",
        )
        return Object.fromEntries(rows.map(({ name, tools: count }) => [String(name), Number(count)]))
      }
      let gateway = await begin()
      const importing = gateway.admin('/admin-api/config/import', { method: 'POST', body })
      const until =
        delayMs ?? (async () => vi.waitUntil(async () => 'one' in (await stored()), { timeout: 60_000, interval: 1 }))
      if (!(await killedWhile(gateway, importing, until))) died += 1
      const imported = await stored()
      expect([{}, { one: WIDE / 2, two: WIDE / 2 }]).toContainEqual(imported)
      gateway = await begin()
      const bundle = await gateway.admin('/admin-api/bundles/both')
      expect(bundle.status).toBe(imported.one === undefined ? 404 : 200)
      const again = await gateway.admin('/admin-api/config/import', { method: 'POST', body })
      expect(again.status, again.text).toBe(200)
      expect(await listed(gateway, 'two')).toHaveLength(WIDE / 2)
      expect((await gateway.admin('/admin-api/bundles/both')).status).toBe(200)
      expect((await gateway.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
      await gateway.end()
    }
    expect(died).toBeGreaterThan(0)
  })
})

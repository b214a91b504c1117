// A gateway that monitors an API whose description and behaviour change, a listener for its notifications, and a clock that is moved.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { MonitorRecord } from '#contract'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { body } from './curation.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Answer, type Env } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

type Fields = Record<string, unknown>

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer' } }
const COLOUR = { name: 'colour', in: 'query', schema: { type: 'string' } }
/** What the API says of itself: one operation, with one argument or two. */
const described = (drifts: boolean): object => ({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': { get: { operationId: 'pets', summary: 'All pets', parameters: drifts ? [LIMIT, COLOUR] : [LIMIT] } },
  },
})

/** One gateway for the file; before each test the API is as it was registered, its tool has no monitor, and there is no other backend. */
export function useMonitors() {
  let gateway: GatewayProcess
  let api: UpstreamServer
  let sink: UpstreamServer
  let env: Env
  const world = { drifts: false, status: 200, delayMs: 0, answersHooks: true }

  beforeAll(async () => {
    api = await startServer(({ url }, response) => {
      if (url === '/openapi.json') return answerJson(response, described(world.drifts))
      return setTimeout(() => answerJson(response, { pets: [{ name: 'Rex' }] }, world.status), world.delayMs)
    })
    sink = await startServer((_hit, response) => world.answersHooks && response.writeHead(204).end())
    env = {
      ...ROOMY,
      RETRY_MAX_ATTEMPTS: '0',
      MONITOR_WEBHOOK_URL: `${sink.url}/hook`,
      MONITOR_WEBHOOK_TIMEOUT_MS: '5000',
      NODE_OPTIONS: `--import=${new URL('moved-clock.mjs', import.meta.url).href}`,
    }
    gateway = await spawnGateway(env)
    await must('/register', 'POST', { name: 'shop', openapi_url: `${api.url}/openapi.json`, base_url: api.url })
  })
  afterAll(async () => {
    await gateway.end()
    await api.close()
    await sink.close()
  })
  beforeEach(async () => {
    Object.assign(world, { drifts: false, status: 200, delayMs: 0, answersHooks: true })
    await configure({ monitor: null, sensitive: null, approval: null, guards: null, cache: null })
    const { items } = await must('/admin-api/clients')
    for (const { name } of items as { name: string }[])
      if (name !== 'shop') await must(`/admin-api/clients/${name}`, 'DELETE')
  })

  async function must(path: string, method = 'GET', given?: unknown): Promise<Fields> {
    const answer = await gateway.admin(path, { method, ...(given === undefined ? {} : { body: given }) })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.status === 204 ? {} : body(answer)
  }
  const configure = (patch: object, tool = 'shop/tools/pets') => must(`/admin-api/clients/${tool}`, 'PATCH', patch)
  /** Of the tool, as a user requests it. */
  const ask = (path: string, method = 'POST', given?: unknown): Promise<Answer> =>
    gateway.admin(`/admin-api/clients/shop/tools/pets${path}`, {
      method,
      ...(given === undefined ? {} : { body: given }),
    })
  async function run(tool = 'shop/tools/pets'): Promise<MonitorRecord> {
    return MonitorRecord.parse(await must(`/admin-api/clients/${tool}/monitor/run`, 'POST'))
  }
  const hooks = (): Fields[] => sink.hits.map((hit) => JSON.parse(hit.body) as Fields) // every delivery is an object
  const hooksAre = (count: number) => vi.waitFor(() => expect(hooks()).toHaveLength(count), { timeout: 20_000 })
  const list = async (query = ''): Promise<MonitorRecord[]> => {
    const { items } = await must(`/admin-api/monitors${query}`)
    return (items as unknown[]).map((item) => MonitorRecord.parse(item))
  }
  const listed = async (client = 'shop'): Promise<{ name: string; description: string; inputSchema: Fields }[]> => {
    const { json } = await gateway.ask(`/mcp/${client}`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    return (json as { result: { tools: { name: string; description: string; inputSchema: Fields }[] } }).result.tools // a list
  }

  return {
    gateway: () => gateway,
    world,
    api: () => api,
    must,
    configure,
    ask,
    run,
    hooks,
    hooksAre,
    list,
    listed,
    /** The clock of the gateway, from now on. */
    async setClock(offMs: number): Promise<void> {
      writeFileSync(join(gateway.folder, 'clock'), String(offMs))
      gateway.signal('SIGUSR2')
      const message = `the clock is off by ${offMs} ms`
      await vi.waitUntil(() => gateway.output().includes(message), { timeout: 20_000 })
    },
    async restart(): Promise<void> {
      await gateway.stop()
      gateway = await spawnGateway(env, gateway.folder)
    },
  }
}

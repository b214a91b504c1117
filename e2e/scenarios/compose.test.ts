// What docs/deploy/compose.yaml starts, as processes: its gateways with its settings, PostgreSQL, Redis, and a proxy with the rules of its Caddyfile.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { hasRedis, redisHere, startRedis } from '../../gateway/storage/redis.fixture.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { startBalancer } from './balancer.fixture.ts'
import { anUpstream, rpc, type Upstream } from './data-plane.fixture.ts'
import { ADMIN_KEY, aFolder, type Env, type Gateway, speaksTo } from './gateway.fixture.ts'
import { type GatewayProcess, PROGRAM, spawnGateway } from './gateway-process.fixture.ts'

const address = usePostgres()
const file = (name: string): string => readFileSync(new URL(`../../docs/deploy/${name}`, import.meta.url), 'utf8')
const SOON = { timeout: 60_000, interval: 50 }

/** On a busy machine a process may not read its configuration for seconds; that is another test. */
const PATIENT: Env = { REGISTRY_MAX_STALENESS_MS: '60000' }

/** `gantry.env`, as docs/deployment.md makes it. */
const GIVEN: Env = {
  POSTGRES_PASSWORD: 'c0ffee'.repeat(8),
  ADMIN_API_KEYS: ADMIN_KEY,
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
}
const filled = (text: string): string =>
  text.replaceAll(/\$\{([A-Z_]+):\?\}/g, (_all, name: string) => {
    const value = GIVEN[name]
    if (value === undefined) throw new Error(`docs/deployment.md makes no ${name}`)
    return value
  })

type Service = { readonly environment?: Env; readonly volumes?: readonly string[] }
const { services } = parse(file('compose.yaml'), { merge: true }) as { readonly services: Record<string, Service> } // e2e/deployment.test.ts checks its shape
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))

const image = file('Dockerfile')
const imageEnv: Env = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
)
const [, dist = '', command = ''] = /^CMD \["node", "(.*)", "(.*)"\]$/m.exec(image) ?? []
/** The sources where the build is older than they are. */
const program = PROGRAM.endsWith('.ts') ? dist.replace('dist/', '').replace('.js', '.ts') : dist

const proxy = file('Caddyfile')
const stated = (what: RegExp): string => what.exec(proxy)?.[1] ?? ''

/** An address inside the network of compose, as it is here. */
function here(value: string, servers: Readonly<Record<string, URL>>): string {
  for (const [name, { host, pathname }] of Object.entries(servers)) {
    if (!new RegExp(`@?\\b${name}:\\d+`).test(value)) continue
    const url = new URL(value)
    url.host = host
    if (pathname.length > 1) url.pathname = pathname
    return url.href
  }
  return value
}

type Stack = {
  readonly start: (name: string) => Promise<GatewayProcess>
  readonly through: Gateway['ask']
  readonly front: Gateway
  readonly leave: (gateway: GatewayProcess) => Promise<void>
  readonly served: (gateway: GatewayProcess) => number
}

async function aStack(): Promise<Stack> {
  const redis = await startRedis()
  onTestFinished(redis.end)
  const servers = { postgres: new URL(await address('migrated')), valkey: new URL(redis.url) }
  expect(stated(/lb_policy (\S+)/)).toBe('round_robin')
  const balancer = await startBalancer(stated(/health_uri (\S+)/))
  onTestFinished(balancer.close)
  const folders = new Map(gateways.map(([name]) => [name, aFolder()]))

  async function start(name: string): Promise<GatewayProcess> {
    const { environment = {}, volumes = [] } = services[name] ?? {}
    const folder = folders.get(name) ?? ''
    const volume = volumes[0]?.split(':')[1] ?? ''
    const env = Object.entries({ ...imageEnv, ...environment }).map(([key, value]) => [
      key,
      key === 'PORT' ? '0' : here(filled(value), servers).replace(volume, folder),
    ])
    const gateway = await spawnGateway({ ...Object.fromEntries(env), ...PATIENT }, folder, program, (node, given) => [
      node,
      given,
      command,
    ])
    onTestFinished(gateway.end)
    const url = gateway.url.replace('0.0.0.0', '127.0.0.1')
    balancer.add(url)
    await expect.poll(() => balancer.inRotation(url), SOON).toBe(true)
    return { ...gateway, ...speaksTo(url), url }
  }
  const spoken = speaksTo(balancer.url)
  const none = (): Promise<void> => Promise.resolve()
  return {
    start,
    through: spoken.ask,
    front: { url: balancer.url, folder: '', output: () => '', ...spoken, stop: none, end: none },
    async leave(gateway) {
      await expect.poll(() => balancer.inRotation(gateway.url), SOON).toBe(false)
      expect((await gateway.exited).code).toBe(0)
      await balancer.remove(gateway.url)
    },
    served: ({ url }) => balancer.served(url),
  }
}

/** As an admin allows one local service: the settings of compose allow no private addresses. */
async function registerLocal(front: Gateway, { url }: Upstream): Promise<void> {
  const { hostname, port } = new URL(url)
  const tool = { name: 'ok', method: 'GET', endpoint: '/ok', description: 'Answers', inputSchema: { type: 'object' } }
  const body = { name: 'petstore', base_url: url, tools: [tool] }
  expect((await front.admin('/register', { method: 'POST', body })).json).toMatchObject({
    error: { code: 'SSRF_BLOCKED' },
  })
  const local_service = { address: hostname, port: Number(port) }
  const made = await front.admin('/register?wait=fleet', { method: 'POST', body: { ...body, local_service } })
  expect(made.status).toBe(200)
}

describe.skipIf(!hasPostgres || !hasRedis)(
  `compose.yaml as processes (PostgreSQL: ${postgresHere}, Redis: ${redisHere})`,
  () => {
    it('is one gateway: closed, shared by all, and no call fails while its leader is replaced', {
      timeout: 300_000,
    }, async () => {
      const { start, front, leave, served } = await aStack()
      const all: GatewayProcess[] = []
      for (const [name] of gateways) all.push(await start(name))
      const instances = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
        ((await front.admin('/admin-api/instances')).json as { items: Record<string, unknown>[] }).items // by the contract
      await expect.poll(async () => (await instances()).length, SOON).toBe(gateways.length)
      const names = gateways.map(([name]) => name)
      expect((await instances()).map(({ id }) => id)).toEqual(expect.arrayContaining(names))

      // There is no key yet.
      expect((await rpc(front, 'tools/list')).status).toBe(401)
      const backend = await anUpstream()
      await registerLocal(front, backend)
      const headers = bearer((await mint(front)).key)
      for (const each of all) await expect.poll(() => outcome(each, headers), SOON).toBe('ok')

      const before = all.map(served)
      for (let turn = 0; turn < 30; turn += 1) expect(await outcome(front, headers)).toBe('ok')
      for (const [at, each] of all.entries()) expect(served(each)).toBeGreaterThan(before[at] ?? 0)

      // Several, each below the limit of calls a minute that compose leaves as it is.
      const keys: Env[] = []
      for (let each = 0; each < 12; each += 1) keys.push(bearer((await mint(front)).key))
      for (const key of keys) for (const each of all) await expect.poll(() => outcome(each, key), SOON).toBe('ok')
      const calls = { stopped: false, ok: 0, failed: [] as string[] }
      const client = async (): Promise<void> => {
        for (let turn = 0; !calls.stopped; turn += 1) {
          const code = await outcome(front, keys[turn % keys.length] ?? {}).catch((error: unknown) => String(error))
          if (code === 'ok') calls.ok += 1
          else calls.failed.push(code)
          await pause(200)
        }
      }
      const calling = client()
      const [name = ''] = names
      const [leader] = all
      leader?.signal('SIGTERM')
      if (leader) await leave(leader)
      all[0] = await start(name)
      calls.stopped = true
      await calling
      expect(calls.failed).toEqual([])
      expect(calls.ok).toBeGreaterThan(0)

      const leads = async (): Promise<number> =>
        (await Promise.all(all.map(({ ask }) => ask('/readyz')))).filter(({ status }) => status === 200).length
      await expect.poll(leads, SOON).toBe(1)

      // One limit for all, spent through the proxy. Seldom asked: a key has a limit of calls of its own.
      const limit = { guards: { rateLimitPerMin: 3 } }
      const path = '/admin-api/clients/petstore/tools/ok?wait=fleet'
      expect((await front.admin(path, { method: 'PATCH', body: limit })).status).toBe(200)
      const [key = {}] = keys
      const seldom = { ...SOON, interval: 1000 }
      for (const each of [front, ...all]) await expect.poll(() => outcome(each, key), seldom).toBe('rate_limit')
    })
  },
)

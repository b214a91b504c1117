// Probes, metrics, self-description and API explorer, as a load balancer, a scraper and a person meet them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN, type Route } from '#contract'
import { aGateway, aUser, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
/** With what can be switched off switched off, and a name of its own. */
let closed: Gateway
/** Behind a proxy, narrow, and with something to hide. */
let proxied: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  closed = await startGateway({
    METRICS_ENABLED: 'false',
    DOCS_ENABLED: 'false',
    GATEWAY_PUBLIC_URL: 'https://tools.example/gate/way',
  })
  proxied = await startGateway({
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_LOGIN: '1',
    MAX_SESSIONS: '4711',
    MCP_API_KEYS: 'a-key-that-must-not-appear',
  })
})
afterAll(async () => {
  for (const one of [gateway, closed, proxied]) await one.end()
})

describe('probes', () => {
  it('tell their state to anyone [ct.3.health ct.3.livez ct.3.readyz gw.ops.health gw.ops.livez gw.auth.public]', async () => {
    const { json } = await gateway.ask('/health')
    expect(json).toEqual({ status: 'ok', uptime_seconds: expect.any(Number) })
    expect((await gateway.ask('/livez')).json).toEqual({ status: 'ok' })
    const ready = await gateway.ask('/readyz')
    expect(ready).toMatchObject({ status: 200, json: { status: 'ready', reasons: [] } })
  })

  it('answer HEAD wherever GET does, without a body [ct.3.head]', async () => {
    for (const path of ['/health', '/readyz', '/llms.txt', '/metrics', '/admin-api/overview', '/docs/openapi.json']) {
      const [head, get] = [await gateway.admin(path, { method: 'HEAD' }), await gateway.admin(path)]
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: get.status, text: '' })
    }
  })

  it('are found at their fixed paths, none with a version in it [gw.service.surface-operations gw.version.6-no-version]', async () => {
    for (const path of ['/health', '/livez', '/readyz', '/metrics', '/docs', '/llms.txt'])
      expect((await gateway.admin(path)).status).toBe(200)
    const paths = Object.values(ADMIN).flatMap((table) => Object.values<Route>(table).map((route) => route.path))
    expect(paths.filter((path) => /\/v\d+(\/|$)/.test(path))).toEqual([])
  })

  it('the root leads to the admin application [ct.3.root]', async () => {
    const answer = await gateway.ask('/')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/admin')
  })
})

describe('metrics', () => {
  it('is not for everyone, and for a viewer (security case LK-07) [ct.3.metrics gw.ops.metrics gw.auth.metrics]', async () => {
    expect((await gateway.ask('/metrics')).status).toBe(401)
    const session = await aUser(gateway, 'scraper', 'viewer')
    const answer = await gateway.ask('/metrics', { headers: session })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  })

  it('holds metrics of the gateway only, each with its type [ct.14.only-mcp gw.ops.metrics-own]', async () => {
    const lines = (await gateway.admin('/metrics')).text.trim().split('\n')
    expect(lines.filter((line) => !/^(# (HELP|TYPE) )?mcp_/.test(line))).toEqual([])
    const typed = new Set(lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []))
    const names = lines.flatMap((line) => /^(mcp_\w+)/.exec(line)?.[1]?.replace(/_(bucket|sum|count)$/, '') ?? [])
    expect(names.filter((name) => !typed.has(name))).toEqual([])
  })

  // cites: ct.14.mcp_build_info gw.ops.metrics-build gw.version.2-build-info gw.version.1-semver
  it('states the version and runtime, always with 1', async () => {
    const build = /^mcp_build_info\{([^}]*)\} (\S+)$/m.exec((await gateway.admin('/metrics')).text)
    expect(build?.[2]).toBe('1')
    expect(build?.[1]).toMatch(/version="[1-9]\d*\.\d+\.\d+(-[0-9A-Za-z.-]+)?"/)
    expect(build?.[1]).toContain('runtime="node"')
    expect(build?.[1]).toContain(`runtime_version="${process.versions.node}"`)
  })

  it('states how long it runs [ct.14.mcp_uptime_seconds]', async () => {
    const { text } = await gateway.admin('/metrics')
    expect(text).toMatch(/^# TYPE mcp_uptime_seconds gauge$/m)
    expect(text).toMatch(/^mcp_uptime_seconds [\d.]+$/m)
    expect(text).toMatch(/^# TYPE mcp_process_start_time_seconds gauge$/m)
  })

  it('counts what ran into a limit, by its tier [ct.14.mcp_rate_limit_hits_total ct.14.mcp_rate_limit_buckets]', async () => {
    for (let turn = 0; turn < 3; turn++)
      await proxied.ask('/admin-api/auth/login', { method: 'POST', body: { username: 'x', password: 'x' } })
    const { text } = await proxied.admin('/metrics')
    expect(text).toMatch(/^mcp_rate_limit_hits_total\{tier="login"\} 2$/m)
    expect(text).toMatch(/^mcp_rate_limit_buckets\{tier="login"\} 1$/m)
    expect(text).toMatch(/^mcp_rate_limit_evictions_total\{tier="login"\} 0$/m)
  })

  it('counts audit entries [ct.14.mcp_audit_entries_total]', async () => {
    const count = async () =>
      Number(/^mcp_audit_entries_total (\d+)$/m.exec((await gateway.admin('/metrics')).text)?.[1] ?? 'nothing')
    const before = await count()
    await aUser(gateway, 'counted', 'viewer')
    expect(await count()).toBe(before + 2)
  })

  it('is gone when switched off [ct.3.metrics-off gw.ops.metrics-off gw.setting.metrics_enabled]', async () => {
    expect(await closed.admin('/metrics')).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } })
  })
})

describe('/llms.txt', () => {
  const read = async (headers: Record<string, string> = {}, at = gateway) =>
    (await at.ask('/llms.txt', { headers })).text

  it('is plain text for anyone, the same each time [ct.3.llms gw.llms.1-public gw.llms.3-identical gw.auth.public]', async () => {
    const answer = await gateway.ask('/llms.txt')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await read()).toBe(answer.text)
  })

  it('lists the endpoints, how to sign in and one client entry [ct.3.llms-text gw.llms.2-shape]', async () => {
    const text = await read()
    for (const path of ['/mcp/', '/mcp-custom/', '/mcp', '/register', '/admin-api', '/health', '/metrics', '/docs'])
      expect(text).toContain(path)
    expect(text).toMatch(/Authorization|Bearer/)
    expect(text).toContain('mcpServers')
    expect(text).toContain(gateway.url)
  })

  it('names nothing of this deployment but its address [ct.3.llms-names gw.llms.2-shape gw.llms.3-identical]', async () => {
    const text = await read({}, proxied)
    expect(text).not.toMatch(/4711|a-key-that/)
    expect(text.replaceAll(proxied.url, '')).toBe((await read()).replaceAll(gateway.url, ''))
  })

  it('takes the public URL verbatim [gw.llms.4-public-url gw.setting.gateway_public_url]', async () => {
    const text = await read({}, closed)
    expect(text).toContain('https://tools.example/gate/way/mcp')
    expect(text).not.toContain(closed.url)
  })

  it('takes the origin of the request otherwise, and believes only a trusted proxy [gw.llms.4-origin gw.llms.4-forwarded]', async () => {
    const port = new URL(gateway.url).port
    const forwarded = { 'x-forwarded-proto': 'https' }
    expect(await read({ host: `localhost:${port}` })).toContain(`http://localhost:${port}/`)
    expect(await read(forwarded)).toContain(gateway.url)
    expect(await read(forwarded, proxied)).toContain(proxied.url.replace('http:', 'https:'))
  })
})

describe('/docs', () => {
  it('is for viewers, and for anyone in development or when exposed [ct.3.docs-access gw.ops.docs gw.ops.docs-public]', async () => {
    for (const path of ['/docs', '/docs/openapi.json', '/docs/openapi.yaml'])
      expect((await gateway.ask(path)).status).toBe(401)
    const session = await aUser(gateway, 'reader', 'viewer')
    expect((await gateway.ask('/docs', { headers: session })).status).toBe(200)
    for (const name of ['NODE_ENV=development', 'EXPOSE_DOCS_UNAUTHENTICATED=true'])
      expect((await (await aGateway(Object.fromEntries([name.split('=')]))).ask('/docs')).status).toBe(200)
  })

  it('is a page for a browser and OpenAPI 3.1 for a program [ct.3.docs ct.3.docs-json]', async () => {
    const page = await gateway.admin('/docs', { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const document = await gateway.admin('/docs', { headers: { accept: 'application/json' } })
    expect(document.json).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) })
  })

  it('describes every route of the admin API, in JSON and in YAML [gw.route.docs-machine-readable]', async () => {
    const { json } = await gateway.admin('/docs/openapi.json')
    for (const table of Object.values(ADMIN))
      for (const { method, path } of Object.values<Route>(table)) {
        const templated = path.replace(/:([A-Za-z]+)/g, '{$1}')
        expect(json).toHaveProperty(['paths', templated, method.toLowerCase()])
      }
    const yaml = await gateway.admin('/docs/openapi.yaml')
    expect(yaml.headers.get('content-type')).toMatch(/yaml/)
    expect(yaml.text).toMatch(/^"?openapi"?: "?3\.1/m)
  })

  it('is gone when switched off [ct.17.effect.docs_enabled]', async () => {
    expect((await closed.admin('/docs')).status).toBe(404)
    expect((await closed.admin('/docs/openapi.json')).status).toBe(404)
  })
})

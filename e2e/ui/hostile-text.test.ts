// Foreign text, wherever a page or a report shows it: it is text, and nothing of it runs (security case CS 08).
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { INNER_PAGES, PAGES } from '../../renderer/pages.ts'
import { hasBrowser, soon, turnTo, useGateway, visit, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({
  ALLOW_PRIVATE_IPS: 'true',
  RATE_LIMIT_REGISTER: '1000',
  REQUIRE_MCP_AUTH: 'false',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 4).toString('base64'),
  TRAFFIC_CAPTURE: 'true',
  TRACE_STORAGE: 'true',
})
const TRACE_ID = 'ab'.repeat(16)

/** In each of them, to know that a page has shown one. */
const MARK = 'zqxj'
const RUN = 'top.ran=1,alert(1)'
const BARE: readonly string[] = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload=${RUN}>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<a href="javascript:${RUN}">${MARK}</a>`,
  `[${MARK}](javascript:${RUN})`,
  `![${MARK}](x"onerror="${RUN})`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<style>*{background:url(//evil.test)}</style>`,
  `<meta http-equiv=refresh content="0;url=//evil.test">`,
  `<base href=//evil.test/>`,
  `<object data="javascript:${RUN}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<form action=javascript:${RUN}><button autofocus>`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `&lt;script&gt;${RUN}&lt;/script&gt;&#60;img src=x onerror=${RUN}&#62;`,
]
const PAYLOADS = BARE.flatMap((text) => [
  `${MARK} ${text}`,
  `${MARK}'"><!--${text}`,
  `${MARK}-->]]></script></style>${text}`,
])

let upstream: Server
let installPath = ''
const post = (path: string, body: unknown, headers = {}) => gateway().admin(path, { method: 'POST', body, headers })
async function must(answer: ReturnType<typeof post>): Promise<Record<string, unknown>> {
  const { status, text, json } = await answer
  if (status >= 300) throw new Error(`answered ${status}: ${text}`)
  return json as Record<string, unknown> // what every route here answers
}

/** Every place that takes words, filled with each of them. */
async function furnish(): Promise<void> {
  const { port } = upstream.address() as AddressInfo // a TCP server has one
  const tools = PAYLOADS.map((payload, at) => ({
    name: `tool${at}`,
    method: 'GET',
    endpoint: `/t${at}`,
    description: payload,
    inputSchema: {
      type: 'object',
      properties: {
        [`p${at}`]: { type: 'string', title: payload, description: payload, enum: [payload], default: payload },
      },
    },
  }))
  const base_url = `http://127.0.0.1:${port}`
  await must(post('/register', { name: 'hostile', description: PAYLOADS[0], base_url, tools }))
  // A name is no place for words: it is refused, and the refusal is shown to its author.
  for (const name of PAYLOADS.slice(0, 3)) expect((await post('/register', { name, base_url, tools })).status).toBe(400)
  const members = tools.map(({ name }) => ({ client: 'hostile', tool: name }))
  await must(
    post('/admin-api/bundles', { name: 'hostile', description: PAYLOADS.slice(0, 6).join(' '), tools: members }),
  )
  const link = await must(post('/admin-api/bundles/hostile/install-links', { label: PAYLOADS[1] }))
  installPath = `/install/${String(link.token)}`
  const words = PAYLOADS.map((payload) => payload.slice(0, 128))
  const { key } = await must(post('/admin-api/mcp-keys', { label: words[0] }))
  const speak = (method: string, params: object, more: object = {}) =>
    gateway().ask('/mcp/hostile', {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { authorization: `Bearer ${String(key)}`, ...more },
    })
  for (const [at, word] of words.entries()) {
    await must(post('/admin-api/mcp-keys', { label: word, allowedTools: [] }))
    const reply = await speak(
      'tools/call',
      { name: at % 2 === 0 ? `tool${at}` : word, arguments: {} },
      { 'user-agent': word, 'x-request-id': word, traceparent: `00-${TRACE_ID}-${'cd'.repeat(8)}-01` },
    )
    expect([reply.status, reply.text.includes('isError')]).toEqual([200, true])
  }
  const held = '/admin-api/clients/hostile/tools/tool59'
  await must(gateway().admin(held, { method: 'PATCH', body: { requiresApproval: true } }))
  await must(speak('tools/call', { name: 'tool59', arguments: { p59: PAYLOADS[59] } }))
  const step = { targetClient: 'hostile', targetTool: 'tool1' }
  const description = PAYLOADS.slice(0, 6).join(' ')
  await must(post('/admin-api/composites', { name: 'hostile', description, steps: [step] }))
  for (const word of words.slice(0, 12)) {
    const clientInfo = { name: word, title: word, version: word }
    await speak('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    await must(post('/admin-api/consumers', { name: word }))
    await must(post('/admin-api/budgets', { name: word, per: 'key', only: word, maxCalls: 1000 }))
    await must(post('/admin-api/policies', { name: word }))
    expect((await post('/admin-api/teams', { name: word })).status).toBe(400)
  }
  await must(post('/admin-api/teams', { name: 'plain' }))
  await must(
    post('/admin-api/alerts', { name: words[0], eventType: 'error_rate', webhookUrl: base_url, client: 'hostile' }),
  )
  for (const note of words.slice(0, 12))
    await must(
      post('/admin-api/schedules', {
        targetType: 'client',
        clientName: 'hostile',
        action: 'enable',
        cron: '0 3 1 1 *',
        note,
      }),
    )
  const watched = '/admin-api/clients/hostile/tools/tool2'
  await must(gateway().admin(watched, { method: 'PATCH', body: { monitor: {} } }))
  await must(post(`${watched}/monitor/run`, {}))
  // What the log keeps of a refused sign-in.
  await post('/admin-api/auth/login', { username: words[1], password: 'x' }, { 'user-agent': words[2] })
}

if (hasBrowser) {
  beforeAll(async () => {
    // The message of a failing upstream is foreign text as well.
    upstream = createServer(({ url = '' }, response) =>
      response.writeHead(500, { 'content-type': 'text/html' }).end(PAYLOADS[Number(url.slice(2))] ?? MARK),
    )
    await listening(upstream)
    await furnish()
  }, 240_000)
  afterAll(() => void upstream.close())
}

type Watched = { readonly ran?: unknown; readonly violations?: readonly string[] }
const harm = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => {
    const { ran, violations = [] } = window as unknown as Watched
    return [...(ran === undefined ? [] : ['it ran']), ...violations]
  })
const shown = (page: Page): Promise<boolean> =>
  page.evaluate((mark) => document.documentElement.textContent?.includes(mark) ?? false, MARK)

/** Pages that show foreign words; the rest may show none, and are checked all the same. */
const SHOWING = [
  '/backends/hostile',
  '/tools',
  '/tools/hostile/tool1',
  '/bundles',
  '/bundles/hostile',
  '/composites',
  '/composites/hostile',
  '/keys',
  '/keys/1',
  '/consumers',
  '/consumers/1',
  '/budgets',
  '/budgets/1',
  '/policies',
  '/policies/1',
  '/mcp-sessions',
  '/alerts',
  '/schedules',
  '/audit-log',
  '/approvals',
  '/approvals/1',
]
const REST = [
  ...PAGES.map(({ path }) => path).filter((path) => !SHOWING.includes(path)),
  '/teams/1',
  `/traces/${TRACE_ID}`,
]
const INNER = INNER_PAGES.map(({ path }) => path.replace(/\/\$.*/, '/'))

/** A way through all pages takes its time on a busy machine. */
const PATIENCE_MS = 240_000

describe.skipIf(!hasBrowser)(`sixty hostile texts (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are shown as they are on every page, and nothing of them runs', async () => {
    expect(PAYLOADS).toHaveLength(60)
    expect(
      INNER.filter((path) => path.endsWith('/') && ![...SHOWING, ...REST].some((each) => each.startsWith(path))),
    ).toEqual([])
    const page = await visitAs('admin', '/admin')
    for (const path of [...SHOWING, ...REST]) {
      await turnTo(page, `/admin${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (SHOWING.includes(path)) await soon(async () => [path, await shown(page)]).toEqual([path, true])
      await page.mouse.wheel(0, 4_000)
      expect([path, await harm(page)]).toEqual([path, []])
    }
  })

  it('run neither where they are searched for nor where they are opened', async () => {
    const page = await visitAs('admin', `/admin/tools?q=${encodeURIComponent(PAYLOADS[1] ?? '')}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await soon(() => shown(page)).toBe(true)
    await page.goto(`/admin/backends/${encodeURIComponent(PAYLOADS[0] ?? '')}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await harm(page)).toEqual([])
    await turnTo(page, '/admin/audit-log')
    await soon(() => shown(page)).toBe(true)
    await page.getByRole('row').filter({ hasText: 'mcp_key.create' }).first().click()
    await soon(() => shown(page)).toBe(true)
    expect(await harm(page)).toEqual([])
  })

  it('are text in the page of an install link, in the explorer and in the report of the audit log', async () => {
    const page = await visit(installPath)
    await soon(() => shown(page)).toBe(true)
    expect(await harm(page)).toEqual([])
    const inside = await visitAs('admin', '/admin')
    await inside.goto('/docs')
    await soon(() => inside.evaluate(() => document.body.innerText.length > 200)).toBe(true)
    expect(await harm(inside)).toEqual([])
    const report = await gateway().admin('/admin-api/audit-log/export?format=html')
    expect([report.status, report.text.includes(MARK)]).toEqual([200, true])
    // As a user opens a file: without the policy that came with the download.
    const file = await visit('/health')
    await file.goto('about:blank')
    await file.setContent(report.text)
    expect([await shown(file), await file.evaluate(() => (window as unknown as Watched).ran)]).toEqual([
      true,
      undefined,
    ])
  })
})

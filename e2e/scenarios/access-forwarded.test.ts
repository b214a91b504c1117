// What a client sends about itself, and what it sends to Gantry alone, never reaches a backend of any protocol.
import { createServer, request as forward, type Server } from 'node:http'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import { bearer, mint, openSessionAs, outcome } from './access.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { custom, make, member } from './curation.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'

/** In every value that must stay here. */
const CANARY = 'sphinx'
/** All that backends were sent: lines, headers and bodies. */
let received = ''
const servers: Server[] = []
let gateway: Gateway
let peer: ConformancePeer
let key: string

/** Keeps what arrives; answers by itself, or as the server behind it does. */
async function recorder(behind?: string): Promise<string> {
  const server = createServer((request, response) => {
    const { method, url = '/', rawHeaders } = request
    received += `${method} ${url}\n${rawHeaders.join('\n')}\n`
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      received += `${body.toString()}\n\n`
      if (behind === undefined) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(url === '/graphql' ? { data: { ping: 'pong' } } : { ok: true }))
        return
      }
      const { host } = new URL(behind)
      const onward = forward(new URL(url, behind), { method, headers: { ...request.headers, host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      onward.end(body)
    })
  })
  servers.push(server)
  const { url } = await listening(server)
  return url
}

const TOOLS = [
  { name: 'remove', method: 'DELETE', endpoint: '/things/:id', description: 'Removes', inputSchema: objectOf('id') },
  { name: 'add', method: 'POST', endpoint: '/things', description: 'Adds', inputSchema: objectOf('name') },
]
function objectOf(...names: readonly string[]): object {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
}

beforeAll(async () => {
  peer = await startConformancePeer('both')
  gateway = await startGateway({ ...ROOMY, REQUIRE_MCP_AUTH: 'true', RETRY_MAX_ATTEMPTS: '1', LOG_LEVEL: 'debug' })
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await gateway.admin(path, { method: 'POST', body })
    expect([status, text]).toEqual([200, expect.any(String)])
  }
  await post('/register', { name: 'rest', base_url: await recorder(), tools: TOOLS })
  const url = new URL(peer.url)
  await registerUpstream(gateway, 'up', (await recorder(url.origin)) + url.pathname)
  for (const tool of ['remove', 'add'])
    await gateway.admin(`/admin-api/clients/rest/tools/${tool}`, { method: 'PATCH', body: { sensitive: true } })
  await gateway.admin('/admin-api/clients/up/tools/test_simple_text', { method: 'PATCH', body: { sensitive: true } })
  const step = { targetClient: 'rest', targetTool: 'add', argsTemplate: { name: { $ref: 'input.name' } } }
  await make(gateway, 'composites', {
    name: 'twice',
    description: 'Adds',
    steps: [step],
    inputSchema: objectOf('name'),
  })
  const tools = [member('rest', 'remove'), member('rest', 'add'), member('up', 'test_simple_text')]
  await make(gateway, 'bundles', { name: 'kit', tools, composites: ['twice'] })
  key = (await mint(gateway)).key
}, 240_000)
beforeEach(() => {
  received = ''
})
afterAll(async () => {
  await gateway.end()
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  await peer.close()
})

type Asked = readonly [path: string, name: string, args: object]
const CALLS: readonly Asked[] = [
  ['/mcp/rest', 'remove', { id: '5' }],
  ['/mcp/rest', 'add', { name: 'Rex' }],
  ['/mcp/up', 'test_simple_text', {}],
  [custom('kit'), 'rest__add', { name: 'Rex' }],
  [custom('kit'), 'up__test_simple_text', {}],
  [custom('kit'), 'twice', { name: 'Rex' }],
]

describe('the credentials of a client (security case AN-18)', () => {
  it.each(CALLS)('stay here: %s %s', async (path, name, args) => {
    const session = await openSessionAs(gateway, key, path)
    const claims: Env = {
      ...session,
      cookie: `session=${CANARY}; gantry_session=${CANARY}`,
      'proxy-authorization': `Basic ${CANARY}`,
      'x-api-key': CANARY,
      'x-forwarded-for': `203.0.113.9, ${CANARY}`,
      'x-forwarded-authorization': CANARY,
      'x-gantry-end-user': CANARY,
      referer: `http://${CANARY}.test/`,
      'user-agent': CANARY,
      baggage: `secret=${CANARY}`,
      tracestate: `v=${CANARY}`,
    }
    for (const headers of [claims, { ...claims, 'mcp-session-id': undefined }] as Env[]) {
      received = ''
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
      expect(await outcome(gateway, given, { path, name, args: { ...args, __confirm: true } })).toBe('ok')
      expect(received).not.toBe('')
      for (const secret of [CANARY, key, session['mcp-session-id'] ?? '?', 'authorization'])
        expect([secret, received.toLowerCase().includes(secret.toLowerCase())]).toEqual([secret, false])
    }
  })
})

describe('the arguments that are Gantry’s own (security case AN-17)', () => {
  /** Each as it is meant, and as it is not. */
  const RESERVED = [
    { __confirm: true, __approval_id: 7_700_770_077, __end_user: CANARY },
    { __confirm: true, __approval_id: CANARY, __end_user: { name: CANARY } },
    { __confirm: CANARY, __approval_id: '7700770077', __end_user: CANARY },
  ]

  it.each(CALLS)('reach no backend, and are in no record: %s %s', async (path, name, args) => {
    for (const reserved of RESERVED) {
      received = ''
      const code = await outcome(gateway, bearer(key), { path, name, args: { ...args, ...reserved } })
      const confirmed = reserved.__confirm === true
      // Without consent nothing is sent; a composite reports it for its step.
      expect([code === 'ok', received === '']).toEqual([confirmed, !confirmed])
      for (const word of ['__confirm', '__approval', '__end_user', CANARY, '7700770077'])
        expect([word, received.includes(word)]).toEqual([word, false])
    }
  })

  it('are in no audit detail and no line of the log, of calls let through and of refused ones', async () => {
    const entries = (): Promise<string> =>
      gateway.admin('/admin-api/audit-log?action=tool.call&limit=200').then(({ text }) => text)
    await expect.poll(async () => (await entries()).includes('confirm_required')).toBe(true)
    const stored = new BetterSqlite3(`${gateway.folder}/gantry.db`, { readonly: true })
    const audited = stored.prepare('select detail from audit_log').pluck().all().join('\n')
    // A read of the call log waits for the rows of the calls before it.
    await gateway.admin('/admin-api/calls')
    // The message of a refusal names what would confirm the call.
    const calls = JSON.stringify(stored.prepare('select * from calls').all()).replaceAll(
      /\{\\*"__confirm\\*": true\}/g,
      '',
    )
    stored.close()
    expect(audited).toContain('argsHash')
    // The number of a ticket has a field of its own (contract 13.3), and is nowhere else.
    for (const [where, text] of Object.entries({ api: await entries(), audited, calls, log: gateway.output() }))
      for (const word of ['__confirm', '__approval', '__end_user', CANARY, '7700770077'])
        expect([where, word, text.replaceAll('"approvalId":7700770077', '').includes(word)]).toEqual([
          where,
          word,
          false,
        ])
  })
})

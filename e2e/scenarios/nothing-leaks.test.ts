// A credential that a backend returns, in any form, and a field that is redacted: after calls of every kind they stand in
// nothing that left the gateway and in nothing that it keeps. Security cases RS-01, CA-13, LK-06.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buildSchema, graphqlSync } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { spellings } from '../../gateway/text/spellings.ts'
import { type McpPeer, type PeerRequest, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'

const SECRET = 'Zq7-sesame.street_9~Wide.gate'
const HIDDEN = 'hidden-field-value-77'
const each = (spell: (code: number) => string): string =>
  SECRET.split('')
    .map((letter) => spell(letter.charCodeAt(0)))
    .join('')
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

/** How a backend may write what it was sent. */
const FORMS: Readonly<Record<string, string>> = {
  plain: SECRET,
  header: `Bearer ${SECRET}`,
  cookie: `theme=dark; session=${SECRET}; a=b`,
  base64: Buffer.from(SECRET).toString('base64'),
  inside: Buffer.from(`x${SECRET}y`).toString('base64'),
  hex: Buffer.from(SECRET).toString('hex'),
  percent: each((code) => `%${hex(code, 2)}`),
  entities: each((code) => `&#x${hex(code, 2)};`),
  escapes: each((code) => `\\u${hex(code, 4)}`),
  broken: SECRET.split('').join('\u0007'),
}
/** What may be found nowhere. */
const PIECES = [
  ...spellings(SECRET),
  ...Object.values(FORMS),
  ...Array.from({ length: SECRET.length - 7 }, (_, at) => SECRET.slice(at, at + 8)),
  HIDDEN,
]
const ECHO = Object.values(FORMS).join(' | ')
const ROW = { text: ECHO, pin: HIDDEN, deep: { pin: [HIDDEN] }, [`key ${SECRET}`]: 1 }
const JSON_TYPE = { 'content-type': 'application/json' }
const SCHEMA = buildSchema('type Query { pet(id: Int): Pet } type Pet { text: String pin: String }')

/** What the REST backend answers at each path. */
const REST: Readonly<Record<string, (response: ServerResponse) => void>> = {
  rows: (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(ROW)),
  pieces(response) {
    const text = JSON.stringify(ROW)
    const at = text.indexOf(SECRET) + 9
    response.writeHead(200, JSON_TYPE).write(text.slice(0, at))
    setImmediate(() => response.end(text.slice(at)))
  },
  text: (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(ECHO),
  latin: (response) =>
    void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-16le' }).end(Buffer.from(ECHO, 'utf16le')),
  image: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(`\x89PNG ${SECRET}`),
  failing: (response) => void response.writeHead(500, JSON_TYPE).end(JSON.stringify(ROW)),
  /** The credential stands across the place where an error is cut. */
  cut: (response) =>
    void response.writeHead(502, { 'content-type': 'text/plain' }).end(`${'x'.repeat(8_180)}${SECRET}`),
  large: (response) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify(Array.from({ length: 2_000 }, () => ROW))),
  events: (response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(ROW)}\n\ndata: ${ECHO}\n\n`),
  lines: (response) =>
    void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${JSON.stringify(ROW)}\n`),
  paged: (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ items: [ROW], next: null })),
}
const FEATURES: Readonly<Record<string, object>> = {
  events: { streaming: { format: 'sse', maxEvents: 9 } },
  lines: { streaming: { format: 'ndjson', maxEvents: 9 } },
  paged: {
    pagination: { strategy: 'cursor', itemsPath: 'items', cursorResponsePath: 'next', cursorParam: 'c', maxPages: 2 },
  },
}

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  rest: Object.keys(REST),
  graphql: ['pet'],
  modern: ['echo', 'slow', 'fail'],
  legacy: ['echo', 'slow', 'fail'],
}

let gateway: Gateway
let peers: readonly McpPeer[] = []
const left: string[] = []
const received: string[] = []
const rest = createServer(answered)
const receiver = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => received.push(chunk.toString()))
  request.on('end', () => response.end())
})

function answered(request: IncomingMessage, response: ServerResponse): void {
  const name = request.url?.slice(1) ?? ''
  if (name !== 'graphql') {
    REST[name]?.(response)
    return
  }
  let text = ''
  request.on('data', (chunk: Buffer) => (text += chunk.toString()))
  request.on('end', () => {
    const { query } = JSON.parse(text) as { query: string } // a GraphQL request has one
    const isOurs = !query.includes('__schema')
    const errors = [{ message: ECHO, extensions: { pin: HIDDEN } }]
    const answer = isOurs
      ? { data: { pet: { text: ECHO, pin: HIDDEN } }, errors }
      : graphqlSync({ schema: SCHEMA, source: query })
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer))
  })
}

/** What an MCP upstream answers: the tool that is called says in which way. */
function spoken({ id, method, params, response }: PeerRequest): boolean {
  const result = resultOf(method, params)
  if (result === undefined) return false
  const message = JSON.stringify({ jsonrpc: '2.0', id, ...result })
  if (response.destroyed) return true
  const progress = {
    progressToken: (params._meta as { progressToken?: unknown } | undefined)?.progressToken,
    progress: 1,
    message: ECHO,
  }
  const before = [
    { jsonrpc: '2.0', method: 'notifications/progress', params: progress },
    {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'error', data: method === 'tools/call' ? ROW : ECHO, logger: ECHO },
    },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const each of [...before.map((one) => JSON.stringify(one)), message]) response.write(`data: ${each}\n\n`)
  response.end()
  return true
}

function resultOf(method: string, params: Readonly<Record<string, unknown>>): object | undefined {
  const content = [
    { type: 'text', text: ECHO },
    { type: 'text', text: JSON.stringify(ROW) },
    { type: 'resource', resource: { uri: 'a:b', text: JSON.stringify(ROW) } },
    { type: 'image', mimeType: 'image/png', data: Buffer.from(`\x89PNG ${SECRET}`).toString('base64') },
  ]
  if (method === 'resources/read') return { result: { contents: [{ uri: 'peer://notes', text: ECHO }] } }
  if (method === 'prompts/get')
    return { result: { messages: [{ role: 'user', content: { type: 'text', text: ECHO } }] } }
  if (method !== 'tools/call') return undefined
  if (params.name === 'fail') return { error: { code: -32_000, message: ECHO, data: ROW } }
  return {
    result: { content, structuredContent: ROW, isError: params.name === 'slow', _meta: { pin: HIDDEN, text: ECHO } },
  }
}

async function must(path: string, body: object, method = 'POST'): Promise<void> {
  const { status, text } = await gateway.admin(path, { method, body })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
}

beforeAll(async () => {
  const besideTools = true
  const started = Promise.all([
    startMcpPeer({ era: 'modern', besideTools, intercept: spoken }),
    startMcpPeer({ era: 'legacy', besideTools, intercept: spoken }),
  ])
  const [{ url }, { url: hook }] = [await listening(rest), await listening(receiver)]
  peers = await started
  gateway = await startGateway({
    ...ROOMY,
    LOG_LEVEL: 'debug',
    TRAFFIC_CAPTURE: 'true',
    TRACE_STORAGE: 'true',
    RETRY_MAX_ATTEMPTS: '0',
    ALERT_INTERVAL_MS: '200',
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
  })
  const tools = Object.keys(REST).map((name) => ({
    name,
    method: 'GET',
    endpoint: `/${name}`,
    description: `Reads ${name}`,
    inputSchema: { type: 'object', properties: {} },
  }))
  await must('/register', { name: 'rest', base_url: url, tools })
  await must('/register', { name: 'graphql', graphql_url: `${url}/graphql` })
  for (const [at, name] of ['modern', 'legacy'].entries()) await must('/register', { name, mcp_url: peers[at]?.url })
  for (const name of ['rest', 'graphql', 'modern', 'legacy']) {
    await must(`/admin-api/clients/${name}/upstream-auth`, { type: 'bearer', token: SECRET }, 'PUT')
    for (const tool of TOOLS[name] ?? [])
      await must(
        `/admin-api/clients/${name}/tools/${tool}`,
        { redactPaths: ['**.pin'], ...(name === 'rest' ? FEATURES[tool] : {}) },
        'PATCH',
      )
  }
  const rule = { name: 'errors', eventType: 'error_rate', threshold: 0.01, minCalls: 1, webhookUrl: hook }
  await must('/admin-api/alerts', rule)
})
afterAll(async () => {
  rest.close()
  receiver.close()
  await Promise.all([gateway.end(), ...peers.map((peer) => peer.close())])
})

let id = 0
async function asked(backend: string, method: string, params: object): Promise<string> {
  const { status, text } = await gateway.ask(`/mcp/${backend}`, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: { progressToken: id } } },
    headers: { accept: 'application/json, text/event-stream' },
  })
  expect([200, 202]).toContain(status)
  left.push(text)
  return text
}

const found = (text: string): readonly string[] => PIECES.filter((piece) => text.includes(piece))

describe('of what backends gave back', () => {
  it.each(Object.keys(REST))('nothing is revealed of the credential or a redacted field: REST, %s', async (name) => {
    const text = await asked('rest', 'tools/call', { name, arguments: {} })
    // An image is bytes, and the rest of a cut text is not shown.
    if (name !== 'image' && name !== 'cut') expect(text).toContain('credential removed')
    expect(found(text)).toEqual([])
  })

  it('nothing is revealed: GraphQL', async () => {
    const text = await asked('graphql', 'tools/call', { name: 'pet', arguments: {} })
    expect(text).toContain('credential removed')
    expect(found(text)).toEqual([])
  })

  it.each(
    ['modern', 'legacy'].flatMap((era) => [
      [era, 'tools/call', { name: 'echo', arguments: {} }] as const,
      [era, 'tools/call', { name: 'slow', arguments: {} }] as const,
      [era, 'tools/call', { name: 'fail', arguments: {} }] as const,
      [era, 'resources/read', { uri: 'peer://notes' }] as const,
      [era, 'prompts/get', { name: 'greet' }] as const,
    ]),
  )('no secret is returned: MCP, %s, %s %j', async (era, method, params) => {
    const text = await asked(era, method, params)
    expect(text).toContain('credential removed')
    expect(found(text)).toEqual([])
  })

  it('nothing stays in the database, the log, the metrics or what was sent to a webhook', async () => {
    for (const path of [
      '/metrics',
      '/admin-api/config/export',
      '/admin-api/audit-log',
      '/admin-api/calls',
      '/admin-api/traffic',
    ])
      left.push((await gateway.admin(path)).text)
    await expect.poll(() => received.length).toBeGreaterThan(0)
    await gateway.stop()
    const files = readdirSync(gateway.folder).filter((name) => name.startsWith('gantry.db'))
    const kept = files.map((name) => readFileSync(join(gateway.folder, name), 'latin1')).join('\n')
    // The rows are there, with what was captured of the answers.
    expect(kept).toContain('credential removed')
    expect(kept).toContain('[REDACTED]')
    expect({
      database: found(kept),
      log: found(gateway.output()),
      left: found(left.join('\n')),
      returned: found(received.join('\n')),
    }).toEqual({
      database: [],
      log: [],
      left: [],
      returned: [],
    })
  })
})

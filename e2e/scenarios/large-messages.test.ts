// Large answers beside results of tools do not block the main thread: GraphQL, errors, floods of messages, listed tools, monitors and test calls. Security case RX-01.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildSchema, graphqlSync } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { startWatched, type Watched } from '../fuzz/watched.ts'

const BYTES = 9_000_000
const CREDENTIAL = 'sesame street/9+open&wide'
const SCHEMA = buildSchema('type Query { pet(id: Int): Pet } type Pet { rows: [String] }')
const JSON_TYPE = { 'content-type': 'application/json' }

const filled = (open: string, piece: string, close: string): string =>
  open + piece.repeat(Math.floor((BYTES - open.length - close.length) / piece.length)) + close
const DENSE = filled('{"rows":[', '[],', '[]]}')
const ESCAPES = filled('', '&#x41;', '')

let watched: Watched
let peers: Readonly<Record<'modern' | 'legacy', McpPeer>>
/** What the HTTP backend answers to all but introspection and `/small`. */
let answer = '{}'
/** What the model was asked last. */
let asked = ''
/** What the MCP upstreams answer: the list of tools, or else a call. */
let listed = ''
let called: (id: string) => { readonly type: string; readonly text: string } = () => ({ type: '', text: '' })

const backend = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  request.on('end', () => {
    response.writeHead(200, JSON_TYPE)
    if (request.url === '/small') response.end('{}')
    else if (text.includes('__schema')) {
      const { query } = JSON.parse(text) as { query: string } // introspection is a GraphQL request
      response.end(JSON.stringify(graphqlSync({ schema: SCHEMA, source: query })))
    } else if (request.url === '/chat/completions') {
      asked = text
      response.end('{"choices":[{"message":{"content":"In short."}}]}')
    } else response.end(answer)
  })
})
const startPeer = (era: 'modern' | 'legacy'): Promise<McpPeer> =>
  startMcpPeer({
    era,
    intercept({ method, id, response }) {
      const written = JSON.stringify(id)
      if (method === 'tools/list' && listed !== '')
        response.writeHead(200, JSON_TYPE).end(`{"jsonrpc":"2.0","id":${written},"result":${listed}}`)
      else if (method === 'tools/call') {
        const { type, text } = called(written)
        response.writeHead(200, { 'content-type': type }).end(text)
      } else return false
      return true
    },
  })

async function must(path: string, body: object, method = 'POST'): Promise<string> {
  const { status, text } = await watched.gateway.admin(path, { method, body })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
  return text
}
async function call(name: string, tool: string): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } }
  const headers = { accept: 'application/json, text/event-stream' }
  const { status, text } = await watched.gateway.ask(`/mcp/${name}`, { method: 'POST', body, headers })
  expect(status).toBe(200)
  return text
}

beforeAll(async () => {
  const [started, modern, legacy] = await Promise.all([
    startWatched({ SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') }),
    startPeer('modern'),
    startPeer('legacy'),
  ])
  watched = started
  peers = { modern, legacy }
  const { url } = await listening(backend)
  const tools = ['small', 'large'].map((name) => ({
    name,
    method: 'GET',
    endpoint: `/${name}`,
    description: `Reads ${name}`,
    inputSchema: { type: 'object', properties: {} },
  }))
  await must('/register', { name: 'rest', base_url: url, tools })
  await must('/register', { name: 'graphql', graphql_url: `${url}/graphql` })
  for (const era of ['modern', 'legacy'] as const) await must('/register', { name: era, mcp_url: peers[era].url })
  for (const name of ['rest', 'graphql', 'modern', 'legacy'])
    await must(`/admin-api/clients/${name}/upstream-auth`, { type: 'bearer', token: CREDENTIAL }, 'PUT')
  // The baseline includes a valid message of the same size.
  called = (id) => ({
    type: EVENTS,
    text: filled('', `data: {"jsonrpc":"2.0","method":"x"}\n\n`, `data: ${done(id)}\n\n`),
  })
  await watched.baseline(async () => {
    for (let n = 0; n < 20; n++) await call('rest', 'small')
    await call('legacy', 'echo')
  })
})
afterAll(async () => {
  backend.close()
  await Promise.all([watched.gateway.end(), peers.modern.close(), peers.legacy.close()])
})
beforeEach(() => {
  listed = ''
})

describe('of a GraphQL backend', () => {
  it.each([
    ['data', DENSE.replace('{', '{"data":{"pet":{').concat('}}'), '{\\"data\\":{\\"pet\\":{\\"rows\\"'],
    ['errors', filled('{"data":null,"errors":[', '{"message":"a\\u0007b"},', '{"message":"b"}]}'), 'GraphQL: ab; ab'],
    ['an error', `{"data":null,"errors":[{"message":"${ESCAPES}"}]}`, 'GraphQL: &#x41;'],
  ])('%s', async (_what, text, shown) => {
    answer = text
    expect(await call('graphql', 'pet')).toContain(shown)
    await watched.sound()
  })
})

const EVENTS = 'text/event-stream'
const done = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"done"}]}}`
const fault = (id: string, rest: string): string => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,${rest}}}`

describe('of an MCP upstream:', () => {
  it.each<[string, (id: string) => { type: string; text: string }, string]>([
    [
      'the message of an error',
      (id) => ({ type: 'application/json', text: fault(id, `"message":"${ESCAPES}"`) }),
      '&#x41;',
    ],
    [
      'the data of an error',
      (id) => ({ type: 'application/json', text: fault(id, `"message":"no","data":${DENSE}`) }),
      '"no"',
    ],
    [
      'hundreds of thousands of messages in one',
      (id) => ({ type: 'application/json', text: filled('[', '{"jsonrpc":"2.0","method":"x"},', `${done(id)}]`) }),
      'done',
    ],
    [
      'hundreds of thousands of messages in one event',
      (id) => ({
        type: EVENTS,
        text: filled('data: [', '{"jsonrpc":"2.0","method":"x"},', `${done(id)}]\n\n`),
      }),
      'done',
    ],
    ['millions of empty lines', (id) => ({ type: EVENTS, text: filled('', '\n', `data: ${done(id)}\n\n`) }), 'done'],
    ['millions of line ends', (id) => ({ type: EVENTS, text: filled('', '\r\n', `data: ${done(id)}\n\n`) }), 'done'],
    ['millions of comments', (id) => ({ type: EVENTS, text: filled('', ':\n', `\ndata: ${done(id)}\n\n`) }), 'done'],
  ])('%s', async (_what, answers, shown) => {
    called = answers
    expect(await call('legacy', 'echo')).toContain(shown)
    await watched.sound()
  })

  it.each([
    ['a description', `"description":"${ESCAPES}","inputSchema":{"type":"object"}`],
    ['a schema', `"inputSchema":{"type":"object","properties":{"a":{"enum":${DENSE.slice(8, -1)}}}}`],
    ['an unknown field', `"inputSchema":{"type":"object"},"_meta":${DENSE}`],
  ])('a listed tool with %s of 9 MB is left out, and the others are there', async (_what, fields) => {
    listed = `{"tools":[{"name":"large",${fields}},{"name":"other","inputSchema":{"type":"object"}}]}`
    const found = JSON.parse(await must('/admin-api/clients/modern/rediscover', {})) as object // as every answer here
    expect(found).toMatchObject({
      tools_count: 1,
      warnings: expect.arrayContaining(['The tool large is left out: it is larger than 1 MiB.']),
    })
    await watched.sound()
  })

  it('a list of hundreds of thousands of tools is refused', async () => {
    listed = filled('{"tools":[', '{"name":"a"},', '{"name":"b"}]}')
    const { status, text } = await watched.gateway.admin('/admin-api/clients/modern/rediscover', {
      method: 'POST',
      body: {},
    })
    expect([status, text]).toEqual([400, expect.stringContaining('The upstream lists more tools than can be read')])
    await watched.sound()
  })
})

it('that a model sums up are written for it piece by piece, whole', async () => {
  const { port } = backend.address() as AddressInfo // a TCP server has one
  const llm = { provider: 'openai', baseUrl: `http://127.0.0.1:${port}`, model: 'small' }
  const contextBudget = { mode: 'llm_summarize', maxResponseBytes: 1_000, llm }
  await must('/admin-api/clients/rest/tools/large', { contextBudget }, 'PATCH')
  onTestFinished(async () => void (await must('/admin-api/clients/rest/tools/large', { contextBudget: null }, 'PATCH')))
  // A pair of surrogates lies across the end of a piece.
  answer = filled(`["a${'\u{1f436}'.repeat(40_000)}`, '\\"', '"]')
  expect(await call('rest', 'large')).toContain('In short.')
  const { messages } = JSON.parse(asked) as { messages: { content: string }[] } // what such a model is asked
  expect(messages.at(-1)?.content === answer).toBe(true)
  await watched.sound()
})

describe('that an administrator looks at', () => {
  it.each([
    ['dense', DENSE],
    ['text', `{"text":"${ESCAPES}"}`],
  ])('in a test call are shortened: %s', async (_what, text) => {
    answer = text
    const shown = await must('/admin-api/clients/rest/tools/large/test', { args: {} })
    expect(shown).toContain(JSON.stringify(text.slice(0, 100)).slice(1, -1))
    expect(shown).toMatch(/\[shortened by gateway: the result has \d+ bytes\]/)
    expect(shown.length).toBeLessThan(600_000)
    await watched.sound()
  })

  it('by a monitor are read for what it expects', async () => {
    answer = DENSE
    const path = '/admin-api/clients/rest/tools/large'
    await must(path, { monitor: { args: {}, expectPath: 'rows.1000000' } }, 'PATCH')
    expect(JSON.parse(await must(`${path}/monitor/run`, {}))).toMatchObject({ status: 'ok' })
    await must(path, { monitor: { args: {}, expectPath: 'rows.9000000' } }, 'PATCH')
    expect(JSON.parse(await must(`${path}/monitor/run`, {}))).toMatchObject({
      status: 'fail',
      lastError: 'The answer has nothing at rows.9000000.',
    })
    await watched.sound()
  })
})

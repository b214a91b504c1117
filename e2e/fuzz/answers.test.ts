// Upstream answers, valid and then spoiled: REST with every feature that reads answers, GraphQL, and MCP of both eras. Each call ends in one well-formed result.
import { buildSchema, graphqlSync } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { openUpstream, type Upstream } from '../scenarios/data-plane.fixture.ts'
import {
  type Answer,
  answerOf,
  answers,
  type Case,
  canariesIn,
  HIDDEN,
  REST_TOOLS,
  SECRET,
  SECRET_FORMS,
  TARGETS,
} from './answers.fixture.ts'
import { textsIn, unsafeIn } from './hostile.ts'
import { type HostileUpstream, startHostile, write } from './hostile-upstream.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './mode.ts'
import { ANSWERS } from './regressions.ts'
import { CANARY, startWatched, type Watched } from './watched.ts'

const SCHEMA = buildSchema('type Query { pet(id: Int): Pet } type Pet { id: String name: String sentence: String }')
const PLAIN: Case = {
  target: 'plain',
  status: 200,
  headers: {},
  body: 'json',
  changes: [],
  bytes: { how: 'none', at: 0, byte: 0 },
  run: { text: '', times: 0 },
  framing: 'length',
  cuts: [],
}

let watched: Watched
let hostile: HostileUpstream
let calm: Upstream
let peers: readonly McpPeer[] = []
let current: Case = PLAIN
let nonce = 0
/** How often the case under test was sent. */
let sent = 0

function next(id: unknown): Answer {
  sent += 1
  return answerOf(current, nonce, id)
}

/** Introspection is answered honestly; everything else with the case. */
function answering(_path: string, body: unknown) {
  const { query } = (body ?? {}) as { query?: string } // a GraphQL request has one
  if (query?.includes('__schema') !== true) return { answer: next(null), cuts: current.cuts }
  const text = JSON.stringify(graphqlSync({ schema: SCHEMA, source: query }))
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  return { answer: { bytes: Buffer.from(head + text), reusable: true }, cuts: [] }
}

const startPeer = (era: 'modern' | 'legacy'): Promise<McpPeer> =>
  startMcpPeer({
    era,
    intercept: ({ method, id, response }) => {
      if (method !== 'tools/call') return false
      const { socket } = response
      // Written past the HTTP server, which then cannot use the connection again.
      if (socket) void write(socket, { ...next(id), reusable: false }, current.cuts)
      return true
    },
  })

async function must(path: string, body: object, method = 'POST'): Promise<void> {
  const { status, text } = await watched.gateway.admin(path, { method, body })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
}

beforeAll(async () => {
  ;[watched, hostile, calm, peers] = await Promise.all([
    // A long run has thousands of failures, and a breaker that opens hides the cases after it.
    startWatched({
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1000',
      CIRCUIT_BREAKER_WINDOW_MS: '1000',
    }),
    startHostile(answering),
    openUpstream(),
    Promise.all([startPeer('modern'), startPeer('legacy')]),
  ])
  calm.answer = (request, response) => void response.end(JSON.stringify({ url: request.url }))
  const tools = (names: readonly string[]) =>
    names.map((name) => ({
      name,
      method: 'GET',
      endpoint: `/${name}/:id`,
      description: `Reads ${name}`,
      inputSchema: { type: 'object', properties: { id: { type: 'integer' } } },
    }))
  const [modern, legacy] = peers
  await must('/register', { name: 'rest', base_url: hostile.url, tools: tools(Object.keys(REST_TOOLS)) })
  await must('/register', { name: 'graphql', graphql_url: `${hostile.url}/graphql` })
  await must('/register', { name: 'modern', mcp_url: modern?.url })
  await must('/register', { name: 'legacy', mcp_url: legacy?.url })
  await must('/register', { name: 'calm', base_url: calm.url, tools: tools(['read']) })
  for (const name of ['rest', 'graphql', 'modern', 'legacy'])
    await must(`/admin-api/clients/${name}/upstream-auth`, { type: 'bearer', token: SECRET }, 'PUT')
  for (const [name, patch] of Object.entries(REST_TOOLS))
    await must(`/admin-api/clients/rest/tools/${name}`, patch, 'PATCH')
  const large = { text: 'word ', times: 100_000 }
  await watched.baseline(async () => {
    for (const target of TARGETS) for (const run of [PLAIN.run, large]) await called({ ...PLAIN, target, run })
  })
})
afterAll(async () => {
  await Promise.all([watched.gateway.end(), hostile.close(), calm.close(), ...peers.map((peer) => peer.close())])
})

async function rpc(backend: string, name: string, id: number) {
  const answer = await watched.gateway.ask(`/mcp/${backend}`, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: `call-${id}`, method: 'tools/call', params: { name, arguments: { id } } },
  })
  expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ jsonrpc: '2.0', id: `call-${id}` })])
  watched.answered(answer.headers.get('x-request-id') ?? '')
  return answer
}

async function called(one: Case): Promise<void> {
  current = one
  nonce += 1
  sent = 0
  const [backend, tool] =
    one.target in REST_TOOLS ? ['rest', one.target] : [one.target, one.target === 'graphql' ? 'pet' : 'echo']
  const { json, text, headers } = await rpc(backend, tool, nonce)
  const { result } = json as { result: { content: { type: string }[]; isError?: boolean } } // checked below
  expect(sent).toBeGreaterThan(0)
  expect(result.content).toEqual(expect.any(Array))
  for (const block of result.content) expect(block).toMatchObject({ type: expect.any(String) })
  for (const value of textsIn(result)) expect(unsafeIn(value)).toBeUndefined()
  expect([...headers.values()].join('\n')).not.toContain(CANARY)
  expect(SECRET_FORMS.filter((form) => text.includes(form))).toEqual([])
  expect(canariesIn(text).filter((of) => of !== nonce)).toEqual([])
  const intact =
    one.changes.length === 0 && one.bytes.how === 'none' && one.body === 'json' && one.framing !== 'tooShort'
  if (one.target === 'redacted' && intact && !('content-type' in one.headers)) expect(text).not.toContain(HIDDEN)
}

/** A call to another backend, which has to be answered as ever. */
async function another(): Promise<void> {
  const id = 1_000_000 + nonce
  const { json, text } = await rpc('calm', 'read', id)
  expect(json).toMatchObject({ result: { structuredContent: { url: `/read/${id}` } } })
  expect(text).not.toContain(CANARY)
}

it(
  'makes one well-formed result of every answer, without the credential, foreign bytes or a lost row, and never blocks (security cases NF-01, NF-03, RS-01, RX-01, BL-02, MC-06)',
  async () => {
    await fuzz(
      answers,
      async (one) => {
        await Promise.all([called(one), another()])
        await watched.sound()
      },
      { runs: 400, known: ANSWERS },
    )
    await watched.rowsMatch()
  },
  FUZZ_TIMEOUT_MS,
)

it('reads an answer in two pieces the same, wherever it is cut', async () => {
  for (const target of ['plain', 'events', 'graphql', 'modern'] as const) {
    const body = target === 'events' ? 'events' : 'json'
    const length = 700
    for (let at = 1; at < length; at += 23) await called({ ...PLAIN, target, body, cuts: [at, at + 1] })
  }
  await watched.sound()
  await watched.rowsMatch()
})

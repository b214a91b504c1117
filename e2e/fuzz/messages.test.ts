// MCP messages of both eras, valid and then spoiled, over raw sockets: each is answered once and in form, and another caller notices nothing.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { openUpstream, type Upstream } from '../scenarios/data-plane.fixture.ts'
import type { Env } from '../scenarios/gateway.fixture.ts'
import { unsafeIn } from './hostile.ts'
import { type Case, KEY, messages, PATHS, requestOf } from './messages.fixture.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './mode.ts'
import { cutAt, exchange, type RawAnswer } from './raw-client.ts'
import { MESSAGES } from './regressions.ts'
import { CANARY, startWatched, type Watched } from './watched.ts'

const OTHER = 'the-key-of-another-caller'
const tool = (name: string, method: string, endpoint: string, properties: object) => ({
  name,
  method,
  endpoint,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties },
})

let watched: Watched
let rest: Upstream
let peer: McpPeer
let sessions: Record<string, Env> = {}

async function must(path: string, body: object): Promise<void> {
  const { status, text } = await watched.gateway.admin(path, { method: 'POST', body })
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
}

async function session(path: string, protocolVersion: string): Promise<Env> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } }
  const opened = await watched.gateway.ask(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  })
  return { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
}

beforeAll(async () => {
  ;[watched, rest, peer] = await Promise.all([
    startWatched({ MCP_API_KEYS: `${KEY},${OTHER}` }),
    openUpstream(),
    startMcpPeer({ era: 'both' }),
  ])
  rest.answer = (request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: request.url }))
  const tools = [
    tool('read', 'GET', '/items/:id', { id: { type: 'integer' }, note: { type: 'string' } }),
    tool('write', 'POST', '/items', { name: { type: 'string' }, tags: { type: 'array' } }),
  ]
  await must('/register', { name: 'rest', base_url: rest.url, tools })
  await must('/register', { name: 'up', mcp_url: peer.url })
  const members = [
    { client: 'rest', tool: 'read' },
    { client: 'up', tool: 'echo' },
  ]
  await must('/admin-api/bundles', { name: 'both', tools: members })
  sessions = Object.fromEntries(
    await Promise.all(
      PATHS.flatMap((path) => [
        session(path, '2025-11-25').then((headers) => [`${path} session`, headers] as const),
        session(path, '2025-03-26').then((headers) => [`${path} old-session`, headers] as const),
      ]),
    ),
  )
  await watched.baseline(async () => {
    for (let template = 0; template < 21; template += 1)
      for (const path of PATHS) await run({ ...PLAIN, template, path, era: 'session' })
  })
})
afterAll(async () => {
  await Promise.all([watched.gateway.end(), rest.close(), peer.close()])
})

const PLAIN: Case = {
  template: 2,
  path: '/mcp/rest',
  era: 'bare',
  id: 1,
  changes: [],
  bytes: { how: 'none', at: 0, byte: 0 },
  batch: -1,
  headers: {},
  framing: 'length',
  cuts: [],
}

type Result = {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
  readonly _meta?: { readonly 'gantry/call'?: { readonly request_id: string; readonly attempts: number } }
}
type Message = {
  readonly jsonrpc?: string
  readonly id?: unknown
  readonly method?: string
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The id of a call that leaves a row. A search of the tool list is no guarded call and leaves none: it asks no backend and is refused in these words only. */
function calledIn({ result }: Message): string | undefined {
  const call = result?._meta?.['gantry/call']
  if (call === undefined || call.attempts > 0) return call?.request_id
  const isSearch = result?.isError !== true || result.content?.[0]?.text?.includes('query must be 1 to 512 characters')
  return isSearch ? undefined : call.request_id
}

/** The messages of an answer that is in form; what an envelope of ours holds is no message. */
function messagesIn({ status, headers, body }: RawAnswer): readonly Message[] {
  const type = headers['content-type'] ?? ''
  if (status === 202) {
    expect(body).toBe('')
    return []
  }
  if (type.startsWith('text/event-stream')) {
    expect(status).toBe(200)
    const data = body.split('\n').filter((line) => line.startsWith('data: '))
    return data.map((line) => JSON.parse(line.slice('data: '.length)) as Message) // what it is gets checked
  }
  expect(type).toMatch(/^application\/json/)
  const value = JSON.parse(body) as Message | readonly Message[] // what it is gets checked
  if (Array.isArray(value)) return value as readonly Message[]
  const one = value as Message
  if (one.jsonrpc !== undefined) return [one]
  expect(one).toEqual({ error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }) })
  return []
}

/** Counts what was called, and checks the form of everything that came. */
function judge(answer: RawAnswer, id: string | number | undefined): void {
  expect([answer.status, answer.body]).toEqual([expect.toSatisfy((status: number) => status < 500), answer.body])
  expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/)
  expect(JSON.stringify({ ...answer.headers, 'x-request-id': '' })).not.toContain(CANARY)
  expect(answer.body).not.toMatch(/Internal error|-32603|\.[jt]s:\d|at \w+ \(/)
  const messages = messagesIn(answer)
  const responses = messages.filter(({ method }) => method === undefined)
  for (const message of messages) {
    expect(message.jsonrpc).toBe('2.0')
    if (message.error) expect(unsafeIn(message.error.message)).toBeUndefined()
    for (const { text = '' } of message.result?.content ?? []) expect(unsafeIn(text)).toBeUndefined()
    const called = calledIn(message)
    if (called !== undefined) watched.answered(called)
  }
  for (const response of responses) expect(response).toSatisfy((one: Message) => 'result' in one !== 'error' in one)
  if (id !== undefined && responses.length > 0)
    expect(responses.map((one) => JSON.stringify(one.id))).toEqual([JSON.stringify(id)]) // JSON has no -0
}

async function run(one: Case): Promise<void> {
  const { bytes, framed, id } = requestOf(one, watched.port, sessions)
  const { answers, rest: left } = await exchange({
    port: watched.port,
    pieces: cutAt(bytes, one.cuts),
    // What is framed wrongly may be two requests, or half of one.
    answers: framed ? 1 : 2,
    halfClose: !framed,
    ...(framed ? {} : { quietMs: 2_000 }),
  })
  expect(left).toBe('')
  if (framed) expect(answers).toHaveLength(1)
  const parsed = answers.filter(({ headers }) => headers['x-request-id'] !== undefined)
  // Node answers bytes that are no HTTP by itself, without a request id.
  for (const { status } of answers.filter((answer) => !parsed.includes(answer))) expect([400, 417]).toContain(status)
  for (const answer of parsed) judge(answer, framed ? id : undefined)
}

let nonce = 0
/** A call of another caller, who has to get its own answer. */
async function another(): Promise<void> {
  const mine = (nonce += 1)
  const answer = await watched.gateway.ask('/mcp/rest', {
    method: 'POST',
    headers: { authorization: `Bearer ${OTHER}` },
    body: {
      jsonrpc: '2.0',
      id: `other-${mine}`,
      method: 'tools/call',
      params: { name: 'read', arguments: { id: mine } },
    },
  })
  expect(answer.json).toMatchObject({ id: `other-${mine}`, result: { structuredContent: { url: `/items/${mine}` } } })
  expect(answer.text).not.toContain(CANARY)
  watched.answered(answer.headers.get('x-request-id') ?? '')
}

it(
  'answers every message once and in form, loses no call row, never blocks (security cases MC-05, AZ-09, BL-05, BL-16)',
  async () => {
    await fuzz(
      messages,
      async (one) => {
        await Promise.all([run(one), another()])
        await watched.sound()
      },
      { runs: 300, known: MESSAGES },
    )
    await watched.rowsMatch()
  },
  FUZZ_TIMEOUT_MS,
)

it('answers a message that arrives in two pieces the same, wherever it is cut', async () => {
  const { bytes } = requestOf(
    { ...PLAIN, template: 8, path: '/mcp/up', era: 'modern', id: '\u{1f600}' },
    watched.port,
    sessions,
  )
  const step = Math.max(1, Math.floor(bytes.length / 150))
  for (let at = 1; at < bytes.length; at += step) {
    const { answers } = await exchange({ port: watched.port, pieces: cutAt(bytes, [at]) })
    expect([at, answers.map(({ status }) => status)]).toEqual([at, [200]])
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({
      id: '\u{1f600}',
      result: { structuredContent: { text: CANARY } },
    })
    judge(answers[0] as RawAnswer, '\u{1f600}') // its length was checked
  }
  await watched.sound()
  await watched.rowsMatch()
})

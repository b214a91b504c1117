// The old event transport where a well-behaved server does not go: endpoints elsewhere, streams that end, noise.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listening } from '../net/listening.fixture.ts'
import { createMemoryBudget } from '../net/memory-budget.ts'
import { aBackend, aCall, aRig, later, send } from './upstream.fixture.ts'

type Handle = (
  stream: ServerResponse | undefined,
  request: IncomingMessage,
  body: { id?: number; method?: string },
  response: ServerResponse,
) => void

/** A server that opens the stream with `opening` and leaves the rest to the test. */
async function aStreamServer(
  opening: string,
  handle: Handle = () => undefined,
): Promise<{ url: string; posts: string[] }> {
  let stream: ServerResponse | undefined
  const posts: string[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(opening)
      return
    }
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      posts.push(text)
      handle(stream, request, JSON.parse(text), response)
      if (!response.writableEnded) response.writeHead(202).end()
    })
  })
  const { url, close } = await listening(server)
  later(close)
  return { url: `${url}/sse`, posts }
}

const INITIALIZED = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old' } }
const ENDPOINT = 'event: endpoint\ndata: /messages?s=1\n\n'
const reply = (stream: ServerResponse | undefined, id: number | undefined, result: unknown): void =>
  void stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)

describe('is refused (security case MC-12)', () => {
  it.each([
    ['an endpoint on another server', 'event: endpoint\ndata: http://127.0.0.1:9/messages\n\n'],
    ['an endpoint with another scheme', 'event: endpoint\ndata: file:///etc/passwd\n\n'],
    ['an invalid endpoint', 'event: endpoint\ndata: http://\n\n'],
    ['noise', 'data: noise\n\n'],
    ['an event without end', `data: ${'x'.repeat(300_000)}`],
  ])('%s', async (_, opening) => {
    const rig = aRig()
    const { url, posts } = await aStreamServer(opening)
    const outcome = await send(rig, aCall(await aBackend(rig, url, 'sse'), 'echo'))
    expect(outcome.kind === 'failed' && outcome.failure).toMatch(/^(bad_response|response_too_large)$/)
    expect(posts).toEqual([])
  })

  it('a POST that the server refuses', async () => {
    const rig = aRig()
    const { url } = await aStreamServer(ENDPOINT, (_stream, _request, _body, response) =>
      response.writeHead(500).end('no'),
    )
    expect(await send(rig, aCall(await aBackend(rig, url, 'sse'), 'echo'))).toMatchObject({
      failure: 'upstream_status',
      status: 500,
    })
  })
})

describe('the stream', () => {
  it('fails the calls that wait when it ends, and is opened again by the next', async () => {
    const rig = aRig()
    let streams = 0
    const { url } = await aStreamServer(ENDPOINT, (stream, _request, { id, method }) => {
      if (method === 'initialize') {
        streams += 1
        reply(stream, id, INITIALIZED)
      }
      if (method === 'tools/call' && streams === 1) stream?.end()
      else if (method === 'tools/call') reply(stream, id, { content: [] })
    })
    const backend = await aBackend(rig, url, 'sse')
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ failure: 'network' })
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ kind: 'ok' })
    expect(streams).toBe(2)
  })

  it('brings no answer for which there is no room, and the next one all the same', async () => {
    const rig = aRig()
    const { url } = await aStreamServer(ENDPOINT, (stream, _request, { id, method }) => {
      if (method === 'initialize') reply(stream, id, INITIALIZED)
      if (method === 'tools/call') reply(stream, id, { content: [{ type: 'text', text: 'x'.repeat(100_000) }] })
    })
    const backend = await aBackend(rig, url, 'sse')
    const within = (mostBytes: number) => {
      const account = createMemoryBudget({ mostBytes, mostWorkBytes: mostBytes }).account()
      return rig.send(aCall(backend, 'echo'), { timeoutMs: 5_000, account, onStart: () => undefined })
    }
    expect(await within(300_000)).toMatchObject({ failure: 'response_too_large', retryable: true })
    expect(await within(600_000)).toMatchObject({ kind: 'ok' })
  })

  it('brings answers in any order, each to its own call; late and foreign ones are dropped', async () => {
    const rig = aRig()
    const waiting: (() => void)[] = []
    const { url, posts } = await aStreamServer(ENDPOINT, (stream, request, { id, method }) => {
      expect(request.url).toBe('/messages?s=1')
      if (method === 'initialize') reply(stream, id, INITIALIZED)
      if (method !== 'tools/call') return
      waiting.unshift(() => reply(stream, id, { content: [{ type: 'text', text: String(id) }] }))
      reply(stream, 4_711, { content: [{ type: 'text', text: 'foreign' }] })
      if (waiting.length === 5) for (const answer of waiting) answer()
    })
    const backend = await aBackend(rig, url, 'sse')
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map((n) => send(rig, aCall(backend, 'echo', { n }))))
    const sent = posts.map((text) => JSON.parse(text)).filter(({ method }) => method === 'tools/call')
    outcomes.forEach((outcome, index) => {
      const { id } = sent.find(({ params }) => params.arguments.n === index + 1)
      expect(outcome).toEqual({ kind: 'ok', result: { content: [{ type: 'text', text: String(id) }] } })
    })
  })
})

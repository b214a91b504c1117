// Upstreams that mean harm, or are broken: every one becomes an outcome, in bounded time and memory, and the next call works.
import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { PeerRequest } from './mcp-peer.fixture.ts'
import { aBackend, aCall, aPeer, aRig, aTool, bearer, send } from './upstream.fixture.ts'

type Attack = (request: PeerRequest) => unknown

const events = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })
const json = (response: ServerResponse, body: string | Buffer): unknown =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
const message = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const note = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(500) } }
const resultOf = (id: PeerRequest['id'], result: unknown) => ({ jsonrpc: '2.0', id, result })

/** Writes for as long as the connection is there. */
function forever(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 2)
  response.on('close', () => clearInterval(timer))
}

async function attacked(attack: Attack, era: 'modern' | 'legacy', timeoutMs = 5_000) {
  const rig = aRig()
  let attacks = 0
  const peer = await aPeer({
    era,
    intercept: (request) => {
      if (request.method !== 'tools/call' || request.params.name !== 'attack') return false
      attacks += 1
      attack(request)
      return true
    },
  })
  const backend = await aBackend(rig, peer.url)
  // Met beforehand, so that the time is the attack's alone.
  await send(rig, aCall(backend, 'echo'))
  const outcome = await send(rig, aCall(backend, 'attack'), timeoutMs)
  expect(await send(rig, aCall(backend, 'echo', { still: 'there' }))).toMatchObject({ kind: 'ok' })
  expect(attacks).toBe(1)
  return outcome
}

const DEEP = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`

describe.each(['modern', 'legacy'] as const)('%s (security cases BL-14, MC-06)', (era) => {
  it.each<[string, string, Attack]>([
    ['says nothing', 'timeout', () => undefined],
    [
      'drips',
      'timeout',
      ({ response }) => forever(response.writeHead(200, { 'content-type': 'application/json' }), ' '),
    ],
    ['keeps a stream alive for ever', 'timeout', ({ response }) => forever(events(response), ': ping\n\n')],
  ])('an upstream that %s: %s', async (_, failure, attack) => {
    expect(await attacked(attack, era, 500)).toMatchObject({ kind: 'failed', failure })
  })

  it.each<[string, string, Attack]>([
    ['cuts the connection', 'network', ({ response }) => response.destroy()],
    [
      'cuts the connection in the middle',
      'network',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 }).write('{"jsonrpc"')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    ['ends a stream without the answer', 'network', ({ response }) => events(response).end(message(note))],
    [
      'answers a page',
      'bad_response',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    ['answers nothing', 'bad_response', ({ response }) => response.writeHead(202).end()],
    ['answers null', 'bad_response', ({ response }) => json(response, 'null')],
    ['answers an empty list', 'bad_response', ({ response }) => json(response, '[]')],
    [
      'answers half a message',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify({ jsonrpc: '2.0', id })),
    ],
    [
      'answers another protocol',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify({ id, result: {} })),
    ],
    ['answers bytes', 'bad_response', ({ response }) => json(response, Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
    [
      'answers too deep',
      'bad_response',
      ({ response, id }) => json(response, `{"jsonrpc":"2.0","id":${id},"result":${DEEP}}`),
    ],
    [
      'answers another request',
      'bad_response',
      ({ response }) => json(response, JSON.stringify(resultOf(4_711, { content: [] }))),
    ],
    [
      'answers the id as text',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify(resultOf(String(id), { content: [] }))),
    ],
    [
      'answers another request in a stream',
      'bad_response',
      ({ response }) => events(response).end(message(resultOf(4_711, { content: [] }))),
    ],
    [
      'answers nobody in a stream',
      'bad_response',
      ({ response }) => events(response).end(message({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } })),
    ],
    ['sends noise in a stream', 'bad_response', ({ response }) => events(response).end('data: {nonsense\n\n')],
    [
      'answers compressed',
      'bad_response',
      ({ response }) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    ],
    [
      'answers a text as result',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify(resultOf(id, 'text'))),
    ],
    [
      'answers no list of blocks',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify(resultOf(id, { content: 'x' }))),
    ],
    [
      'answers blocks that are none',
      'bad_response',
      ({ response, id }) => json(response, JSON.stringify(resultOf(id, { content: ['x', null] }))),
    ],
    ['answers too much', 'response_too_large', ({ response }) => json(response, Buffer.alloc(300_000, 32))],
    [
      'sends an event without end',
      'response_too_large',
      ({ response }) => forever(events(response), `data: ${'x'.repeat(20_000)}`),
    ],
    [
      'sends events without end',
      'response_too_large',
      ({ response }) => forever(events(response), message(note).repeat(20)),
    ],
    ['sends elsewhere', 'upstream_status', ({ response }) => response.writeHead(307, { location: '/other' }).end()],
    [
      'has an endless error page',
      'upstream_status',
      ({ response }) => forever(response.writeHead(500), 'x'.repeat(5_000)),
    ],
  ])('an upstream that %s: %s', async (_, failure, attack) => {
    expect(await attacked(attack, era)).toMatchObject({ kind: 'failed', failure })
  })

  it.each(['json', 'sse'] as const)(
    'an upstream that answers many small blocks in %s is bounded by their sum [ct.5.13.sum]',
    async (as) => {
      const blocks = (count: number): Attack => {
        const content = Array.from({ length: count }, () => ({ type: 'text', text: 'x'.repeat(1_000) }))
        return ({ response, id }) => {
          const answer = resultOf(id, { content })
          if (as === 'json') json(response, JSON.stringify(answer))
          else events(response).end(message(note) + message(answer))
        }
      }
      expect(await attacked(blocks(180), era)).toMatchObject({ kind: 'ok' })
      expect(await attacked(blocks(200), era)).toMatchObject({ kind: 'failed', failure: 'response_too_large' })
    },
  )

  it('an upstream that leaves its stream open after the answer is left', async () => {
    const rig = aRig()
    const peer = await aPeer({
      era,
      intercept: ({ method, id, response }) => {
        if (method !== 'tools/call') return false
        forever(events(response), message(resultOf(id, { content: [] })))
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({ kind: 'ok' })
    await vi.waitFor(() => expect(peer.abandoned).toContain('tools/call'), 20_000)
  })

  it('an upstream that sends whatever bytes it likes never breaks us', async () => {
    const rig = aRig()
    let bytes = Buffer.alloc(0)
    let type = ''
    let status = 200
    const peer = await aPeer({
      era,
      intercept: ({ method, response }) => {
        if (method !== 'tools/call') return false
        response.writeHead(status, { 'content-type': type }).end(bytes)
        return true
      },
    })
    const backend = await aBackend(rig, peer.url)
    const raw = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
    const text = fc
      .array(fc.constantFrom('data:', '\n', '\r', ':', '{', '"id":3', '[', '}', 'null', '\ud800', 'é'))
      .map((parts) => Buffer.from(parts.join('')))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(raw, text),
        fc.constantFrom('text/event-stream', 'application/json', 'image/png', ''),
        fc.constantFrom(200, 202, 204, 400, 404, 500),
        async (given, contentType, given_status) => {
          bytes = given
          type = contentType
          status = given_status
          expect(await send(rig, aCall(backend, 'echo'), 1_000)).toMatchObject({ kind: 'failed' })
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('legacy', () => {
  it('an upstream that only asks is not answered without end', async () => {
    const outcome = await attacked(({ response }) => {
      const question = (id: number) => message({ jsonrpc: '2.0', id, method: 'sampling/createMessage' })
      events(response).write(Array.from({ length: 200 }, (_, id) => question(id)).join(''))
    }, 'legacy')
    expect(outcome).toMatchObject({ failure: 'bad_response' })
  })

  it.each([
    ['no session id that could be sent back', { 'mcp-session-id': 'a b' }, { protocolVersion: '2025-11-25' }],
    ['a session id without end', { 'mcp-session-id': 'x'.repeat(2_000) }, { protocolVersion: '2025-11-25' }],
    ['no revision', {}, { protocolVersion: { a: 1 } }],
    ['nothing', {}, null],
  ])('a handshake with %s is refused', async (_, headers, result) => {
    const rig = aRig()
    const peer = await aPeer({
      intercept: ({ method, id, response }) => {
        if (method !== 'initialize') return false
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        json(response, JSON.stringify(resultOf(id, result)))
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({ failure: 'bad_response' })
    expect(peer.count('tools/call')).toBe(0)
  })

  it('an upstream that never answers the modern question is greeted the old way in time', async () => {
    const rig = aRig()
    const peer = await aPeer({ intercept: ({ method }) => method === 'server/discover' })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'), 20_000)).toMatchObject({ kind: 'ok' })
  })
})

describe('what is handed on', () => {
  const ESC = '\u001b'
  async function given(result: unknown, tool = aTool('echo')) {
    const rig = aRig({ credential: () => bearer('tok-123456') })
    const peer = await aPeer({
      intercept: ({ method, id, response }) => {
        if (method !== 'tools/call') return false
        json(response, JSON.stringify(resultOf(id, result)))
        return true
      },
    })
    return send(rig, aCall(await aBackend(rig, peer.url), tool))
  }

  it('has every string cleaned, and every secret removed, wherever it stands', async () => {
    const outcome = await given({
      content: [
        { type: 'text', text: `a${ESC}[31mb\u202ec tok-12\u00003456` },
        { type: 'future', deep: [{ x: 'tok-123456' }] },
      ],
      structuredContent: { 'tok-123456': 'é'.normalize('NFD'), 'a\u200bb': 1 },
      extra: `${ESC}]0;x\u0007y`,
    })
    expect(outcome).toEqual({
      kind: 'ok',
      result: {
        content: [
          { type: 'text', text: 'abc [credential removed]' },
          { type: 'future', deep: [{ x: '[credential removed]' }] },
        ],
        structuredContent: { '[credential removed]': 'é'.normalize('NFD'), 'a\u200bb': 1 },
        extra: 'y',
      },
    })
  })

  it('is redacted, in the structure and in the JSON of a text', async () => {
    const tool = aTool('echo', { type: 'object' }, { redactPaths: ['user.email'] })
    const data = { user: { email: 'a@b.c', name: 'n' } }
    const outcome = await given(
      {
        content: [
          { type: 'text', text: JSON.stringify(data) },
          { type: 'text', text: 'user.email' },
        ],
        structuredContent: data,
      },
      tool,
    )
    const hidden = { user: { email: '[REDACTED]', name: 'n' } }
    expect(outcome).toEqual({
      kind: 'ok',
      result: {
        content: [
          { type: 'text', text: JSON.stringify(hidden) },
          { type: 'text', text: 'user.email' },
        ],
        structuredContent: hidden,
      },
    })
  })

  it('is a result, whatever JSON an upstream puts into it', async () => {
    const rig = aRig()
    let result: unknown
    const peer = await aPeer({
      intercept: ({ method, id, response }) => {
        if (method !== 'tools/call') return false
        json(response, JSON.stringify(resultOf(id, result)))
        return true
      },
    })
    const backend = await aBackend(rig, peer.url)
    const block = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    await fc.assert(
      fc.asyncProperty(fc.record({ content: fc.array(block), more: fc.jsonValue({ maxDepth: 3 }) }), async (value) => {
        result = value
        const outcome = await send(rig, aCall(backend, 'echo'))
        expect(outcome.kind === 'ok' && outcome.result.content).toHaveLength(value.content.length)
      }),
      { numRuns: 40 },
    )
  })
})

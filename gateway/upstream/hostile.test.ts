// Upstreams that mean harm, or are broken: every one becomes an outcome, in bounded time and memory, and the next call works.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ATTACKS, type Attack, events, forever, json, message, note, resultOf } from './attacks.fixture.ts'
import { aBackend, aCall, aPeer, aRig, aTool, bearer, send } from './upstream.fixture.ts'

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

describe.each(['modern', 'legacy'] as const)('%s (security cases BL-14, MC-06)', (era) => {
  it.each(ATTACKS)('an upstream that %s: %s', async (_, failure, attack) => {
    const timeoutMs = failure === 'timeout' ? 500 : undefined
    expect(await attacked(attack, era, timeoutMs)).toMatchObject({ kind: 'failed', failure })
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

  it('an upstream that sends any bytes never breaks us', async () => {
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

  it('is a result or a failure, for any JSON of an upstream', async () => {
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
    const loose = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const block = fc.oneof({ weight: 9, arbitrary: loose.map((own) => ({ ...own, type: 'text' })) }, loose)
    await fc.assert(
      fc.asyncProperty(fc.record({ content: fc.array(block), more: fc.jsonValue({ maxDepth: 3 }) }), async (value) => {
        result = value
        const outcome = await send(rig, aCall(backend, 'echo'))
        // A block of no type breaks the clients behind us.
        if (value.content.every((own) => typeof (own as { type?: unknown }).type === 'string'))
          expect(outcome.kind === 'ok' && outcome.result.content).toHaveLength(value.content.length)
        else expect(outcome).toMatchObject({ kind: 'failed', failure: 'bad_response' })
      }),
      { numRuns: 40 },
    )
  })
})

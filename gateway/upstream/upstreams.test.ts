// Both eras, both forms of answer, sessions and credentials, over real sockets.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { TokenUnavailable } from '../registry/credentials.ts'
import { aBackend, aCall, aPeer, aRig, aTalk, aTool, bearer, room, send } from './upstream.fixture.ts'

const CLIENT = 'io.modelcontextprotocol/clientInfo'

describe('a call is refused or fails', () => {
  it("with the message of a JSON-RPC error; only what is not the caller's fault counts against the upstream", async () => {
    const rig = aRig()
    const backend = await aBackend(rig, (await aPeer()).url)
    expect(await send(rig, aCall(backend, 'fault', { code: -32_000 }))).toEqual({
      kind: 'failed',
      failure: 'upstream_error',
      text: 'no good',
      retryable: false,
      details: { code: -32_000, data: { why: 'told' } },
      saysUpstreamFailed: true,
    })
    for (const code of [-32_601, -32_602]) {
      const outcome = await send(rig, aCall(backend, 'fault', { code }))
      expect(outcome).toMatchObject({ failure: 'upstream_error', details: { code }, saysUpstreamFailed: false })
    }
  })

  it("with the upstream's own error result", async () => {
    const rig = aRig()
    const backend = await aBackend(rig, (await aPeer()).url)
    expect(await send(rig, aCall(backend, 'fail'))).toMatchObject({
      failure: 'upstream_error',
      text: 'it broke',
      result: { isError: true, vendorField: 1, content: [{ type: 'text', text: 'it broke' }] },
    })
  })

  it('with the status of an answer that is no JSON-RPC, retryable when the status says so', async () => {
    const rig = aRig()
    const peer = await aPeer({
      intercept: ({ method, response }) => {
        if (method !== 'tools/call') return false
        response.writeHead(503).end('<h1>down\u0007</h1>')
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({
      failure: 'upstream_status',
      status: 503,
      text: 'HTTP 503 from up: <h1>down</h1>',
      retryable: true,
    })
  })

  it('when nobody is there', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    await peer.close()
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({
      failure: 'network',
      text: 'Could not reach up: connection refused',
    })
  })

  it('when nobody is at the address its name was pinned to', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url.replace('127.0.0.1', 'localhost'))
    await peer.close()
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({
      text: 'Could not reach up: connection refused. Its addresses are pinned: if they have changed, an administrator can re-discover it',
    })
  })

  it.each([
    ['network', 'could not be asked: connection refused'],
    ['upstream_error', 'answered 401'],
  ] as const)('when there is no token for it: %s, and nothing is sent [ct.9.3.failure]', async (failure, why) => {
    const tokenless = async (): Promise<never> => {
      throw new TokenUnavailable(failure, why)
    }
    const rig = aRig({ credential: tokenless })
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    const told = {
      kind: 'failed',
      failure,
      text: expect.stringContaining(`Nothing was sent to up: the token endpoint ${why}`),
      unasked: true,
    }
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject(told)
    const passed = await rig.upstreams.pass({
      backend,
      method: 'prompts/list',
      params: {},
      talk: aTalk({}),
      timeoutMs: 5_000,
      traceparent: undefined,
      account: room.account(),
      onStart: () => undefined,
      onProgress: undefined,
    })
    expect(passed).toMatchObject(told)
    expect(peer.seen).toEqual([])
  })

  it('when its token cannot be renewed after it was refused', async () => {
    let asked = 0
    const rig = aRig({
      credential: () => {
        asked += 1
        if (asked > 3) throw new TokenUnavailable('upstream_error', 'answered 400')
        return bearer('old-token')
      },
      refreshCredential: async () => {
        throw new TokenUnavailable('upstream_error', 'answered 400')
      },
    })
    const peer = await aPeer({ bearer: 'new-token' })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({
      failure: 'upstream_error',
      unasked: true,
    })
  })

  it('when the upstream speaks no revision that is known', async () => {
    const rig = aRig()
    const peer = await aPeer({ revision: '1999-01-01' })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({ failure: 'bad_response' })
  })
})

describe.each(['modern', 'legacy'] as const)('an upstream of the %s era', (era) => {
  describe.each(['json', 'sse'] as const)('that answers as %s', (as) => {
    it('gives its result as it is: unknown fields, unknown blocks', async () => {
      const rig = aRig()
      const peer = await aPeer({ era, as, splitBytes: 3 })
      const backend = await aBackend(rig, peer.url)
      expect(await send(rig, aCall(backend, 'extras'))).toEqual({
        kind: 'ok',
        result: {
          content: [
            { type: 'hologram', shape: { deep: [1] } },
            { type: 'text', text: 'plain', note: 'kept' },
          ],
          futureField: { a: 1 },
          _meta: { 'vendor/x': true },
        },
      })
    })

    it('is met once, and not again for each call; its connection is used again', async () => {
      const rig = aRig()
      const peer = await aPeer({ era, as })
      const backend = await aBackend(rig, peer.url)
      for (let count = 0; count < 20; count += 1)
        expect(await send(rig, aCall(backend, 'echo', { count }))).toMatchObject({ kind: 'ok' })
      expect(peer.count('server/discover')).toBe(1)
      expect(peer.count('initialize')).toBe(era === 'legacy' ? 1 : 0)
      expect(peer.count('tools/call')).toBe(20)
      // A pool may keep a second one beside the one that is just becoming free.
      expect(peer.connections()).toBeLessThanOrEqual(2)
    })
  })

  it('is met once by many calls at the same time', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => send(rig, aCall(backend, 'echo', { n }))))
    expect(outcomes.map((outcome) => outcome.kind === 'ok' && outcome.result.structuredContent)).toEqual(
      Array.from({ length: 30 }, (_, n) => ({ n })),
    )
    expect(peer.count('server/discover')).toBe(1)
    expect(peer.count('initialize')).toBe(era === 'legacy' ? 1 : 0)
  })

  it('never mixes the answers of concurrent calls', async () => {
    const rig = aRig({ connections: 16 })
    const peer = await aPeer({ era, as: 'sse', splitBytes: 7 })
    const backend = await aBackend(rig, peer.url)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.nat(15), caller: fc.nat(6) }), { minLength: 2, maxLength: 24 }),
        async (calls) => {
          await Promise.all(
            calls.map(async ({ ms, caller }, index) => {
              const outcome = await send(rig, aCall(backend, 'echo', { ms, index }, { sessionHash: `s${caller}` }))
              expect(outcome).toMatchObject({ kind: 'ok', result: { structuredContent: { ms, index } } })
            }),
          )
        },
      ),
      { numRuns: 15 },
    )
    expect(peer.sessions.size).toBeLessThanOrEqual(7)
  })

  it('hears of a cancelled call, and of one that took too long', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    let cancel: () => void = () => undefined
    const cancelled = send(rig, aCall(backend, 'slow'), 60_000, (given) => (cancel = given))
    await vi.waitFor(() => expect(peer.count('tools/call')).toBe(1), 5_000)
    cancel()
    expect(await cancelled).toMatchObject({ failure: 'cancelled', text: 'Cancelled' })
    expect(await send(rig, aCall(backend, 'slow'), 500)).toMatchObject({
      failure: 'timeout',
      text: 'Timed out after 500 ms',
    })
    await vi.waitFor(() => expect(peer.abandoned.filter((method) => method === 'tools/call')).toHaveLength(2), 5_000)
    if (era === 'modern') return
    await vi.waitFor(() => expect(peer.count('notifications/cancelled')).toBe(2), 5_000)
    const calls = peer.seen.filter(({ method }) => method === 'tools/call').map(({ id }) => id)
    const told = peer.seen
      .filter(({ method }) => method === 'notifications/cancelled')
      .map(({ params }) => params.requestId)
    expect(told).toEqual(calls)
  })

  it('has its progress relayed, cleaned', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const seen: unknown[][] = []
    const call = aCall(
      await aBackend(rig, peer.url),
      'progress',
      {},
      { meta: { progressToken: 'theirs' }, onProgress: (...given) => seen.push(given) },
    )
    expect(await send(rig, call)).toMatchObject({ kind: 'ok' })
    expect(seen).toEqual([
      [1, 3, 'step 1'],
      [2, 3, 'step 2'],
      [3, 3, 'step 3'],
    ])
    const sent = peer.seen.find(({ method }) => method === 'tools/call')
    expect(sent?.params._meta).toMatchObject({ progressToken: sent?.id })
  })

  it('is told when its list of tools may be read again, after a lost stream too', async () => {
    const rig = aRig()
    const peer = await aPeer({ era, listChanged: true })
    rig.upstreams.watch(await aBackend(rig, peer.url))
    await vi.waitFor(() => expect(peer.streams()).toBe(1), 5_000)
    peer.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 5_000)
    peer.endStreams()
    await vi.waitFor(() => expect(peer.streams()).toBe(1), 5_000)
    peer.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up', 'up']), 5_000)
    await rig.upstreams.close('up')
    await vi.waitFor(() => expect(peer.streams()).toBe(0), 5_000)
  })

  it('answers a ping, and the lack of one is no illness', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    await rig.upstreams.ping(backend, 5_000)
    await peer.close()
    await expect(rig.upstreams.ping(backend, 2_000)).rejects.toThrow()
  })

  it('never gives back the credential it was sent', async () => {
    const rig = aRig({ credential: () => bearer('s3cret-token') })
    const peer = await aPeer({ era, bearer: 's3cret-token' })
    const outcome = await send(rig, aCall(await aBackend(rig, peer.url), 'reflect'))
    expect(outcome).toMatchObject({ kind: 'ok' })
    expect(JSON.stringify(outcome)).not.toContain('s3cret')
    expect(JSON.stringify(outcome)).toContain('Bearer [credential removed]')
  })

  it('that refuses a token gets a fresh one, once', async () => {
    let token = 'old-token'
    let refreshed = 0
    const rig = aRig({
      credential: () => bearer(token),
      refreshCredential: async () => {
        refreshed += 1
        token = 'new-token'
        return true
      },
    })
    const peer = await aPeer({ era, bearer: 'new-token' })
    const backend = await aBackend(rig, peer.url)
    expect(await send(rig, aCall(backend, 'echo', { a: 1 }))).toMatchObject({ kind: 'ok' })
    expect(refreshed).toBe(1)
    peer.become({ era, bearer: 'another' })
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ failure: 'upstream_status', status: 401 })
    expect(refreshed).toBe(2)
  })
})

describe('a legacy session', () => {
  it('that is gone is opened again once, and the call sent again once', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    await send(rig, aCall(backend, 'echo'))
    peer.forgetSessions()
    expect(await send(rig, aCall(backend, 'echo', { again: true }))).toMatchObject({
      kind: 'ok',
      result: { structuredContent: { again: true } },
    })
    expect(peer.count('initialize')).toBe(2)
    expect(peer.count('tools/call')).toBe(3)
  })

  it('that is lost every time is given up, not chased', async () => {
    const rig = aRig()
    const peer = await aPeer({
      intercept: ({ method, response }) => {
        if (method !== 'tools/call') return false
        response.writeHead(404).end()
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({
      failure: 'upstream_status',
      status: 404,
    })
    expect(peer.count('tools/call')).toBe(2)
    expect(peer.count('initialize')).toBe(2)
  })

  it('is carried with its revision, and ended when the backend is', async () => {
    const rig = aRig()
    const peer = await aPeer({ revision: '2025-06-18' })
    await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))
    const called = peer.seen.find(({ method }) => method === 'tools/call')
    expect(called?.headers['mcp-protocol-version']).toBe('2025-06-18')
    expect(peer.sessions.has(String(called?.headers['mcp-session-id']))).toBe(true)
    expect(peer.count('notifications/initialized')).toBe(1)
    await rig.upstreams.close('up')
    expect(peer.sessions.size).toBe(0)
  })

  it('belongs to one caller alone, is kept, and ends with it', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    const sessionOf = async (sessionHash: string): Promise<unknown> => {
      await send(rig, aCall(backend, 'echo', {}, { sessionHash }))
      return peer.seen.at(-1)?.headers['mcp-session-id']
    }
    const first = await Promise.all(['a'].map(sessionOf))
    const others = [await sessionOf('b'), await sessionOf('c'), await sessionOf('d')]
    expect(new Set([...first, ...others]).size).toBe(4)
    expect(await sessionOf('a')).toBe(first[0])
    expect(await sessionOf('b')).toBe(others[0])
    expect(peer.count('initialize')).toBe(4)
    rig.upstreams.leave('a|')
    await vi.waitUntil(() => !peer.sessions.has(String(first[0])))
    expect(await sessionOf('a')).not.toBe(first[0])
  })

  it('may be none at all', async () => {
    const rig = aRig()
    const peer = await aPeer({ stateless: true })
    const backend = await aBackend(rig, peer.url)
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ kind: 'ok' })
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ kind: 'ok' })
    expect(peer.count('initialize')).toBe(1)
  })

  it('answers what the upstream asks: refused where nobody can be asked, else by the client, in a session of its own', async () => {
    const peer = await aPeer()
    const rig = aRig()
    const backend = await aBackend(rig, peer.url)
    const outcome = await send(rig, aCall(backend, 'ask'))
    expect(JSON.stringify(outcome)).toContain('-32601')
    const talk = aTalk({ sampling: {} }, async (method) => ({ result: { asked: method } }))
    const answered = await send(rig, aCall(backend, 'ask', {}, { talk }))
    expect(JSON.stringify(answered)).toContain('sampling/createMessage')
    const declared = peer.seen.filter(({ method }) => method === 'initialize').map(({ params }) => params.capabilities)
    expect(declared).toEqual([{}, { sampling: {} }])
  })

  it("holds back what the tool's guardrails do not let through, in a client's answers as in arguments", async () => {
    const peer = await aPeer()
    const rig = aRig()
    const tool = aTool(
      'ask',
      { type: 'object' },
      { guardrails: { denyPatterns: ['tell\\s+all'], blockSecrets: true, scanResponses: false } },
    )
    const backend = await aBackend(rig, peer.url)
    const said = (text: string) => aTalk({ sampling: {} }, async () => ({ result: { content: { text } } }))
    const open = await send(rig, aCall(backend, tool, {}, { talk: said('well') }))
    expect(JSON.stringify(open)).toContain('well')
    const held = await send(rig, aCall(backend, tool, {}, { talk: said('I TELL  ALL') }))
    expect(JSON.stringify(held)).not.toContain('TELL')
    expect(JSON.stringify(held)).toContain('guardrail')
    const again = { ...said(''), inputs: { inputResponses: { k: { content: { text: 'tell all' } } } } }
    expect(await send(rig, aCall(backend, tool, {}, { talk: again }))).toMatchObject({ code: 'guardrail_input' })
  })

  it('takes a stream up again that ended before its answer', async () => {
    const rig = aRig()
    let callId: unknown
    const peer = await aPeer({
      intercept: ({ method, httpMethod, headers, id, response }) => {
        if (method === 'tools/call') {
          callId = id
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: e1\nretry: 10\ndata:\n\n')
          return true
        }
        if (httpMethod !== 'GET' || headers['last-event-id'] !== 'e1') return false
        const message = { jsonrpc: '2.0', id: callId, result: { content: [] } }
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(message)}\n\n`)
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toEqual({
      kind: 'ok',
      result: { content: [] },
    })
  })
})

describe('a modern request', () => {
  it('is sent again to an upstream that refuses its version and names the same as supported', async () => {
    const rig = aRig()
    let refused = 0
    const peer = await aPeer({
      era: 'modern',
      intercept: ({ id, response }) => {
        if (refused > 0) return false
        refused += 1
        const error = { code: -32_022, message: 'Unsupported', data: { supported: ['2026-07-28'] } }
        response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({ kind: 'ok' })
    expect(peer.count('initialize')).toBe(0)
  })

  it('mirrors method, name and the arguments that are asked for; says who we are and passes on what the caller can', async () => {
    const rig = aRig()
    const peer = await aPeer({ era: 'modern' })
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
        absent: { type: 'boolean', 'x-mcp-header': 'Absent' },
      },
    }
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, tasks: {} },
      [CLIENT]: { name: 'theirs' },
      'vendor/k': 1,
    }
    const call = aCall(
      await aBackend(rig, peer.url),
      aTool('echo', schema),
      { region: 'Zürich', deep: { n: 7 } },
      { meta, traceparent: '00-a-b-01', talk: aTalk({ elicitation: {} }) },
    )
    expect(await send(rig, call)).toMatchObject({ kind: 'ok' })
    const sent = peer.seen.at(-1)
    expect(sent?.headers).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-param-region': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
      'mcp-param-n': '7',
      traceparent: '00-a-b-01',
    })
    expect(sent?.headers).not.toHaveProperty('mcp-param-absent')
    expect(sent?.params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      [CLIENT]: { name: 'gantry', title: 'Gantry', version: '1.0.0' },
      'vendor/k': 1,
      traceparent: '00-a-b-01',
    })
  })

  it('is answered without what is true of its hop, or what only we may say', async () => {
    const rig = aRig()
    const peer = await aPeer({
      era: 'modern',
      intercept: ({ method, id, answer }) => {
        if (method !== 'tools/call') return false
        const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'x' }, 'gantry/refusal': { code: 'x' }, 'a/b': 1 }
        void answer({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [], _meta } })
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toEqual({
      kind: 'ok',
      result: { content: [], _meta: { 'a/b': 1 } },
    })
  })

  it('may be answered by a wish for input, which is passed through', async () => {
    const rig = aRig()
    const wish = {
      resultType: 'input_required',
      inputRequests: { k: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } } },
      requestState: 'opaque',
    }
    const peer = await aPeer({
      era: 'modern',
      intercept: ({ method, id, answer }) => {
        if (method !== 'tools/call') return false
        void answer({ jsonrpc: '2.0', id, result: wish })
        return true
      },
    })
    const backend = await aBackend(rig, peer.url)
    const talk = aTalk({ elicitation: {} }, undefined, { takesRounds: true })
    expect(await send(rig, aCall(backend, 'echo', {}, { talk }))).toMatchObject({ kind: 'ok', asks: wish })
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({
      failure: 'upstream_error',
      text: 'up asks for input: The client has no elicitation',
    })
  })
})

describe('a watch', () => {
  it('that could not listen for a while says so afterwards, as something may have changed', async () => {
    const rig = aRig()
    let cuts = 0
    const peer = await aPeer({
      listChanged: true,
      intercept: ({ httpMethod, response }) => {
        if (httpMethod !== 'GET' || cuts === 2) return false
        cuts += 1
        response.destroy()
        return true
      },
    })
    rig.upstreams.watch(await aBackend(rig, peer.url))
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 10_000)
    expect(peer.count('initialize')).toBe(1)
  })

  it('of an upstream that announces nothing costs it no connection, and a flood is told once a second', async () => {
    const rig = aRig()
    const silent = await aPeer()
    rig.upstreams.watch(await aBackend(rig, silent.url))
    await vi.waitFor(() => expect(silent.count('notifications/initialized')).toBe(1), 5_000)
    const loud = await aPeer({ listChanged: true })
    const other = aRig()
    other.upstreams.watch(await aBackend(other, loud.url))
    await vi.waitFor(() => expect(loud.streams()).toBe(1), 5_000)
    for (let count = 0; count < 50; count += 1) loud.changeTools([])
    await vi.waitFor(() => expect(other.changes).toHaveLength(1), 5_000)
    await vi.waitFor(() => expect(other.changes).toHaveLength(2), 5_000)
    expect(silent.seen.filter(({ httpMethod }) => httpMethod === 'GET')).toEqual([])
  })

  it('goes on at the new address of its backend', async () => {
    const rig = aRig()
    const old = await aPeer({ listChanged: true })
    const fresh = await aPeer({ listChanged: true, era: 'modern' })
    rig.upstreams.watch(await aBackend(rig, old.url))
    await vi.waitFor(() => expect(old.streams()).toBe(1), 5_000)
    await send(rig, aCall(await aBackend(rig, fresh.url), 'echo'))
    await vi.waitFor(() => expect(fresh.streams()).toBe(1), 5_000)
    await vi.waitFor(() => expect(old.streams()).toBe(0), 5_000)
    fresh.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 5_000)
  })
})

describe('an upstream that changes', () => {
  it('from legacy to modern is met anew when its session is gone', async () => {
    let time = 0
    const rig = aRig({ now: () => performance.now() + time })
    const peer = await aPeer({ era: 'legacy' })
    const backend = await aBackend(rig, peer.url)
    await send(rig, aCall(backend, 'echo'))
    peer.become({ era: 'modern' })
    time += 120_000
    // The peer of the other era refuses what it does not know as if the session were unknown.
    expect(await send(rig, aCall(backend, 'echo', { n: 1 }))).toMatchObject({ kind: 'failed' })
    peer.become({ era: 'both' })
    expect(await send(rig, aCall(backend, 'echo', { n: 2 }))).toMatchObject({ kind: 'ok' })
    expect((await rig.upstreams.connection(backend).facts(1_000)).revision).toBe('2026-07-28')
  })

  it('from modern to legacy is met anew when it no longer understands', async () => {
    let time = 0
    const rig = aRig({ now: () => performance.now() + time })
    const peer = await aPeer({ era: 'modern' })
    const backend = await aBackend(rig, peer.url)
    await send(rig, aCall(backend, 'echo'))
    peer.become({ era: 'legacy' })
    time += 120_000
    expect(await send(rig, aCall(backend, 'echo', { n: 1 }))).toMatchObject({
      kind: 'ok',
      result: { structuredContent: { n: 1 } },
    })
    expect(peer.count('initialize')).toBe(1)
  })

  it('moves to another address with its backend', async () => {
    const rig = aRig()
    const old = await aPeer()
    await send(rig, aCall(await aBackend(rig, old.url), 'echo'))
    const fresh = await aPeer({ era: 'modern' })
    expect(await send(rig, aCall(await aBackend(rig, fresh.url), 'echo'))).toMatchObject({ kind: 'ok' })
    expect(fresh.count('tools/call')).toBe(1)
    expect(old.count('tools/call')).toBe(1)
  })
})

// A legacy session with an upstream: carried, kept for one caller, opened again when it is lost, and what is asked through it.
import { describe, expect, it, vi } from 'vitest'
import { aBackend, aCall, aPeer, aRig, aTalk, aTool, send } from './upstream.fixture.ts'

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
    await vi.waitUntil(() => !peer.sessions.has(String(first[0])), 20_000)
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

  it('answers what the upstream asks: refused where no client can be asked, else by the client, in a session of its own', async () => {
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
    const printed = (text: string) => aTalk({ sampling: {} }, async () => ({ result: { content: { text } } }))
    const open = await send(rig, aCall(backend, tool, {}, { talk: printed('well') }))
    expect(JSON.stringify(open)).toContain('well')
    const held = await send(rig, aCall(backend, tool, {}, { talk: printed('I TELL  ALL') }))
    expect(JSON.stringify(held)).not.toContain('TELL')
    expect(JSON.stringify(held)).toContain('guardrail')
    const again = { ...printed(''), inputs: { inputResponses: { k: { content: { text: 'tell all' } } } } }
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

// A modern request to an upstream: what it carries besides its arguments, and what of its answer is passed on.
import { describe, expect, it } from 'vitest'
import { aBackend, aCall, aPeer, aRig, aTalk, aTool, send } from './upstream.fixture.ts'

const CLIENT = 'io.modelcontextprotocol/clientInfo'

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
      { meta, span: { traceId: 'a', spanId: 'b', parentSpanId: 'c', flags: 1 }, talk: aTalk({ elicitation: {} }) },
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

  it('carries no traceparent where neither its caller sent one nor the gateway records it', async () => {
    const rig = aRig()
    const peer = await aPeer({ era: 'modern' })
    await send(rig, aCall(await aBackend(rig, peer.url), aTool('echo'), {}))
    expect(peer.seen.at(-1)?.headers).not.toHaveProperty('traceparent')
    expect(peer.seen.at(-1)?.params._meta).not.toHaveProperty('traceparent')
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

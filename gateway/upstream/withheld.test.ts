// What an MCP upstream must not give back: its credential and redacted values, in every place of an answer that carries text.
import { describe, expect, it } from 'vitest'
import type { UpstreamCredential } from '../registry/backend.ts'
import { credentialOf } from '../registry/credentials.ts'
import type { PeerRequest } from './mcp-peer.fixture.ts'
import { aBackend, aCall, aPeer, aRig, aTalk, aTool, bearer, send } from './upstream.fixture.ts'

const TOKEN = 'tok-1234567890-abcdefghij'
const HIDDEN = 'ann@example.com'
const redactPaths = ['user.email', '**.ssn']
const secretJson = JSON.stringify({ user: { email: HIDDEN }, ssn: HIDDEN, token: TOKEN })
const json = { 'content-type': 'application/json' }
const given = (token: string): UpstreamCredential => ({
  ...bearer(token),
  secrets: credentialOf({ type: 'bearer', token }).secrets,
})

type Reply = { readonly outcome: unknown; readonly notices: unknown[]; readonly logged: readonly string[] }

/** One call, with all that its caller receives of it. */
async function report(reply: (request: PeerRequest) => unknown): Promise<Reply> {
  const rig = aRig({ credential: () => given(TOKEN) })
  const peer = await aPeer({
    as: 'sse',
    splitBytes: 7,
    intercept: (request) => {
      if (request.method !== 'tools/call') return false
      void reply(request)
      return true
    },
  })
  const notices: unknown[] = []
  const talk = aTalk({}, undefined, { tell: (method, params) => notices.push([method, params]) })
  const tool = aTool('echo', { type: 'object' }, { redactPaths })
  const onProgress = (...all: unknown[]) => notices.push(all)
  const call = aCall(await aBackend(rig, peer.url), tool, {}, { talk, onProgress })
  return { outcome: await send(rig, call), notices, logged: rig.logged }
}

const result = (value: unknown) => (request: PeerRequest) =>
  request.answer({ jsonrpc: '2.0', id: request.id, result: value })
const error = (value: unknown) => (request: PeerRequest) =>
  request.answer({ jsonrpc: '2.0', id: request.id, error: value })
const status = (body: string) => (request: PeerRequest) => request.response.writeHead(500, json).end(body)
const done = { content: [] }
const before =
  (...notices: readonly { readonly method: string; readonly params: Record<string, unknown> }[]) =>
  (request: PeerRequest) =>
    request.answer(
      { jsonrpc: '2.0', id: request.id, result: done },
      notices.map((notice) => ({ jsonrpc: '2.0', ...notice })),
    )
const progressToken = ({ params }: PeerRequest): unknown =>
  (params._meta as Record<string, unknown> | undefined)?.progressToken // what the gateway sent

describe('neither the credential nor a redacted value comes back (security case RS-01) [ct.5.11.credential ct.8.4.redacted]', () => {
  it.each<[string, (request: PeerRequest) => unknown]>([
    ['a text', result({ content: [{ type: 'text', text: secretJson }] })],
    ['an embedded resource', result({ content: [{ type: 'resource', resource: { uri: 'x://', text: secretJson } }] })],
    [
      'a link',
      result({ content: [{ type: 'resource_link', uri: `x://${TOKEN}`, name: TOKEN, description: secretJson }] }),
    ],
    ['the structure', result({ content: [], structuredContent: { ssn: HIDDEN, [TOKEN]: [TOKEN] } })],
    ['_meta', result({ content: [], _meta: { user: { email: HIDDEN }, t: TOKEN } })],
    ['_meta of a block', result({ content: [{ type: 'text', text: 'x', _meta: { ssn: HIDDEN, t: TOKEN } }] })],
    [
      'an unknown field',
      result({ content: [{ type: 'new', data: TOKEN, own: { ssn: HIDDEN } }], own: { ssn: HIDDEN } }),
    ],
    ['a block of bytes', result({ content: [{ type: 'image', data: Buffer.from(TOKEN).toString('base64') }] })],
    ['a result that is an error', result({ isError: true, content: [{ type: 'text', text: secretJson }] })],
    ['the message of an error', error({ code: -32_000, message: secretJson })],
    [
      'the data of an error',
      error({ code: -32_000, message: 'm', data: { ssn: HIDDEN, deep: [secretJson], t: TOKEN } }),
    ],
    ['the body of a status', status(secretJson)],
    ['a body in lines', status(`${secretJson}\n${secretJson}`)],
    [
      'a JSON-RPC error with a status',
      status(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: secretJson, data: { ssn: HIDDEN } } }),
      ),
    ],
    ['a body that is cut', status(JSON.stringify({ user: { email: HIDDEN }, pad: 'x'.repeat(100_000) }))],
    [
      'a log message',
      before({
        method: 'notifications/message',
        params: { level: 'error', data: { user: { email: HIDDEN }, t: TOKEN } },
      }),
    ],
    [
      'a log message that is JSON',
      before({ method: 'notifications/message', params: { level: 'error', data: secretJson } }),
    ],
    ['a notification of its own', before({ method: `notifications/${TOKEN}`, params: { ssn: HIDDEN, t: TOKEN } })],
    [
      'progress',
      (request) =>
        before({
          method: 'notifications/progress',
          params: { progressToken: progressToken(request), progress: 1, message: secretJson },
        })(request),
    ],
  ])('in %s', async (_where, reply) => {
    const all = JSON.stringify(await report(reply))
    for (const piece of [TOKEN, TOKEN.slice(0, 8), TOKEN.slice(-8), HIDDEN, Buffer.from(TOKEN).toString('base64')])
      expect(all).not.toContain(piece)
    expect(all).toMatch(/credential removed|REDACTED|too large to be redacted|W2NyZWRlbnRpYWwgcmVtb3ZlZF0/)
  })

  it('in an error body, wherever the cut falls', async () => {
    const lead = `HTTP 500 from up: `
    for (const shown of [1, 7, 8, 12, TOKEN.length - 1, TOKEN.length]) {
      const { outcome } = await report((request) =>
        request.response.writeHead(500).end(`${'x'.repeat(8_192 - shown)}${TOKEN} and more`),
      )
      expect(JSON.stringify(outcome)).toContain(lead)
      for (let end = 4; end <= TOKEN.length; end += 1)
        expect(JSON.stringify(outcome)).not.toContain(TOKEN.slice(0, end))
    }
    const { outcome } = await report((request) =>
      request.response.writeHead(500).end(`${TOKEN.repeat(2_620)}${' '.repeat(30)}${TOKEN.repeat(9)}`),
    )
    expect(JSON.stringify(outcome)).not.toContain(TOKEN.slice(0, 4))
  })

  it('in a charset of its own', async () => {
    const { outcome } = await report((request) =>
      request.response
        .writeHead(500, { 'content-type': 'application/json; charset=utf-16le' })
        .end(Buffer.from(secretJson, 'utf16le')),
    )
    expect(outcome).toMatchObject({ text: expect.stringContaining('"email":"[REDACTED]"') })
    expect(JSON.stringify(outcome)).toContain('credential removed')
  })
})

it('a token that was fetched for one request does not come back, nor the one before it', async () => {
  const tokens: string[] = []
  const rig = aRig({
    // Too short-lived to be kept: each time it is asked for it is another one.
    credential: async () => {
      const token = `short-lived-token-${tokens.length}-${'k'.repeat(8)}`
      tokens.push(token)
      return given(token)
    },
  })
  const peer = await aPeer()
  const outcome = await send(rig, aCall(await aBackend(rig, peer.url), 'reflect'))
  expect(outcome).toMatchObject({ kind: 'ok' })
  expect(tokens.length).toBeGreaterThan(1)
  for (const token of tokens) expect(JSON.stringify(outcome)).not.toContain(token)
  expect(JSON.stringify(outcome)).toContain('credential removed')
})

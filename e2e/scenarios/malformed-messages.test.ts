// Messages that are not what the protocol says, one by one: each is answered with its own error, in the id of the message, and the next is served.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession, openUpstream, ROOMY, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const META = 'io.modelcontextprotocol/'
const MODERN = '2026-07-28'
/** HTTP status and the code of the error: 0 for a result, undefined where the body is empty. */
type Answered = readonly [status: number, code: number | string | undefined]
type Row = readonly [what: string, body: string, answered: Answered, headers?: Env]

const message = (more: object, id: unknown = 1): string => JSON.stringify({ jsonrpc: '2.0', id, ...more })
const list = { method: 'tools/list' }
const call = (params: unknown): string => message({ method: 'tools/call', params })
const envelope = (more: object = {}): object => ({
  _meta: { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {}, ...more },
})
const modern = (method: string, params: object = envelope()): string => message({ method, params })
const headers = (method: string, more: Env = {}): Env => ({
  'mcp-protocol-version': MODERN,
  'mcp-method': method,
  ...more,
})
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

const SYNTAX: readonly Row[] = [
  ['nothing', '', [400, -32_700]],
  ['a space', ' ', [400, -32_700]],
  ['half an object', '{"jsonrpc":"2.0","id":1', [400, -32_700]],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}', [400, -32_700]],
  ['single quotes', "{'jsonrpc':'2.0'}", [400, -32_700]],
  ['two values', `${message(list)}${message(list)}`, [400, -32_700]],
  ['a comment', `/* hi */${message(list)}`, [400, -32_700]],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}', [400, -32_700]],
  ['a bare word', 'hello', [400, -32_700]],
  ['a raw control character in a string', '{"jsonrpc":"2.0","id":1,"method":"pi\nng"}', [400, -32_700]],
  ['an open string', '{"jsonrpc":"2.0","id":1,"method":"ping', [400, -32_700]],
  ['an unknown escape', '{"jsonrpc":"2.0","id":1,"method":"\\q"}', [400, -32_700]],
  ['a null byte after it', `${message(list)}\u0000`, [400, -32_700]],
  [
    'nesting of 10,000 levels',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep(10_000)}}}`,
    [400, 'JSON_TOO_DEEP'],
  ],
]
const SHAPES: readonly Row[] = [
  ['null', 'null', [400, -32_600]],
  ['a number', '42', [400, -32_600]],
  ['a string', '"ping"', [400, -32_600]],
  ['true', 'true', [400, -32_600]],
  ['an empty object', '{}', [400, -32_600]],
  ['an empty batch', '[]', [400, -32_600]],
  ['a batch of numbers', '[1,2]', [400, -32_600]],
  ['a batch in a revision without them', `[${message(list)}]`, [400, -32_600]],
  ['no jsonrpc', '{"id":1,"method":"tools/list"}', [400, -32_600]],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', [400, -32_600]],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"tools/list"}', [400, -32_600]],
  ['no method', '{"jsonrpc":"2.0","id":1}', [400, -32_600]],
  ['a method that is a number', message({ method: 7 }), [400, -32_600]],
  ['a method that is null', message({ method: null }), [400, -32_600]],
  ['an empty method', message({ method: '' }), [200, -32_601]],
  ['a method that is an object', message({ method: {} }), [400, -32_600]],
  ['a method of Object', message({ method: '__proto__' }), [200, -32_601]],
  ['a method of another case', message({ method: 'Tools/List' }), [200, -32_601]],
  ['an id that is null', message(list, null), [400, -32_600]],
  ['an id that is an object', message(list, {}), [400, -32_600]],
  ['an id that is a list', message(list, [1]), [400, -32_600]],
  ['an id that is true', message(list, true), [400, -32_600]],
  ['an id with a fraction', message(list, 1.5), [400, -32_600]],
  ['an id of 64 bits', '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}', [400, -32_700]],
  ['params that are a list', message({ ...list, params: [] }), [400, -32_600]],
  ['params that are text', message({ ...list, params: 'x' }), [400, -32_600]],
  ['params that are null', message({ ...list, params: null }), [400, -32_600]],
  ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}', [400, -32_600]],
  ['a response to no request', '{"jsonrpc":"2.0","id":77,"result":{}}', [202, undefined]],
  ['a poisoned key', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"x":1}}}', [400, -32_700]],
]
const PARAMS: readonly Row[] = [
  ['a call without params', message({ method: 'tools/call' }), [200, -32_602]],
  ['a call without a name', call({}), [200, -32_602]],
  ['a call of an empty name', call({ name: '' }), [200, -32_602]],
  ['a call of a number', call({ name: 1 }), [200, -32_602]],
  ['arguments that are a list', call({ name: 'ok', arguments: [] }), [200, -32_602]],
  ['arguments that are text', call({ name: 'ok', arguments: 'x' }), [200, -32_602]],
  ['arguments that are null', call({ name: 'ok', arguments: null }), [200, -32_602]],
  ['a cursor that is a number', message({ ...list, params: { cursor: 5 } }), [200, -32_602]],
  ['a cursor of 100,000 characters', message({ ...list, params: { cursor: 'x'.repeat(100_000) } }), [200, -32_602]],
  [
    'initialize in a session',
    message({ method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
    [400, -32_600],
  ],
  [
    'initialize without a version',
    message({ method: 'initialize', params: {} }),
    [200, -32_602],
    { 'mcp-session-id': '' },
  ],
  ['an unknown session', message(list), [400, 'INVALID_SESSION_ID'], { 'mcp-session-id': 'unknown' }],
  ['a version header of another era', message(list), [200, 0], { 'mcp-protocol-version': MODERN }],
  ['a version header that is no version', message(list), [400, -32_022], { 'mcp-protocol-version': 'x' }],
]
const STATELESS: readonly Row[] = [
  [
    'an envelope without capabilities',
    modern('tools/list', { _meta: { [`${META}protocolVersion`]: MODERN } }),
    [400, -32_602],
    headers('tools/list'),
  ],
  [
    'capabilities that are a list',
    modern('tools/list', envelope({ [`${META}clientCapabilities`]: [] })),
    [400, -32_602],
    headers('tools/list'),
  ],
  [
    'a version that is a number',
    modern('tools/list', envelope({ [`${META}protocolVersion`]: 7 })),
    [400, -32_020],
    headers('tools/list'),
  ],
  [
    'an unknown version',
    modern('tools/list', envelope({ [`${META}protocolVersion`]: '1999-01-01' })),
    [400, -32_022],
    headers('tools/list', { 'mcp-protocol-version': '1999-01-01' }),
  ],
  ['no method header', modern('tools/list'), [400, -32_020], { 'mcp-protocol-version': MODERN }],
  ['another method header', modern('tools/list'), [400, -32_020], headers('tools/call')],
  ['no name header', modern('tools/call', { ...envelope(), name: 'ok' }), [400, -32_020], headers('tools/call')],
  [
    'another name header',
    modern('tools/call', { ...envelope(), name: 'ok' }),
    [400, -32_020],
    headers('tools/call', { 'mcp-name': 'no' }),
  ],
  [
    'a name header of broken Base64',
    modern('tools/call', { ...envelope(), name: 'ok' }),
    [400, -32_020],
    headers('tools/call', { 'mcp-name': '=?base64?%%?=' }),
  ],
  ['a method of the other era', modern('logging/setLevel'), [404, -32_601], headers('logging/setLevel')],
  ['an unknown method', modern('tools/none'), [404, -32_601], headers('tools/none')],
]

let gateway: Gateway
let upstream: Upstream
let session: Env
beforeAll(async () => {
  ;[gateway, upstream] = await Promise.all([startGateway(ROOMY), openUpstream()])
  await register(gateway, upstream)
  session = await openSession(gateway)
})
afterAll(() => Promise.all([gateway.end(), upstream.close()]))

async function answered(body: string, own: Env): Promise<Answered> {
  const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...own }
  const { status, text, json } = await gateway.ask('/mcp/petstore', { method: 'POST', body, headers: sent })
  if (text === '') return [status, undefined]
  const { error } = (json ?? {}) as { error?: { code: number | string } } // JSON-RPC, or what the assertion then shows
  return [status, error?.code ?? 0]
}

const KINDS: Readonly<Record<string, readonly Row[]>> = {
  JSON: SYNTAX,
  'JSON-RPC': SHAPES,
  'MCP with a session': PARAMS,
  'MCP without sessions': STATELESS,
}

describe.each(Object.entries(KINDS))('a message that is no %s', (_kind, rows) => {
  it.each(rows.map((row) => ({ what: row[0], row })))('$what', async ({ row: [, body, expected, own = {}] }) => {
    expect(await answered(body, rows === STATELESS ? own : { ...session, ...own })).toEqual(expected)
    expect((await rpc(gateway, 'tools/list', {}, { headers: session })).status).toBe(200)
  })
})

describe.each(['/mcp/petstore', '/mcp/petstore?by=the-router'])('%s refuses as every other route', (path) => {
  const [before = '', after = ''] = call({ name: 'addPet', arguments: { name: '?' } }).split('?')
  const named = (name: Buffer): Blob => new Blob([before, Uint8Array.from(name), after])
  const post = async (body: Blob, type: string): Promise<Answered> => {
    const answer = await fetch(gateway.url + path, { method: 'POST', body, headers: { 'content-type': type } })
    const { error } = (await answer.json()) as { error?: { code: number | string } } // as above
    return [answer.status, error?.code ?? 0]
  }

  it.each([
    ['a byte that is no UTF-8', Buffer.from([0xff])],
    ['half a character', Buffer.from([0xe2, 0x82])],
    ['a surrogate as bytes', Buffer.from([0xed, 0xa0, 0x80])],
  ])('%s in an argument, and does not call the tool with another one', async (_what, name) => {
    const requests = upstream.seen.length
    expect(await post(named(name), 'application/json')).toEqual([400, -32_700])
    expect(upstream.seen.length).toBe(requests)
  })

  it.each([
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; boundary=x',
    'application/json; x',
  ])('the type %s', async (type) => {
    expect(await post(named(Buffer.from('Rex')), type)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it('and accepts UTF-8 in each spelling', async () => {
    for (const type of ['application/json', 'Application/JSON;charset="UTF-8"', 'application/json ; charset=utf-8'])
      expect(await post(named(Buffer.from('Réx 🦖')), type)).toEqual([200, 0])
  })
})

// The small parts of the transport: messages, eras, forms of answer, progress, and who is notified of changed tools.
import { describe, expect, it } from 'vitest'
import { checkModernHeaders, checkModernMeta, META_CAPABILITIES, META_VERSION, MODERN } from '../mcp/era.ts'
import { idOf, RpcError, readMessage } from '../mcp/json-rpc.ts'
import { formsOf } from './answer-forms.ts'
import { createListChanges } from './list-changes.ts'
import { progressSender } from './progress.ts'

const rpcCode = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error instanceof RpcError ? [error.rpcCode, error.status] : error
  }
  return undefined
}

describe('a message', () => {
  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1, method: 5 }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ jsonrpc: '2.0', id: 1, result: {}, error: {} }],
  ])('%j is refused [ct.5.10.invalid]', (value) => {
    expect(rpcCode(() => readMessage(value))).toEqual([-32_600, 400])
  })

  it('has an id, with any other fault', () => {
    expect([{ id: 5 }, { id: 'a', method: 1 }, { id: 1.5 }, [], null, { id: null }].map(idOf)).toEqual([
      5,
      'a',
      null,
      null,
      null,
      null,
    ])
  })
})

describe('a modern request', () => {
  const params = { name: 'ünï', _meta: { [META_VERSION]: MODERN, [META_CAPABILITIES]: {} } }
  const headers = {
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('ünï').toString('base64')}?=`,
  }
  const check = (given: object) => rpcCode(() => checkModernHeaders({ ...headers, ...given }, 'tools/call', params))

  it.each([
    [{ 'mcp-protocol-version': '2025-11-25' }],
    [{ 'mcp-protocol-version': undefined }],
    [{ 'mcp-method': 'tools/list' }],
    [{ 'mcp-method': 'Tools/Call' }],
    [{ 'mcp-method': undefined }],
    [{ 'mcp-name': 'other' }],
    [{ 'mcp-name': undefined }],
  ])('whose headers say %j is refused', (given) => {
    expect(check(given)).toEqual([-32_020, 400])
  })

  it('says what its client can do', () => {
    expect(rpcCode(() => checkModernMeta({ _meta: { [META_VERSION]: MODERN } }))).toEqual([-32_602, 400])
    expect(rpcCode(() => checkModernMeta(params))).toBeUndefined()
    expect(check({})).toBeUndefined()
  })
})

describe('the forms of an answer', () => {
  it.each(['text/html', 'application/xml, image/*', 'application/json;q=0', '*/*;q=0', 'x'])(
    '%j is not one of ours',
    (accept) => {
      expect(() => formsOf(accept)).toThrow('Accept must admit')
    },
  )

  it.each([
    [undefined, true, true],
    ['*/*', true, true],
    ['application/json', true, false],
    ['Application/JSON; charset=utf-8', true, false],
    ['text/event-stream', false, true],
    ['text/event-stream, application/json', true, true],
    ['application/*', true, false],
    ['text/*;q=0.5', false, true],
    ['*/*, text/event-stream;q=0', true, false],
    ['application/json;q=0.0, text/event-stream', false, true],
  ])('%j admits JSON: %s, events: %s', (accept, json, sse) => {
    expect(formsOf(accept)).toEqual({ json, sse })
  })
})

describe('progress', () => {
  it('goes upwards, at most ten times a second, and is cleaned [ct.5.12.progress]', () => {
    const sent: unknown[] = []
    let now = 0
    const tell = progressSender(
      'token',
      (text) => sent.push((JSON.parse(text) as { params: unknown }).params),
      () => now,
    )
    const at = (ms: number, ...args: Parameters<typeof tell>): void => {
      now = ms
      tell(...args)
    }
    at(0, 1, 10, 'a\u202eb')
    at(50, 2, 10)
    at(100, 1, 10)
    at(100, 3)
    at(200, Number.NaN)
    for (let step = 0; step < 20; step += 1) at(300 + step, 4 + step / 100)
    at(400, 10, 10, 'x'.repeat(5_000))
    at(1_400, 11)
    expect(sent).toHaveLength(12)
    expect(sent.slice(0, 3)).toEqual([
      { progressToken: 'token', progress: 1, total: 10, message: 'ab' },
      { progressToken: 'token', progress: 2, total: 10 },
      { progressToken: 'token', progress: 3 },
    ])
    expect(sent.slice(-2)).toEqual([
      { progressToken: 'token', progress: 10, total: 10, message: 'x'.repeat(1_024) },
      { progressToken: 'token', progress: 11 },
    ])
  })
})

describe('changed tools', () => {
  it('are sent to the surfaces concerned, at once and then at most once a second', () => {
    let now = 0
    const changes = createListChanges({ list: () => [] }, () => now)
    const received: string[] = []
    changes.subscribe('client:a', 'tools', () => received.push('a'))
    const forget = changes.subscribe('client:b', 'tools', () => received.push('b'))
    changes.changed(['client:a', 'client:c'])
    changes.changed(['client:a'])
    expect(received).toEqual(['a'])
    now = 1_000
    forget()
    changes.changed(undefined)
    expect(received).toEqual(['a'])
    changes.close()
    changes.changed(undefined)
    expect(received).toEqual(['a', 'a'])
    changes.close()
  })
})

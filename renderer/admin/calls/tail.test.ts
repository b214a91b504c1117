// The live calls: parsing, limit, filter.
import { describe, expect, it } from 'vitest'
import { callOf, curlOf, droppedOf, KEPT, type LiveCall, matches, withNewest, withRead } from './tail.ts'

const event = {
  type: 'call',
  at: '2026-01-01T00:00:00.000Z',
  requestId: 'r-1',
  principal: 'mcp-key:7',
  surface: 'shard',
  client: 'shop',
  tool: 'listOrders',
  outcome: 'refused',
  denyCode: 'rate_limit',
  failureKind: null,
  durationMs: 3,
  cache: null,
  target: 'primary',
}
function made(over: object = {}, key = 1): LiveCall {
  const call = callOf({ ...event, ...over }, key)
  if (!call) throw new Error('no call')
  return call
}

describe('the live calls', () => {
  it.each([undefined, null, 'x', 7, [], {}, { ...event, type: 'other' }, { ...event, tool: 9 }])(
    'are not made of %j',
    (data) => {
      expect(callOf(data, 1)).toBeUndefined()
    },
  )

  it('count dropped events', () => {
    expect(droppedOf({ type: 'call', dropped: 12 })).toBe(12)
    expect(droppedOf({ dropped: 'many' })).toBe(0)
  })

  it('are listed newest first, and drop the oldest', () => {
    const many = Array.from({ length: KEPT + 5 }, (_, key) => made({}, key))
    const kept = withNewest([made({}, -1)], many)
    expect(kept).toHaveLength(KEPT)
    expect(kept[0]?.key).toBe(KEPT + 4)
  })

  it('start with the log’s rows, each call once, without cleared ones', () => {
    const told = [made({ requestId: 'c', at: '2026-01-01T00:00:03.000Z' }, 2)]
    const read = ['d', 'c', 'b', 'a'].map((requestId, index) =>
      made({ requestId, at: `2026-01-01T00:00:0${4 - index}.500Z` }, -index - 1),
    )
    const namesOf = (cleared: string) => withRead(told, read, cleared).map(({ requestId }) => requestId)
    expect(namesOf('')).toEqual(['d', 'c', 'b', 'a'])
    expect(namesOf('2026-01-01T00:00:02.500Z')).toEqual(['d', 'c'])
    expect(withRead(told, [], '')).toBe(told)
    const many = Array.from({ length: KEPT }, (_, key) => made({ requestId: `m${key}` }, key))
    expect(withRead(many, read, '')).toHaveLength(KEPT)
  })

  it('export a shell command for any tool name', () => {
    const text = curlOf({ client: 'shop', tool: "it's; rm -rf ~" }, 'http://gateway.example:8790')
    expect(text).toContain("curl -X POST 'http://gateway.example:8790/mcp/shop'")
    expect(text).toContain(String.raw`"name":"it'\''s; rm -rf ~","arguments":{}`)
    expect(text).toContain('Bearer <MCP_KEY>')
    const told = curlOf({ client: 'shop', tool: 'find' }, 'http://x', { name: "O'Neil" })
    expect(told).toContain(String.raw`"arguments":{"name":"O'\''Neil"}`)
  })

  it('are found by tool, caller, code or request id', () => {
    const call = made()
    for (const q of ['', 'LISTORD', 'shop', 'mcp-key:7', 'rate_', 'r-1'])
      expect(matches({ q, outcome: '', client: '' }, call), q).toBe(true)
    expect(matches({ q: 'crm', outcome: '', client: '' }, call)).toBe(false)
    expect(matches({ q: '', outcome: 'success', client: '' }, call)).toBe(false)
    expect(matches({ q: '', outcome: 'refused', client: 'crm' }, call)).toBe(false)
  })
})

// The live calls: what is one, how many are kept, which match.
import { describe, expect, it } from 'vitest'
import { callOf, droppedOf, KEPT, type LiveCall, matches, withNewest } from './tail.ts'

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

  it('count what was left out', () => {
    expect(droppedOf({ type: 'call', dropped: 12 })).toBe(12)
    expect(droppedOf({ dropped: 'many' })).toBe(0)
  })

  it('stand newest first, and the oldest fall out', () => {
    const many = Array.from({ length: KEPT + 5 }, (_, key) => made({}, key))
    const kept = withNewest([made({}, -1)], many)
    expect(kept).toHaveLength(KEPT)
    expect(kept[0]?.key).toBe(KEPT + 4)
  })

  it('are found by whatever one remembers of them', () => {
    const call = made()
    for (const q of ['', 'LISTORD', 'shop', 'mcp-key:7', 'rate_', 'r-1'])
      expect(matches({ q, outcome: '', client: '' }, call), q).toBe(true)
    expect(matches({ q: 'crm', outcome: '', client: '' }, call)).toBe(false)
    expect(matches({ q: '', outcome: 'success', client: '' }, call)).toBe(false)
    expect(matches({ q: '', outcome: 'refused', client: 'crm' }, call)).toBe(false)
  })
})

// Refusals at the door: one row each, bounded under attack, with a row for what was not recorded.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import type { DirectRequest } from '../http/direct.ts'
import type { CallRow } from '../pipeline/8-audit/call-log.ts'
import { aCaller } from '../pipeline/pipeline.fixture.ts'
import { createDoor, type Door } from './door.ts'

let nowMs = 0
let rows: CallRow[] = []
let codes: string[] = []
let isOpen = true
let door: Door

beforeEach(() => {
  nowMs = 0
  rows = []
  codes = []
  isOpen = true
  door = createDoor({
    callLog: { isOpen: () => isOpen, write: (row) => void rows.push(row) },
    count: (code) => void codes.push(code),
    backendOf: (name) => (name === 'shop' ? 'shop' : null),
    monotonic: () => nowMs,
    clock: { now: () => 1_000 + nowMs },
  })
})

const aRequest = (url = '/mcp/shop?key=secret'): DirectRequest =>
  ({
    id: 'r1',
    raw: { url },
    params: { clientName: 'shop' },
    method: 'POST',
    context: { requestId: 'r1', ip: '192.0.2.7', trace: null },
  }) as unknown as DirectRequest // as much of a request as a row needs

const unauthorized = (): GatewayError => new GatewayError('UNAUTHORIZED', 'Send a valid key')
const verdictIn = (row: CallRow | undefined): unknown => JSON.parse(row?.verdict ?? 'null')

describe('a request that is refused at the door', () => {
  it('leaves a row with gate, path without its query, address and backend', () => {
    door.note(aRequest(), unauthorized())
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      surface: 'door',
      method: 'POST',
      called_as: '/mcp/shop',
      client: 'shop',
      outcome: 'refused',
      deny_code: 'UNAUTHORIZED',
      gate: 'credential',
      principal: 'unknown',
    })
    expect(verdictIn(rows[0])).toEqual({ t: 'Send a valid key', a: '192.0.2.7' })
  })

  it('names the key where one was recognized', () => {
    door.note(aRequest(), new GatewayError('KEY_SCOPE', 'no'), { ...aCaller(), name: 'mcp-key:2', keyId: 2 })
    expect(rows[0]).toMatchObject({ principal: 'mcp-key:2', key_id: 2, gate: 'key_scope' })
  })

  it('is recorded once, and not when the error is about the message', () => {
    const request = aRequest()
    door.note(request, unauthorized())
    door.note(request, unauthorized())
    door.note(aRequest(), new GatewayError('INVALID_JSON', 'no'))
    door.note(aRequest(), new Error('no'))
    expect(rows).toHaveLength(1)
    expect(codes).toEqual(['UNAUTHORIZED'])
  })
})

describe('an attack', () => {
  it('leaves 50 rows and then one per second, and one row for all others', () => {
    vi.useFakeTimers()
    try {
      for (let at = 0; at < 10_000; at++) {
        nowMs = at
        door.note(aRequest(`/mcp/${at}`), unauthorized())
      }
      expect(rows).toHaveLength(59)
      expect(codes).toHaveLength(10_000)
      vi.advanceTimersByTime(10_000)
      expect(rows).toHaveLength(60)
      expect(rows.at(-1)).toMatchObject({ called_as: '/mcp/9999', deny_code: 'UNAUTHORIZED' })
      expect(verdictIn(rows.at(-1))).toMatchObject({ n: 9_941 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('writes the row for the others when the gateway stops', () => {
    for (let at = 0; at < 53; at++) door.note(aRequest(), unauthorized())
    door.close()
    expect(rows).toHaveLength(51)
    expect(verdictIn(rows.at(-1))).toMatchObject({ n: 3 })
  })

  it('leaves no row while calls cannot be recorded', () => {
    isOpen = false
    door.note(aRequest(), unauthorized())
    door.close()
    expect(rows).toEqual([])
  })
})

// Finds the capture of a call among those of its request.
import { expect, it } from 'vitest'
import type { TrafficRow } from '#contract'
import { capturedOf, capturedQuery, mayStillCome } from './captured.ts'

const row = (id: number, more: Partial<TrafficRow>) =>
  ({
    id,
    requestId: 'r',
    clientName: 'shop',
    toolName: 'list',
    outcome: 'success',
    durationMs: 3,
    ...more,
  }) as TrafficRow // what is looked at
const call = { requestId: 'r', client: 'shop', tool: 'list', outcome: 'success', durationMs: 3 } as const

it('by tool and outcome, then by duration', () => {
  const rows = [
    row(1, { requestId: 'another r' }),
    row(2, { toolName: 'drop' }),
    row(3, { outcome: 'refused' }),
    row(4, { durationMs: 9 }),
    row(5, {}),
  ]
  expect(capturedOf(call, rows)?.id).toBe(5)
  expect(capturedOf({ ...call, durationMs: 1 }, rows)?.id).toBe(4)
  expect(capturedOf({ ...call, tool: 'gone' }, rows)).toBeUndefined()
  const unknown = row(6, { toolName: null, clientName: null, outcome: 'refused' })
  expect(capturedOf({ ...call, client: null, tool: '', outcome: 'refused' }, [unknown])?.id).toBe(6)
})

it('around its end, waiting only as long as it may arrive', () => {
  const at = '2026-01-01T00:01:00.000Z'
  const ms = Date.parse(at)
  expect(capturedQuery({ requestId: 'r', at })).toMatchObject({ q: 'r', from: ms - 60_000, to: ms + 60_000 })
  expect([mayStillCome({ at }, ms + 100), mayStillCome({ at }, ms + 6_000)]).toEqual([true, false])
})

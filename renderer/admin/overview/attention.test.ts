// What needs attention: nothing on a quiet gateway, the worst first on another.
import { expect, it } from 'vitest'
import type { Overview, UsageOfClient } from '#contract'
import { attentionOf } from './attention.ts'

const QUIET = {
  clients: { unreachable: 0, degraded: 0 },
  tools: { quarantined: 0, missing: 0 },
  circuitBreakers: { open: 0 },
  approvals: { pending: 0 },
  monitors: { failing: 0, drifted: 0 },
  keys: { expiringSoon: 0 },
  posture: { worst: 'warning', count: 2 },
} as Overview // what is looked at
const client = (errors: number, calls = 10): UsageOfClient => ({ client: 'bank', calls, errors, refused: 0 })
const texts = (...given: Parameters<typeof attentionOf>) => attentionOf(...given).map(({ text }) => text)

it('is nothing where nothing is wrong', () => {
  expect(texts(QUIET, 0, [client(0), client(4, 4)])).toEqual([])
})

it('lists failures first, then what waits, then warnings', () => {
  const overview = {
    ...QUIET,
    approvals: { pending: 1 },
    keys: { expiringSoon: 2 } as Overview['keys'], // what is looked at
    posture: { worst: 'critical', count: 1 },
  } as Overview // what is looked at
  expect(texts(overview, 1, [client(5)])).toEqual([
    '1 alert is firing',
    'bank fails 50% of its calls',
    '1 security finding',
    '1 call waits for approval',
    '2 keys expire soon',
  ])
})

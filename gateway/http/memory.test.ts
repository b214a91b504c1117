// What a flood of unauthenticated callers can make the gateway keep in memory, with every table of theirs full (security case RL-10).
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { rowOf } from '../settings/table.ts'
import { createEndedSessions } from '../surfaces/ended-sessions.ts'
import { createSessionSeal } from '../surfaces/session-seal.ts'
import { createSessions } from '../surfaces/sessions.ts'
import { httpSettings } from './http.fixture.ts'
import { createLimits, type Tier } from './limits.ts'

const MIB = 1_048_576

function held(): number {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc === 'function') for (let round = 0; round < 3; round += 1) gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Addresses as long as they come, so that each key weighs what it can. */
const address = (at: number): string =>
  `2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}:aaaa:bbbb:cccc:dddd`

it('every table of callers at its cap holds less than 100 MiB together', { timeout: 120_000 }, () => {
  const settings = httpSettings()
  const before = held()
  const limits = createLimits(settings, () => 1)
  const sizes = {
    mcp: Number(rowOf('RATE_LIMIT_MAX_BUCKETS_MCP').default),
    tool: Number(rowOf('RATE_LIMIT_MAX_BUCKETS_TOOL').default),
    end_user: Number(rowOf('RATE_LIMIT_MAX_BUCKETS_TOOL').default),
  }
  for (const [tier, most] of Object.entries(sizes)) {
    const window = limits.window(tier, most)
    for (let at = 0; at < most + 1_000; at += 1)
      void window.take([{ key: `principal:mcp-key:${at}:${address(at)}`, limit: 100 }])
  }
  const families = Object.keys(limits.sizes()).filter((tier) => !(tier in sizes))
  for (const tier of families) {
    let size = -1
    for (let at = 0; size !== limits.sizes()[tier]; ) {
      size = limits.sizes()[tier] ?? 0
      for (const end = at + 1_000; at < end; at += 1)
        void limits.spend(tier as Tier, address(at), '/admin-api/somewhere') // by the filter
    }
  }
  const byLimits = held() - before
  const sessions = createSessions({
    seal: createSessionSeal(Buffer.alloc(32, 1)),
    ended: createEndedSessions({ clock: Date }),
    max: 100,
    ttlMs: 60_000,
    clock: Date,
    monotonic: () => performance.now(),
  })
  // Ended sessions are remembered, so that their ids do not open again: a hundred thousand of them, of which a tenth is weighed.
  const without = held()
  for (let at = 0; at < 10_000; at += 1)
    void sessions.end(sessions.open('client:shop', 'mcp-key:1', '2025-11-25', null))
  const bySessions = 10 * (held() - without)
  const full = Object.values(limits.sizes()).reduce((sum, each) => sum + each, 0)
  expect(full).toBeGreaterThan(200_000)
  expect(byLimits + bySessions).toBeLessThan(100 * MIB)
  void limits.close()
  void sessions.close()
})

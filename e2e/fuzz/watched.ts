// A gateway under watch: whether it lives, how long its event loop was blocked, what it logs, and which call rows it wrote.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, vi } from 'vitest'
import { ROOMY } from '../scenarios/data-plane.fixture.ts'
import { type Env } from '../scenarios/gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from '../scenarios/gateway-process.fixture.ts'
import { unsafeIn } from './hostile.ts'

/** Stands in everything a case sends, and may not come out of the gateway where it does not belong. */
export const CANARY = 'canary-9f2c'

export type Watched = {
  readonly gateway: GatewayProcess
  readonly port: number
  /** Measures the longest block under valid work. Cases are compared with it. */
  readonly baseline: (work: () => Promise<void>) => Promise<void>
  /** After each case. */
  readonly sound: () => Promise<void>
  /** Counts a call that was answered under this request id. */
  readonly answered: (requestId: string) => void
  /** Every answered call has its row, and no row is without its call. */
  readonly rowsMatch: () => Promise<void>
}

const MOST_BLOCKED_MS = 100
/** Work that is valid costs something too, and garbage collection takes its turn. */
const TIMES_BASELINE = 4
/** A dead gateway fails the next case anyway. */
const LIVE_EVERY = 10

export async function startWatched(env: Env = {}): Promise<Watched> {
  const gateway = await spawnGateway({
    ...ROOMY,
    LOG_LEVEL: 'debug',
    RETRY_MAX_ATTEMPTS: '0',
    TOOL_CALL_TIMEOUT_MS: '4000',
    MAX_SESSIONS: '100000',
    NODE_OPTIONS: `--import=${new URL('longest-block.mjs', import.meta.url).href}`,
    ...env,
  })
  const calls = new Map<string, number>()
  let baselineMs = 0
  let looked = gateway.output().length
  let checked = 0

  const longestMs = (): number => Number(readFileSync(join(gateway.folder, 'longest-block'), 'utf8'))

  async function reset(): Promise<void> {
    gateway.signal('SIGUSR2')
    await vi.waitUntil(() => longestMs() < 50, { timeout: 20_000 })
  }

  async function baseline(work: () => Promise<void>): Promise<void> {
    // The first time compiles; the second is what such work costs.
    await work()
    await reset()
    await work()
    await pause(20)
    baselineMs = longestMs()
    await reset()
  }

  function logIsSound(): void {
    const output = gateway.output()
    const whole = output.lastIndexOf('\n') + 1
    const lines = output.slice(looked, whole).split('\n').filter(Boolean)
    looked = Math.max(looked, whole)
    for (const line of lines) {
      const { level } = JSON.parse(line) as { level?: unknown } // one object a line is what is checked
      expect({ line, level }).not.toMatchObject({ level: expect.stringMatching(/^(?:error|fatal)$/) })
      expect(unsafeIn(line)).toBeUndefined()
      expect(line).not.toContain(CANARY)
    }
  }

  async function sound(): Promise<void> {
    logIsSound()
    const longest = longestMs()
    const most = MOST_BLOCKED_MS + TIMES_BASELINE * baselineMs
    // The next case starts again at zero, so that a failure can be made smaller.
    if (longest >= most) await reset()
    expect(longest, 'processor time of the longest block, in ms').toBeLessThan(most)
    checked += 1
    if (checked % LIVE_EVERY === 0) expect((await gateway.ask('/livez')).status).toBe(200)
  }

  async function rowsMatch(): Promise<void> {
    expect((await gateway.ask('/livez')).status).toBe(200)
    const expected = Object.fromEntries(calls)
    const rows = (): Record<string, number> => {
      const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
      try {
        // The first client of an era makes the gateway ask the upstream who it is, which has a row beside that of the message.
        // What is refused at the door is no message yet.
        const counted = database
          .prepare(
            "SELECT request_id AS id, count(*) AS n FROM calls WHERE coalesce(method, '') <> 'server/discover' AND surface <> 'door' GROUP BY 1 ORDER BY 1",
          )
          .all()
        return Object.fromEntries((counted as { id: string; n: number }[]).map(({ id, n }) => [id, n])) // the columns asked for
      } finally {
        database.close()
      }
    }
    await expect.poll(() => lacking(expected, rows()), { timeout: 20_000 }).toEqual([])
    expect(Object.keys(rows()).filter((id) => !calls.has(id))).toEqual([])
  }

  return {
    gateway,
    port: Number(new URL(gateway.url).port),
    baseline,
    sound,
    answered: (requestId) => void calls.set(requestId, (calls.get(requestId) ?? 0) + 1),
    rowsMatch,
  }
}

const lacking = (expected: Record<string, number>, rows: Record<string, number>): string[] =>
  Object.entries(expected)
    .filter(([id, n]) => rows[id] !== n)
    .map(([id, n]) => `${id}: ${rows[id] ?? 0} of ${n}`)

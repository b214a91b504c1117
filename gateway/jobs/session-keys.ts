// The keys that seal session ids, cursors and suspended calls: kept with the database, replaced every week, and accepted for as long as a token opens.
import { randomBytes } from 'node:crypto'
import type { Base } from '../records/base.ts'
import { SYSTEM } from '../records/changes.ts'
import { TOKEN_LIFE_MS } from '../surfaces/ended-sessions.ts'
import type { Log } from '../telemetry/log.ts'
import { createLeaderLoop } from './leader-loop.ts'
import type { Rounds } from './rounds.ts'

/** The name of the newest key, which older versions of the program read. */
const NEWEST = 'session_key'
const ALL = 'session_keys'
const DAY_MS = 24 * 60 * 60 * 1000
const ROTATE_MS = 7 * DAY_MS
/** An instance seals with a key it has known for so long: the others, which look once a second, open it by then. */
const KNOWN_MS = 5_000

type Stored = { readonly key: string; readonly fromMs: number }
type Known = { readonly secret: Uint8Array; readonly fromMs: number; readonly sinceMs: number }

export type SessionKeys = {
  /** The sealing key first, then all keys that open. */
  readonly secrets: () => readonly Uint8Array[]
  /** Reads what another instance stored. */
  readonly refresh: () => Promise<void>
  /** Adds a key when the newest is a week old. For the leader. */
  readonly rotate: () => Promise<void>
}

type Deps = Pick<Base, 'database' | 'changes' | 'clock' | 'monotonic'> & { readonly newId: () => string }

export async function openSessionKeys({ database, changes, clock, monotonic, newId }: Deps): Promise<SessionKeys> {
  const { meta } = database
  let known: readonly Known[] = []

  function adopt(stored: readonly Stored[]): void {
    const before = new Map(known.map((each) => [Buffer.from(each.secret).toString('base64'), each]))
    // At a start an old key is used at once. No clock is a day ahead.
    const age = ({ fromMs }: Stored): number =>
      known.length === 0 && clock.now() - fromMs > DAY_MS ? clock.now() - fromMs : 0
    known = stored.map((each) => {
      const same = before.get(each.key)
      const fresh = { secret: same?.secret ?? Buffer.from(each.key, 'base64'), fromMs: each.fromMs }
      return { ...fresh, sinceMs: same?.sinceMs ?? monotonic() - age(each) }
    })
  }

  const parsed = (text: string | undefined): readonly Stored[] =>
    text === undefined ? [] : (JSON.parse(text) as Stored[]) // written below

  async function load(): Promise<readonly Stored[]> {
    const found = parsed(await meta.get(ALL))
    if (found.length > 0) return found
    return database.write(async (tx) => {
      const made = parsed(await meta.get(ALL, tx))
      if (made.length > 0) return made
      const key = (await meta.get(NEWEST, tx)) ?? randomBytes(32).toString('base64')
      // From now: an older program beside this one reads no other key, and has a week to be replaced.
      const first = [{ key, fromMs: clock.now() }]
      await meta.set(NEWEST, key, tx)
      await meta.set(ALL, JSON.stringify(first), tx)
      return first
    }, NEWEST)
  }

  adopt(await load())
  const isOld = (keys: readonly Pick<Stored, 'fromMs'>[]): boolean =>
    clock.now() - (keys.at(-1)?.fromMs ?? 0) >= ROTATE_MS

  return {
    secrets() {
      const newestFirst = known.toReversed()
      const sealing = newestFirst.find(({ sinceMs }) => monotonic() - sinceMs >= KNOWN_MS) ?? known[0]
      return newestFirst.toSorted((a, b) => Number(b === sealing) - Number(a === sealing)).map(({ secret }) => secret)
    },
    async refresh() {
      adopt(parsed(await meta.get(ALL)))
    },
    async rotate() {
      if (!isOld(known)) return
      const stored = await changes({ actor: SYSTEM, requestId: newId() }, async (tx, audit) => {
        const before = parsed(await meta.get(ALL, tx))
        if (!isOld(before)) return before
        const fresh = { key: randomBytes(32).toString('base64'), fromMs: clock.now() }
        // Replaced longer ago than any of its tokens opens.
        const opening = before.filter((_each, at) => clock.now() - (before[at + 1] ?? fresh).fromMs <= TOKEN_LIFE_MS)
        await meta.set(NEWEST, fresh.key, tx)
        await meta.set(ALL, JSON.stringify([...opening, fresh]), tx)
        await audit('mcp_session.key.rotate', '*', { accepted: opening.length + 1 })
        return [...opening, fresh]
      })
      adopt(stored)
    },
  }
}

/** The age that it looks at is in memory. */
export const rotation = (
  { log }: { readonly log: Log },
  leads: () => boolean,
  { rotateSessionKey: work }: { readonly rotateSessionKey: () => Promise<void> },
): Rounds => createLeaderLoop({ name: 'rotating the keys of sessions', everyMs: 5_000, leads, log, work })

// Which sealed sessions ended: remembered for as long as their tokens would open, also over restarts. Amendment 16.

import type { EndedSession, EndedSessionStore } from '../storage/ended-sessions.ts'
import type { Clock } from '../telemetry/clock.ts'

/** A token that is not live here opens for this long after it was made; then its end need not be remembered. */
export const TOKEN_LIFE_MS = 7 * 24 * 60 * 60 * 1000
/** Past this, the oldest tenth is dropped, and no token as old as those opens any more. */
const MOST_ENDED = 100_000
/** Two instances may differ by this much, and a row may be committed this long after its time was read. */
const OVERLAP_MS = 60_000

export type EndedSessions = ReturnType<typeof createEndedSessions>

type Options = {
  /** Without one, ends are remembered by this process only. */
  readonly store?: EndedSessionStore
  readonly clock: Clock
  readonly most?: number
}

export function createEndedSessions({ store, clock, most = MOST_ENDED }: Options) {
  const ended = new Map<string, number>()
  const unsaved = new Map<string, number>()
  let forgottenMs = -1
  let saving: Promise<void> = Promise.resolve()
  let readUntilMs = 0

  function trim(): void {
    if (ended.size <= most) return
    const oldest = [...ended].sort(([, a], [, b]) => a - b).slice(0, Math.ceil(most / 10))
    forgottenMs = Math.max(forgottenMs, oldest.at(-1)?.[1] ?? 0)
    for (const [hash, createdAtMs] of ended) if (createdAtMs <= forgottenMs) ended.delete(hash)
  }

  async function save(): Promise<void> {
    if (store === undefined || unsaved.size === 0) return
    const batch = [...unsaved].map(([hash, createdAtMs]) => ({ hash, createdAtMs }))
    const nowMs = clock.now()
    await store.put(batch, { nowMs, forgottenMs, expiredMs: nowMs - TOKEN_LIFE_MS })
    for (const { hash } of batch) unsaved.delete(hash)
  }

  return {
    /** Also for a token that is too old to tell. */
    has: ({ hash, createdAtMs }: EndedSession): boolean =>
      ended.has(hash) || createdAtMs <= forgottenMs || clock.now() - createdAtMs > TOKEN_LIFE_MS,
    add({ hash, createdAtMs }: EndedSession): void {
      ended.set(hash, createdAtMs)
      if (store !== undefined) unsaved.set(hash, createdAtMs)
      trim()
    },
    /** Resolves once every end that was added before is stored. */
    flush(): Promise<void> {
      if (unsaved.size === 0) return Promise.resolve()
      // After the one under way, which may have taken its batch already.
      saving = saving.catch(() => undefined).then(save)
      return saving
    },
    /** Reads what other processes ended. */
    async follow(): Promise<readonly EndedSession[]> {
      if (store === undefined) return []
      const startedMs = clock.now()
      forgottenMs = Math.max(forgottenMs, await store.forgottenMs())
      const rows = await store.since(readUntilMs - OVERLAP_MS, most)
      if (rows.length === most) forgottenMs = Math.max(forgottenMs, rows.at(-1)?.createdAtMs ?? 0)
      const fresh = rows.filter(({ hash }) => !ended.has(hash))
      readUntilMs = startedMs
      for (const { hash, createdAtMs } of fresh) ended.set(hash, createdAtMs)
      trim()
      return fresh
    },
  }
}

// The managed keys of MCP clients as the running gateway holds them: found by hash, ended the moment they end. Contract 2.1, 2.4.

import { type KeyScopes, ROLES, type Role } from '#contract'
import type { Base } from '../records/base.ts'
import type { Database } from '../storage/database.ts'
import { keyScopeRow, type LiveKeyRow, liveKeyRow, liveKeyRows, noteKeyUse } from '../storage/mcp-keys.ts'
import type { Log } from '../telemetry/log.ts'
import { type Credential, createEndings, type DataPlaneCaller, type Endings } from './credential.ts'
import { compileReach, type Reach } from './key-scope.ts'
import { createSteadyClock, type WallClock } from './steady-clock.ts'

export type ManagedKey = Credential & {
  /** The caller it stands for: read from the database when it was not used for a while. */
  caller(): Promise<DataPlaneCaller | undefined>
}

export type LastUse = { readonly at: string; readonly client: string | null }

export type ManagedKeys = {
  load(): Promise<void>
  /** Every row counts, whether its key still works or not. */
  rows(): number
  find(hash: string): ManagedKey | undefined
  /** Who a key is, for somebody who acts in its place; undefined when it does not work. */
  callerOf(id: number): Promise<DataPlaneCaller | undefined>
  /** After a committed change of one row. `narrowed`: open streams and calls under way must not go on as they were. */
  refresh(id: number, narrowed: boolean): Promise<void>
  lastUse(id: number): LastUse | undefined
  /** The program behind a key, as it names itself. */
  noteClient(id: number, name: string): void
  close(): Promise<void>
}

type ManagedKeysDeps = Pick<Base, 'monotonic'> & {
  readonly database: Pick<Database, 'query' | 'write'>
  readonly clock: WallClock
  readonly log: Pick<Log, 'warn'>
  readonly teamOf: (client: string) => number | null | undefined
  /** Nobody acts under this name any more. */
  readonly onEnded: (principal: string) => void
  readonly onRows: () => void
}

/** One value of a key: the current one, or one that a rotation let live on. */
type Value = {
  readonly hash: string
  readonly key: Key
  endsAtMs: number
  caller: DataPlaneCaller | undefined
  endings: Endings
  readonly credential: ManagedKey
}
type Key = {
  readonly id: number
  readonly name: string
  row: LiveKeyRow
  values: Value[]
  reach: Reach | undefined
  loading: Promise<Reach | undefined> | undefined
  use: { atMs: number; client: string | null } | undefined
  noted: boolean
}

const FLUSH_MS = 5_000
const FLUSH_AT_ONCE = 200
/** Names held by compiled scopes, of all keys together; who is dropped for room is read again when it returns. */
const MOST_NAMES = 2_000_000
/** A clock that is set is noticed within this. */
const LONGEST_WAIT_MS = 60_000
const MOST_CLIENT = 128

type Retired = readonly { readonly hash: string; readonly until: string }[]
// Written by operations/access/mcp-keys.ts in this very shape.
export const retiredOf = (text: string | null): Retired => (text === null ? [] : (JSON.parse(text) as Retired))

const endOf = (iso: string | null): number => (iso === null ? Number.POSITIVE_INFINITY : Date.parse(iso))
const standing = ({ enabled, revoked_at }: LiveKeyRow): boolean => enabled === 1 && revoked_at === null

/** The values a row lets in now, and until when. */
function valuesOf(row: LiveKeyRow): readonly { readonly hash: string; readonly endsAtMs: number }[] {
  if (!standing(row)) return []
  const endsAtMs = endOf(row.expires_at)
  return [
    { hash: row.key_hash, endsAtMs },
    ...retiredOf(row.retired).map(({ hash, until }) => ({ hash, endsAtMs: Math.min(endsAtMs, endOf(until)) })),
  ]
}

const roleOf = (text: string | null): Role | null => ROLES.find((role) => role === text) ?? null

export function createManagedKeys(parts: ManagedKeysDeps): ManagedKeys {
  const { database, log, teamOf, onEnded, onRows } = parts
  const clock = createSteadyClock(parts.clock, parts.monotonic)
  const keys = new Map<number, Key>()
  const index = new Map<string, Value>()
  const compiled = new Map<Key, number>()
  let names = 0
  let used: Key[] = []
  let wake: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function forgetReach(key: Key): void {
    names -= compiled.get(key) ?? 0
    compiled.delete(key)
    key.reach = undefined
    key.loading = undefined
    for (const value of key.values) value.caller = undefined
  }

  function keepReach(key: Key, reach: Reach): Reach {
    key.reach = reach
    compiled.set(key, reach.size)
    names += reach.size
    for (const oldest of compiled.keys()) {
      if (names <= MOST_NAMES || oldest === key) break
      forgetReach(oldest)
    }
    return reach
  }

  /** Read once, however many requests come at the same time; what was changed meanwhile is read again by the next. */
  function reachOf(key: Key): Promise<Reach | undefined> {
    if (key.reach) return Promise.resolve(key.reach)
    if (key.loading) return key.loading
    const loading = keyScopeRow(database.query, key.id).then(
      (row) => {
        if (key.loading !== loading) return keys.get(key.id) === key ? reachOf(key) : undefined
        key.loading = undefined
        if (row === undefined) return undefined
        return keepReach(
          key,
          compileReach(
            {
              // Written by operations/access/mcp-keys.ts from what the contract parsed.
              scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as KeyScopes),
              allowedTools: row.allowed_tools === null ? null : (JSON.parse(row.allowed_tools) as string[]),
              teamId: key.row.team_id,
            },
            teamOf,
          ),
        )
      },
      (error: unknown) => {
        if (key.loading === loading) key.loading = undefined
        throw error
      },
    )
    key.loading = loading
    return loading
  }

  function callerFor({ row, name, id }: Key, hash: string, { mayReach, bundles }: Reach, endings: Endings | null) {
    return {
      name,
      kind: 'key',
      keyHash: hash,
      keyId: id,
      elevated: row.elevated === 1,
      consumerId: row.consumer_id,
      teamId: row.team_id,
      adminRole: roleOf(row.admin_role),
      bundles,
      mayReach,
      onEnd: endings && endings.add,
    } as const satisfies DataPlaneCaller
  }

  function noteUse(key: Key, atMs: number): void {
    if (key.use) key.use.atMs = atMs
    else key.use = { atMs, client: key.row.last_used_client }
    if (key.noted) return
    key.noted = true
    used.push(key)
  }

  function makeValue(key: Key, hash: string, endsAtMs: number): Value {
    const value: Value = {
      hash,
      key,
      endsAtMs,
      caller: undefined,
      endings: createEndings(),
      credential: {
        current() {
          const { caller, endsAtMs } = value
          // Most keys have no end, and nobody need ask what time it is.
          if (caller === undefined || (endsAtMs !== Number.POSITIVE_INFINITY && clock.now() >= endsAtMs))
            return undefined
          noteUse(key, parts.clock.now())
          return caller
        },
        async caller() {
          const reach = await reachOf(key)
          // It may have ended while its scope was read.
          if (reach === undefined || index.get(hash) !== value || clock.now() >= value.endsAtMs) return undefined
          value.caller = callerFor(key, hash, reach, value.endings)
          return value.credential.current()
        },
      },
    }
    index.set(hash, value)
    return value
  }

  function endValue(value: Value): void {
    value.endsAtMs = Number.NEGATIVE_INFINITY
    value.caller = undefined
    if (index.get(value.hash) === value) index.delete(value.hash)
    value.endings.end()
  }

  /** The key goes on; whoever is under way with what it was before does not. */
  function renew(value: Value): void {
    value.endings.end()
    value.endings = createEndings()
  }

  function endKey(key: Key): void {
    const stood = key.values.length > 0
    for (const value of key.values) endValue(value)
    key.values = []
    forgetReach(key)
    if (stood) onEnded(key.name)
  }

  /** The row's values: those that stay are kept, so that what waits for their end still does. */
  function setValues(key: Key): void {
    const nowMs = clock.now()
    const wanted = valuesOf(key.row).filter(({ endsAtMs }) => endsAtMs > nowMs)
    if (wanted.length === 0) {
      endKey(key)
      return
    }
    const kept = key.values.filter(({ hash }) => wanted.some((one) => one.hash === hash))
    for (const value of key.values) if (!kept.includes(value)) endValue(value)
    key.values = wanted.map(({ hash, endsAtMs }) => {
      const value = kept.find((one) => one.hash === hash)
      if (value === undefined) return makeValue(key, hash, endsAtMs)
      value.endsAtMs = endsAtMs
      return value
    })
  }

  function add(row: LiveKeyRow): void {
    const key: Key = {
      id: row.id,
      name: `mcp-key:${row.id}`,
      row,
      values: [],
      reach: undefined,
      loading: undefined,
      use: undefined,
      noted: false,
    }
    keys.set(row.id, key)
    setValues(key)
  }

  /** Open streams hear of an end by themselves; requests look at the clock. */
  function wakeAtNextEnd(): void {
    clearTimeout(wake)
    const nowMs = clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const key of keys.values()) for (const { endsAtMs } of key.values) next = Math.min(next, endsAtMs)
    if (next === Number.POSITIVE_INFINITY) return
    wake = setTimeout(
      () => {
        const atMs = clock.now()
        for (const key of keys.values()) if (key.values.some(({ endsAtMs }) => endsAtMs <= atMs)) setValues(key)
        wakeAtNextEnd()
      },
      Math.min(LONGEST_WAIT_MS, Math.max(0, next - nowMs)),
    )
    wake.unref()
  }

  async function flush(): Promise<void> {
    // In one order, or two instances would each wait for a row of the other.
    const batch = used.toSorted((one, other) => one.id - other.id)
    used = []
    for (const key of batch) key.noted = false
    for (let from = 0; from < batch.length; from += FLUSH_AT_ONCE)
      await database.write(async (tx) => {
        for (const { id, use } of batch.slice(from, from + FLUSH_AT_ONCE))
          if (use)
            await noteKeyUse(tx, id, {
              last_used_at: new Date(use.atMs).toISOString(),
              last_used_client: use.client,
            })
      })
  }
  const flushSoon = (): void => {
    if (used.length === 0) return
    flushing = flushing.then(flush).catch((error: unknown) => log.warn('the last use of keys was not kept', { error }))
  }
  async function refresh(id: number, narrowed: boolean): Promise<void> {
    const key = keys.get(id)
    let row: LiveKeyRow | undefined
    try {
      row = await liveKeyRow(database.query, id)
    } catch (error) {
      // What the change was is not known: the key works again when somebody can read it.
      if (key) endKey(key)
      throw error
    }
    if (row === undefined) {
      keys.delete(id)
      if (key) endKey(key)
    } else if (key === undefined) add(row)
    else {
      key.row = row
      forgetReach(key)
      setValues(key)
      if (narrowed) for (const value of key.values) renew(value)
    }
    wakeAtNextEnd()
    onRows()
  }
  // One after another: an older row must not stand over a newer one.
  let turn: Promise<void> = Promise.resolve()

  const timer = setInterval(flushSoon, FLUSH_MS)
  timer.unref()

  return {
    async load() {
      for (const row of await liveKeyRows(database.query)) add(row)
      wakeAtNextEnd()
    },
    rows: () => keys.size,
    find: (hash) => index.get(hash)?.credential,
    async callerOf(id) {
      const key = keys.get(id)
      const reach = key && (await reachOf(key))
      if (key === undefined || reach === undefined || key.values.length === 0) return undefined
      return callerFor(key, key.row.key_hash, reach, null)
    },
    refresh(id, narrowed) {
      const mine = turn.then(() => refresh(id, narrowed))
      turn = mine.catch(() => undefined)
      return mine
    },
    lastUse(id) {
      const use = keys.get(id)?.use
      return use && { at: new Date(use.atMs).toISOString(), client: use.client }
    },
    noteClient(id, name) {
      const use = keys.get(id)?.use
      if (use) use.client = name.slice(0, MOST_CLIENT)
    },
    async close() {
      clearInterval(timer)
      clearTimeout(wake)
      flushSoon()
      await flushing
    },
  }
}

// The managed keys of MCP clients in memory: looked up by hash, ended on time. Contract 2.1, 2.4.

import { ROLES, type Role } from '#contract'
import type { Base } from '../records/base.ts'
import type { Database } from '../storage/database.ts'
import { fromText } from '../storage/json-text.ts'
import { keyScopeRow, type LiveKeyRow, liveKeyRow, liveKeyRows, noteKeyUse } from '../storage/mcp-keys.ts'
import type { Retired } from '../storage/stored.ts'
import type { Log } from '../telemetry/log.ts'
import { type Credential, createEndings, type DataPlaneCaller, type Endings } from './credential.ts'
import { compileReach, type Reach } from './key-scope.ts'
import { createSteadyClock } from './steady-clock.ts'

export type ManagedKey = Credential & {
  /** The caller of a key, read from the database if not cached. */
  caller(): Promise<DataPlaneCaller | undefined>
}

export type LastUse = { readonly at: string; readonly client: string | null }

export type ManagedKeys = ReturnType<typeof createManagedKeys>

type ManagedKeysDeps = Pick<Base, 'monotonic' | 'clock'> & {
  readonly database: Pick<Database, 'query' | 'write'>
  readonly log: Pick<Log, 'warn'>
  readonly teamOf: (client: string) => number | null | undefined
  /** The principal has ended. */
  readonly onEnded: (principal: string) => void
  readonly onRows: () => void
}

/** One value of a key: the current one, or a rotated one in its grace period. */
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
/** The limit of names in compiled scopes of all keys; evicted keys are read again on use. */
const MOST_NAMES = 2_000_000
/** A clock change is noticed within this time. */
const LONGEST_WAIT_MS = 60_000
const MOST_CLIENT = 128

export const retiredOf = (text: LiveKeyRow['retired']): Retired => fromText(text) ?? []

const endOf = (iso: string | null): number => (iso === null ? Number.POSITIVE_INFINITY : Date.parse(iso))
const standing = ({ enabled, revoked_at }: LiveKeyRow): boolean => enabled === 1 && revoked_at === null

/** The valid values of a row, with their expiry. */
function valuesOf(row: LiveKeyRow): readonly { readonly hash: string; readonly endsAtMs: number }[] {
  if (!standing(row)) return []
  const endsAtMs = endOf(row.expires_at)
  return [
    { hash: row.key_hash, endsAtMs },
    ...retiredOf(row.retired).map(({ hash, until }) => ({ hash, endsAtMs: Math.min(endsAtMs, endOf(until)) })),
  ]
}

const roleOf = (text: string | null): Role | null => ROLES.find((role) => role === text) ?? null

export function createManagedKeys(parts: ManagedKeysDeps) {
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

  /** Single-flight; a change during the read makes the next request read again. */
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
              // Written by operations/access/mcp-keys.ts from parsed input.
              scopes: fromText(row.scopes),
              allowedTools: fromText(row.allowed_tools),
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
      person: row.person === null ? null : { kind: 'user', username: row.person },
      namesPeople: row.names_people === 1,
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
          // Most keys do not expire; skip the clock.
          if (caller === undefined || (endsAtMs !== Number.POSITIVE_INFINITY && clock.now() >= endsAtMs))
            return undefined
          noteUse(key, parts.clock.now())
          return caller
        },
        async caller() {
          const reach = await reachOf(key)
          // It may have expired while its scope was read.
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

  /** The key stays valid; streams and calls with its old scope end. */
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

  /** Updates the row's values; unchanged ones keep their listeners. */
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

  /** Open streams are notified of an end; requests check the clock. */
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
    // In a fixed order, to avoid deadlocks between instances.
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
      // The change is unknown: the key is blocked until it can be read.
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
  // Sequential, so that an older row does not overwrite a newer one.
  let turn: Promise<void> = Promise.resolve()

  const timer = setInterval(flushSoon, FLUSH_MS)
  timer.unref()

  return {
    async load(): Promise<void> {
      for (const row of await liveKeyRows(database.query)) add(row)
      wakeAtNextEnd()
    },
    /** Counts every row, whether its key works or not. */
    rows: (): number => keys.size,
    /** Every row, as it was last read. */
    stored: (): Iterable<LiveKeyRow> => [...keys.values()].map(({ row }) => row),
    find: (hash: string): ManagedKey | undefined => index.get(hash)?.credential,
    /** The caller of a key, for someone who acts on its behalf; undefined if it does not work. */
    async callerOf(id: number): Promise<DataPlaneCaller | undefined> {
      const key = keys.get(id)
      const reach = key && (await reachOf(key))
      if (key === undefined || reach === undefined || key.values.length === 0) return undefined
      return callerFor(key, key.row.key_hash, reach, null)
    },
    /** Called after a committed change of a row. `narrowed`: open streams and running calls must end. */
    refresh(id: number, narrowed: boolean): Promise<void> {
      const mine = turn.then(() => refresh(id, narrowed))
      turn = mine.catch(() => undefined)
      return mine
    },
    lastUse(id: number): LastUse | undefined {
      const use = keys.get(id)?.use
      return use && { at: new Date(use.atMs).toISOString(), client: use.client }
    },
    /** The client program of a key, as it names itself. */
    noteClient(id: number, name: string): void {
      const use = keys.get(id)?.use
      if (use) use.client = name.slice(0, MOST_CLIENT)
    },
    async close(): Promise<void> {
      clearInterval(timer)
      clearTimeout(wake)
      flushSoon()
      await flushing
    },
  }
}

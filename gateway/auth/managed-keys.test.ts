// Managed keys over a real database: lookup by value, and notification of their end.

import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { optionsFor } from '../storage/database.fixture.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { jsonText } from '../storage/json-text.ts'
import { deleteKey, insertKey, type KeyRow, updateKey } from '../storage/mcp-keys.ts'
import { aTime } from './auth.fixture.ts'
import { createManagedKeys } from './managed-keys.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const AT = '2026-01-31T09:15:00.000Z'
const after = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString()

async function addKey(database: Database, value: string, more: Partial<KeyRow> = {}): Promise<number> {
  return database.write((tx) =>
    insertKey(tx, {
      label: value,
      key_hash: sha256(value),
      key_prefix: value.slice(0, 12),
      retired: null,
      scopes: null,
      allowed_tools: null,
      consumer_id: null,
      elevated: 0,
      admin_role: null,
      enabled: 1,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      last_used_client: null,
      install_link_id: null,
      team_id: null,
      revision: 1,
      created_at: AT,
      updated_at: AT,
      created_by: null,
      ...more,
    }),
  )
}

async function someKeys(fill: (database: Database) => Promise<unknown> = async () => undefined) {
  const time = aTime()
  time.wallMs = Date.parse(AT)
  const database = await openDatabase(optionsFor(':memory:'))
  await fill(database)
  const ended: string[] = []
  const reads: number[] = []
  const state = { broken: false }
  const keys = createManagedKeys({
    database: {
      write: database.write,
      get query() {
        if (state.broken) throw new Error('the disk is gone')
        reads.push(1)
        return database.query
      },
    },
    clock: time.clock,
    monotonic: time.monotonic,
    log: { warn: (message) => expect.fail(message) },
    teamOf: () => null,
    onEnded: (principal) => ended.push(principal),
    onRows: () => undefined,
  })
  await keys.load()
  onTestFinished(async () => {
    await keys.close()
    await database.close()
  })
  const callerBy = async (value: string) => {
    const key = keys.find(sha256(value))
    return key?.current() ?? (await key?.caller())
  }
  return { time, database, keys, ended, reads, state, callerBy }
}

describe('a value', () => {
  it.each<[string, Partial<KeyRow>]>([
    ['revoked', { revoked_at: AT }],
    ['disabled', { enabled: 0 }],
    ['expired', { expires_at: AT }],
    ['long expired', { expires_at: after(-1) }],
  ])('of a key that is %s stands for no caller, and its row counts', async (_what, more) => {
    const { keys, callerBy } = await someKeys((database) => addKey(database, 'a', more))
    expect([await callerBy('a'), keys.rows()]).toEqual([undefined, 1])
  })

  it('that was not issued is unknown, even if similar to an issued one', async () => {
    const { callerBy } = await someKeys((database) => addKey(database, 'mcp_abcdef'))
    for (const wrong of ['', 'mcp_', 'mcp_abcde', 'mcp_abcdeF', 'MCP_ABCDEF', 'mcp_abcdef ', sha256('mcp_abcdef')])
      expect(await callerBy(wrong)).toBeUndefined()
  })

  it('identifies its key, read once for many requests [ct.2.2.mcp-key]', async () => {
    const scopes = jsonText({ tools: ['shop__get'] })
    const { callerBy, reads } = await someKeys((database) =>
      addKey(database, 'a', { scopes, elevated: 1, consumer_id: 5, team_id: null, admin_role: 'auditor' }),
    )
    reads.length = 0
    const callers = await Promise.all(Array.from({ length: 20 }, () => callerBy('a')))
    expect(reads).toHaveLength(1)
    const [caller] = callers
    expect(caller).toMatchObject({ name: 'mcp-key:1', kind: 'key', keyHash: sha256('a'), keyId: 1, elevated: true })
    expect(caller).toMatchObject({ consumerId: 5, adminRole: 'auditor', bundles: null })
    expect([caller?.mayReach('shop', 'get'), caller?.mayReach('shop', 'put')]).toEqual([true, false])
    // Surfaces cache by the identity of this function.
    expect((await callerBy('a'))?.mayReach).toBe(caller?.mayReach)
    expect(reads).toHaveLength(1)
  })
})

describe('an end', () => {
  it('by expiry applies to requests, listeners and the principal [ct.2.1.data-invalid]', async () => {
    const { time, ended, callerBy } = await someKeys((database) => addKey(database, 'a', { expires_at: after(60) }))
    const caller = await callerBy('a')
    const received: string[] = []
    caller?.onEnd?.(() => received.push('end'))
    time.pass(59)
    expect(await callerBy('a')).toBe(caller)
    time.pass(1)
    expect(await callerBy('a')).toBeUndefined()
    await expect.poll(() => received).toEqual(['end'])
    expect(ended).toEqual(['mcp-key:1'])
  })

  it('is not delayed by a clock that is set back', async () => {
    const { time, callerBy } = await someKeys((database) => addKey(database, 'a', { expires_at: after(60_000) }))
    expect(await callerBy('a')).toBeDefined()
    time.wallMs -= 3_600_000
    time.passedMs += 60_000
    expect(await callerBy('a')).toBeUndefined()
  })

  it.each<[string, (database: Database) => Promise<void>]>([
    ['revocation', (database) => database.write((tx) => updateKey(tx, 1, { revoked_at: AT }))],
    ['switching off', (database) => database.write((tx) => updateKey(tx, 1, { enabled: 0 }))],
    ['deletion', (database) => database.write((tx) => deleteKey(tx, 1))],
    ['an expiry that is past', (database) => database.write((tx) => updateKey(tx, 1, { expires_at: after(-1) }))],
  ])('by %s is at once, also for who comes too late to listen', async (_how, change) => {
    const { database, keys, ended, callerBy } = await someKeys((made) => addKey(made, 'a'))
    const caller = await callerBy('a')
    const received: string[] = []
    caller?.onEnd?.(() => received.push('listening'))
    await change(database)
    await keys.refresh(1, true)
    expect([await callerBy('a'), received, ended]).toEqual([undefined, ['listening'], ['mcp-key:1']])
    caller?.onEnd?.(() => received.push('late'))
    expect(received).toEqual(['listening', 'late'])
  })

  it('can occur while the key’s scope is read', async () => {
    const { database, keys, callerBy } = await someKeys((made) => addKey(made, 'a'))
    const asked = callerBy('a')
    const revoked = database.write((tx) => updateKey(tx, 1, { revoked_at: AT })).then(() => keys.refresh(1, true))
    await Promise.all([asked, revoked])
    expect(await callerBy('a')).toBeUndefined()
  })

  it('is assumed if the change cannot be read', async () => {
    const { state, keys, callerBy } = await someKeys((made) => addKey(made, 'a'))
    expect(await callerBy('a')).toBeDefined()
    state.broken = true
    await expect(keys.refresh(1, true)).rejects.toThrow('the disk is gone')
    expect(await callerBy('a')).toBeUndefined()
  })

  it('is not caused by a scope change, except for running requests', async () => {
    const { database, keys, ended, callerBy } = await someKeys((made) => addKey(made, 'a'))
    const before = await callerBy('a')
    const received: string[] = []
    before?.onEnd?.(() => received.push('end'))
    await database.write((tx) => updateKey(tx, 1, { label: 'other' }))
    await keys.refresh(1, false)
    expect(received).toEqual([])
    await database.write((tx) => updateKey(tx, 1, { scopes: jsonText({ clients: ['bank'] }) }))
    await keys.refresh(1, true)
    expect([received, ended]).toEqual([['end'], []])
    expect((await callerBy('a'))?.mayReach('shop', 'get')).toBe(false)
  })
})

describe('a value that was replaced', () => {
  it('works during its grace period beside the new one, and no longer [ct.7.6.key-rotate]', async () => {
    const { time, database, keys, ended, callerBy } = await someKeys((made) => addKey(made, 'old'))
    const received: string[] = []
    ;(await callerBy('old'))?.onEnd?.(() => received.push('old'))
    const retired = jsonText([{ hash: sha256('old'), until: after(1_000) }])
    await database.write((tx) => updateKey(tx, 1, { key_hash: sha256('new'), retired }))
    await keys.refresh(1, false)
    const both = [await callerBy('old'), await callerBy('new')]
    expect(both.map((caller) => [caller?.name, caller?.keyHash])).toEqual([
      ['mcp-key:1', sha256('old')],
      ['mcp-key:1', sha256('new')],
    ])
    expect(both[0]?.mayReach).toBe(both[1]?.mayReach)
    time.pass(1_000)
    await keys.refresh(1, false)
    expect([await callerBy('old'), received, ended]).toEqual([undefined, ['old'], []])
    expect(await callerBy('new')).toBeDefined()
  })
})

describe('the last use', () => {
  it('is visible at once and written later, without changing the revision', async () => {
    const { time, database, keys, callerBy } = await someKeys((made) => addKey(made, 'a'))
    expect(keys.lastUse(1)).toBeUndefined()
    await callerBy('a')
    time.pass(5)
    await callerBy('a')
    keys.noteClient(1, `agent${'x'.repeat(200)}`)
    expect(keys.lastUse(1)).toEqual({ at: after(5), client: `agent${'x'.repeat(123)}` })
    await keys.close()
    const row = await database.query.selectFrom('mcp_keys').selectAll().executeTakeFirstOrThrow()
    expect([row.last_used_at, row.last_used_client?.length, row.revision]).toEqual([after(5), 128, 1])
  })
})

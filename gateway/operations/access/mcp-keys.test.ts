// Who may make which key: teams among themselves, and rights over the gateway only its owner.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createManagedKeys } from '../../auth/managed-keys.ts'
import { KeyInput } from '../../contract/admin/mcp-keys.ts'
import { createChanges } from '../../records/changes.ts'
import { optionsFor } from '../../storage/database.fixture.ts'
import { openDatabase } from '../../storage/database.ts'
import { ROOT, someone, type Who } from '../backends/backends.fixture.ts'
import { createMcpKeys } from './mcp-keys.ts'

const input = (more: object = {}): KeyInput => KeyInput.parse({ label: 'a key', ...more })
const PAGE = { limit: 50 }

async function someKeys() {
  const clock = { now: () => Date.UTC(2026, 0, 31) }
  const database = await openDatabase(optionsFor(':memory:'))
  const live = createManagedKeys({
    database,
    clock,
    monotonic: () => 0,
    log: { warn: (message) => expect.fail(message) },
    teamOf: (client) => (client === 'shop' ? 1 : 2),
    onEnded: () => undefined,
    onRows: () => undefined,
  })
  await live.load()
  onTestFinished(async () => {
    await live.close()
    await database.close()
  })
  const changes = createChanges(database, clock, () => undefined)
  const keys = createMcpKeys({ database, changes, live, clock })
  return { keys, live, database, changes }
}

const [ONE, TWO] = [someone(1), someone(2)]

describe('a key with rights over the gateway', () => {
  it.each<[string, object]>([
    ['adminRole', { adminRole: 'viewer' }],
    ['elevated', { elevated: true }],
  ])('(%s) is neither made nor become by the admin of a team', async (_what, more) => {
    const { keys } = await someKeys()
    await expect(keys.create(ONE, input(more))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const own = await keys.create(ONE, input())
    await expect(keys.update(ONE, String(own.id), more, [])).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await keys.get(ONE.actor, String(own.id))).toMatchObject({ elevated: false, adminRole: null, revision: 1 })
    expect(await keys.create(ROOT, input(more))).toMatchObject(more)
  })
})

describe('the keys of a team', () => {
  it('are visible to the team and to users without a team; every other user finds nothing', async () => {
    const { keys } = await someKeys()
    const made = await keys.create(ONE, input())
    const id = String(made.id)
    expect(made.teamId).toBe(1)
    const acts: readonly ((by: Who) => Promise<unknown>)[] = [
      (by) => keys.get(by.actor, id),
      (by) => keys.update(by, id, { label: 'taken' }, []),
      (by) => keys.rotate(by, id, { graceMs: 0 }),
      (by) => keys.revoke(by, id, {}),
      (by) => keys.delete(by, id, []),
    ]
    for (const act of acts) {
      const foreign = await act(TWO).catch((error: unknown) => error)
      const absent = await keys.get(TWO.actor, '99').catch((error: unknown) => error)
      expect(foreign).toEqual(absent)
    }
    expect((await keys.list(TWO.actor, PAGE)).items).toEqual([])
    expect((await keys.list(ONE.actor, PAGE)).items).toMatchObject([{ label: 'a key', active: true }])
    await keys.create(ROOT, input())
    expect((await keys.list(ONE.actor, PAGE)).items).toHaveLength(1)
    expect((await keys.list(ROOT.actor, PAGE)).items).toHaveLength(2)
    for (const act of acts) await act(ONE)
  })

  it('reach the backends of the team, though their scopes say more', async () => {
    const { keys, live } = await someKeys()
    const { id } = await keys.create(ONE, input())
    const caller = await live.callerOf(id)
    expect([caller?.teamId, caller?.mayReach('shop', 'get'), caller?.mayReach('bank', 'get')]).toEqual([1, true, false])
  })
})

describe("a key minted in another operation's transaction", () => {
  it('is there when that is, and not at all when it fails', async () => {
    const { keys, live, changes } = await someKeys()
    const scopes = { bundles: ['kit'] }
    await expect(
      changes(ROOT, async (tx, audit) => {
        await keys.mint(tx, audit, ROOT, { ...input({ scopes }), installLinkId: 3 })
        throw new Error('the link was not made')
      }),
    ).rejects.toThrow('the link was not made')
    expect((await keys.list(ROOT.actor, PAGE)).items).toEqual([])
    const { id } = await changes(ROOT, (tx, audit) =>
      keys.mint(tx, audit, ROOT, { ...input({ scopes }), installLinkId: 3, teamId: 1 }),
    )
    await keys.committed(id)
    expect(await keys.get(ONE.actor, String(id))).toMatchObject({ installLinkId: 3, teamId: 1, scopes })
    expect((await live.callerOf(id))?.bundles).toEqual(new Set(['kit']))
    await changes(ROOT, async (tx, audit) => {
      expect(await keys.revokeIn(tx, audit, id)).toBe(true)
      expect(await keys.revokeIn(tx, audit, id)).toBe(false)
    })
    await keys.committed(id)
    expect(await live.callerOf(id)).toBeUndefined()
  })
})

// Keys of sessions over a real database: what was sealed before a rotation opens on every instance, and no instance seals with a key that another has not read.
import { describe, expect, it } from 'vitest'
import { createChanges } from '../records/changes.ts'
import { aDatabase, aFolder } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { TOKEN_LIFE_MS } from '../surfaces/ended-sessions.ts'
import { createSeal } from '../surfaces/seal.ts'
import { openSessionKeys } from './session-keys.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const time = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 0 }
const pass = (ms: number): void => {
  time.wallMs += ms
  time.monotonicMs += ms
}

async function anInstance(database: Database, skewMs = 0) {
  const clock = { now: () => time.wallMs + skewMs }
  const keys = await openSessionKeys({
    database,
    clock,
    monotonic: () => time.monotonicMs,
    changes: createChanges(database, clock, () => undefined),
    newId: () => 'a request',
  })
  return { ...keys, ...createSeal(keys.secrets, 'test') }
}
const storedKeys = async ({ meta }: Database): Promise<number> =>
  (JSON.parse((await meta.get('session_keys')) ?? '[]') as unknown[]).length // as the module writes it

describe('a key of sessions', () => {
  it('is replaced once a week, and its tokens open on every instance for as long as a token lives', async () => {
    const database = await aDatabase(`${aFolder()}/gantry.db`)
    const [leader, other] = [await anInstance(database), await anInstance(database, 90_000)]
    await leader.rotate()
    expect(await storedKeys(database)).toBe(1)
    const before = leader.seal(['before'])
    pass(WEEK_MS)
    await Promise.all([leader.rotate(), other.rotate()])
    expect(await storedKeys(database)).toBe(2)
    await other.refresh()
    pass(10_000)
    const after = leader.seal(['after'])
    for (const each of [leader, other, await anInstance(database)]) {
      expect(each.open(before)).toEqual(['before'])
      expect(each.open(after)).toEqual(['after'])
    }
    // A program from before rotation reads the newest.
    const old = createSeal(Buffer.from((await database.meta.get('session_key')) ?? '', 'base64'), 'test')
    expect(old.open(after)).toEqual(['after'])
    expect(old.open(before)).toBeUndefined()

    pass(TOKEN_LIFE_MS)
    await leader.rotate()
    pass(TOKEN_LIFE_MS)
    await leader.rotate()
    expect(leader.open(before)).toBeUndefined()
    expect(await storedKeys(database)).toBe(3)
  })

  it('seals only once the other instances have had the time to read it, also when clocks differ', async () => {
    const database = await aDatabase(`${aFolder()}/gantry.db`)
    const [leader, behind] = [await anInstance(database, 3_600_000), await anInstance(database)]
    pass(WEEK_MS)
    await leader.rotate()
    const [started, ahead] = [await anInstance(database), await anInstance(database, 7_200_000)]
    expect(behind.open(leader.seal(['a']))).toEqual(['a'])
    expect(behind.open(started.seal(['b']))).toEqual(['b'])
    await behind.refresh()
    pass(10_000)
    for (const each of [leader, started, ahead]) expect(behind.open(each.seal(['c']))).toEqual(['c'])
    const fromBefore = createSeal(Buffer.from((await database.meta.get('session_key')) ?? '', 'base64'), 'test')
    expect(fromBefore.open(behind.seal(['d']))).toEqual(['d'])
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChanges } from '../records/changes.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { acquireLease, releaseLease } from '../storage/lease.ts'
import { createLeadership } from './leadership.ts'

const DURATION_MS = 1500
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

function aLeader(database: Database, instanceId: string, over: { monotonic?: () => number } = {}) {
  const received: boolean[] = []
  const leadership = createLeadership({
    database,
    changes: createChanges(database, Date, () => undefined),
    instanceId,
    durationMs: DURATION_MS,
    log: quiet,
    clock: Date,
    monotonic: () => performance.now(),
    newId: () => 'beat',
    onChange: (leads) => void received.push(leads),
    ...over,
  })
  onTestFinished(() => leadership.stop())
  return { ...leadership, received }
}
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1500 && !(await holds()); turn++) await pause(10)
  expect(await holds()).toBe(true)
}
const actions = async (database: Database) =>
  (await database.query.selectFrom('audit_log').selectAll().orderBy('id').execute()).map(
    ({ actor, action, target }) => `${actor} ${action} ${target}`,
  )

describe('leadership', () => {
  it('belongs to one of two, and stays while renewed', async () => {
    const database = await aDatabase()
    const [one, two] = [aLeader(database, 'one'), aLeader(database, 'two')]
    await one.start()
    await two.start()
    await pause(DURATION_MS * 2)
    expect([one.leads(), two.leads()]).toEqual([true, false])
    expect(one.lease()).toMatchObject({ holder: 'one', token: 1 })
    expect(await actions(database)).toEqual(['system system.leader.acquire one'])
  })

  it('moves on when it is returned, and both events are audited [ct.3.stop-lease ct.13.2.system.leader]', async () => {
    const database = await aDatabase()
    const [one, two] = [aLeader(database, 'one'), aLeader(database, 'two')]
    await one.start()
    await two.start()
    await one.stop()
    expect(one.leads()).toBe(false)
    await until(() => two.leads())
    expect(two.lease()).toMatchObject({ holder: 'two', token: 2 })
    expect([one.received, two.received]).toEqual([[true, false], [true]])
    await until(async () => (await actions(database)).length === 3)
    expect(await actions(database)).toEqual([
      'system system.leader.acquire one',
      'system system.leader.lose one',
      'system system.leader.acquire two',
    ])
  })

  it('ends when the lease was not renewed in time', async () => {
    const database = await aDatabase()
    let nowMs = 0
    const leader = aLeader(database, 'one', { monotonic: () => nowMs })
    await leader.start()
    expect(leader.leads()).toBe(true)
    nowMs += DURATION_MS
    expect(leader.leads()).toBe(false)
  })

  it('is lost when another instance took the lease, and acquired again later', async () => {
    const database = await aDatabase()
    const leader = aLeader(database, 'one')
    await leader.start()
    await database.write((tx) => tx.updateTable('leases').set({ expires_at_ms: 0 }).execute())
    const stolen = await acquireLease(database, { name: 'leader', holder: 'thief', durationMs: 60_000 }, Date.now())
    await until(() => leader.received.length === 2)
    expect(leader.received).toEqual([true, false])
    expect(leader.leads()).toBe(false)
    if (stolen) await releaseLease(database, stolen)
    await until(() => leader.leads())
    expect(leader.lease()).toMatchObject({ token: 3 })
  })
})

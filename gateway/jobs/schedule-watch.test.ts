// Schedules with a test clock: each runs once, in its minute, on the leader, independent of others.
import { describe, expect, it } from 'vitest'
import { ScheduleInput } from '../contract/admin/schedules.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../operations/backends/backends.fixture.ts'
import { BY_HAND } from '../operations/backends/registration.fixture.ts'
import { createScheduleFire } from '../operations/schedules/schedule-fire.ts'
import { createSchedules } from '../operations/schedules/schedules.ts'
import { acquireLease, type Lease, releaseLease } from '../storage/lease.ts'
import { scheduleRows } from '../storage/schedules.ts'
import { createLeaderLoop } from './leader-loop.ts'
import { createScheduleWatch } from './schedule-watch.ts'

const MINUTE = 60_000
const AT = Date.UTC(2026, 0, 31, 9, 15)
const iso = (minutes: number): string => new Date(AT + minutes * MINUTE).toISOString()

async function aHouse() {
  const house = await aBackendHouse()
  await house.registration.register(ROOT, BY_HAND)
  const clock = { now: () => house.time.nowMs }
  const fire = createScheduleFire({ ...house, clock })
  const schedules = createSchedules({ ...house, fire, clock })
  const logged: string[] = []
  const note = (text: string): void => void logged.push(text)
  const lead = (holder: string): Promise<Lease | undefined> =>
    acquireLease(house.database, { name: 'leader', holder, durationMs: 60 * MINUTE }, house.time.nowMs)
  const watchOf = (lease: Lease | undefined, over: Partial<Parameters<typeof createScheduleWatch>[0]> = {}) =>
    createScheduleWatch({
      ...house,
      fire,
      lease: () => lease,
      clock,
      newId: () => 'round',
      log: { info: note, error: note },
      ...over,
    })
  return {
    ...house,
    logged,
    schedules,
    lead,
    watchOf,
    /** Daily at 09:17 by default. */
    make: (over: object = {}) =>
      schedules.create(
        ROOT,
        ScheduleInput.parse({
          targetType: 'client',
          clientName: 'pets',
          action: 'disable',
          cron: '17 9 * * *',
          ...over,
        }),
      ),
    at: (minutes: number): void => void (house.time.nowMs = AT + minutes * MINUTE),
    rows: () => scheduleRows.all(house.database.query),
    fired: async () =>
      (await house.audit())
        .filter(({ action }) => action === 'schedule.fire')
        .map(({ target, detail }) => [Number(target), detail['result'], detail['due'], detail['lateMs']]),
    enabled: () => house.registry.known('pets')?.enabled,
  }
}
const enabledTool = ({ registry }: Pick<BackendHouse, 'registry'>) =>
  registry.known('pets')?.tools.get('t')?.config.enabled

describe('a schedule', () => {
  it('runs in its minute, once for any number of passes, and audited in one transaction', async () => {
    const house = await aHouse()
    const { id } = await house.make()
    const watch = house.watchOf(await house.lead('one'))
    house.at(1.99)
    await watch.round()
    expect([await house.fired(), house.enabled()]).toEqual([[], true])
    house.at(2.25)
    await Promise.all([watch.round(), watch.round()])
    await watch.round()
    expect(await house.fired()).toEqual([[id, 'applied', iso(2), 15_000]])
    expect((await house.audit()).slice(-2).map(({ action, target }) => [action, target])).toEqual([
      ['client.disable', 'pets'],
      ['schedule.fire', String(id)],
    ])
    expect(house.enabled()).toBe(false)
    expect(await house.rows()).toMatchObject([
      { last_run_at: iso(2.25), last_result: 'applied', next_run_at: iso(2 + 24 * 60), revision: 1 },
    ])
  })

  it('is not repeated by a new leader in the same minute, nor by a former one (security case ST-08)', async () => {
    const house = await aHouse()
    await house.make({ cron: '* * * * *' })
    const lease = await house.lead('one')
    const one = house.watchOf(lease)
    house.at(2)
    await one.round()
    expect(await house.fired()).toHaveLength(1)
    if (lease) await releaseLease(house.database, lease)
    house.at(2.5)
    const two = house.watchOf(await house.lead('two'))
    await two.round()
    expect(await house.fired()).toHaveLength(1)
    house.at(3)
    // It believes it leads: its write is rejected with the lease.
    await expect(one.round()).rejects.toMatchObject({ reason: 'fenced' })
    expect(await house.fired()).toHaveLength(1)
    await two.round()
    expect(await house.fired()).toHaveLength(2)
    await house.watchOf(undefined).round()
  })

  it('is skipped if its minute was missed, but runs if the current minute matches', async () => {
    const house = await aHouse()
    const missed = await house.make()
    const often = await house.make({ cron: '*/5 * * * *', action: 'enable' })
    const watch = house.watchOf(await house.lead('one'))
    house.at(30)
    await watch.round()
    expect(await house.fired()).toEqual([[often.id, 'unchanged', iso(30), 0]])
    expect(house.logged).toEqual(['a schedule was skipped: no gateway ran at its time'])
    expect(await house.rows()).toMatchObject([
      { id: missed.id, last_run_at: null, last_result: null, next_run_at: iso(2 + 24 * 60) },
      { id: often.id, next_run_at: iso(35) },
    ])
  })

  it('has no next time if disabled, and keeps it when its note changes', async () => {
    const house = await aHouse()
    const disabled = await house.make({ enabled: false })
    const due = await house.make()
    const watch = house.watchOf(await house.lead('one'))
    house.at(2)
    await house.schedules.update(ROOT, String(due.id), { note: 'for the night' }, [])
    expect(await house.rows()).toMatchObject([{ next_run_at: null }, { next_run_at: iso(2) }])
    await house.schedules.update(ROOT, String(disabled.id), { enabled: true }, [])
    await watch.round()
    expect((await house.fired()).map(([id]) => id)).toEqual([due.id])
    expect(await house.rows()).toMatchObject([{ next_run_at: iso(2 + 24 * 60) }, { next_run_at: iso(2 + 24 * 60) }])
  })
})

describe('several of one minute', () => {
  it('run in order of creation; missing targets are reported, and a failed one is retried in the next pass', async () => {
    const house = await aHouse()
    const tool = { targetType: 'tool', toolName: 't' }
    const first = await house.make(tool)
    const second = await house.make({ ...tool, action: 'enable' })
    const third = await house.make({ action: 'enable' })
    await house.database.write((tx) =>
      // As for a tool missing in its source.
      tx.updateTable('schedules').set({ tool_name: 'gone' }).where('id', '=', first.id).execute(),
    )
    const lease = await house.lead('one')
    let broken = true
    const failing = house.watchOf(lease, {
      fire: createScheduleFire({
        ...house,
        backends: {
          switchIn: (...given) =>
            broken ? Promise.reject(new Error('the disk is full')) : house.backends.switchIn(...given),
        },
        clock: { now: () => house.time.nowMs },
      }),
    })
    house.at(2)
    await failing.round()
    expect(await house.fired()).toEqual([
      [first.id, 'target_missing', iso(2), 0],
      [second.id, 'unchanged', iso(2), 0],
    ])
    expect(house.logged).toEqual(['a schedule could not be run'])
    broken = false
    house.at(2.5)
    await failing.round()
    expect((await house.fired()).slice(2)).toEqual([[third.id, 'unchanged', iso(2), 30_000]])
  })

  it('a thousand run once each, in passes that never overlap (security case NF-15)', async () => {
    const house = await aHouse()
    for (let turn = 0; turn < 1_000; turn += 1) await house.make({ action: turn % 2 === 0 ? 'disable' : 'enable' })
    const watch = house.watchOf(await house.lead('one'))
    let [running, most, rounds] = [0, 0, 0]
    house.at(2)
    await new Promise<void>((resolve) => {
      const loop = createLeaderLoop({
        name: 'the looks',
        everyMs: 1,
        leads: () => true,
        log: { warn: () => expect.fail('a look failed') },
        async work() {
          most = Math.max(most, (running += 1))
          await watch.round()
          running -= 1
          if ((rounds += 1) === 3) resolve(loop.stop())
        },
      })
      loop.start()
    })
    const fired = await house.fired()
    expect([fired.length, new Set(fired.map(([id]) => id)).size, most]).toEqual([1_000, 1_000, 1])
    expect(house.enabled()).toBe(true)
  }, 120_000)
})

it('is deleted with its backend', async () => {
  const house = await aHouse()
  await house.make()
  await house.backends.delete(ROOT, 'pets')
  expect(await house.rows()).toEqual([])
})

it('switches a tool, and reloads it', async () => {
  const house = await aHouse()
  await house.make({ targetType: 'tool', toolName: 't' })
  house.at(2)
  await house.watchOf(await house.lead('one')).round()
  expect(enabledTool(house)).toBe(false)
})

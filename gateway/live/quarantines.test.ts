// Quarantine over a real database: counting, effect, end, and persistence across processes.
import { beforeEach, describe, expect, it } from 'vitest'
import { QuarantinePolicy } from '../contract/admin/tool-features.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone } from '../operations/backends/backends.fixture.ts'
import type { Hit } from '../pipeline/3-policy/quarantine.ts'
import { aCall } from '../pipeline/pipeline.fixture.ts'
import type { Tool } from '../registry/backend.ts'
import { createQuarantines, type LiveQuarantines } from './quarantines.ts'

let house: BackendHouse
const tools = ['read', 'other'].map((name) => ({ name, method: 'GET', endpoint: `/${name}`, description: name }))
const SHOP = RegistrationPayload.parse({ name: 'shop', base_url: 'http://127.0.0.1:81', tools })
beforeEach(async () => {
  house = await aBackendHouse()
  await house.registration.register(ROOT, SHOP)
})

function toolOf(name = 'read'): Tool {
  const tool = house.registry.get('shop')?.tools.get(name)
  if (tool === undefined) throw new Error(`There is no ${name}`)
  return tool
}
const under = (policy: object, tool = 'read') =>
  house.tools.update(ROOT, 'shop', tool, { quarantinePolicy: QuarantinePolicy.parse(policy) }, [])
/** Sequential calls of the tool, as reported by `run`. */
async function calls(...hits: (Hit | 'clean')[]): Promise<void> {
  for (const hit of hits) await house.quarantines.note(aCall({ tool: toolOf() }), hit === 'clean' ? undefined : hit)
}
const state = (of: LiveQuarantines = house.quarantines) => of.stateOf(toolOf())
const entries = async () =>
  (await house.audit()).filter(({ action }) => /quarantine\.(enter|clear)/.test(action)).map(({ action }) => action)
/** Another process on the same database. */
function anotherProcess(received: string[] = []): LiveQuarantines {
  const { database, changes, time } = house
  const log = { error: (text: string) => expect.fail(text) } as never // the only method this module calls
  return createQuarantines({
    database,
    changes,
    clock: { now: () => time.nowMs },
    log,
    onChange: (client) => received.push(client),
  })
}

describe('hits', () => {
  it('in a row, in arguments or answers, reach the threshold: blocked, audited once, announced [ct.8.8.enters ct.8.4.hits]', async () => {
    await under({ consecutiveThreshold: 3 })
    const announced: string[] = []
    house.registry.subscribe(({ type, client }) => announced.push(`${type} ${client}`))
    await calls('input', 'output')
    expect([state().active, state().consecutiveHits, house.quarantines.of(toolOf())]).toEqual([false, 2, undefined])
    expect(announced).toEqual([])
    await calls('input')
    expect(state()).toEqual({
      active: true,
      action: 'block',
      consecutiveHits: 3,
      since: '2026-01-31T09:15:00.000Z',
      until: null,
      reason: '3 in a row; the last time the guardrails refused the arguments',
    })
    expect(house.quarantines.of(toolOf())).toEqual({ untilMs: null })
    expect(announced).toEqual(['changed shop'])
    await calls('input', 'output')
    expect(state().consecutiveHits).toBe(3)
    expect((await house.audit()).at(-1)).toEqual({
      action: 'tool.quarantine.enter',
      target: 'shop__read',
      detail: {
        request_id: 'request-1',
        hits: 3,
        direction: 'input',
        action: 'block',
        until: null,
        principal: 'mcp-env:12345678',
      },
    })
    expect(await entries()).toEqual(['tool.quarantine.enter'])
  })

  it('are reset by a clean call, which does not end a quarantine [ct.8.8.clean]', async () => {
    await under({ consecutiveThreshold: 2 })
    await calls('input', 'clean', 'input', 'clean')
    expect(state()).toMatchObject({ active: false, consecutiveHits: 0 })
    await calls('input', 'output', 'clean', 'clean')
    expect(state()).toMatchObject({ active: true, consecutiveHits: 2 })
  })

  it('are counted per tool, and only with a policy', async () => {
    await calls('input', 'input', 'input')
    expect(state()).toMatchObject({ active: false, consecutiveHits: 0 })
    await under({ consecutiveThreshold: 1 })
    await calls('input')
    expect([house.quarantines.marks(toolOf()), house.quarantines.marks(toolOf('other'))]).toEqual([true, false])
  })

  it('are all counted when concurrent', async () => {
    await under({ consecutiveThreshold: 5 })
    const call = aCall({ tool: toolOf() })
    await Promise.all(Array.from({ length: 8 }, async () => house.quarantines.note(call, 'input')))
    expect(state()).toMatchObject({ active: true, consecutiveHits: 5 })
    expect(await entries()).toEqual(['tool.quarantine.enter'])
  })

  it('are dropped with a deleted tool', async () => {
    await under({ consecutiveThreshold: 1 })
    const call = aCall({ tool: toolOf() })
    await house.backends.delete(ROOT, 'shop')
    await house.quarantines.note(call, 'input')
    expect(house.quarantines.active()).toEqual([])
    expect(house.logged.join('')).not.toContain('could not be counted')
  })
})

describe('a quarantine', () => {
  it.each([
    ['block', { untilMs: null }, false],
    ['force_approval', undefined, true],
    ['observe', undefined, false],
  ] as const)('that is to %s does that alone, and marks the tool [ct.8.8.actions]', async (action, held, forced) => {
    await under({ consecutiveThreshold: 1, action })
    await calls('input')
    const { of, forcesApproval, marks } = house.quarantines
    expect([of(toolOf()), forcesApproval(toolOf()), marks(toolOf())]).toEqual([held, forced, true])
    expect(await house.diagnoses.diagnose(ROOT.actor, 'shop', 'read')).toMatchObject({
      quarantine: { active: true, action },
    })
  })

  it('with automatic recovery ends after its cooldown, with the count reset [ct.8.8.recovery]', async () => {
    await under({ consecutiveThreshold: 2, recoveryMode: 'auto', cooldownMs: 60_000 })
    await calls('input', 'input')
    const until = house.time.nowMs + 60_000
    expect(house.quarantines.of(toolOf())).toEqual({ untilMs: until })
    expect(state().until).toBe(new Date(until).toISOString())
    house.time.nowMs = until - 1
    expect(state().active).toBe(true)
    house.time.nowMs = until
    expect(house.quarantines.active()).toEqual([])
    expect([house.quarantines.of(toolOf()), state()]).toEqual([
      undefined,
      { active: false, action: null, consecutiveHits: 0, since: null, until: null, reason: null },
    ])
    await calls('input')
    expect(state()).toMatchObject({ active: false, consecutiveHits: 1 })
  })

  it('without it ends manually only, not by a policy change [ct.8.8.recovery]', async () => {
    await under({ consecutiveThreshold: 1 })
    await calls('input')
    house.time.nowMs += 604_800_000
    await under({ action: 'observe' })
    await house.tools.update(ROOT, 'shop', 'read', { quarantinePolicy: null }, [])
    expect(house.quarantines.of(toolOf())).toEqual({ untilMs: null })
    await expect(house.tools.clearQuarantine(someone(2), 'shop', 'read')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    })
    expect(await house.tools.clearQuarantine(ROOT, 'shop', 'read')).toEqual({ status: 'cleared', wasActive: true })
    expect(await house.tools.clearQuarantine(ROOT, 'shop', 'read')).toEqual({ status: 'cleared', wasActive: false })
    expect([house.quarantines.of(toolOf()), state().active]).toEqual([undefined, false])
    expect(await entries()).toEqual(['tool.quarantine.enter', 'tool.quarantine.clear', 'tool.quarantine.clear'])
  })

  it('applies to every process, including later ones [ct.8.8.persistent]', async () => {
    await under({ consecutiveThreshold: 2, recoveryMode: 'auto', cooldownMs: 60_000 })
    const received: string[] = []
    const other = anotherProcess(received)
    await calls('input')
    // It has no state, and adds its count to the stored one.
    await other.note(aCall({ tool: toolOf() }), 'input')
    expect([state(other).active, state().active]).toEqual([true, false])
    await house.quarantines.refresh()
    expect(house.quarantines.of(toolOf())).toEqual(other.of(toolOf()))
    const later = anotherProcess()
    await later.refresh()
    expect(state(later)).toEqual(state(other))
    await house.tools.clearQuarantine(ROOT, 'shop', 'read')
    await other.refresh()
    expect([state(other).active, received]).toEqual([false, ['shop', 'shop']])
  })

  it('is removed after its end without calls, and survives re-discovery', async () => {
    await under({ consecutiveThreshold: 1, recoveryMode: 'auto', cooldownMs: 1_000 })
    await calls('input')
    const stored = () => house.database.query.selectFrom('quarantines').selectAll().execute()
    await house.registration.register(ROOT, SHOP)
    expect(state().active).toBe(true)
    house.time.nowMs += 1_000
    await house.quarantines.refresh()
    expect(await stored()).toEqual([])
    await calls('input')
    await house.backends.delete(ROOT, 'shop')
    expect(await stored()).toEqual([])
  })
})

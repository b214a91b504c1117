// A monitor of a tool that needs a person runs it only once another person approved this tool with these arguments.
import { beforeAll, describe, expect, it } from 'vitest'
import type { MonitorRecord } from '#contract'
import { body, code } from './curation.fixture.ts'
import { type Answer, aUser, type Env } from './gateway.fixture.ts'
import { useMonitors } from './monitors.fixture.ts'

const { gateway, api, configure, ask, run, must, setClock } = useMonitors()
let ann: Env
let bob: Env

beforeAll(async () => {
  ann = await aUser(gateway(), 'ann', 'operator')
  bob = await aUser(gateway(), 'bob', 'operator')
})

const PATH = '/admin-api/clients/shop/tools/pets'
const CANARY = '/admin-api/clients/shop/canary'
const POOL = '/admin-api/clients/shop/lb'
const as = (who: Env, method: string, path: string, given?: unknown): Promise<Answer> =>
  gateway().ask(`${PATH}${path}`, { method, headers: who, ...(given === undefined ? {} : { body: given }) })
const monitored = async (who: Env, more: object = {}): Promise<void> => {
  const set = await as(who, 'PATCH', '', { monitor: { args: { limit: 1 } }, ...more })
  expect([set.status, set.text]).toEqual([200, expect.any(String)])
}
const record = async (): Promise<MonitorRecord> => body(await ask('', 'GET')).monitor as MonitorRecord // of a tool that has one
const refused = async (): Promise<void> => {
  const answer = await as(bob, 'POST', '/monitor/run')
  expect([answer.status, code(answer)]).toEqual([409, 'MONITOR_NOT_APPROVED'])
}
const approve = (who: Env, given: object = {}) => as(who, 'POST', '/monitor/approve', given)
const calls = (): number => api().hits.filter(({ url }) => url.startsWith('/pets')).length

describe.each<[string, object, string]>([
  ['an approval', { approval: {} }, 'approval'],
  ['a confirmation', { sensitive: true }, 'confirmation'],
])('a monitor of a tool that needs %s', (_what, guard, needed) => {
  it('is refused until another person approves it, and reports it', async () => {
    await monitored(ann, guard)
    const before = calls()
    await refused()
    expect(await record()).toMatchObject({ approval: { needed, given: false, by: null, at: null, setBy: 'ann' } })
    const own = await approve(ann)
    expect([own.status, code(own)]).toEqual([403, 'SELF_APPROVAL'])
    // An operator cannot confirm for themselves.
    expect(code(await approve(ann, { confirm: true }))).toBe('SELF_APPROVAL')
    expect(calls()).toBe(before)
    const given = await approve(bob)
    expect(given.json).toMatchObject({ approval: { needed, given: true, by: 'bob', setBy: 'ann' } })
    expect(await run()).toMatchObject({ status: 'ok' })
    expect(calls()).toBe(before + 1)
    const { items } = await must('/admin-api/audit-log?action=tool.monitor.approve&limit=1')
    expect(items).toMatchObject([{ actor: 'bob', detail: { need: needed, setBy: 'ann', confirmed: false } }])
  })

  it('is approved by an admin who set it, when they confirm', async () => {
    await configure({ ...guard, monitor: {} })
    await refused()
    expect(code(await ask('/monitor/approve', 'POST', {}))).toBe('SELF_APPROVAL')
    expect((await ask('/monitor/approve', 'POST', { confirm: true })).status).toBe(200)
    expect(await run()).toMatchObject({ status: 'ok', approval: { given: true } })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['its arguments', () => configure({ monitor: { args: { limit: 2 } } })],
    ['a guard of the tool', () => configure({ guards: { timeoutMs: 5000 } })],
    ['the address of its backend', () => must('/admin-api/clients/shop', 'PATCH', { baseUrl: `${api().url}/v2` })],
    ['a canary', () => must(CANARY, 'PUT', { secondaryBaseUrl: `${api().url}/v2`, weight: 100 })],
    ['a failover', () => must(CANARY, 'PUT', { secondaryBaseUrl: `${api().url}/v2`, mode: 'failover' })],
    ['a pool', () => must(`${POOL}/upstreams`, 'POST', { baseUrl: `${api().url}/v2` })],
  ])('loses its approval with a change of %s', async (_which, change) => {
    await monitored(ann, guard)
    await approve(bob)
    await run()
    const before = calls()
    await change()
    await refused()
    expect((await record()).approval.given).toBe(false)
    expect(calls()).toBe(before)
    await must('/admin-api/clients/shop', 'PATCH', { baseUrl: api().url })
    await must(CANARY, 'PUT', { canary: null })
    await must(POOL, 'PUT', { lb: null })
  })
})

describe('who changed what a monitor runs', () => {
  it('does not approve it, whether by its example or by its tool', async () => {
    const { id } = body(await as(ann, 'POST', '/examples', { label: 'one', args: { limit: 1 } }))
    await configure({ approval: {}, monitor: { exampleId: id } })
    expect((await approve(ann)).status).toBe(200)
    await as(ann, 'PATCH', `/examples/${String(id)}`, { args: { limit: 3 } })
    await refused()
    expect((await record()).approval).toMatchObject({ given: false, setBy: 'ann' })
    expect(code(await approve(ann))).toBe('SELF_APPROVAL')
    expect((await approve(bob)).status).toBe(200)
    await as(bob, 'PATCH', '', { redactPaths: ['a'] })
    expect(code(await approve(bob))).toBe('SELF_APPROVAL')
    await configure({ redactPaths: null })
  })

  it('is one of those the tool names, where it names any', async () => {
    await configure({ approval: { approvers: ['bob'] }, monitor: {} })
    expect(code(await approve(ann))).toBe('NOT_AN_APPROVER')
    expect((await approve(bob)).status).toBe(200)
  })

  it('has nothing to approve where the tool needs no person', async () => {
    await configure({ monitor: {} })
    expect(code(await approve(bob))).toBe('NOT_APPLICABLE')
    expect(await run()).toMatchObject({ status: 'ok', approval: { needed: null, given: false } })
  })
})

it('a scheduled run is refused as well, and the record has the reason', async () => {
  await configure({ approval: {}, monitor: { intervalMinutes: 1 } })
  const before = calls()
  await setClock(120_000)
  await expect.poll(async () => (await record()).lastError, { timeout: 30_000 }).toMatch(/^MONITOR_NOT_APPROVED: /)
  expect(calls()).toBe(before)
})

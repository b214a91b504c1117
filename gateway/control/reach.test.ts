// Lists, figures and audit tail within a scope: nothing outside it is revealed, neither by name nor by count.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KeyInput } from '../contract/admin/mcp-keys.ts'
import { ROOT } from '../operations/backends/backends.fixture.ts'
import { aControlHouse, aKey, type ControlHouse, ENV } from './control.fixture.ts'

const MINE = aKey({ role: 'admin', scopes: { clients: ['mine'] } })
const PAIR = aKey({ role: 'admin', scopes: { tools: ['mine__read'] } })
const TEAM = aKey({ role: 'admin', teamId: 5 })
const UNSCOPED = aKey({ role: 'admin', scopes: {} })

const itemsOf = (answer: Awaited<ReturnType<ControlHouse['call']>>) =>
  answer.value.items as readonly Record<string, unknown>[] // every list has them
const namesOf = (answer: Awaited<ReturnType<ControlHouse['call']>>, key: string) =>
  itemsOf(answer).map((row) => row[key])

/** All pages, by cursor. */
async function pages(house: ControlHouse, name: string, args: object): Promise<readonly (readonly object[])[]> {
  const found: (readonly object[])[] = []
  let cursor: unknown
  do {
    const answer = await house.call(MINE, name, { ...args, ...(cursor === undefined ? {} : { cursor }) })
    expect(answer.isError).toBe(false)
    found.push(itemsOf(answer))
    cursor = answer.value.nextCursor
  } while (cursor !== undefined)
  return found
}

describe('the lists', () => {
  it.each([
    ['the admin key', ENV, ['dark', 'mine', 'theirs']],
    ['a key of everything', aKey(), ['dark', 'mine', 'theirs']],
    ['a key of one backend', MINE, ['mine']],
    ['a key with tools only', PAIR, []],
    ['a key of another team', TEAM, []],
    ['a key of nothing', UNSCOPED, []],
  ])('of backends shows %s what is its own [ct.6.2.scope-lists]', async (_kind, caller, expected) => {
    const house = await aControlHouse()
    const answer = await house.call(caller, 'sys_list_clients')
    expect(namesOf(answer, 'name')).toEqual(expected)
    expect(answer.value.nextCursor).toBeUndefined()
  })

  it.each([
    ['the admin key', ENV, 9],
    ['a key of one backend', MINE, 3],
    ['a key with tools only', PAIR, 1],
    ['a key of another team', TEAM, 0],
  ])('of tools shows %s what is its own', async (_kind, caller, count) => {
    const house = await aControlHouse()
    expect(itemsOf(await house.call(caller, 'sys_list_tools'))).toHaveLength(count)
    // A filter on a hidden record matches nothing.
    for (const client of ['theirs', 'absent'])
      if (caller !== ENV) expect(itemsOf(await house.call(caller, 'sys_list_tools', { client }))).toEqual([])
  })

  it('of bundles shows those without hidden members', async () => {
    const house = await aControlHouse()
    const member = (client: string) => ({ client, tool: 'read' })
    const add = (name: string, clients: string[]) =>
      house.bundles.create(ROOT, { name, tools: clients.map(member), composites: [], enabled: true })
    await add('all', ['mine', 'theirs'])
    await add('own', ['mine'])
    expect(namesOf(await house.call(ENV, 'sys_list_bundles'), 'name')).toEqual(['all', 'own'])
    expect(namesOf(await house.call(MINE, 'sys_list_bundles'), 'name')).toEqual(['own'])
    expect(namesOf(await house.call(UNSCOPED, 'sys_list_bundles'), 'name')).toEqual([])
  })

  it.each([
    ['the admin key', ENV, ['of all', 'in bundle', 'narrowed', 'of dark', 'of theirs', 'of mine']],
    ['a key of everything', aKey(), ['of all', 'in bundle', 'narrowed', 'of dark', 'of theirs', 'of mine']],
    ['a key of one backend', MINE, ['in bundle', 'of mine']],
    ['a key with tools only', PAIR, ['in bundle', 'of mine']],
    ['a key of another team', TEAM, []],
    ['a key of nothing', UNSCOPED, []],
  ])('of keys shows %s those that reach no further than itself', async (_kind, caller, expected) => {
    const house = await aControlHouse()
    const tools = [{ client: 'mine', tool: 'read' }]
    await house.bundles.create(ROOT, { name: 'own', tools, composites: [], enabled: true })
    const mint = (label: string, more: object) => house.keys.create(ROOT, KeyInput.parse({ label, ...more }))
    await mint('narrowed', { scopes: { clients: ['mine'] }, allowedTools: ['theirs__read'] })
    await mint('in bundle', { scopes: { bundles: ['own'] } })
    const { key } = await mint('of all', {})
    const answer = await house.call(caller, 'sys_list_keys')
    expect(namesOf(answer, 'label')).toEqual(expected)
    expect(answer.text).not.toContain(key)
    expect(answer.text).not.toContain(createHash('sha256').update(key).digest('hex'))
  })

  it('page without gaps or cursors for hidden records', async () => {
    const house = await aControlHouse()
    expect(await pages(house, 'sys_list_clients', { limit: 1 })).toMatchObject([[{ name: 'mine' }]])
    expect(await pages(house, 'sys_list_tools', { limit: 2 })).toMatchObject([
      [{ tool: 'read' }, { tool: 'wipe' }],
      [{ tool: 'write' }],
    ])
  })

  it('apply filters [ct.6.3.sys_list_clients ct.6.3.sys_list_tools]', async () => {
    const house = await aControlHouse()
    const clients = async (args: object) => namesOf(await house.call(ENV, 'sys_list_clients', args), 'name')
    expect(await clients({ q: 'MIN' })).toEqual(['mine'])
    expect(await clients({ enabled: false })).toEqual(['dark'])
    expect(await clients({ status: 'unreachable' })).toEqual([])
    expect(await clients({ limit: 2 })).toEqual(['dark', 'mine'])
    const tools = async (args: object) => itemsOf(await house.call(ENV, 'sys_list_tools', args))
    expect(await tools({ client: 'mine', q: 'wipe' })).toMatchObject([{ client: 'mine', tool: 'wipe' }])
    expect(await tools({ limit: 4 })).toHaveLength(4)
    for (const limit of [0, 1001, 1.5, '5'])
      expect(await house.call(ENV, 'sys_list_tools', { limit })).toMatchObject({ code: 'invalid_arguments' })
    expect(await house.call(ENV, 'sys_list_clients', { cursor: 'x' })).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

describe('the audit tail', () => {
  it('is newest first, within the limit [ct.6.3.sys_audit_tail gw.sys.sys_audit_tail]', async () => {
    const house = await aControlHouse()
    const ids = namesOf(await house.call(ENV, 'sys_audit_tail', { limit: 3 }), 'id')
    const newest = (await house.audit()).length
    expect(ids).toEqual([newest, newest - 1, newest - 2])
    expect(await house.call(ENV, 'sys_audit_tail', { limit: 201 })).toMatchObject({ code: 'invalid_arguments' })
  })

  it('shows a scoped caller only its own backends and tools [gw.auth.7-tenant-reads]', async () => {
    const house = await aControlHouse()
    const actions = async (caller: typeof ENV) =>
      itemsOf(await house.call(caller, 'sys_audit_tail')).map(({ action, target }) => `${action} ${target}`)
    await house.tools.update(ROOT, 'mine', 'read', { enabled: false }, [])
    await house.tools.update(ROOT, 'theirs', 'read', { enabled: false }, [])
    expect(await actions(MINE)).toEqual(['tool.disable mine__read', 'client.register mine'])
    expect(await actions(PAIR)).toEqual(['tool.disable mine__read'])
    expect(await actions(TEAM)).toEqual([])
    expect(await actions(UNSCOPED)).toEqual([])
  })
})

it('counts only a scoped caller’s own records [ct.6.3.sys_metrics gw.sys.sys_metrics]', async () => {
  const house = await aControlHouse()
  const row = (client: string, duration_ms: number) => ({
    request_id: 'x',
    at_ms: house.time.nowMs,
    principal: 'x',
    surface: 'shard',
    client,
    tool: 'read',
    called_as: 'read',
    outcome: 'success',
    status_class: '2xx',
    duration_ms,
    attempts: 1,
    request_bytes: 0,
    response_bytes: 0,
  })
  await house.database.write((tx) =>
    tx
      .insertInto('calls')
      .values([row('mine', 10), row('mine', 20), row('theirs', 1_000)])
      .execute(),
  )
  for (const client of ['mine', 'mine', 'theirs']) {
    house.metrics.inc('mcp_tool_calls_total', { outcome: 'success' })
    house.metrics.inc('mcp_client_tool_calls_total', { client, outcome: 'success' })
  }
  house.metrics.inc('mcp_tool_calls_total', { outcome: 'error' })
  house.time.nowMs += 5_000
  const all = (await house.call(ENV, 'sys_metrics')).value
  expect(all).toEqual({
    uptimeSeconds: 5,
    sessions: { streamable: 0 },
    toolCalls: { total: 4, success: 3, error: 1, refused: 0, cancelled: 0 },
    avgLatencyMs: 343,
    p95LatencyMs: 1_000,
    breakers: { open: 0, halfOpen: 0, closed: 3 },
    version: '1.0.0',
    instanceId: 'one',
    leader: true,
  })
  expect((await house.call(MINE, 'sys_metrics')).value).toMatchObject({
    toolCalls: { total: 2, success: 2, error: 0 },
    avgLatencyMs: 15,
    p95LatencyMs: 20,
    breakers: { closed: 1 },
  })
  for (const caller of [TEAM, UNSCOPED])
    expect((await house.call(caller, 'sys_metrics')).value).toMatchObject({
      toolCalls: { total: 0 },
      avgLatencyMs: 0,
      breakers: { open: 0, halfOpen: 0, closed: 0 },
    })
})

// What three gateways know of each other: who has applied a change, who is behind, who leaves the rotation, and what one refuses that cannot know.
import { beforeAll, describe, expect, it } from 'vitest'
import { act, bearer, mint, outcome } from './access.fixture.ts'
import { disable } from './data-plane.fixture.ts'
import { aFleet, type Fleet, SOON, useEngines } from './fleet.fixture.ts'
import { endsOfSuite, type Gateway } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

type Listed = { readonly items: readonly Record<string, unknown>[]; readonly newest: number; readonly oldest: number }
const instances = async (gateway: Gateway): Promise<Listed> =>
  (await gateway.admin('/admin-api/instances')).json as Listed // by the contract
const readiness = async (gateway: Gateway) => {
  const { status, json } = await gateway.ask('/readyz?for=traffic')
  return { ...(json as { reasons: string[]; fleet: { instances: number; oldest: number; newest: number } }), status } // by the contract
}

describe.each(useEngines())('three instances on %s', (_name, here, env) => {
  const ends = endsOfSuite()
  let fleet: Fleet
  let ids: readonly [string, string, string]
  beforeAll(async () => {
    if (!here) return
    const own = await env()
    ids = 'INSTANCES' in own ? ['one-1', 'one-2', 'one-3'] : ['instance-2', 'instance-3', 'one']
    // A process that is frozen for a few seconds stays a member.
    fleet = await aFleet({ ...own, REGISTRY_MAX_STALENESS_MS: '3000', LEADER_LEASE_DURATION_MS: '60000' }, 3, ends)
  })

  it.skipIf(!here)('confirm a change with ?wait=fleet: it is applied where it is confirmed', async () => {
    const { all, first } = fleet
    const key = await mint(first)
    for (const each of all) await expect.poll(() => outcome(each, bearer(key.key)), SOON).toBe('ok')
    const { headers, status } = await act(first, key, 'revoke?wait=fleet')
    expect(status).toBe(200)
    expect(
      headers
        .get('x-fleet-applied')
        ?.split(', ')
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(ids)
    expect(headers.get('x-fleet-pending')).toBe('')
    for (const each of all) expect(await outcome(each, bearer(key.key))).toBe('401 UNAUTHORIZED')
    expect((await act(first, key, 'revoke?wait=all')).status).toBe(400)
  })

  it.skipIf(!here)('show each other, and the version that each has applied', async () => {
    const { all, first } = fleet
    await first.admin('/admin-api/clients/petstore?wait=fleet', { method: 'PATCH', body: { description: 'ours' } })
    await expect
      .poll(async () => (await instances(first)).items.every(({ memoryBytes }) => memoryBytes), SOON)
      .toBe(true)
    const behind = async (): Promise<number> => {
      const { newest, oldest } = await instances(first)
      return newest - oldest
    }
    await expect.poll(behind, SOON).toBe(0)
    const { items, newest } = await instances(first)
    expect(items.map(({ id }) => String(id)).toSorted((a, b) => a.localeCompare(b))).toEqual(ids)
    expect(items.filter(({ leader }) => leader)).toHaveLength(1)
    expect(items.filter(({ self }) => self)).toHaveLength(1)
    for (const each of all) {
      await expect
        .poll(async () => (await readiness(each)).fleet, SOON)
        .toEqual({ instances: 3, oldest: newest, newest })
      const metric = await reading(each)
      // Of several processes each is named.
      const [label = ''] = ids.flatMap((id) => (id.startsWith('one-') ? [`{process="${id}"}`] : []))
      expect(metric(`mcp_instances${label}`)).toBe(3)
      expect(metric(`mcp_registry_version_oldest${label}`)).toBe(metric(`mcp_registry_version_newest${label}`))
    }
  })

  it.skipIf(!here)('leave the rotation and return to it, and serve on', async () => {
    const { all, first, headers } = fleet
    const [, second] = all
    if (second === undefined) throw new Error('A fleet has three')
    const turn = (id: string, what: string) => first.admin(`/admin-api/instances/${id}/${what}`, { method: 'POST' })
    // Both at once: a change is read with the next round.
    await Promise.all(
      [first, second].map(async (gateway) => {
        const self = (await instances(gateway)).items.find((each) => each.self)
        const id = String(self?.id)
        expect((await turn(id, 'drain')).json).toEqual({ draining: true })
        await expect.poll(() => readiness(gateway), SOON).toMatchObject({ status: 503, reasons: ['drained'] })
        expect(await outcome(gateway, headers)).toBe('ok')
        expect((await turn(id, 'resume')).status).toBe(200)
        await expect.poll(async () => (await readiness(gateway)).status, SOON).toBe(200)
      }),
    )
    expect(await turn('missing', 'drain')).toMatchObject({ status: 404 })
  })

  it.skipIf(!here)('that froze refuse calls until they have read what changed', async () => {
    const { all, first } = fleet
    const frozen = all[2]
    if (frozen === undefined) throw new Error('A fleet has three')
    const key = await mint(first)
    await expect.poll(() => outcome(frozen, bearer(key.key)), SOON).toBe('ok')
    const self = (await instances(frozen)).items.find((each) => each.self)
    frozen.signal('SIGSTOP')
    // The list has the sessions of the others and names the frozen one. Both requests wait for the frozen one, 2 s each: longer than the staleness bound.
    const listed = await first.admin('/admin-api/mcp-sessions')
    expect(listed.json).toMatchObject({ unanswered: [self?.id] })
    const ended = await first.admin('/admin-api/mcp-sessions/none', { method: 'DELETE' })
    expect([ended.status, ended.text]).toEqual([404, expect.stringContaining(`without an answer: ${String(self?.id)}`)])
    await act(first, key, 'revoke')
    await disable(first)
    const asked = Promise.all(Array.from({ length: 20 }, () => outcome(frozen, bearer(key.key))))
    frozen.signal('SIGCONT')
    for (const code of await asked) expect(['503 DATABASE_UNAVAILABLE', '401 UNAUTHORIZED']).toContain(code)
    await expect.poll(() => outcome(frozen, bearer(key.key)), SOON).toBe('401 UNAUTHORIZED')
  })
})

// Watching an upstream for changes of its lists: through lost streams, floods and a new address.
import { describe, expect, it, vi } from 'vitest'
import { aBackend, aCall, aPeer, aRig, send } from './upstream.fixture.ts'

describe('a watch', () => {
  it('that could not listen for a while reports it afterwards, as something may have changed', async () => {
    const rig = aRig()
    let cuts = 0
    const peer = await aPeer({
      listChanged: true,
      intercept: ({ httpMethod, response }) => {
        if (httpMethod !== 'GET' || cuts === 2) return false
        cuts += 1
        response.destroy()
        return true
      },
    })
    rig.upstreams.watch(await aBackend(rig, peer.url))
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 20_000)
    expect(peer.count('initialize')).toBe(1)
  })

  it('of an upstream that announces nothing costs it no connection, and a flood is passed on once a second (security case MC-07)', async () => {
    const rig = aRig()
    const silent = await aPeer()
    rig.upstreams.watch(await aBackend(rig, silent.url))
    await vi.waitFor(() => expect(silent.count('notifications/initialized')).toBe(1), 20_000)
    const loud = await aPeer({ listChanged: true })
    const other = aRig()
    other.upstreams.watch(await aBackend(other, loud.url))
    await vi.waitFor(() => expect(loud.streams()).toBe(1), 20_000)
    for (let count = 0; count < 50; count += 1) loud.changeTools([])
    await vi.waitFor(() => expect(other.changes).toHaveLength(1), 20_000)
    await vi.waitFor(() => expect(other.changes).toHaveLength(2), 20_000)
    expect(silent.seen.filter(({ httpMethod }) => httpMethod === 'GET')).toEqual([])
  })

  it('goes on at the new address of its backend', async () => {
    const rig = aRig()
    const old = await aPeer({ listChanged: true })
    const fresh = await aPeer({ listChanged: true, era: 'modern' })
    rig.upstreams.watch(await aBackend(rig, old.url))
    await vi.waitFor(() => expect(old.streams()).toBe(1), 20_000)
    await send(rig, aCall(await aBackend(rig, fresh.url), 'echo'))
    await vi.waitFor(() => expect(fresh.streams()).toBe(1), 20_000)
    await vi.waitFor(() => expect(old.streams()).toBe(0), 20_000)
    fresh.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 20_000)
  })
})

// Both eras, both forms of answer, failures and credentials, over real sockets.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { TokenUnavailable } from '../registry/credentials.ts'
import { aBackend, aCall, aPeer, aRig, aTalk, bearer, send } from './upstream.fixture.ts'

describe('a call is refused or fails', () => {
  it("with the message of a JSON-RPC error; only what is not the caller's fault counts against the upstream", async () => {
    const rig = aRig()
    const backend = await aBackend(rig, (await aPeer()).url)
    expect(await send(rig, aCall(backend, 'fault', { code: -32_000 }))).toEqual({
      kind: 'failed',
      failure: 'upstream_error',
      text: 'no good',
      retryable: false,
      details: { code: -32_000, data: { why: 'changed' } },
      saysUpstreamFailed: true,
    })
    for (const code of [-32_601, -32_602]) {
      const outcome = await send(rig, aCall(backend, 'fault', { code }))
      expect(outcome).toMatchObject({ failure: 'upstream_error', details: { code }, saysUpstreamFailed: false })
    }
  })

  it("with the upstream's own error result", async () => {
    const rig = aRig()
    const backend = await aBackend(rig, (await aPeer()).url)
    expect(await send(rig, aCall(backend, 'fail'))).toMatchObject({
      failure: 'upstream_error',
      text: 'it broke',
      result: { isError: true, vendorField: 1, content: [{ type: 'text', text: 'it broke' }] },
    })
  })

  it('with the status of an answer that is no JSON-RPC, retryable when the status allows it', async () => {
    const rig = aRig()
    const peer = await aPeer({
      intercept: ({ method, response }) => {
        if (method !== 'tools/call') return false
        response.writeHead(503).end('<h1>down\u0007</h1>')
        return true
      },
    })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({
      failure: 'upstream_status',
      status: 503,
      text: 'HTTP 503 from up: <h1>down</h1>',
      retryable: true,
    })
  })

  it('when no server is there', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    await peer.close()
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({
      failure: 'network',
      text: 'Could not reach up: connection refused',
    })
  })

  it('when no server is at the address its name was pinned to (security case SS-06)', async () => {
    const rig = aRig()
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url.replace('127.0.0.1', 'localhost'))
    await peer.close()
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({
      text: 'Could not reach up: connection refused. Its addresses are pinned: if they have changed, an administrator can re-discover it',
    })
  })

  it.each([
    ['network', 'could not be queried: connection refused'],
    ['upstream_error', 'answered 401'],
  ] as const)('when there is no token for it: %s, and nothing is sent [ct.9.3.failure]', async (failure, why) => {
    const tokenless = async (): Promise<never> => {
      throw new TokenUnavailable(failure, why)
    }
    const rig = aRig({ credential: tokenless })
    const peer = await aPeer()
    const backend = await aBackend(rig, peer.url)
    const shown = {
      kind: 'failed',
      failure,
      text: expect.stringContaining(`Nothing was sent to up: the token endpoint ${why}`),
      unasked: true,
    }
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject(shown)
    const relayed = { kind: 'request', method: 'prompts/list', capability: 'prompts', counted: false } as const
    expect(await send(rig, { ...aCall(backend, ''), talk: aTalk({}), relayed })).toMatchObject(shown)
    expect(peer.seen).toEqual([])
  })

  it('when it does not answer within what is left of a deadline, which is given in whole milliseconds', async () => {
    const rig = aRig()
    const peer = await aPeer({ intercept: () => true })
    const failed = rig.upstreams.ping(await aBackend(rig, peer.url), 100.25)
    await expect(failed).rejects.toThrow(/^no complete answer within \d+ ms$/)
  })

  it('when its token cannot be renewed after it was refused', async () => {
    let asked = 0
    const rig = aRig({
      credential: () => {
        asked += 1
        if (asked > 3) throw new TokenUnavailable('upstream_error', 'answered 400')
        return bearer('old-token')
      },
      refreshCredential: async () => {
        throw new TokenUnavailable('upstream_error', 'answered 400')
      },
    })
    const peer = await aPeer({ bearer: 'new-token' })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({
      failure: 'upstream_error',
      unasked: true,
    })
  })

  it('when the upstream speaks no revision that is known', async () => {
    const rig = aRig()
    const peer = await aPeer({ revision: '1999-01-01' })
    expect(await send(rig, aCall(await aBackend(rig, peer.url), 'echo'))).toMatchObject({ failure: 'bad_response' })
  })
})

describe.each(['modern', 'legacy'] as const)('an upstream of the %s era', (era) => {
  describe.each(['json', 'sse'] as const)('that answers as %s', (as) => {
    it('gives its result as it is: unknown fields, unknown blocks', async () => {
      const rig = aRig()
      const peer = await aPeer({ era, as, splitBytes: 3 })
      const backend = await aBackend(rig, peer.url)
      expect(await send(rig, aCall(backend, 'extras'))).toEqual({
        kind: 'ok',
        result: {
          content: [
            { type: 'hologram', shape: { deep: [1] } },
            { type: 'text', text: 'plain', note: 'kept' },
          ],
          futureField: { a: 1 },
          _meta: { 'vendor/x': true },
        },
      })
    })

    it('is met once, and not again for each call; its connection is used again', async () => {
      const rig = aRig()
      const peer = await aPeer({ era, as })
      const backend = await aBackend(rig, peer.url)
      for (let count = 0; count < 20; count += 1)
        expect(await send(rig, aCall(backend, 'echo', { count }))).toMatchObject({ kind: 'ok' })
      expect(peer.count('server/discover')).toBe(1)
      expect(peer.count('initialize')).toBe(era === 'legacy' ? 1 : 0)
      expect(peer.count('tools/call')).toBe(20)
      // A pool may keep a second one beside the one that is just becoming free.
      expect(peer.connections()).toBeLessThanOrEqual(2)
    })
  })

  it('is met once by many calls at the same time', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => send(rig, aCall(backend, 'echo', { n }))))
    expect(outcomes.map((outcome) => outcome.kind === 'ok' && outcome.result.structuredContent)).toEqual(
      Array.from({ length: 30 }, (_, n) => ({ n })),
    )
    expect(peer.count('server/discover')).toBe(1)
    expect(peer.count('initialize')).toBe(era === 'legacy' ? 1 : 0)
  })

  it('never mixes the answers of concurrent calls', async () => {
    const rig = aRig({ connections: 16 })
    const peer = await aPeer({ era, as: 'sse', splitBytes: 7 })
    const backend = await aBackend(rig, peer.url)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.nat(15), caller: fc.nat(6) }), { minLength: 2, maxLength: 24 }),
        async (calls) => {
          await Promise.all(
            calls.map(async ({ ms, caller }, index) => {
              const outcome = await send(rig, aCall(backend, 'echo', { ms, index }, { sessionHash: `s${caller}` }))
              expect(outcome).toMatchObject({ kind: 'ok', result: { structuredContent: { ms, index } } })
            }),
          )
        },
      ),
      { numRuns: 15 },
    )
    expect(peer.sessions.size).toBeLessThanOrEqual(7)
  })

  it('receives a cancelled call, and one that took too long', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    let cancel: () => void = () => undefined
    const cancelled = send(rig, aCall(backend, 'slow'), 60_000, (given) => (cancel = given))
    await vi.waitFor(() => expect(peer.count('tools/call')).toBe(1), 20_000)
    cancel()
    expect(await cancelled).toMatchObject({ failure: 'cancelled', text: 'Cancelled' })
    expect(await send(rig, aCall(backend, 'slow'), 500)).toMatchObject({
      failure: 'timeout',
      text: 'Timed out after 500 ms',
    })
    await vi.waitFor(() => expect(peer.abandoned.filter((method) => method === 'tools/call')).toHaveLength(2), 20_000)
    if (era === 'modern') return
    await vi.waitFor(() => expect(peer.count('notifications/cancelled')).toBe(2), 20_000)
    const calls = peer.seen.filter(({ method }) => method === 'tools/call').map(({ id }) => id)
    const shown = peer.seen
      .filter(({ method }) => method === 'notifications/cancelled')
      .map(({ params }) => params.requestId)
    expect(shown).toEqual(calls)
  })

  it('has its progress relayed, cleaned', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const seen: unknown[][] = []
    const call = aCall(
      await aBackend(rig, peer.url),
      'progress',
      {},
      { meta: { progressToken: 'theirs' }, onProgress: (...given) => seen.push(given) },
    )
    expect(await send(rig, call)).toMatchObject({ kind: 'ok' })
    expect(seen).toEqual([
      [1, 3, 'step 1'],
      [2, 3, 'step 2'],
      [3, 3, 'step 3'],
    ])
    const sent = peer.seen.find(({ method }) => method === 'tools/call')
    expect(sent?.params._meta).toMatchObject({ progressToken: sent?.id })
  })

  it('is notified when its list of tools may be read again, after a lost stream too', async () => {
    const rig = aRig()
    const peer = await aPeer({ era, listChanged: true })
    rig.upstreams.watch(await aBackend(rig, peer.url))
    await vi.waitFor(() => expect(peer.streams()).toBe(1), 20_000)
    peer.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up']), 20_000)
    peer.endStreams()
    await vi.waitFor(() => expect(peer.streams()).toBe(1), 20_000)
    peer.changeTools([])
    await vi.waitFor(() => expect(rig.changes).toEqual(['up', 'up']), 20_000)
    await rig.upstreams.close('up')
    await vi.waitFor(() => expect(peer.streams()).toBe(0), 20_000)
  })

  it('answers a ping, and the lack of one is no illness', async () => {
    const rig = aRig()
    const peer = await aPeer({ era })
    const backend = await aBackend(rig, peer.url)
    await rig.upstreams.ping(backend, 5_000)
    await peer.close()
    await expect(rig.upstreams.ping(backend, 2_000)).rejects.toThrow()
  })

  it('never gives back the credential it was sent', async () => {
    const rig = aRig({ credential: () => bearer('s3cret-token') })
    const peer = await aPeer({ era, bearer: 's3cret-token' })
    const outcome = await send(rig, aCall(await aBackend(rig, peer.url), 'reflect'))
    expect(outcome).toMatchObject({ kind: 'ok' })
    expect(JSON.stringify(outcome)).not.toContain('s3cret')
    expect(JSON.stringify(outcome)).toContain('Bearer [credential removed]')
  })

  it('that refuses a token gets a fresh one, once', async () => {
    let token = 'old-token'
    let refreshed = 0
    const rig = aRig({
      credential: () => bearer(token),
      refreshCredential: async () => {
        refreshed += 1
        token = 'new-token'
        return true
      },
    })
    const peer = await aPeer({ era, bearer: 'new-token' })
    const backend = await aBackend(rig, peer.url)
    expect(await send(rig, aCall(backend, 'echo', { a: 1 }))).toMatchObject({ kind: 'ok' })
    expect(refreshed).toBe(1)
    peer.become({ era, bearer: 'another' })
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ failure: 'upstream_status', status: 401 })
    expect(refreshed).toBe(2)
  })
})

describe('an upstream that changes', () => {
  it('from legacy to modern is greeted again when its session is gone', async () => {
    let time = 0
    const rig = aRig({ monotonic: () => performance.now() + time })
    const peer = await aPeer({ era: 'legacy' })
    const backend = await aBackend(rig, peer.url)
    await send(rig, aCall(backend, 'echo'))
    peer.become({ era: 'modern' })
    time += 120_000
    // The peer of the other era refuses what it does not know as if the session were unknown.
    expect(await send(rig, aCall(backend, 'echo', { n: 1 }))).toMatchObject({ kind: 'failed' })
    peer.become({ era: 'both' })
    expect(await send(rig, aCall(backend, 'echo', { n: 2 }))).toMatchObject({ kind: 'ok' })
    expect(rig.upstreams.known(backend)?.revision).toBe('2026-07-28')
  })

  it('from modern to legacy is greeted again when it no longer understands', async () => {
    let time = 0
    const rig = aRig({ monotonic: () => performance.now() + time })
    const peer = await aPeer({ era: 'modern' })
    const backend = await aBackend(rig, peer.url)
    await send(rig, aCall(backend, 'echo'))
    peer.become({ era: 'legacy' })
    time += 120_000
    expect(await send(rig, aCall(backend, 'echo', { n: 1 }))).toMatchObject({
      kind: 'ok',
      result: { structuredContent: { n: 1 } },
    })
    expect(peer.count('initialize')).toBe(1)
  })

  it('moves to another address with its backend', async () => {
    const rig = aRig()
    const old = await aPeer()
    await send(rig, aCall(await aBackend(rig, old.url), 'echo'))
    const fresh = await aPeer({ era: 'modern' })
    expect(await send(rig, aCall(await aBackend(rig, fresh.url), 'echo'))).toMatchObject({ kind: 'ok' })
    expect(fresh.count('tools/call')).toBe(1)
    expect(old.count('tools/call')).toBe(1)
  })
})

// Against foreign code: the official SDK's server, on both of its transports.
import { describe, expect, it, vi } from 'vitest'
import { type McpSdkPeer, startMcpSdkPeer } from './mcp-sdk-peer.fixture.ts'
import { aBackend, aCall, aRig, later, send } from './upstream.fixture.ts'

async function aSdkPeer(transport: 'streamable-http' | 'sse', answerAs?: 'json' | 'sse'): Promise<McpSdkPeer> {
  const peer = await startMcpSdkPeer(transport, answerAs)
  later(() => peer.close())
  return peer
}

describe.each([
  ['streamable-http', 'json'],
  ['streamable-http', 'sse'],
  ['sse', 'sse'],
] as const)('an SDK server over %s answering %s', (transport, answerAs) => {
  it('fails a call when it is gone, and none after it is back', async () => {
    const rig = aRig()
    const peer = await aSdkPeer(transport, answerAs)
    const backend = await aBackend(rig, peer.url, transport)
    expect(await send(rig, aCall(backend, 'echo'))).toMatchObject({ kind: 'ok' })
    await peer.close()
    expect(await send(rig, aCall(backend, 'echo'), 3_000)).toMatchObject({ failure: 'network' })
  })

  it('lists, is called, and is met once', async () => {
    const rig = aRig()
    const peer = await aSdkPeer(transport, answerAs)
    const backend = await aBackend(rig, peer.url, transport)
    const pin = await rig.outbound.pin(peer.url)
    const { tools } = await rig.upstreams.listTools({ url: peer.url, transport, pin, headers: {}, deadlineMs: 5_000 })
    expect(tools).toEqual([
      { name: 'echo', inputSchema: { type: 'object' }, _meta: { 'vendor/x': 1 } },
      { name: 'slow', inputSchema: { type: 'object' } },
    ])
    const before = peer.initialised()
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => send(rig, aCall(backend, 'echo', { n }))))
    expect(outcomes.map((each) => each.kind === 'ok' && each.result.content[0]?.text)).toEqual(
      Array.from({ length: 20 }, (_, n) => JSON.stringify({ n })),
    )
    expect(peer.initialised() - before).toBe(1)
    await rig.upstreams.ping(backend, 2_000)
  })

  it('receives a cancelled call', async () => {
    const rig = aRig()
    const peer = await aSdkPeer(transport, answerAs)
    const backend = await aBackend(rig, peer.url, transport)
    let cancel: () => void = () => undefined
    const cancelled = send(rig, aCall(backend, 'slow'), 60_000, (given) => (cancel = given))
    await vi.waitFor(() => expect(peer.called()).toBe(1), 20_000)
    cancel()
    expect(await cancelled).toMatchObject({ failure: 'cancelled' })
    await vi.waitFor(() => expect(peer.cancelled()).toBe(1), 20_000)
    expect(await send(rig, aCall(backend, 'slow'), 500)).toMatchObject({ failure: 'timeout' })
    await vi.waitFor(() => expect(peer.cancelled()).toBe(2), 20_000)
  })

  it('announces changed tools', async () => {
    const rig = aRig()
    const peer = await aSdkPeer(transport, answerAs)
    rig.upstreams.watch(await aBackend(rig, peer.url, transport))
    await vi.waitFor(async () => {
      await peer.changeTools()
      expect(rig.changes).toContain('up')
    }, 20_000)
  })
})

describe.each([
  ['streamable-http', 'sse'],
  ['sse', 'sse'],
] as const)('an SDK server over %s', (transport, answerAs) => {
  it('has its progress relayed', async () => {
    const rig = aRig()
    const peer = await aSdkPeer(transport, answerAs)
    const seen: number[] = []
    const call = aCall(
      await aBackend(rig, peer.url, transport),
      'echo',
      {},
      { onProgress: (progress) => seen.push(progress) },
    )
    expect(await send(rig, call)).toMatchObject({ kind: 'ok' })
    expect(seen).toEqual([1])
  })
})

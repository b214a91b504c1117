// What stands for a backend's resources and prompts: the guards of its tools together, and a verdict for the breaker only where there is one.
import { describe, expect, it } from 'vitest'
import type { Tool } from '../registry/backend.ts'
import { besideTools } from './beside-tools.ts'
import type { RelayedRequest, ToolCall } from './call.ts'
import { aBackend, aCall, aTool } from './pipeline.fixture.ts'
import { aRig, done, failed } from './run.fixture.ts'

const withTools = (...configs: Tool['config'][]) =>
  aBackend('up', { tools: new Map(configs.map((config, at) => [`t${at}`, aTool(`t${at}`, { config })])) })
const list = (hashes: string[], ids: number[]): Tool['config'] => ({
  guards: { rateLimitPerMin: 1, rateLimitScope: 'tool', timeoutMs: 1, allowedKeyHashes: hashes, allowedKeyIds: ids },
})
const rules = (denyPatterns: string[], blockSecrets = false): Tool['config'] => ({
  guardrails: { denyPatterns, blockSecrets, scanResponses: true },
})

describe('what a backend has beside its tools', () => {
  it('has the guardrails of all of its tools, and no scan', () => {
    const { config } = besideTools(withTools(rules(['a', 'b']), {}, rules(['b'], true)))
    expect(config).toEqual({ guardrails: { denyPatterns: ['a', 'b'], blockSecrets: true, scanResponses: false } })
  })

  it('has an allow-list where every tool has one, and neither rate nor time of any', () => {
    expect(besideTools(withTools(list(['x'], [1]), list([], [1, 2]))).config.guards).toEqual({
      rateLimitPerMin: null,
      rateLimitScope: 'tool',
      timeoutMs: null,
      allowedKeyHashes: ['x'],
      allowedKeyIds: [1, 2],
    })
    expect(besideTools(withTools(list(['x'], []), {})).config.guards).toBeUndefined()
    expect(besideTools(withTools()).config).toEqual({})
  })

  it('leaves out tools that are gone, and is the same for as long as its backend is', () => {
    const missing = aTool('old', { config: rules(['a']), missingSince: '2026-01-01T00:00:00.000Z' })
    const backend = aBackend('up', { tools: new Map([['old', missing]]) })
    expect(besideTools(backend).config).toEqual({})
    expect(besideTools(backend)).toBe(besideTools(backend))
  })
})

const relayedCall = (relayed: RelayedRequest): ToolCall => {
  const backend = aBackend('up')
  return aCall({ backend, tool: besideTools(backend), relayed })
}
const request = (counted = true): RelayedRequest => ({
  kind: 'request',
  method: 'resources/read',
  capability: 'resources',
  counted,
})
const stream: RelayedRequest = {
  kind: 'stream',
  method: 'subscriptions/listen',
  stream: { resources: [], onStart: () => undefined, onEnd: () => undefined },
}
const notification: RelayedRequest = { kind: 'notification', method: 'notifications/roots/list_changed' }

describe('a relayed request', () => {
  it('that failed opens the breaker of the backend for calls too, and one that was never sent does not', async () => {
    let outcome = failed('network', { unasked: true })
    const rig = aRig({ dispatch: async () => ({ outcome, attempts: 1 }) })
    await rig.run(relayedCall(request()))
    expect(rig.breakers.find('up')?.current()).toBe('closed')
    outcome = failed('network')
    await rig.run(relayedCall(request()))
    expect((await rig.run(aCall({ backend: aBackend('up') }))).outcome).toMatchObject({ code: 'circuit_open' })
    expect((await rig.run(relayedCall(request()))).outcome).toMatchObject({ code: 'circuit_open', reason: 'open' })
  })

  it('is the one probe of a half-open breaker, which streams and notifications are not', async () => {
    const held = Promise.withResolvers<void>()
    let broken = true
    const rig = aRig({
      async dispatch() {
        if (broken) return { outcome: failed('timeout'), attempts: 1 }
        await held.promise
        return { outcome: done, attempts: 1 }
      },
    })
    await rig.run(relayedCall(request()))
    rig.pass(1_000)
    broken = false
    for (const relayed of [stream, notification])
      expect((await rig.run(relayedCall(relayed))).outcome).toMatchObject({ code: 'circuit_open' })
    const probe = rig.run(relayedCall(request()))
    expect((await rig.run(relayedCall(request()))).outcome).toMatchObject({ code: 'circuit_open', reason: 'probing' })
    expect((await rig.run(aCall({ backend: aBackend('up') }))).outcome).toMatchObject({ reason: 'probing' })
    held.resolve()
    expect((await probe).outcome).toBe(done)
    expect(rig.breakers.find('up')?.current()).toBe('closed')
  })

  it('of a stream or a notification that fails says nothing to the breaker', async () => {
    const rig = aRig({ dispatch: async () => ({ outcome: failed('network'), attempts: 1 }) })
    for (const relayed of [stream, notification]) await rig.run(relayedCall(relayed))
    expect(rig.breakers.find('up')?.current()).toBe('closed')
  })

  it('names its method in its row, is no call of a tool to the metrics, and costs quota where configured', async () => {
    const rig = aRig()
    await rig.run(relayedCall(request()))
    await rig.run(relayedCall(request(false)))
    await rig.run(relayedCall(stream))
    expect(rig.rows.map(({ method, tool }) => [method, tool])).toEqual([
      ['resources/read', ''],
      ['resources/read', ''],
      ['subscriptions/listen', ''],
    ])
    expect(rig.settled.map(([, passed]) => passed)).toEqual([true, false, false])
    expect(rig.metrics.read('mcp_tool_calls_total', { outcome: 'success' }).value).toBe(0)
    expect(rig.metrics.read('mcp_relayed_requests_total', { method: 'resources/read', outcome: 'success' }).value).toBe(
      2,
    )
  })
})

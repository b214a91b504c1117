// What may have changed while a call waited, one by one.
import { describe, expect, it } from 'vitest'
import { createEndings } from '../../auth/credential.ts'
import type { Guards } from '../../contract/admin/tool-guards.ts'
import type { Backend } from '../../registry/backend.ts'
import type { Guard } from '../call.ts'
import { aBackend, aCall, aCaller, aTool, somePins } from '../pipeline.fixture.ts'
import { availability, keyAllowlist, keyScope } from './admit.ts'
import { createAdmitAgain } from './again.ts'

const tool = aTool('get')
const shop = aBackend('shop', { tools: new Map([['get', tool]]) })
const withTool = (given: Parameters<typeof aTool>[1]): Backend => ({
  ...shop,
  tools: new Map([['get', aTool('get', given)]]),
})
const guards = {
  rateLimitPerMin: null,
  rateLimitScope: 'tool' as const,
  timeoutMs: null,
  allowedKeyHashes: ['not this one'],
  allowedKeyIds: [],
} satisfies Guards

function asked(now: Backend | undefined, state: Partial<Record<'live' | 'evicted' | 'leaving', boolean>> = {}) {
  const { live = true, evicted = false, leaving = false } = state
  const available = availability({ isLive: () => live, isEvicted: () => evicted, isLeaving: () => leaving })
  const admission = (given: Backend['tools'] extends ReadonlyMap<string, infer T> ? T : never): Guard[] =>
    [available, keyAllowlist(given.config.guards), keyScope].filter((guard) => guard !== undefined)
  const again = createAdmitAgain({ known: () => now }, (_backend, given) => ({
    admission: admission(given).map((guard) => ({ stage: 'admission', guard })),
  }))
  return (call = aCall({ backend: shop, tool })) => again(call)
}

describe('a call that waited is refused (security case AZ-10)', () => {
  it.each([
    ['the backend was disabled', { ...shop, enabled: false }, {}, 'disabled'],
    ['the tool was disabled', withTool({ config: { enabled: false } }), {}, 'disabled'],
    ['the backend is being deleted', shop, { leaving: true }, 'unregistering'],
    ['the backend was torn down', shop, { live: false }, 'unreachable'],
    ['the backend was evicted', shop, { evicted: true }, 'unreachable'],
    ['the backend is gone', undefined, {}, 'unknown_tool'],
    ['the tool is gone', { ...shop, tools: new Map() }, {}, 'unknown_tool'],
    ['the tool is missing from its source', withTool({ missingSince: '2026-01-01' }), {}, 'unknown_tool'],
    ['the tool is for other keys', withTool({ config: { guards } }), {}, 'allowed_key'],
    ['the backend has another address', { ...shop, pins: somePins('127.0.0.2') }, {}, 'unreachable'],
    ['the backend has another base', { ...shop, baseUrl: 'http://shop.test/v2' }, {}, 'unreachable'],
  ])('when %s', async (_what, now, state, code) => {
    expect(await asked(now, state)()).toMatchObject({ kind: 'refused', code })
  })

  it('when its scope does not reach the tool any more, or its credential came to its end', async () => {
    const ask = asked(shop)
    const narrowed = aCall({ backend: shop, tool, caller: aCaller({ mayReach: () => false }) })
    expect(await ask(narrowed)).toMatchObject({ code: 'key_scope' })
    const endings = createEndings()
    const call = aCall({ backend: shop, tool, caller: aCaller({ onEnd: endings.add }) })
    expect(await ask(call)).toBeUndefined()
    endings.end()
    expect(await ask(call)).toMatchObject({ code: 'key_scope' })
  })
})

it('a call that waited goes on when nothing changed, also where the backend was read again', async () => {
  expect(await asked(shop)()).toBeUndefined()
  expect(await asked({ ...shop, pins: somePins(), revision: 2 })()).toBeUndefined()
})

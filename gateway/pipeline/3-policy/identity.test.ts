// The identity of calls in the chain of a tool: there for backends that are called as people, and for no other.
import { describe, expect, it } from 'vitest'
import type { Acting, Unidentified } from '../../identity/acting.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { Backend } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import type { StoredIdentity } from '../../storage/stored.ts'
import { besideTools } from '../beside-tools.ts'
import type { ToolCall } from '../call.ts'
import { createChains } from '../chain.ts'
import { aBackend, aCall, anAccount, aTool, someApprovals, someQuarantines } from '../pipeline.fixture.ts'
import { createIdentityStages } from './identity.ts'

const AT = { updatedAt: '2026-01-01T00:00:00.000Z', origin: 'http://shop.test' }
const PER_PRINCIPAL: StoredIdentity = {
  mode: 'per_principal',
  clientId: null,
  issuer: null,
  scopes: null,
  resource: 'discovered',
  audience: null,
  endpoints: null,
  ...AT,
}
const ACTING: Acting = {
  key: 'grant 1',
  mode: 'per_principal',
  principal: { id: 'ada', name: 'ada' },
  issuer: 'https://idp.test',
  tokenHash: 'a',
  current: () => ({ sentTo: () => undefined, secrets: [] }),
  renew: async () => false,
  challenged: () => undefined,
  lacking: () => undefined,
}
const MISSING: Unidentified = { code: 'oauth_required', text: 'Connect', details: { client: 'shop' } }

const tool = aTool('look')
const backendWith = (identity: StoredIdentity | null): Backend =>
  aBackend('shop', { identity, tools: new Map([['look', tool]]) })
type Found = Acting | Unidentified | Error

function chainsWith(found: () => Found, after?: Unidentified) {
  const resolve = () => {
    const one = found()
    if (one instanceof Error) throw one
    return one
  }
  const stages = createIdentityStages(
    { resolve, linkAfter: async () => after, satisfied: () => undefined },
    { monotonic: () => 0, waitMs: 1 },
  )
  const chainOf = createChains({
    registry: { isLive: () => true, isEvicted: () => false, isLeaving: () => false },
    quota: () => undefined,
    quarantines: someQuarantines(),
    approvals: someApprovals(),
    rates: { take: () => ({ ok: true }) },
    clock: { now: () => 0 },
    autoGateWriteMethods: false,
    layersOf: () => [],
    identity: stages,
  })
  return { chainOf, stages }
}
const FAILED: Outcome = { kind: 'failed', failure: 'upstream_status', text: 'HTTP 401', retryable: false }
const OK = { kind: 'ok', result: { content: [] } } as const

describe('the chain of a tool', () => {
  it.each<StoredIdentity | null>([null, { mode: 'none', ...AT }, { mode: 'shared', ...AT }])(
    'has nothing of identity for %j',
    (identity) => {
      const { chainOf } = chainsWith(() => ACTING)
      const backend = backendWith(identity)
      for (const each of [tool, besideTools(backend)]) {
        const { policy, layers } = chainOf(backend, each)
        expect(policy.map(({ stage }) => stage)).not.toContain('identity')
        expect(layers).toEqual([])
      }
    },
  )

  it('asks last, and acts outermost, for tools and beside them', () => {
    const { chainOf } = chainsWith(() => ACTING)
    const backend = backendWith(PER_PRINCIPAL)
    for (const each of [tool, besideTools(backend)]) {
      const { policy, layers } = chainOf(backend, each)
      expect(policy.at(-1)?.stage).toBe('identity')
      expect(layers[0]?.stage).toBe('identity')
    }
  })
})

describe('a call', () => {
  const call = aCall({ backend: backendWith(PER_PRINCIPAL), tool })
  const passed = async (found: () => Found) => {
    const { stages } = chainsWith(found)
    const seen: ToolCall[] = []
    const next = async (as: ToolCall = call) => {
      seen.push(as)
      return OK
    }
    const outcome = await stages.layer.answer(call, next, () => undefined, anAccount())
    return { refused: await stages.guard(call), outcome, seen }
  }

  it('takes its identity along', async () => {
    const { refused, outcome, seen } = await passed(() => ACTING)
    expect([refused, outcome]).toEqual([undefined, OK])
    expect(seen.map(({ acting }) => acting)).toEqual([ACTING])
  })

  it('without one is refused by the guard and, should it come that far, by the layer', async () => {
    const { refused, outcome, seen } = await passed(() => MISSING)
    expect([refused, outcome]).toMatchObject([
      { kind: 'refused', code: 'oauth_required' },
      { kind: 'refused', code: 'oauth_required' },
    ])
    expect(seen).toEqual([])
  })

  it('that failed is refused with the link where its connection has ended', async () => {
    const { stages } = chainsWith(() => ACTING, MISSING)
    const answer = (outcome: Outcome) =>
      stages.layer.answer(
        call,
        async () => outcome,
        () => undefined,
        anAccount(),
      )
    expect(await answer(FAILED)).toMatchObject({ kind: 'refused', code: 'oauth_required' })
    expect(await answer(OK)).toEqual(OK)
  })

  it('fails, and is not refused, while the provider gives no token', async () => {
    const { refused, outcome, seen } = await passed(() => new TokenUnavailable('upstream_error', 'gave no token'))
    expect(refused).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'upstream_error', unasked: true })
    expect(seen).toEqual([])
  })
})

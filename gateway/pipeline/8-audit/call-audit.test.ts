// Which calls enter the chain, and how they are gathered: one append for all of a moment, none of them lost at the end.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RefusalCode } from '../../contract/refusal.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { argsHash } from '../args-hash.ts'
import { aCall } from '../pipeline.fixture.ts'
import { type CallEntry, createCallAudit } from './call-audit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const done: Outcome = { kind: 'ok', result: { content: [] } }
const refused = (code: RefusalCode): Outcome => ({ kind: 'refused', code, text: 'no' })
const facts = (gated = false, ticket: number | null = null) => ({ gated, ticket })

function anAudit(mode: 'off' | 'gated' | 'all', append = async (_entries: readonly CallEntry[]) => undefined) {
  const batches: (readonly CallEntry[])[] = []
  const errors: number[] = []
  const audit = createCallAudit({
    mode,
    append: async (entries) => {
      batches.push(entries)
      await append(entries)
    },
    onError: (_error, entries) => errors.push(entries),
  })
  return { audit, batches, errors, codes: () => batches.flat().map(({ detail }) => detail.code) }
}

describe('what is taken', () => {
  it('when gated: sensitive tools, and refusals by a configured gate [ct.13.3.modes]', async () => {
    const { audit, codes } = anAudit('gated')
    audit.note(aCall(), done, 'x', 1.4, facts())
    for (const code of [
      'unknown_tool',
      'disabled',
      'unreachable',
      'rate_limit',
      'quota',
      'circuit_open',
      'ssrf_blocked',
    ] as const)
      audit.note(aCall(), refused(code), 'x', 1.4, facts())
    const gates = ['allowed_key', 'key_scope', 'guardrail_input', 'confirm_required', 'quarantine', 'approval'] as const
    for (const code of gates) audit.note(aCall(), refused(code), 'x', 1.4, facts())
    audit.note(aCall(), done, 'x', 1.4, facts(true))
    audit.noteOutside({ ...aCall(), calledAs: 'bank__x' })
    await audit.close()
    expect(codes()).toEqual([...gates, null, 'key_scope'])
  })

  it.each([
    ['off', 0],
    ['all', 3],
  ] as const)('when %s: %i of three', async (mode, count) => {
    const { audit, batches } = anAudit(mode)
    audit.note(aCall(), done, 'x', 1.4, facts())
    audit.note(aCall(), refused('rate_limit'), 'x', 1.4, facts())
    audit.noteOutside(aCall())
    await audit.close()
    expect(batches.flat()).toHaveLength(count)
  })
})

it('goes together what comes within fifty milliseconds, and what is left goes at the end [ct.13.3.batched]', async () => {
  const { audit, batches } = anAudit('all')
  for (let call = 0; call < 5; call += 1) audit.note(aCall(), done, 'x', 1.4, facts())
  expect(batches).toEqual([])
  await vi.advanceTimersByTimeAsync(50)
  expect(batches.map(({ length }) => length)).toEqual([5])
  audit.note(aCall(), done, 'x', 1.4, facts())
  await audit.close()
  expect(batches.map(({ length }) => length)).toEqual([5, 1])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(batches).toHaveLength(2)
})

it('names the ticket that was used or is waited for, never one that the caller only named', async () => {
  const { audit, batches } = anAudit('all')
  const reserved = { confirm: false, approvalId: 99, endUser: null }
  const ticket = { id: 7, status: 'pending', requiredLevels: 1, approvalsReceived: 0, expiresAt: '2026-01-02' }
  audit.note(aCall({ reserved }), done, 'x', 1, facts(true, 5))
  audit.note(aCall({ reserved }), { kind: 'refused', code: 'approval', text: 'no', approval: ticket }, 'x', 1, facts())
  audit.note(aCall({ reserved }), done, 'x', 1, facts())
  await audit.close()
  expect(batches.flat().map(({ detail }) => detail.approvalId)).toEqual([5, 7, null])
})

it('that cannot be written is reported, and the next are written all the same', async () => {
  let broken = true
  const { audit, batches, errors } = anAudit('all', async () => {
    if (broken) throw new Error('the disk is full')
  })
  audit.note(aCall(), done, 'x', 1.4, facts())
  await vi.advanceTimersByTimeAsync(50)
  broken = false
  audit.note(aCall(), done, 'x', 1.4, facts())
  await audit.close()
  expect([errors, batches.length]).toEqual([[1], 2])
})

it('the hash of a call does not depend on the order of its keys, and on everything else', () => {
  const hash = argsHash('a', 'b', { x: 1, y: { c: [1, null], d: 'é' } })
  expect(argsHash('a', 'b', { y: { d: 'é', c: [1, null] }, x: 1, z: undefined })).toBe(hash)
  for (const other of [argsHash('a', 'c', {}), argsHash('a', 'b', { x: 1 }), argsHash('a', 'b', { x: '1' })])
    expect(other).not.toBe(hash)
})

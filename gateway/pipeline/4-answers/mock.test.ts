// A mock: answers in the backend's place, always or where the backend could not.
import { describe, expect, it } from 'vitest'
import { Mock } from '../../contract/admin/tool-features.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed, Outcome, Refused } from '../../outcome/outcome.ts'
import { aCall, anAccount } from '../pipeline.fixture.ts'
import { mock } from './mock.ts'

const own: Outcome = { kind: 'ok', result: { content: [{ type: 'text', text: 'own' }] } }
const refused = (code: Refused['code']): Refused => ({ kind: 'refused', code, text: 'x' })

async function answered(config: unknown, given: Outcome = own, structured = true) {
  let asked = 0
  const noted: string[] = []
  const layer = mock(Mock.parse(config), structured)
  const next = async () => {
    asked++
    return given
  }
  const outcome = layer ? await layer.answer(aCall(), next, (each) => noted.push(each), anAccount()) : 'no layer'
  return { outcome, asked, noted }
}
const text = (of: string) => ({ kind: 'ok', result: { content: [{ type: 'text', text: of }] } })

describe('a mock', () => {
  it('that always answers never asks the backend [ct.8.9.always]', async () => {
    const { outcome, asked, noted } = await answered({ mode: 'always', response: 'as it is' })
    expect(outcome).toEqual({ ...text('as it is'), from: { target: 'mock' } })
    expect([asked, noted]).toEqual([0, ['hit']])
  })

  it('answers an object as object and text, and anything else as text', async () => {
    const object = { id: 5, name: 'Rex' }
    expect((await answered({ mode: 'always', response: object })).outcome).toMatchObject({
      result: { content: [{ type: 'text', text: JSON.stringify(object) }], structuredContent: object },
    })
    const { outcome } = await answered({ mode: 'always', response: object }, own, false)
    expect(outcome).not.toHaveProperty('result.structuredContent')
    expect((await answered({ mode: 'always', response: [1] })).outcome).toMatchObject(text('[1]'))
    expect((await answered({ mode: 'always', response: null })).outcome).toMatchObject(text('null'))
  })

  it('can be an error', async () => {
    const { outcome } = await answered({ mode: 'always', response: 'sold out', isError: true })
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'upstream_error', result: text('sold out').result })
  })

  it.each<[string, Outcome]>([
    ['a timeout', failed('timeout', 'x', true)],
    ['a network failure', failed('network', 'x', true)],
    ['a status of 500 and more', failed('upstream_status', 'x', true, { status: 503 })],
    ['an open breaker', refused('circuit_open')],
    ['a backend that is away', refused('unreachable')],
  ])('of the other kind answers instead of %s [ct.8.9.fallback]', async (_what, given) => {
    const { outcome, asked } = await answered({ mode: 'fallback', response: 'instead' }, given)
    expect([outcome, asked]).toEqual([{ ...text('instead'), from: { target: 'mock' } }, 1])
  })

  it.each<[string, Outcome]>([
    ['an answer', own],
    ['a status below 500', failed('upstream_status', 'x', false, { status: 404 })],
    ['an error of the tool', failed('upstream_error', 'x', false)],
    ['a caller who gave up', failed('cancelled', 'x', false)],
    ['any other refusal', refused('quota')],
  ])('of the other kind leaves %s as it is [ct.8.9.fallback]', async (_what, given) => {
    expect((await answered({ mode: 'fallback', response: 'instead' }, given)).outcome).toEqual(given)
  })

  it('waits as long as configured, unless the caller gives up', async () => {
    const layer = mock(Mock.parse({ mode: 'always', response: 'late', delayMs: 60_000 }), true)
    let cancel = (): void => undefined
    const call = aCall({ onCancel: (stop) => void (cancel = stop) })
    const answer = layer?.answer(
      call,
      async () => own,
      () => undefined,
      anAccount(),
    )
    cancel()
    expect(((await answer) as Failed).failure).toBe('cancelled')
    expect((await answered({ mode: 'always', response: 'late', delayMs: 1 })).outcome).toMatchObject(text('late'))
  })

  it('is no layer when it is switched off, and keeps its bounds [ct.8.9.mock-bounds]', async () => {
    expect((await answered({ mode: 'always', response: 1, enabled: false })).outcome).toBe('no layer')
    const ok = (value: unknown) => Mock.safeParse(value).success
    expect(ok({ mode: 'always', response: 'x'.repeat(1_048_574) })).toBe(true)
    expect(ok({ mode: 'always', response: 'x'.repeat(1_048_575) })).toBe(false)
    expect(ok({ mode: 'always', response: 1, delayMs: 60_000 })).toBe(true)
    expect(ok({ mode: 'always', response: 1, delayMs: 60_001 })).toBe(false)
    expect([ok({ mode: 'sometimes', response: 1 }), ok({ mode: 'always' }), ok({ response: 1 })]).toEqual([
      false,
      false,
      false,
    ])
  })
})

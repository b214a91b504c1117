// Filters as the address brings them.
import { expect, it } from 'vitest'
import { parseParams, writeParams } from '../../url-params.ts'
import { toneOfAction } from './ActionBadge.tsx'
import { filtersOf } from './filters.ts'

it('drops what is no filter and a time that is none', () => {
  expect(
    filtersOf({ actor: 'ada', entry: '7', from: 'yesterday', to: '2026-01-01T00:00:00.000Z', target: '' }),
  ).toEqual({
    actor: 'ada',
    to: '2026-01-01T00:00:00.000Z',
  })
})

it('survives the address whatever it holds', () => {
  const params = { actor: '123', target: 'a&b=c d', action: 'user.' }
  expect(parseParams(writeParams({ ...params, from: undefined, to: '' }))).toEqual(params)
  expect(writeParams({})).toBe('')
})

it('sees what an action does', () => {
  expect(toneOfAction('user.delete')).toBe('bad')
  expect(toneOfAction('auth.login_failed')).toBe('bad')
  expect(toneOfAction('user.create')).toBe('ok')
  expect(toneOfAction('tool.enable')).toBe('ok')
  expect(toneOfAction('config.export')).toBe('neutral')
})

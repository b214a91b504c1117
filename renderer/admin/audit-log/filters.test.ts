// Filters from the URL.
import { expect, it } from 'vitest'
import { parseParams, writeParams } from '../../url-params.ts'
import { toneOfAction } from './ActionBadge.tsx'
import { filtersOf } from './filters.ts'

it('drops unknown filters and invalid times', () => {
  expect(
    filtersOf({ actor: 'ada', entry: '7', from: 'yesterday', to: '2026-01-01T00:00:00.000Z', target: '' }),
  ).toEqual({
    actor: 'ada',
    to: '2026-01-01T00:00:00.000Z',
  })
})

it('accepts any URL', () => {
  const params = { actor: '123', target: 'a&b=c d', action: 'user.' }
  expect(parseParams(writeParams({ ...params, from: undefined, to: '' }))).toEqual(params)
  expect(writeParams({})).toBe('')
})

it('classifies actions', () => {
  expect(toneOfAction('user.delete')).toBe('bad')
  expect(toneOfAction('auth.login_failed')).toBe('bad')
  expect(toneOfAction('user.create')).toBe('ok')
  expect(toneOfAction('tool.enable')).toBe('ok')
  expect(toneOfAction('config.export')).toBe('neutral')
})

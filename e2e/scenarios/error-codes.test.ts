// The error codes of the product against those of the specification.
import { expect, it } from 'vitest'
import { ERROR_STATUS } from '#contract'
import { ERROR_CODES } from '../requirements/contract/18-error-codes.ts'

it('are exactly the listed ones, each with its status [ct.18.stable]', () => {
  expect(ERROR_STATUS).toEqual(Object.fromEntries(ERROR_CODES.map(({ code, status }) => [code, status])))
})

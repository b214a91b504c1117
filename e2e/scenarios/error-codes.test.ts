// The error codes of the product against those of the specification.
import { expect, it } from 'vitest'
import { ERROR_STATUS } from '#contract'
import { ERROR_CODES } from '../requirements/contract/18-error-codes.ts'

/** Codes of rules that came after the contract. */
const ADDED = {
  MONITOR_NOT_APPROVED: 409,
  CONFIRMATION_REQUIRED: 409,
  INSTANCE_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  INVITATION_ENDED: 410,
  BUDGET_EXISTS: 409,
  BUDGET_NOT_FOUND: 404,
  CONNECTION_NOT_FOUND: 404,
  CONNECT_FAILED: 502,
  CONNECT_LINK_ENDED: 410,
  INSUFFICIENT_SCOPE: 403,
  INVALID_SCRIPT: 400,
  RESULT_NOT_FOUND: 404,
}

it('are exactly the listed ones, each with its status [ct.18.stable]', () => {
  const listed = Object.fromEntries(ERROR_CODES.map(({ code, status }) => [code, status]))
  expect(ERROR_STATUS).toEqual({ ...listed, ...ADDED })
})

// A call whose token could not be had: nothing is sent without it, and the backend is not to blame for it. Contract 9.3.

import type { Failed } from '../../outcome/outcome.ts'
import type { Backend } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'

export function orTokenless(error: unknown): TokenUnavailable {
  if (error instanceof TokenUnavailable) return error
  throw error
}

export function withoutToken({ failure, message }: TokenUnavailable, { name }: Pick<Backend, 'name'>): Failed {
  const text = `Nothing was sent to ${name}: ${message}.`
  return { kind: 'failed', failure, text, retryable: false, unasked: true }
}

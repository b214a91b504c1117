// A call that was let through and did not work.
import type { Failed } from './outcome.ts'

export const failed = (
  failure: Failed['failure'],
  text: string,
  retryable: boolean,
  extra: Partial<Failed> = {},
): Failed => ({ kind: 'failed', failure, text, retryable, ...extra })

/** A defect of the gateway, reported only to its log. */
export const INTERNAL: Failed = failed('internal', 'Internal error', false)

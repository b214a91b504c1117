// What a call says about the server it went to. Contract 5.9, column "Breaker".
import type { Outcome } from '../../outcome/outcome.ts'
import type { Verdict } from './breaker.ts'

export function verdictOf(outcome: Outcome): Verdict {
  if (outcome.kind === 'ok') return 'success'
  if (outcome.kind === 'refused' || outcome.unasked) return 'none'
  switch (outcome.failure) {
    case 'timeout':
    case 'network':
    case 'bad_response':
    case 'editor_unavailable':
      return 'failure'
    case 'upstream_status':
      return outcome.retryable ? 'failure' : 'success'
    case 'upstream_error':
      return outcome.saysUpstreamFailed ? 'failure' : 'success'
    case 'response_too_large':
      return 'success'
    case 'invalid_arguments':
    case 'cancelled':
    case 'script_error':
    case 'editor_busy':
    case 'internal':
      return 'none'
  }
}

// The names of the stages of a call.
import type { TraceStage } from '#contract'
import { word } from '../../language/language.ts'

export const STAGE_LABELS: Readonly<Record<TraceStage['name'], string>> = {
  guards: word('Guards'),
  approval: word('Approval'),
  queue: word('Queue'),
  attempt: word('Attempt'),
  connect: word('Connect'),
  tls: 'TLS',
  wait: word('Wait for first byte'),
  body: word('Response body'),
  backoff: word('Pause before retry'),
}

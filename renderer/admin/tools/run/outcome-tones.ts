// How a call ended, as a colour.
import type { TestResult } from '#contract'
import type { Tone } from '../../../ui/Badge.tsx'

export const OUTCOME_TONES: Readonly<Record<TestResult['outcome'], Tone>> = {
  success: 'ok',
  error: 'bad',
  refused: 'warn',
  cancelled: 'neutral',
}

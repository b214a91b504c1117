// Whether an answer is what a monitor hopes for: no error, soon enough, with what is expected in it. Contract 8.12.

import type { Monitor } from '../../contract/admin/monitor-feature.ts'
import { excerpted, resultHas } from '../../outcome/excerpt.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { milliseconds } from '../../text/amounts.ts'
import { cut } from '../../text/clean.ts'

const MOST_CHARACTERS = 500

/** What a failed call says, as its caller would read it. */
async function failureText(given: Outcome): Promise<string> {
  const outcome = await excerpted(given)
  const texts = outcome.kind === 'refused' ? [] : (outcome.result?.content ?? []).map(({ text }) => text)
  const own = outcome.kind === 'ok' ? undefined : outcome.text
  return texts.find((text) => typeof text === 'string') ?? own ?? 'It answered with an error.'
}

/** What is wrong with it; null when nothing is. */
export async function wrongWith(
  { maxLatencyMs, expectPath }: Pick<Monitor, 'maxLatencyMs' | 'expectPath'>,
  outcome: Outcome,
  durationMs: number,
): Promise<string | null> {
  if (outcome.kind !== 'ok' || outcome.result.isError) return cut(await failureText(outcome), MOST_CHARACTERS)
  if (maxLatencyMs !== undefined && durationMs > maxLatencyMs)
    return `It took ${milliseconds(durationMs)}, more than the ${milliseconds(maxLatencyMs)} it may take.`
  if (expectPath !== undefined && !(await resultHas(outcome.result, expectPath)))
    return `The answer has nothing at ${expectPath}.`
  return null
}

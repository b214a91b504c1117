// Whether an answer is what a monitor hopes for: no error, soon enough, with what is expected in it. Contract 8.12.

import type { Monitor } from '../../contract/admin/monitor-feature.ts'
import { NOTHING, read } from '../../outcome/json-path.ts'
import type { CallToolResult } from '../../outcome/outcome.ts'
import { parsed } from '../../outcome/shape.ts'
import { milliseconds } from '../../text/amounts.ts'
import { cut } from '../../text/clean.ts'

const MOST_CHARACTERS = 500

const textsOf = ({ content }: CallToolResult): string[] =>
  content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))

function holds(result: CallToolResult, path: string): boolean {
  const values = [result.structuredContent, ...textsOf(result).map(parsed)]
  return values.some((value) => read(value, path.split('.')) !== NOTHING)
}

/** What is wrong with it; null when nothing is. */
export function wrongWith(
  { maxLatencyMs, expectPath }: Pick<Monitor, 'maxLatencyMs' | 'expectPath'>,
  result: CallToolResult,
  durationMs: number,
): string | null {
  if (result.isError) return cut(textsOf(result)[0] ?? 'It answered with an error.', MOST_CHARACTERS)
  if (maxLatencyMs !== undefined && durationMs > maxLatencyMs)
    return `It took ${milliseconds(durationMs)}, more than the ${milliseconds(maxLatencyMs)} it may take.`
  if (expectPath !== undefined && !holds(result, expectPath)) return `The answer has nothing at ${expectPath}.`
  return null
}

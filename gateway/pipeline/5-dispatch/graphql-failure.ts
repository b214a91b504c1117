// What a GraphQL endpoint says with a status of success and does not mean.
import { nestsDeeper } from '../../http/json-body.ts'
import type { Failed } from '../call.ts'
import { failed } from '../failed.ts'
import { cleanText, cutToBytes } from './clean.ts'
import type { Shaping } from './shape.ts'

/** HTTP 200 with errors and no data is a failure, whatever the status says; with some data it is half an answer. */
export function graphqlTrouble(
  body: Buffer,
  { secrets, maxDepth }: Pick<Shaping, 'secrets' | 'maxDepth'>,
): Failed | 'partial' | undefined {
  let answer: unknown
  try {
    const text = body.toString('utf8')
    if (nestsDeeper(text, maxDepth)) return undefined
    answer = JSON.parse(text)
  } catch {
    return failed('bad_response', 'Bad response: a GraphQL endpoint answers JSON', true)
  }
  if (
    typeof answer !== 'object' ||
    answer === null ||
    !('errors' in answer) ||
    !Array.isArray(answer.errors) ||
    answer.errors.length === 0
  )
    return undefined
  const data = 'data' in answer ? answer.data : null
  const hasData = typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null)
  if (hasData) return 'partial'
  const messages = answer.errors.map((error: unknown) =>
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'unknown error',
  )
  return failed('upstream_error', `GraphQL: ${cutToBytes(cleanText(messages.join('; '), secrets), 8_192)}`, false, {
    saysUpstreamFailed: true,
  })
}

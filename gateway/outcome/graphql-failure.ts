// What a GraphQL endpoint says with a status of success and does not mean.
import { decodeText } from '../text/decode.ts'
import { cutToBytes, foreignText } from '../text/foreign-text.ts'
import { nestsDeeper } from '../text/json-depth.ts'
import { failed } from './failed.ts'
import type { Failed } from './outcome.ts'
import type { Shaping } from './shape.ts'

/** HTTP 200 with errors and no data is a failure, in spite of the status; with some data it is half an answer. */
export function graphqlTrouble(
  body: Buffer,
  contentType: string | undefined,
  { secrets, redact, maxDepth }: Pick<Shaping, 'secrets' | 'redact' | 'maxDepth'>,
): Failed | 'partial' | undefined {
  let answer: unknown
  try {
    const text = decodeText(body, contentType)
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
  const messages = messagesOf(redact ? redact(answer) : answer)
  const text = cutToBytes(foreignText(messages.join('; '), { secrets }), MOST_BYTES)
  return failed('upstream_error', `GraphQL: ${text}`, false, { saysUpstreamFailed: true })
}

const MOST_BYTES = 8_192

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? value[name as keyof typeof value] : undefined

function messagesOf(answer: unknown): string[] {
  const errors = fieldOf(answer, 'errors')
  // Redacted as a whole.
  if (!Array.isArray(errors)) return [String(errors)]
  return errors.map((error: unknown) => {
    const message = fieldOf(error, 'message')
    return message === undefined ? 'unknown error' : String(message)
  })
}

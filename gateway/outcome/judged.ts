// What a backend answered over HTTP, as an outcome: an error status, a GraphQL error that says 200, a body that cannot be read, or a result.

import { failed } from './failed.ts'
import { graphqlTrouble } from './graphql-failure.ts'
import type { Outcome } from './outcome.ts'
import { errorExcerpt, type Shaping, shapeBody } from './shape.ts'

/** A frame of a WebSocket has no status. */
export type HttpAnswer = {
  readonly status: number | undefined
  readonly contentType: string | undefined
  readonly body: Buffer
}
export type Answering = { readonly name: string; readonly isGraphql: boolean }

export function judged(
  { status, contentType, body }: HttpAnswer,
  { name, isGraphql }: Answering,
  shaping: Shaping,
): Outcome {
  if (status !== undefined && (status < 200 || status >= 300)) {
    const text = `HTTP ${status} from ${name}: ${errorExcerpt(contentType, body, shaping)}`
    return failed('upstream_status', text, status >= 500 || status === 408 || status === 429, { status })
  }
  const trouble = isGraphql ? graphqlTrouble(body, contentType, shaping) : undefined
  if (typeof trouble === 'object') return trouble
  const result = shapeBody(status ?? 200, contentType, body, shaping)
  if ('problem' in result) return failed('bad_response', `Bad response from ${name}: ${result.problem}`, false)
  const ok = status === undefined ? ({ kind: 'ok', result } as const) : ({ kind: 'ok', result, status } as const)
  return trouble === 'partial' ? { ...ok, fleeting: true } : ok
}

// `input_required`: a modern upstream wants something of the client before it goes on. Read and checked here, asked for if need be.

import { checkAsked } from '../../../mcp/client-requests.ts'
import type { Inputs, OnServerRequest } from '../../../mcp/connection.ts'
import { type Answer, isRecord, type JsonRecord } from '../../../mcp/message.ts'
import type { Failed } from '../../../outcome/outcome.ts'
import { foreignMessage, holdsCredential, type Withheld } from '../../../text/foreign-text.ts'
import type { WithheldNow } from '../../../upstream/withheld.ts'
import type { Talk } from '../../call.ts'

type Request = { readonly method: string; readonly params: JsonRecord }
type InputRequired = {
  readonly requests: Readonly<Record<string, Request>>
  readonly requestState: unknown
  /** As it goes to a client that takes such a result. */
  readonly result: JsonRecord
}

const MOST_REQUESTS = 16
const MOST_ROUNDS = 16
const MOST_STATE = 65_536

/** Undefined when the answer is no such thing. */
function inputRequestsOf(
  answer: Answer,
  capabilities: JsonRecord,
  withheld: Withheld,
): InputRequired | { readonly problem: string } | undefined {
  if ('error' in answer || !isRecord(answer.result) || answer.result.resultType !== 'input_required') return undefined
  const { inputRequests = {}, requestState, ...rest } = answer.result
  if (!isRecord(inputRequests)) return { problem: 'its inputRequests are not an object' }
  const entries = Object.entries(inputRequests)
  if (entries.length > MOST_REQUESTS) return { problem: 'it asks for too much at once' }
  if (entries.length === 0 && requestState === undefined) return { problem: 'it does not say what it needs' }
  if (requestState !== undefined && (typeof requestState !== 'string' || requestState.length > MOST_STATE))
    return { problem: 'its requestState is no text, or too long' }
  // It is passed on unchanged, so nothing can be taken out of it.
  if (typeof requestState === 'string' && holdsCredential(requestState, withheld))
    return { problem: 'its requestState holds a credential' }
  const requests: Record<string, Request> = {}
  for (const [key, value] of entries) {
    if (key === '__proto__' || !isRecord(value) || typeof value.method !== 'string')
      return { problem: 'one of its inputRequests is no request' }
    const { method, params } = value
    const checked = checkAsked(method, isRecord(params) ? params : {}, capabilities, withheld)
    if ('problem' in checked) return checked
    requests[key] = { method, params: checked.params }
  }
  const state = requestState === undefined ? {} : { requestState }
  // A record stays one: only its strings are cleaned.
  const result = { ...(foreignMessage(rest, withheld) as JsonRecord), inputRequests: requests, ...state }
  return { requests, requestState, result }
}

type Settled =
  | { readonly answer: Answer }
  /** For a client that takes such an answer. */
  | { readonly asked: JsonRecord }
  | { readonly failure: Failed }

const failed = (failure: Failed['failure'], text: string): Settled => ({
  failure: { kind: 'failed', failure, text, retryable: false },
})

/** Sends a request until it is answered, with what its client provides in between. Rejects as the request does. */
export async function untilAnswered(
  upstream: string,
  talk: Talk | undefined,
  withheld: WithheldNow,
  request: (inputs: Inputs | undefined) => Promise<Answer>,
  onStart?: (cancel: () => void) => void,
): Promise<Settled> {
  let inputs = talk?.inputs
  for (let round = 0; ; round += 1) {
    const answer = await request(inputs)
    const asked = inputRequestsOf(answer, talk?.conversation.capabilities ?? {}, withheld())
    if (asked === undefined) return { answer }
    if ('problem' in asked) return failed('upstream_error', `${upstream} asks for input: ${asked.problem}`)
    if (talk?.takesRounds) return { asked: asked.result }
    if (round === MOST_ROUNDS) return failed('bad_response', `${upstream} never stops asking for input`)
    inputs = talk && (await askAll(talk.ask, asked, onStart))
    if (inputs === undefined) return failed('upstream_error', `${upstream} asked for input that was not given`)
  }
}

/** Asks a client without such rounds for all of it. Undefined when it does not answer. */
async function askAll(
  ask: OnServerRequest,
  { requests, requestState }: InputRequired,
  onStart: ((cancel: () => void) => void) | undefined,
): Promise<Inputs | undefined> {
  const cancels = new Set<() => void>()
  onStart?.(() => {
    for (const cancel of cancels) cancel()
  })
  const answers = await Promise.all(
    Object.entries(requests).map(async ([key, { method, params }]) => {
      const answer = await ask(method, params, (cancel) => cancels.add(cancel))
      if ('result' in answer) return [key, answer.result] as const
      // An unanswered form counts as cancelled.
      return method === 'elicitation/create' ? ([key, { action: 'cancel' }] as const) : undefined
    }),
  )
  const given = answers.filter((each) => each !== undefined)
  if (given.length < answers.length) return undefined
  return { inputResponses: Object.fromEntries(given), ...(requestState === undefined ? {} : { requestState }) }
}

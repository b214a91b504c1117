// Asks the person behind a client through the protocol, where no model can answer in their place. Contract 0.1.

import { checkAsked } from '../../mcp/client-requests.ts'
import { foreignText, NOTHING_WITHHELD } from '../../text/foreign-text.ts'
import type { Caller, Talk } from '../call.ts'

/** `unasked`: the client cannot be asked, or did not answer; it is refused as one that never could be. */
export type Consent = 'given' | 'declined' | 'unasked'

export type Asking = {
  readonly talk?: Talk | undefined
  readonly caller: Pick<Caller, 'onEnd'>
  readonly onCancel: (cancel: () => void) => void
}

const METHOD = 'elicitation/create'
const MOST_ARGUMENTS = 1_000
const FORM = {
  type: 'object',
  properties: {
    confirm: { type: 'boolean', title: 'Do it', description: 'Yes lets this one call through.', default: false },
  },
  required: ['confirm'],
}

/** What is about to happen, in words for the person who decides. */
export function question(what: string, args: Readonly<Record<string, unknown>>): string {
  return `${what} Arguments: ${foreignText(JSON.stringify(args), NOTHING_WITHHELD, MOST_ARGUMENTS)}`
}

export async function consent({ talk, caller, onCancel }: Asking, message: string): Promise<Consent> {
  if (talk === undefined) return 'unasked'
  const form = checkAsked(METHOD, { message, requestedSchema: FORM }, talk.conversation.capabilities, NOTHING_WITHHELD)
  if ('problem' in form) return 'unasked'
  let ended = false
  let takeBack: (() => void) | undefined
  // A credential that ends or is narrowed while the person thinks takes the question along.
  const forget = caller.onEnd?.(() => {
    ended = true
    takeBack?.()
  })
  try {
    if (ended) return 'unasked'
    const answer = await talk.ask(METHOD, form.params, (cancel) => {
      takeBack = cancel
      onCancel(cancel)
    })
    if (ended || !('result' in answer)) return 'unasked'
    const { action, content } = answer.result
    // Nothing but a plain yes is one: not a form sent back empty, not a word that reads like it.
    const yes = typeof content === 'object' && content !== null && 'confirm' in content && content.confirm === true
    return action === 'accept' && yes ? 'given' : 'declined'
  } finally {
    forget?.()
  }
}

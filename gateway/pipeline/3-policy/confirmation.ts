// Step-up: a sensitive tool wants a literal `__confirm: true`, an elevated credential, or the yes of a person who can be asked.
import type { Refused } from '../../outcome/outcome.ts'
import type { Guard, ToolCall } from '../call.ts'
import { consent, question } from './consent.ts'

const required = ({ calledAs }: ToolCall): Refused => ({
  kind: 'refused',
  code: 'confirm_required',
  text: `Tool '${calledAs}' is sensitive: repeat the call with {"__confirm": true} or use an elevated key.`,
})

/** What was declined is not to be tried by another way. */
export const declined = ({ calledAs }: Pick<ToolCall, 'calledAs'>): Refused => ({
  kind: 'refused',
  code: 'confirm_required',
  reason: 'declined',
  text: `Tool '${calledAs}' was not run: the user declined the confirmation.`,
})

async function asked(call: ToolCall): Promise<Refused | undefined> {
  const { backend, tool, args } = call
  const answer = await consent(
    call,
    question(`Run "${tool.name}" of "${backend.name}"? It is marked as sensitive.`, args),
  )
  switch (answer) {
    case 'given':
      return undefined
    case 'declined':
      return declined(call)
    case 'unasked':
      return required(call)
  }
}

export const confirmation: Guard = (call) => {
  if (call.reserved.confirm || call.caller.elevated) return undefined
  return call.talk === undefined ? required(call) : asked(call)
}

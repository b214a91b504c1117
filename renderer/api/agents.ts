// The agents of this computer, asked of the desktop window; in a browser there are none to ask of.
import { type AgentsAnswer, type AgentsAsk, ApiError } from '#contract'
import { desktopBridge } from './desktop.ts'

export const hasAgents = (): boolean => desktopBridge() !== undefined

type AnswerTo<A extends AgentsAsk> = Extract<AgentsAnswer, { readonly answer: A['ask'] }>

/** Throws what the gateway or the file says, in the form that every page shows. */
export async function askAgents<A extends AgentsAsk>(asked: A): Promise<AnswerTo<A>> {
  const answer = await desktopBridge()?.askAgents(asked)
  if (answer === undefined) throw new Error('Only the desktop app can list the agents on a computer.')
  if (answer.answer === 'fault')
    throw new ApiError(0, { code: answer.code, message: answer.message, request_id: answer.requestId })
  // Main answers what it was asked.
  return answer as AnswerTo<A>
}

// The agents of this computer, through the desktop window; unavailable in a browser.
import { type AgentsAnswer, type AgentsAsk, ApiError } from '#contract'
import { t } from '../language/language.ts'
import { desktopBridge } from './desktop.ts'

export const hasAgents = (): boolean => desktopBridge() !== undefined

type AnswerTo<A extends AgentsAsk> = Extract<AgentsAnswer, { readonly answer: A['ask'] }>

/** Throws errors of the gateway or the file as ApiError. */
export async function askAgents<A extends AgentsAsk>(asked: A): Promise<AnswerTo<A>> {
  const answer = await desktopBridge()?.askAgents(asked)
  if (answer === undefined) throw new Error(t('Only the desktop app can list the agents on a computer.'))
  if (answer.answer === 'fault')
    throw new ApiError(0, { code: answer.code, message: answer.message, request_id: answer.requestId })
  // Main returns the requested type.
  return answer as AnswerTo<A>
}

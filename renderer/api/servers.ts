// The programs of this computer, through the desktop window; unavailable in a browser.
import { type AddServer, ApiError, type ProgramAnswer, type ProgramAsk, type ServerToolsAnswer } from '#contract'
import { t } from '../language/language.ts'
import { desktopBridge } from './desktop.ts'

export const hasServerAdding = (): boolean => desktopBridge() !== undefined

type Listed = Extract<ServerToolsAnswer, { answer: 'listed' }>['tools']

const elsewhere = (): Error => new Error(t('Only the desktop app can add a program to its computer.'))
const refused = (message: string): ApiError => new ApiError(0, { code: 'NOT_APPLICABLE', message, request_id: '' })

/** False where the person did not agree in the dialog of the main process. */
export async function addServer(asked: AddServer): Promise<boolean> {
  const answer = await desktopBridge()?.addServer(asked)
  if (answer === undefined) throw elsewhere()
  if (answer.answer === 'fault') throw refused(answer.message)
  return answer.answer === 'added'
}

/** Null where the person did not agree to the start. */
export async function listServerTools(name: string): Promise<Listed | null> {
  const answer = await desktopBridge()?.listServerTools({ name })
  if (answer === undefined) throw elsewhere()
  if (answer.answer === 'fault') throw refused(answer.message)
  return answer.answer === 'listed' ? answer.tools : null
}

/** Null where the person closed a dialog. */
export async function askPrograms(
  asked: ProgramAsk,
): Promise<Exclude<ProgramAnswer, { answer: 'declined' | 'fault' }> | null> {
  const answer = await desktopBridge()?.askPrograms(asked)
  if (answer === undefined) throw elsewhere()
  if (answer.answer === 'fault') throw refused(answer.message)
  return answer.answer === 'declined' ? null : answer
}

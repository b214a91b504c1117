// Adding a program to this computer, through the desktop window; unavailable in a browser.
import { type AddServer, ApiError } from '#contract'
import { t } from '../language/language.ts'
import { desktopBridge } from './desktop.ts'

export const hasServerAdding = (): boolean => desktopBridge() !== undefined

/** False where the person did not agree in the dialog of the main process. */
export async function addServer(asked: AddServer): Promise<boolean> {
  const answer = await desktopBridge()?.addServer(asked)
  if (answer === undefined) throw new Error(t('Only the desktop app can add a program to its computer.'))
  if (answer.answer === 'fault')
    throw new ApiError(0, { code: 'NOT_APPLICABLE', message: answer.message, request_id: '' })
  return answer.answer === 'added'
}

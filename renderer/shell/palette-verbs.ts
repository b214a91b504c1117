// Palette verbs with a record: `disable pets`. Pure.
import { t } from '../language/language.ts'

export const VERBS = [
  { word: 'disable', title: t('Disable a backend'), kind: 'backend' },
  { word: 'enable', title: t('Enable a backend'), kind: 'backend' },
  { word: 'reset', title: t('Reset the breaker of a backend'), kind: 'backend' },
  { word: 'check', title: t('Check the health of a backend'), kind: 'backend' },
  { word: 'try', title: t('Try a tool'), kind: 'tool' },
  { word: 'diagnose', title: t('Diagnose a refused tool'), kind: 'tool' },
  { word: 'connect', title: t('Connect a client to a bundle'), kind: 'bundle' },
] as const

export type Verb = (typeof VERBS)[number]
export type Asked = { readonly verb: Verb | undefined; readonly words: string }

/** A verb needs a following space: otherwise it may start a name. */
export function askedIn(typed: string): Asked {
  const [, word = '', rest = ''] = /^\s*([a-z]+)\s+(.*)$/is.exec(typed) ?? []
  const verb = VERBS.find((each) => each.word === word.toLowerCase())
  return { verb, words: (verb ? rest : typed).trim() }
}

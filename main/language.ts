// The texts outside the window: menus, the tray, notices and dialogs.
import { type Catalogue, type Language, languageOf, translator, type Values } from '#language'
import GERMAN from './de.json' with { type: 'json' }

const CATALOGUES: Readonly<Record<Language, Catalogue | undefined>> = { en: undefined, de: GERMAN }
let { t: translate, plural: pluralOf } = translator('en', undefined)

/** `chosen` in the window; without a choice, the language of the system. */
export function setLanguage(chosen: string, system: readonly string[]): void {
  const language = languageOf(chosen, system)
  ;({ t: translate, plural: pluralOf } = translator(language, CATALOGUES[language]))
}

export const t = (text: string, values?: Values): string => translate(text, values)
export const plural = (count: number, one: string, many: string): string => pluralOf(count, one, many)
/** A text of a table, which `t` shows later: tables are made before the language is known. */
export const word = <const T extends string>(text: T): T => text

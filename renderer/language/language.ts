// The language of the interface. `main.tsx` loads it before any other module, so tables of texts are made in it.
import { type Catalogue, type Language, languageOf, translator, type Values } from '#language'

export { LANGUAGE_TAGS, LANGUAGES } from '#language'

const KEY = 'gantry.language'

// Neither tests nor workers have a document.
export const language: Language =
  typeof document === 'undefined' ? 'en' : languageOf(localStorage.getItem(KEY), navigator.languages)

let { look, t: translate, plural: pluralOf } = translator(language, undefined)

export async function loadLanguage(): Promise<void> {
  document.documentElement.lang = language
  if (language === 'en') return
  const catalogue: Catalogue = (await import('./german.ts')).GERMAN
  ;({ look, t: translate, plural: pluralOf } = translator(language, catalogue))
}

/** Module-level tables are in the language, so the page is read again; drafts are in the storage of the tab. */
export function changeLanguage(next: Language): void {
  localStorage.setItem(KEY, next)
  location.reload()
}

/** A text in the language. `t('Delete {name}', { name })`; `rich` takes elements as values. */
export const t = (text: string, values?: Values): string => translate(text, values)

/** `plural(3, '{count} tool', '{count} tools')`. */
export const plural = (count: number, one: string, many: string, values?: Values): string =>
  pluralOf(count, one, many, values)

/** A text that is also an id: shown by `t(id)`. The check reads it here. */
export const word = <const T extends string>(text: T): T => text

export const unfilled = (text: string): string => look(text)

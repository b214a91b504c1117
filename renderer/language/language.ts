// The language of the interface. `main.tsx` loads it before any other module, so tables of texts are made in it.
import { type Catalogue, translator, type Values } from './translate.ts'

/** Each by its own name, as a person looks for it. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES
export const LANGUAGE_TAGS = ['en', 'de'] as const satisfies readonly Language[]

const KEY = 'gantry.language'
const isLanguage = (value: string | null | undefined): value is Language =>
  value !== null && value !== undefined && Object.hasOwn(LANGUAGES, value)

/** The stored choice, or the first language of the browser that the interface has. */
export function languageOf(stored: string | null, preferred: readonly string[]): Language {
  if (isLanguage(stored)) return stored
  return preferred.map((tag) => tag.split('-')[0]?.toLowerCase()).find(isLanguage) ?? 'en'
}

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

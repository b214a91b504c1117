// The door `#language`: turns an English text into the text of a language. Pure: the catalogue is a parameter.

/** Each by its own name, as a person looks for it. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES
export const LANGUAGE_TAGS = ['en', 'de'] as const satisfies readonly Language[]

const isLanguage = (value: string | null | undefined): value is Language =>
  value !== null && value !== undefined && Object.hasOwn(LANGUAGES, value)

/** The choice, or the first of the preferred languages that there are texts in. */
export function languageOf(chosen: string | null | undefined, preferred: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen
  return preferred.map((tag) => tag.split('-')[0]?.toLowerCase()).find(isLanguage) ?? 'en'
}

/** A text, or its plural forms where the language has several: `one`, `few`, `many`, `other`. */
export type Entry = string | (Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string })
/** Keys are the English texts; of a plural, the text of many. */
export type Catalogue = Readonly<Record<string, Entry>>
/** Nothing is written for an absent value, as between tags. */
export type Values = Readonly<Record<string, string | number | false | null | undefined>>

const PLACEHOLDER = /\{([a-z]\w*)\}/gi

/** `{name}` becomes the value of `name`; other braces stay. */
export function fill(text: string, values: Values | undefined): string {
  if (!values) return text
  return text.replace(PLACEHOLDER, (braces, name: string) =>
    Object.hasOwn(values, name) ? String(values[name] || (values[name] === 0 ? 0 : '')) : braces,
  )
}

/** The parts of a text: what is between placeholders, and their names. */
export function partsOf(text: string): readonly (string | { readonly name: string })[] {
  return text.split(PLACEHOLDER).map((part, index) => (index % 2 === 0 ? part : { name: part }))
}

export function translator(language: string, catalogue: Catalogue | undefined) {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  const entry = (text: string): Entry | undefined =>
    catalogue && Object.hasOwn(catalogue, text) ? catalogue[text] : undefined
  const other = (text: string): string => {
    const found = entry(text)
    return typeof found === 'object' ? found.other : (found ?? text)
  }
  return {
    /** The text before its placeholders are filled. */
    look: other,
    t: (text: string, values?: Values): string => fill(other(text), values),
    /** `{count}` is the number, written as the language writes it, unless `values` has another `count`. */
    plural: (count: number, one: string, many: string, values?: Values): string => {
      const rule = rules.select(count)
      const found = entry(many)
      const text = typeof found === 'object' ? (found[rule] ?? found.other) : (found ?? (rule === 'one' ? one : many))
      return fill(text, { count: numbers.format(count), ...values })
    },
  }
}

// Texts, placeholders and plurals of a language.
import { expect, it } from 'vitest'
import { fill, languageOf, partsOf, translator } from '#language'

const german = translator('de', {
  'Delete {name}?': '{name} löschen?',
  '{count} tools': { one: '{count} Tool', other: '{count} Tools' },
})

it('fills the German text, and shows English without a German text', () => {
  expect(german.t('Delete {name}?', { name: 'pets' })).toBe('pets löschen?')
  expect(german.t('Keep {name}', { name: 'pets' })).toBe('Keep pets')
  expect(german.t('constructor')).toBe('constructor')
})

it('leaves braces that are no placeholder, and values that look like one', () => {
  expect(fill('{"op": "set"} {name} {other}', { name: '{other}' })).toBe('{"op": "set"} {other} {other}')
})

it('selects the form of a plural by the language and writes the number in it', () => {
  const tools = (language: typeof german, count: number) => language.plural(count, '{count} tool', '{count} tools')
  expect([tools(german, 1), tools(german, 1234)]).toEqual(['1 Tool', '1.234 Tools'])
  const english = translator('en', undefined)
  expect([tools(english, 1), tools(english, 0), tools(english, 1234)]).toEqual(['1 tool', '0 tools', '1,234 tools'])
  const polish = translator('pl', { '{count} tools': { one: 'narzędzie', few: 'narzędzia', other: 'narzędzi' } })
  expect([1, 3, 5].map((count) => tools(polish, count))).toEqual(['narzędzie', 'narzędzia', 'narzędzi'])
})

it('splits a sentence at its placeholders', () => {
  expect(partsOf('Open {page} first.')).toEqual(['Open ', { name: 'page' }, ' first.'])
})

it('is the stored language, the first known one of the browser, or English', () => {
  expect(languageOf('de', ['en-US'])).toBe('de')
  expect(languageOf('xx', ['fr', 'de-AT', 'en'])).toBe('de')
  expect(languageOf(null, ['fr'])).toBe('en')
})

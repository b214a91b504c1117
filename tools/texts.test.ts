// The check of texts, at sources that break its rules.
import { expect, it } from 'vitest'
import { problemsIn, programs } from './texts.ts'

const found = (source: string, german: Parameters<typeof problemsIn>[1][string] = {}) =>
  problemsIn({ 'x.tsx': source }, { 'de.json': german })

it('finds no problem in the interface, the desktop and the install page', () => {
  expect(programs().flatMap((each) => problemsIn(...each))).toEqual([])
})

it.each([
  ['text of an element', 'export const a = <p>Some text</p>'],
  ['prop', 'export const a = <Field label="Name" />'],
  ['prop with a condition', 'export const a = <Field label={on ? "Name" : other} />'],
  ['template', 'export const a = <Field hint={`at ${place}`} />'],
  ['table', 'const TABLE = { mode: { label: "Answers" } }'],
  ['error', 'throw new Error("The file was changed")'],
  ['argument', 'notifyDone("The key was deleted")'],
  ['returned sentence', 'const f = () => "Operators decide."'],
  ['word in the other case', 'export const a = <p>{on ? t("needed") : "free"}</p>'],
  ['value of a table', 'const DAYS = { 1: t("One day"), 30: "30 days" }'],
  ['markup', 'const page = `<h1>${name}</h1><p>Treat it like a password.</p>`'],
])('finds a %s outside of t()', (_, source) => {
  expect(found(source)).toContainEqual(expect.stringContaining('is outside of t()'))
})

it.each([
  ['classes', 'export const a = <p className="flex gap-2 Text" id={cx("mt-2 text-sm", on && "flex grow")} />'],
  ['types and imports', 'import { a } from "Some text"; type A = "Some text" | "Other text"'],
  ['comparisons', 'if (a === "Some text" || b["Some text"]) c()'],
  ['keys of the keyboard', 'const KEY = "ArrowLeft"'],
])('takes %s for no text', (_, source) => {
  expect(found(source)).toEqual([])
})

it('finds texts without German, German without a text, and texts in two catalogues', () => {
  expect(found('t("One text")')).toEqual(['x.tsx:1 has no German text: “One text”'])
  expect(found('', { 'One text': 'Ein Text' })).toEqual(['de.json translates what no source has: “One text”'])
  const twice = problemsIn({ 'x.ts': 't("A")' }, { 'a/de.json': { A: 'B' }, 'b/de.json': { A: 'C' } })
  expect(twice).toEqual(['“A” is in a/de.json and in b/de.json'])
  expect(found('t("A")', { A: ' ' })).toEqual(['de.json has no text for “A”'])
})

it('finds pieces of sentences', () => {
  expect(found('t(", set by ")')).toEqual(['x.tsx:1 is a piece of a sentence: “, set by ”'])
})

it('finds placeholders that differ and plurals without forms', () => {
  expect(found('t("Delete {name}", { name })', { 'Delete {name}': '{nam} löschen' })).toEqual([
    'x.tsx:1 has {nam} in German: “Delete {name}”',
  ])
  expect(
    found('plural(n, "a tool", "{count} tools")', { '{count} tools': { one: 'ein Tool', other: '{count} Tools' } }),
  ).toEqual([])
  expect(found('plural(n, "a tool", "{count} tools")', { '{count} tools': '{count} Tools' })).toEqual([
    'x.tsx:1 needs the forms of a plural: “{count} tools”',
  ])
})

// A file of server entries in any format: read, put one, remove one; nothing else may change.
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../mcp/record.ts'
import { AgentFault } from './fault.ts'
import { jsonEdit } from './json-edit.ts'
import { tomlEdit } from './toml-edit.ts'

export type Entry = Readonly<Record<string, unknown>>
export type Place = { readonly format: 'json' | 'toml'; readonly container: string; readonly name: string }

const EDITORS = { json: jsonEdit, toml: tomlEdit } as const

export function readEntries(text: string | null, format: Place['format'], container: string): Entry {
  return text === null || text.trim() === '' ? {} : EDITORS[format].read(text, container)
}

/** Added at the end, or written over the one that stands there. */
export function putEntry(text: string | null, place: Place, entry: Entry): string {
  const after = EDITORS[place.format].put(text ?? '', place.container, place.name, entry)
  verify(text ?? '', after, place, entry)
  return after
}

export function removeEntry(text: string, place: Place): string {
  const after = EDITORS[place.format].remove(text, place.container, place.name)
  verify(text, after, place, undefined)
  return after
}

/** With any library that edits it, the written text must mean the same as before except for our entry. */
function verify(before: string, after: string, place: Place, entry: Entry | undefined): void {
  const { parse, read } = EDITORS[place.format]
  const unsafe = new AgentFault(
    'FILE_UNREADABLE',
    'The entry cannot be changed without touching something else in the file. Change it by hand.',
  )
  const expected = others(before.trim() === '' ? {} : parse(before), place)
  let written: Entry
  try {
    if (!isDeepStrictEqual(expected, others(parse(after), place))) throw unsafe
    written = read(after, place.container)
  } catch {
    throw unsafe
  }
  if (!isDeepStrictEqual(plain(written[place.name]), plain(entry))) throw unsafe
}

/** Without the entry, and without a container that holds nothing. */
function others(file: unknown, { container, name }: Place): unknown {
  if (!isRecord(file)) return file
  const { [container]: held, ...rest } = file
  if (!isRecord(held)) return plain(file)
  const { [name]: _own, ...kept } = held
  return plain(Object.keys(kept).length === 0 ? rest : { ...rest, [container]: kept })
}

/** Parsers differ in the prototypes they give; JSON has none. Dates and big numbers become their text on both sides alike. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value, (_key, each: unknown) => textOfOdd(each)))
const textOfOdd = (value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value

// The texts of the interface: each is translated where it is written, and has a German one. `npm run check` runs this.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Catalogue, type Entry, partsOf } from '#language'
import { EXEMPT, PROGRAMS } from './texts-exempt.ts'
import { type Key, textsIn } from './texts-found.ts'
import { installTables, tables } from './texts-tables.ts'

export type Sources = Readonly<Record<string, string>>

const namesIn = (text: string): string =>
  partsOf(text)
    .flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
    .sort()
    .join(', ')
const textsOfEntry = (entry: Entry): readonly string[] => (typeof entry === 'string' ? [entry] : Object.values(entry))

/** `{name}` in the German text is a value that the English one has; a plural may leave the number out. */
function wrongPlaceholders({ text, one }: Key, entry: Entry): string | undefined {
  const wanted = namesIn(text)
  if (typeof entry === 'string') return namesIn(entry) === wanted ? undefined : namesIn(entry)
  const permitted = [wanted, namesIn(one ?? text)]
  return Object.values(entry)
    .map(namesIn)
    .find((names) => !permitted.includes(names))
}

function problemsOfKey(key: Key, german: ReadonlyMap<string, Entry>): string[] {
  const at = `${key.file}:${key.line}`
  if (/^[\s,;]|\s$/.test(key.text)) return [`${at} is a piece of a sentence: “${key.text}”`]
  const entry = german.get(key.text)
  if (entry === undefined) return [`${at} has no German text: “${key.text}”`]
  if (key.one !== undefined && typeof entry === 'string') return [`${at} needs the forms of a plural: “${key.text}”`]
  const wrong = wrongPlaceholders(key, entry)
  return wrong === undefined ? [] : [`${at} has {${wrong}} in German: “${key.text}”`]
}

/** `catalogues` are the files `de.json` by their paths. */
export function problemsIn(
  sources: Sources,
  catalogues: Readonly<Record<string, Catalogue>>,
  shown: ReturnType<typeof tables> = [],
): string[] {
  const problems: string[] = []
  const german = new Map<string, Entry>()
  const homes = new Map<string, string>()
  for (const [file, catalogue] of Object.entries(catalogues))
    for (const [text, entry] of Object.entries(catalogue)) {
      const other = homes.get(text)
      if (other !== undefined) problems.push(`“${text}” is in ${other} and in ${file}`)
      homes.set(text, file)
      german.set(text, entry)
      if (textsOfEntry(entry).some((each) => each.trim() === '')) problems.push(`${file} has no text for “${text}”`)
    }
  const used = new Set<string>()
  for (const [file, source] of Object.entries(sources)) {
    const { keys, outside } = textsIn(file, source)
    for (const { text } of keys) used.add(text)
    if (PROGRAMS.some((area) => file.startsWith(area))) continue
    for (const key of keys) problems.push(...problemsOfKey(key, german))
    for (const { text, line } of outside)
      if (!EXEMPT.has(text)) problems.push(`${file}:${line} is outside of t(): “${text}”`)
  }
  for (const { file, texts } of shown)
    for (const text of texts) {
      used.add(text)
      problems.push(...problemsOfKey({ file, line: 1, text }, german))
    }
  for (const [text, file] of homes)
    if (!used.has(text)) problems.push(`${file} translates what no source has: “${text}”`)
  return problems
}

type Program = Parameters<typeof problemsIn>
const ROOT = path.resolve(import.meta.dirname, '..')
const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|\.d\.ts$/.test(file)

const filesIn = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .sort()

function programOf(files: readonly string[], shown: Program[2]): Program {
  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
  return [
    Object.fromEntries(files.filter(isSource).map((file) => [file, read(file)])),
    // Each is a catalogue, which the types of its import say too.
    Object.fromEntries(
      files.filter((file) => file.endsWith('/de.json')).map((file) => [file, JSON.parse(read(file)) as Catalogue]),
    ),
    shown,
  ]
}

/** The interface, what the desktop shows outside the window, and the page of an install link: each has its own texts. */
export const programs = (): readonly Program[] => [
  programOf(filesIn('renderer'), tables()),
  programOf(filesIn('main'), []),
  programOf(['gateway/http/install-page.ts', 'gateway/http/de.json'], installTables()),
]

if (import.meta.main) {
  const problems = programs().flatMap((each) => problemsIn(...each))
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length > 0) {
    process.stdout.write('renderer/language/README.md says how a text is written.\n')
    process.exitCode = 1
  }
}

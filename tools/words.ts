// `npm run check` → words: counts words of the project's former private dialect. A count may fall and never rise.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { BANNED } from './words-banned.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const BASELINE = path.join(import.meta.dirname, 'words-baseline.json')
const TEXTS = new Set(['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.py', '.html', '.md'])
/** They quote the words. */
const EXEMPT = new Set(['docs/glossary.md', 'tools/words-banned.ts', 'tools/words.test.ts'])
const MOST_SHOWN = 12

/** Word or phrase → top folder → how often. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>
export type Found = { readonly phrase: string; readonly file: string; readonly line: number; readonly text: string }

const PHRASES = new Map<string, readonly string[]>()
for (const phrase of Object.keys(BANNED).sort((a, b) => b.length - a.length)) {
  const first = phrase.split(/\W/)[0] ?? phrase
  PHRASES.set(first, [...(PHRASES.get(first) ?? []), phrase])
}

const isWordCharacter = (character: string | undefined): boolean => character !== undefined && /\w/.test(character)

/** Whole words anywhere in a text: comments, titles, labels and names alike. */
export function findWords(file: string, text: string): Found[] {
  const lower = text.toLowerCase()
  const found: Found[] = []
  for (const { 0: word, index } of lower.matchAll(/[a-z]\w*/g)) {
    if (isWordCharacter(lower[index - 1])) continue
    const phrase = PHRASES.get(word)?.find(
      (each) => lower.startsWith(each, index) && !isWordCharacter(lower[index + each.length]),
    )
    if (phrase === undefined) continue
    // The comparison of Python, and the element of HTML.
    if (text.startsWith('is None', index) || /[</]/.test(text[index - 1] ?? '')) continue
    const start = text.lastIndexOf('\n', index) + 1
    const end = text.indexOf('\n', index)
    const line = text.slice(0, index).split('\n').length
    found.push({ phrase, file, line, text: text.slice(start, end < 0 ? undefined : end).trim() })
  }
  return found
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '.') : '.')

export function countWords(found: readonly Found[]): Counts {
  const counts: Record<string, Record<string, number>> = {}
  for (const { phrase, file } of found) {
    const byFolder = (counts[phrase] ??= {})
    byFolder[folderOf(file)] = (byFolder[folderOf(file)] ?? 0) + 1
  }
  return counts
}

export type Rise = { readonly phrase: string; readonly folder: string; readonly was: number; readonly is: number }

export function risesOf(now: Counts, baseline: Counts): Rise[] {
  return Object.entries(now).flatMap(([phrase, byFolder]) =>
    Object.entries(byFolder)
      .map(([folder, is]) => ({ phrase, folder, was: baseline[phrase]?.[folder] ?? 0, is }))
      .filter(({ was, is }) => is > was),
  )
}

/** The lower of both, so that a baseline never rises. A word that is new in the list starts at today's count. */
export function lowered(now: Counts, baseline: Counts, list: readonly string[]): Counts {
  const phrases = [...list].sort()
  return Object.fromEntries(
    phrases.map((phrase) => {
      const known = baseline[phrase]
      const folders = Object.entries(now[phrase] ?? {}).sort(([a], [b]) => a.localeCompare(b))
      return [
        phrase,
        Object.fromEntries(folders.map(([folder, is]) => [folder, known ? Math.min(is, known[folder] ?? 0) : is])),
      ]
    }),
  )
}

const total = (counts: Counts): number =>
  Object.values(counts).reduce((sum, byFolder) => Object.values(byFolder).reduce((a, b) => a + b, sum), 0)

function filesOf(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return listed.split('\0').filter((file) => TEXTS.has(path.extname(file)) && !EXEMPT.has(file))
}

/** A file that git still lists may be deleted already. */
function textOf(file: string): string {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8')
  } catch {
    return ''
  }
}

/** The occurrences to look at first: those in the files that were changed last. */
function shown(found: readonly Found[], { phrase, folder }: Rise): string[] {
  const mine = found.filter((each) => each.phrase === phrase && folderOf(each.file) === folder)
  const changedAt = new Map(mine.map(({ file }) => [file, statSync(path.join(ROOT, file)).mtimeMs]))
  return mine
    .sort((a, b) => (changedAt.get(b.file) ?? 0) - (changedAt.get(a.file) ?? 0))
    .slice(0, MOST_SHOWN)
    .map(({ file, line, text }) => `    ${file}:${line} ${text.slice(0, 140)}`)
}

function main(fix: boolean): number {
  const found = filesOf(ROOT).flatMap((file) => findWords(file, textOf(file)))
  const now = countWords(found)
  // Written by this program alone.
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Counts
  const rises = risesOf(now, baseline).filter(({ phrase }) => !fix || baseline[phrase] !== undefined)
  if (fix) writeFileSync(BASELINE, `${JSON.stringify(lowered(now, baseline, Object.keys(BANNED)), null, 2)}\n`)
  for (const rise of rises) {
    const { phrase, folder, was, is } = rise
    process.stdout.write(
      `"${phrase}" in ${folder}: ${is}, at most ${was} permitted. Write instead: ${BANNED[phrase]}\n`,
    )
    process.stdout.write(`${shown(found, rise).join('\n')}\n`)
  }
  if (rises.length > 0)
    process.stdout.write(
      'Recently changed files come first. docs/glossary.md lists the terms; the counts only go down.\n',
    )
  process.stdout.write(`${total(now)} occurrences; the baseline permits ${total(baseline)}\n`)
  return rises.length === 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = main(process.argv.includes('--fix'))

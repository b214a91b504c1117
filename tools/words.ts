// `npm run check` → words: finds words that texts and names of this project avoid, and shows what to write instead.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { BANNED } from './words-banned.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const TEXTS = new Set(['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.py', '.html', '.md'])
/** They quote the words. */
const EXEMPT = new Set(['docs/glossary.md', 'tools/words-banned.ts', 'tools/words.test.ts'])

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

function main(): number {
  const found = filesOf(ROOT).flatMap((file) => findWords(file, textOf(file)))
  for (const { phrase, file, line, text } of found)
    process.stdout.write(`${file}:${line} "${phrase}", write instead: ${BANNED[phrase]}\n    ${text.slice(0, 140)}\n`)
  if (found.length > 0) process.stdout.write(`${found.length} words to replace; docs/glossary.md lists the terms\n`)
  return found.length === 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = main()

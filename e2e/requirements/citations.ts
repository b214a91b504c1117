// Which rules the tests cite: `[id]` in a test title, or a `// cites:` line right above a table-driven test.
import { globSync, readFileSync } from 'node:fs'

export type Citation = { readonly id: string; readonly where: string }

const FOLDERS = ['gateway', 'pcg-bridge', 'renderer', 'main', 'preload', 'e2e', 'tools']
const TEST_FILES = FOLDERS.flatMap((folder) => [
  `${folder}/**/*.test.ts`,
  `${folder}/**/*.test.tsx`,
  `${folder}/**/*.suite.ts`,
])

// A title is a string that opens an argument list: `it('…'`, `describe('…'`, `it.each(table)('…'`.
const TITLE = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
const IN_TITLE = /\[((?:gw|pcg|ct)\.[^\]]+)\]/g
const CITES = /^\s*\/\/ cites: (.+)$/
const TEST_CALL = /\b(?:it|test|describe|for)\b/

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function titleCitations(file: string, text: string): readonly Citation[] {
  return [...text.matchAll(TITLE)].flatMap((title) =>
    [...(title[2] ?? '').matchAll(IN_TITLE)].flatMap((bracket) =>
      (bracket[1] ?? '').split(/[\s,]+/).map((id) => ({ id, where: `${file}:${lineOf(text, title.index)}` })),
    ),
  )
}

function lineCitations(file: string, text: string): readonly Citation[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const cites = CITES.exec(line)?.[1]
    if (!cites) return []
    const below = lines.slice(at + 1).find((next) => !CITES.test(next)) ?? ''
    if (!TEST_CALL.test(below)) throw new Error(`${file}:${at + 1} cites rules but no test stands below it`)
    return cites
      .trim()
      .split(/\s+/)
      .map((id) => ({ id, where: `${file}:${at + 1}` }))
  })
}

/** Citations as written; `prefix.*` is left to the caller, who has the rules. */
export function citationsOf(file: string, text: string): readonly Citation[] {
  return [...titleCitations(file, text), ...lineCitations(file, text)]
}

/** A test that loops over rows of the manifest may cite `prefix.*`; any other must name each rule. */
function mayUseWildcards(text: string): boolean {
  return /from '[^']*\/requirements\//.test(text)
}

export function allCitations(root: string, ids: readonly string[]): readonly Citation[] {
  return globSync(TEST_FILES, { cwd: root })
    .filter((file) => !file.includes('node_modules'))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${root}/${file}`, 'utf8')
      return citationsOf(file, text).flatMap((citation) => {
        if (!citation.id.endsWith('.*') || !mayUseWildcards(text)) return [citation]
        const prefix = citation.id.slice(0, -1)
        const named = ids.filter((id) => id.startsWith(prefix))
        return named.length === 0 ? [citation] : named.map((id) => ({ ...citation, id }))
      })
    })
}

// What a browser loads before the first page shows: no code of the studio, and not more than the budget.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ASSETS = path.join(import.meta.dirname, '..', 'dist', 'renderer', 'assets')
const KIB = 1024
/** Answers of the admin API come on top: 250 KiB in all. */
const BUDGET_KIB = 225

const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name)
const importsOf = (chunk: string): string[] =>
  namesIn(readFileSync(path.join(ASSETS, chunk), 'utf8'), /(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)

/** With all that it imports. */
function loadedBy(entries: readonly string[], known = new Set<string>()): ReadonlySet<string> {
  for (const entry of entries)
    if (!known.has(entry)) {
      known.add(entry)
      if (entry.endsWith('.js')) loadedBy(importsOf(entry), known)
    }
  return known
}

function bytesOf(file: string): number {
  const packed = path.join(ASSETS, `${file}.br`)
  return statSync(readdirSync(ASSETS).includes(`${file}.br`) ? packed : path.join(ASSETS, file)).size
}

const page = readFileSync(path.join(ASSETS, '..', 'index.html'), 'utf8')
const first = namesIn(page, /(?:src|href)="\/admin\/assets\/([^"]+\.(?:js|css))"/g)
const pages = readdirSync(ASSETS).filter((name) => /Page-[\w-]+\.js$/.test(name))

it('of any page but the studio has no code of the studio', () => {
  const withStudio = [...first, ...pages].filter((name) =>
    [...loadedBy([name])].some((each) => each.startsWith('studio-')),
  )
  expect(withStudio).toEqual([expect.stringMatching(/^StudioPage-/)])
})

it('stays within its budget, compressed', () => {
  const [overview = ''] = pages.filter((name) => name.startsWith('OverviewPage-'))
  const loaded = [...loadedBy([...first, overview])]
  expect(loaded.length).toBeGreaterThan(4)
  expect(loaded.reduce((sum, name) => sum + bytesOf(name), 0) / KIB).toBeLessThan(BUDGET_KIB)
})

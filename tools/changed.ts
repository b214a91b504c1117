// The tests that a change can reach beyond imports: those that start a program, a thread or a browser with the changed file.
import { execFileSync } from 'node:child_process'
import path from 'node:path'

type Started = { readonly sources: RegExp; readonly tests: (file: string) => string }

const STARTED: readonly Started[] = [
  { sources: /^(?:renderer\/|vite\.renderer\.config\.ts$)/, tests: () => 'e2e/ui/' },
  { sources: /^(?:main|preload|renderer)\//, tests: () => 'e2e/desktop/' },
  // The programs: who starts them does not import them.
  { sources: /^gateway\/(?:serve|serve-pcg|gantry)\.ts$/, tests: () => 'e2e/scenarios/' },
  { sources: /^gateway\/(?:gantry\.ts|client\/cli\/)/, tests: () => 'gateway/client/cli/' },
  // Threads, and what runs in the editor: their tests are in the same part.
  { sources: /(?:-worker\.ts|\.py)$/, tests: (file) => `${file.split('/').slice(0, 2).join('/')}/` },
]

/** Folders of tests, as filters of Vitest. */
export function startedWith(files: readonly string[]): readonly string[] {
  const sources = files.filter((file) => !/\.(?:test|fixture)\./.test(file))
  const found = STARTED.flatMap((row) => sources.filter((file) => row.sources.test(file)).map(row.tests))
  return [...new Set(found)].sort()
}

/** What is not committed, or came after `since`. */
export function changedFiles(root: string, since: string | undefined): readonly string[] {
  const git = (...args: readonly string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', since ?? 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
}

/** The test files that Vitest selects by these filters. */
export function listed(root: string, filters: readonly string[]): readonly string[] {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  // The filters first: what follows `--json` would name a file to write.
  const args = [vitest, 'list', ...filters, '--filesOnly', '--json']
  const text = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const found = JSON.parse(text.slice(text.indexOf('['))) as readonly { readonly file: string }[] // as Vitest writes it
  return found.map(({ file }) => path.relative(root, file))
}

/** Of `--changed` or `--changed=<commit>`: the tests that import what was changed, and those that start it. */
export function reachedBy(root: string, changed: string): readonly string[] {
  const folders = startedWith(changedFiles(root, changed.split('=')[1]))
  const started = folders.length === 0 ? [] : listed(root, folders)
  return [...new Set([...listed(root, [changed]), ...started])]
}

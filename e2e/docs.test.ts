// The hand-written pages hold: messages, settings, commands, paths and links they name exist.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENT_FAULTS } from '../gateway/client/agents/fault.ts'
import { COMMANDS } from '../gateway/client/cli/commands.ts'
import { ERROR_STATUS } from '../gateway/contract/error.ts'
import { FAILURE_KINDS, REFUSAL_GATE } from '../gateway/contract/refusal.ts'

const root = new URL('..', import.meta.url).pathname
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const PRODUCT = ['gateway/', 'main/', 'preload/', 'pcg-bridge/', 'tools/']
const isCode = (file: string): boolean => ['.ts', '.tsx', '.mjs', '.py'].includes(path.extname(file))
const code = tracked.filter((file) => isCode(file) && PRODUCT.some((folder) => file.startsWith(folder)))
const isTest = (file: string): boolean => file.includes('.test.') || file.includes('.fixture.')
const sources = code
  .filter((file) => !isTest(file))
  .map(read)
  .join('\n')
  .replaceAll("\\'", "'")
/** With the variables that only tests read. */
const everything = [...code, ...tracked.filter((file) => isCode(file) && file.startsWith('e2e/'))].map(read).join('\n')

const pages = tracked.filter((file) => file.endsWith('.md'))
const guides = pages.filter((file) => file.startsWith('docs/') || file === 'README.md' || file === 'CONTRIBUTING.md')

/** Text in backticks, outside of code blocks. */
const spans = (page: string): readonly string[] =>
  page
    .split(/^```.*$/m)
    .filter((_block, at) => at % 2 === 0)
    .flatMap((text) => text.split('`').filter((_part, at) => at % 2 === 1))

const codeLines = (page: string): readonly string[] =>
  page
    .split(/^```.*$/m)
    .filter((_block, at) => at % 2 === 1)
    .flatMap((block) => block.split('\n').map((line) => line.trim()))

/** What stands between the placeholders of a quoted message. */
const fragments = (message: string): readonly string[] =>
  message
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part.length >= 4)

const CODES: ReadonlySet<string> = new Set([
  ...Object.keys(ERROR_STATUS),
  ...Object.keys(REFUSAL_GATE),
  ...FAILURE_KINDS,
  ...AGENT_FAULTS,
])
const isCodeName = (text: string): boolean => /^[A-Za-z]+(?:_[A-Za-z]+)*$/.test(text)

describe('docs/troubleshooting.md', () => {
  const quoted = read('docs/troubleshooting.md')
    .split('\n')
    .filter((line) => line.startsWith('**`'))
    .flatMap((line) => line.split('**').filter((part) => part.startsWith('`') && part.endsWith('`')))
    .map((part) => part.slice(1, -1))

  it('quotes only messages and codes that the program prints', () => {
    const gone = quoted.filter((message) =>
      isCodeName(message) ? !CODES.has(message) : !fragments(message).every((part) => sources.includes(part)),
    )
    expect(quoted.length).toBeGreaterThan(90)
    expect(gone, 'correct the page: these are not in the sources').toEqual([])
  })

  it('explains every reason for which a call is refused or fails', () => {
    const internal = ['cancelled', 'internal', 'ssrf_blocked', 'editor_busy', 'editor_unavailable']
    const missing = [...Object.keys(REFUSAL_GATE), ...FAILURE_KINDS].filter(
      (code) => !quoted.includes(code) && !internal.includes(code),
    )
    expect(missing).toEqual([])
  })
})

describe('docs/glossary.md', () => {
  it('has wire names that the sources use', () => {
    const rows = read('docs/glossary.md')
      .split('\n## Names in the code')[0]
      ?.split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => cells.length === 6)
    const names = (rows ?? []).flatMap((cells) => spans(cells[3] ?? ''))
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter((name) => !sources.includes(name.replace('…', '')))).toEqual([])
  })
})

describe('the READMEs of folders', () => {
  it('have at most 80 lines', () => {
    const long = pages.filter((page) => page.endsWith('/README.md') && read(page).trimEnd().split('\n').length > 80)
    expect(long).toEqual([])
  })

  it('list every folder of the gateway', () => {
    const page = read('gateway/README.md')
    const folders = new Set(
      tracked.filter((file) => /^gateway\/[^/]+\//.test(file)).map((file) => file.split('/')[1] ?? ''),
    )
    expect([...folders].filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([])
  })
})

describe('the hand-written pages', () => {
  it('name settings, variables and codes that exist', () => {
    const unknown = guides.flatMap((page) =>
      spans(read(page)).flatMap((span) =>
        (span.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])
          .filter((name) => !everything.includes(name.replace(/_FILE$/, '')))
          .map((name) => `${page}: ${name}`),
      ),
    )
    expect(unknown).toEqual([])
  })

  it('name commands of the command line that exist', () => {
    const known = new Set([
      'serve',
      'stdio',
      'database',
      ...COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0] ?? '']),
    ])
    const nouns = new Set(COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0]))
    const unknown = guides.flatMap((page) =>
      [...spans(read(page)), ...codeLines(read(page))]
        .filter((text) => /^gantry [a-z]/.test(text))
        .filter((text) => {
          const [, noun = '', verb = ''] = text.split(' ')
          if (!known.has(noun)) return true
          return nouns.has(noun) && /^[a-z]+$/.test(verb) && !known.has(`${noun} ${verb}`) && !known.has(noun)
        })
        .map((text) => `${page}: ${text}`),
    )
    expect(unknown).toEqual([])
  })

  it('link to files that exist', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
        .map(([, to = '']) => to)
        .filter((to) => !to.includes(':') && !existsSync(path.join(root, path.dirname(page), to)))
        .map((to) => `${page}: ${to}`),
    )
    expect(dead).toEqual([])
  })

  it('name files of their folder that exist', () => {
    const gone = pages
      .filter((page) => page.endsWith('/README.md'))
      .flatMap((page) => {
        const folder = path.dirname(page)
        const inside = tracked.filter((file) => file.startsWith(`${folder}/`))
        const isThere = (name: string): boolean =>
          [...inside, ...tracked.filter((file) => file.startsWith('gateway/'))].some((file) =>
            file.endsWith(`/${name}`),
          ) ||
          existsSync(path.join(root, folder, name)) ||
          existsSync(path.join(root, name))
        return spans(read(page))
          .filter((span) => /^[\w./-]+\.(?:tsx?|mjs|py|css)$/.test(span) && !isThere(span))
          .map((span) => `${page}: ${span}`)
      })
    expect(gone).toEqual([])
  })

  it('name files and folders that exist', () => {
    // With an extension or a final slash: `tools/list` is a method of MCP.
    const folder = /^(?:gateway|main|preload|pcg-bridge|renderer|e2e|tools|docs)\/[\w./-]*(?:\/|\.\w+)$/
    const gone = guides.flatMap((page) =>
      spans(read(page))
        .filter((span) => folder.test(span) && !existsSync(path.join(root, span)))
        .map((span) => `${page}: ${span}`),
    )
    expect(gone).toEqual([])
  })
})

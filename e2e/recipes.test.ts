// Each row of "To add X, touch Y" in README.md is complete: its example compiles and is picked up, in a copy of the project.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Edit, RECIPES } from './recipes/recipes.ts'

const root = path.resolve(import.meta.dirname, '..')
const modules = path.join(root, 'node_modules')

/** The first column → the text of the second. */
const ROWS: ReadonlyMap<string, string> = new Map(
  (readFileSync(path.join(root, 'README.md'), 'utf8').split('## To add X, touch Y')[1] ?? '')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 4 && cells[1] !== 'to add' && !cells[1]?.startsWith('---'))
    .map(([, add = '', touch = '']): [string, string] => [add, touch]),
)

/** The suites that guard what the examples change; the last is made for the examples. */
const PROOF = 'e2e/recipes/picked-up.test.ts'
const SUITES = [
  'gateway/settings/views.test.ts',
  'gateway/client/agents/connections.test.ts',
  'gateway/operations/tools/tool-features.test.ts',
  'gateway/storage/database.test.ts',
  'gateway/example/example.test.ts',
  'e2e/scenarios/example.test.ts',
  'main/ipc.test.ts',
  'renderer/pages.test.ts',
  'e2e/docs.test.ts',
  PROOF,
]
const PICKED_UP = `// Made by e2e/recipes.test.ts.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { AGENT_IDS } from '../../gateway/contract/agent-entry.ts'
import { AgentStatus } from '../../gateway/contract/agent-records.ts'
import { CATALOG } from '../../gateway/control/catalog.fixture.ts'
import { SYS_TOOLS } from '../../gateway/control/tools.ts'
import { discover } from '../../gateway/discovery/discover.ts'
import { MIGRATIONS } from '../../gateway/storage/migrations/index.ts'
import { citationsOf } from '../requirements/citations.ts'
import { RULES } from '../requirements/index.ts'

const LIMITS = { maxTools: 1, graphqlMaxTypes: 1, graphqlSelectionMaxDepth: 1, graphqlInputMaxDepth: 1 }
const read = (file: string) => readFileSync(new URL('../../' + file, import.meta.url), 'utf8')
it('is picked up by every part', async () => {
  expect(read('docs/settings.md')).toContain('EXAMPLE_LIMIT')
  expect(read('docs/cli.md')).toContain('gantry schedule example')
  expect(AgentStatus.shape.id.options).toEqual(AGENT_IDS)
  expect(SYS_TOOLS.map(({ name }) => name)).toEqual(Object.keys(CATALOG))
  expect(await discover({ kind: 'example' }, LIMITS)).toMatchObject({ tools: [] })
  expect(MIGRATIONS.at(-1)?.name).toBe('examples')
  expect(RULES.map(({ id }) => id)).toContain('gw.auth.example')
  const cited = citationsOf('x.test.ts', read('e2e/scenarios/example.test.ts'))
  expect(cited.map(({ id }) => id)).toEqual(['gw.auth.example'])
})
`

let copy = ''
function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: args[0] === 'ls-files' ? root : copy, encoding: 'utf8' })
}

function copyProject(): void {
  const files = git('ls-files', '--cached', '--others', '--exclude-standard').split('\n')
  for (const file of files)
    if (file !== '' && existsSync(path.join(root, file)) && !file.startsWith('e2e/corpora/'))
      cpSync(path.join(root, file), path.join(copy, file))
  for (const made of ['node_modules', 'dist'])
    if (existsSync(path.join(root, made))) symlinkSync(path.join(root, made), path.join(copy, made), 'junction')
  mkdirSync(path.join(copy, 'e2e/corpora'))
  // The test of the documents lists the files of the project.
  git('init', '--quiet')
}

function perform({ file, after, before, text }: Edit): void {
  const target = path.join(copy, file)
  const anchor = after ?? before
  if (anchor === undefined) {
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text, { flag: 'wx' })
    return
  }
  const parts = readFileSync(target, 'utf8').split(anchor)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${anchor}`)
  writeFileSync(target, parts.join(after === undefined ? text + anchor : anchor + text))
}

const run = (...args: readonly string[]) => {
  // The compiler spends a quarter of its time on collecting garbage otherwise.
  const env = { ...process.env, GOGC: '400' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env })
  return status === 0 ? '' : stdout + stderr
}

describe('to add something', () => {
  beforeAll(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'gantry-recipes-'))
    copyProject()
    for (const { edits, run: program } of RECIPES) {
      for (const edit of edits) perform(edit)
      if (program !== undefined) expect(run(program)).toBe('')
    }
    writeFileSync(path.join(copy, PROOF), PICKED_UP)
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('has an example for each row of the README', () => {
    expect(RECIPES.map(({ add }) => add)).toEqual([...ROWS.keys()])
  })

  it.each(RECIPES)('$add touches only files that its row names', ({ add, edits, run: program }) => {
    const row = ROWS.get(add) ?? ''
    const named = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/^node /, ''))
    const isNamed = (file: string): boolean =>
      named.some((name) => {
        const pattern = name.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/<[a-z]+>/g, '[^/]+')
        const [open, ...choices] = pattern.split(/[{,}]/)
        const choice = choices.length > 1 ? `${open}(?:${choices.slice(0, -1).join('|')})${choices.at(-1)}` : pattern
        return new RegExp(`^${choice}${name.endsWith('/') ? '.+' : ''}$`).test(file)
      })
    const touched = [...edits.map(({ file }) => file), ...(program === undefined ? [] : [program])]
    expect(touched.filter((file) => !isNamed(file))).toEqual([])
  })

  it('compiles', { timeout: 600_000 }, () => {
    // Each further checker repeats half of the work.
    expect(run(path.join(modules, 'typescript', 'bin', 'tsc'), '--noEmit', '--checkers', '1')).toBe('')
  })

  it('has a German text for each English one', { timeout: 600_000 }, () => {
    expect(run('tools/texts.ts')).toBe('')
  })

  it('is picked up, and passes the tests that guard it', { timeout: 600_000 }, () => {
    const vitest = path.join(modules, 'vitest', 'vitest.mjs')
    expect(run(vitest, 'run', '--maxWorkers=1', ...SUITES)).toBe('')
  })
})

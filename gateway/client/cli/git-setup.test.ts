// Graphs in a real git repository: diff and merge go through this program, and a conflict is git's conflict.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry } from './cli.fixture.ts'

const GIT = spawnSync('git', ['--version'], { encoding: 'utf8' }).status === 0
const home = mkdtempSync(path.join(tmpdir(), 'gantry-git-'))
const repo = path.join(home, 'a repository')
const program = path.join(import.meta.dirname, '../../gantry.ts')

const git = (...args: string[]) => ran('git', ...args)
function ran(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: repo,
    encoding: 'utf8',
    env: {
      PATH: `${path.join(home, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    },
  })
  return { status, out: `${stdout}${stderr}` }
}

const GRAPH = 'Wood.pcg.yaml'
const text = (lower: number, node = 'Filter'): string => `pcg: 1
nodes:
  ${node}:
    class: PCGDensityFilterSettings
    settings:
      LowerBound: ${lower}
    inputs:
      In: Input.In
outputs:
  Out: ${node}.Out
`
const ASSET = 'Wood.pcg.json'
const asset = (name: string, more: object = {}): string =>
  JSON.stringify({
    kind: 'PCGGraph',
    version: 1,
    nodes: [{ name, class: 'PCGMergeSettings', properties: {}, ...more }],
    edges: [],
    parameters: [],
    inputPins: [],
    outputPins: [],
    serials: { Merge: 0 },
    positions: {},
    comments: [],
  })
const put = (file: string, content: string) => writeFileSync(path.join(repo, file), content)
const got = (file: string) => readFileSync(path.join(repo, file), 'utf8')
function commit(files: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(files)) put(file, content)
  git('add', '-A')
  expect(git('commit', '-qm', 'work')).toMatchObject({ status: 0 })
}

describe.skipIf(!GIT)(`gantry pcg git-setup${GIT ? '' : ' (git is not installed)'}`, () => {
  beforeAll(async () => {
    mkdirSync(path.join(home, 'bin'))
    mkdirSync(repo)
    writeFileSync(path.join(home, 'bin', 'gantry'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
    chmodSync(path.join(home, 'bin', 'gantry'), 0o755)
    git('init', '-q', '-b', 'main')
    git('config', 'core.quotepath', 'false')
    put('.gitattributes', '*.png binary')
    for (let times = 0; times < 2; times++)
      expect(await gantry({ HOME: home }, ['pcg', 'git-setup', repo])).toMatchObject({ code: 0, error: '' })
    commit({ [GRAPH]: text(0.25), [ASSET]: asset('Merge_0') })
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it('adds its sections and lines once, and keeps all others', () => {
    expect(git('config', '--get-all', 'merge.gantry-pcg.driver')).toEqual({
      status: 0,
      out: 'gantry pcg merge %O %A %B -o %A --label %P\n',
    })
    expect(git('config', '--get', 'core.quotepath')).toEqual({ status: 0, out: 'false\n' })
    expect(got('.gitattributes').split('\n')).toHaveLength(4)
    expect(got('.gitattributes')).toMatch(/^\*\.png binary\n/)
  })

  it('shows changes in the terms of graphs, also of a file that is new', () => {
    put(GRAPH, text(0.5, 'Thin'))
    put(`New ${GRAPH}`, text(1))
    git('add', '-N', '.')
    const { status, out } = git('diff')
    expect([status, out]).toEqual([0, expect.stringContaining('~ Filter: LowerBound 0.25 → 0.5')])
    expect(out).toContain('= node Filter is now named Thin')
    expect(out).toContain('+ node Filter (PCGDensityFilterSettings)')
    git('rm', '-qf', '--cached', `New ${GRAPH}`)
    rmSync(path.join(repo, `New ${GRAPH}`))
    git('checkout', '-q', '--', '.')
  })

  it('merges a rename with another setting, in texts and in files of the editor', () => {
    git('checkout', '-qb', 'rename')
    commit({ [GRAPH]: text(0.25, 'Thin'), [ASSET]: asset('Renamed') })
    git('checkout', '-q', 'main')
    commit({ [GRAPH]: text(0.4), [ASSET]: asset('Merge_0', { title: 'Together' }) })
    expect(git('merge', '-q', '--no-edit', 'rename')).toMatchObject({ status: 0 })
    expect(got(GRAPH)).toMatch(
      /Filter:\n {4}class: PCGDensityFilterSettings\n {4}name: Thin\n {4}settings:\n {6}LowerBound: 0\.4\n/,
    )
    expect(JSON.parse(got(ASSET))).toMatchObject({ nodes: [{ name: 'Renamed', title: 'Together' }] })
  })

  it('stops at a conflict, which the file names and the command line refuses until it is resolved', async () => {
    git('checkout', '-qb', 'higher')
    const now = got(GRAPH)
    commit({ [GRAPH]: now.replace('0.4', '0.75') })
    git('checkout', '-q', 'main')
    commit({ [GRAPH]: now.replace('0.4', '0.1') })
    const { status, out } = git('merge', '-q', '--no-edit', 'higher')
    expect([status, out]).toEqual([
      1,
      expect.stringContaining('conflict: Filter: LowerBound: ours 0.1, theirs 0.75, before 0.4'),
    ])
    expect(git('status', '--short').out).toContain(`UU ${GRAPH}`)
    expect(got(GRAPH)).toContain('---\nconflicts:\n  - kind: setting\n')
    const file = path.join(repo, GRAPH)
    expect(await gantry({ HOME: home }, ['pcg', 'export', file])).toMatchObject({ code: 2 })
    put(GRAPH, got(GRAPH).split('---\nconflicts:')[0] ?? '')
    expect(await gantry({ HOME: home }, ['pcg', 'fmt', file, '--check'])).toMatchObject({ code: 0 })
    git('add', '-A')
    expect(git('commit', '-qm', 'merged')).toMatchObject({ status: 0 })
  })

  it('merges as Perforce calls the script of the documentation, with temporary files of any name', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../../docs/pcg-review.md'), 'utf8')
    const script = path.join(home, 'bin', 'p4merge')
    writeFileSync(script, /### Perforce[^]*?```\n([^]*?)```/.exec(page)?.[1] ?? '')
    chmodSync(script, 0o755)
    const of = (name: string) => `tmp.${name}`
    for (const [file, content] of [
      ['base', text(0.25)],
      ['theirs', text(0.25, 'Thin')],
      ['yours', text(0.4)],
    ] as const)
      put(of(file), content)
    const { status, out } = ran(script, of('base'), of('theirs'), of('yours'), of('result'))
    expect(status, out).toBe(0)
    expect(got(of('result'))).toContain('Thin')
    expect(got(of('result'))).toContain('LowerBound: 0.4')
  })

  it('finds the configuration from a work tree, and refuses a folder without a repository', async () => {
    const tree = path.join(home, 'tree')
    git('worktree', 'add', '-q', '-b', 'tree', tree)
    const { code, out } = await gantry({ HOME: home }, ['pcg', 'git-setup', tree, '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([0, { config: path.join(repo, '.git', 'config') }])
    expect(await gantry({ HOME: home }, ['pcg', 'git-setup', home])).toMatchObject({
      code: 2,
      error: expect.stringContaining('it has no .git'),
    })
  })
})

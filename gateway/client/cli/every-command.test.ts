// Every command of the table, by what holds for all of them: help, options, answers in JSON, exit codes, completions.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { gantry as gantryIn } from './cli.fixture.ts'
import { COMMANDS, PROGRAMS, words } from './commands.ts'
import { completion, SHELLS } from './completion.ts'
import { EXIT } from './exit.ts'

const home = mkdtempSync(path.join(tmpdir(), 'gantry-commands-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const EMPTY = path.join(home, 'empty.yaml')
writeFileSync(EMPTY, 'version: 1\n')

/** No server listens there. */
const NOWHERE = { HOME: home, USERPROFILE: home, GANTRY_URL: 'http://127.0.0.1:1', GANTRY_ADMIN_KEY: 'k' }

const gantry = (args: readonly string[]) => gantryIn(NOWHERE, args)

/** Words that each argument takes. */
const SAMPLES: Readonly<Record<string, string>> = {
  agent: 'cursor',
  id: '1',
  file: path.join(home, 'copy.db'),
  session: 'a'.repeat(64),
  handle: `result:${'a'.repeat(22)}`,
  client__tool: 'shop__item',
  'client|client__tool': 'shop__item',
  'bash|zsh|fish': 'bash',
}
/** What needs no gateway ends by itself: these well, the others for want of what they were given. */
const ALONE: Readonly<Record<string, number>> = {
  open: EXIT.ok,
  completion: EXIT.ok,
  'agent list': EXIT.ok,
  'composite add': EXIT.usage,
  'config schema': EXIT.ok,
  'config validate': EXIT.usage,
  'agent move': EXIT.ok,
  'agent disconnect': EXIT.failed,
  'servers add': EXIT.usage,
  'servers remove': EXIT.usage,
  'servers import': EXIT.usage,
  'servers export': EXIT.usage,
  'servers pin': EXIT.usage,
  'servers update': EXIT.usage,
  'servers rollback': EXIT.usage,
  'pcg export': EXIT.trouble,
  'pcg import': EXIT.trouble,
  'pcg fmt': EXIT.trouble,
  'pcg diff': EXIT.trouble,
  'pcg merge': EXIT.trouble,
  'pcg test': EXIT.trouble,
  'pcg lint': EXIT.trouble,
  'pcg patch': EXIT.trouble,
  'pcg git-setup': EXIT.trouble,
}

const given = ({ name, args = [] }: (typeof COMMANDS)[number]): readonly string[] => [
  ...name.split(' '),
  ...args.filter((arg) => !arg.startsWith('[')).map((arg) => SAMPLES[arg] ?? 'shop'),
  ...(name === 'open' ? ['--print'] : []),
  ...(name === 'config validate' ? [path.join(home, 'absent')] : []),
  ...(name === 'config diff' || name === 'config apply' ? [EMPTY] : []),
  ...(name === 'schedule add' ? ['--action', 'disable', '--cron', '0 3 * * *'] : []),
  ...(name === 'pcg copy' || name === 'pcg read-level' ? ['--from', 'pcg', '--to', 'other'] : []),
  ...(name === 'result export' ? ['--format', 'csv'] : []),
  ...(name === 'servers secret' ? ['--value', `@${EMPTY}`] : []),
  ...(name === 'backend add' ? ['--openapi', 'https://api.example.com/openapi.json'] : []),
]

describe.each(COMMANDS.map((command) => [command.name, command] as const))('gantry %s', (name, command) => {
  it('prints its usage', async () => {
    const { code, out } = await gantry([...name.split(' '), '--help'])
    expect(code).toBe(EXIT.ok)
    for (const printed of [
      `gantry ${name}`,
      command.summary,
      '--json',
      '--url',
      '--key-file',
      ...Object.keys(command.options ?? {}),
    ])
      expect(out).toContain(printed)
  })

  it('refuses an option it does not know, a word too many and a word too few, and says where help is', async () => {
    const line = given(command)
    const wrong = [
      [...line, '--colour'],
      [...line, ...Array.from({ length: 9 }, () => 'more')],
      ...((command.args ?? []).some((arg) => !arg.startsWith('[')) ? [name.split(' ')] : []),
    ]
    for (const args of wrong)
      expect(await gantry(args)).toMatchObject({
        code: EXIT.usage,
        out: '',
        error: expect.stringContaining(`Try: gantry ${name} --help`),
      })
  })

  it('says with its exit code and in JSON that no gateway answers, or needs none', async () => {
    const { code, out, error } = await gantry([...given(command), '--json'])
    expect([code, error]).toEqual([ALONE[name] ?? EXIT.unreachable, expect.any(String)])
    if (code === EXIT.ok) return expect(error).toBe('')
    const shown: unknown = JSON.parse(out)
    if (name !== 'doctor') expect(shown).toEqual({ error: expect.objectContaining({ message: expect.any(String) }) })
  })
})

describe('the completions', () => {
  it.each(SHELLS)('of %s know every word of every command', (shell) => {
    const text = completion(shell, words())
    for (const word of [...COMMANDS.map(({ name }) => name), ...Object.keys(PROGRAMS)].flatMap((name) =>
      name.split(' '),
    ))
      expect(text.split(/[\s")]+/)).toContain(word)
  })

  it('of bash complete a first and a second word in a real bash', () => {
    const script = `${completion('bash', words())}
      COMP_WORDS=(gantry ba); COMP_CWORD=1; _gantry; echo "\${COMPREPLY[*]}"
      COMP_WORDS=(gantry config ex); COMP_CWORD=2; _gantry; echo "\${COMPREPLY[*]}"`
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe('backend backup\nexport\n')
  })
})

describe('the nouns of the application', () => {
  it('are all there', () => {
    const nouns =
      'serve open connect backend tool bundle key schedule tail diagnose config audit backup doctor stdio'.split(' ')
    expect(Object.keys(words())).toEqual(expect.arrayContaining(nouns))
    for (const name of ['tool call', 'audit verify']) expect(COMMANDS.map((each) => each.name)).toContain(name)
  })

  it('are two programs besides, which tell how they are used and refuse what they do not know', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [path.join(import.meta.dirname, '../..', 'gantry.ts'), ...args], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', HOME: home },
      })
    expect(run('serve', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('DB_PATH') })
    const { status, stderr } = run('stdio')
    expect([status, stderr]).toEqual([EXIT.usage, expect.stringMatching(/--url is missing[^]*--key-file/)])
    expect(run('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^gantry \d/) })
  })
})

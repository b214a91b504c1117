// Bundles (.mcpb), from a file of unknown origin to an entry that the gateway starts, and back.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type LocalServerEntry, readLocalServers } from '../../contract/local-servers.ts'
import { lack } from '../../sandbox/sandbox.fixture.ts'
import { createStore } from '../../upstream/programs/store.ts'
import { crafted } from '../packages/archive.fixture.ts'
import { portableText } from '../packages/bundle.ts'
import { BundleManifest, bundleProgram } from '../packages/bundle-manifest.ts'
import { membersOf } from '../packages/zip-reader.ts'
import { gantry as gantryIn } from './cli.fixture.ts'
import { EXIT } from './exit.ts'

const home = mkdtempSync(path.join(tmpdir(), 'gantry-bundle-'))
const project = path.join(home, 'project')
mkdirSync(project)
const file = path.join(home, 'data', 'servers.json')
const store = path.join(home, 'data', 'servers')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const MAIN = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const send = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  if (method === 'initialize') send({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } })
  if (method === 'tools/list') send({ tools: [{ name: 'search', description: 'In ' + process.argv.slice(2).join(' '), inputSchema: { type: 'object' } }] })
})
`
const manifest = {
  manifest_version: '0.3',
  name: 'Notes of Ada',
  version: '1.2.0',
  description: 'Reads notes',
  author: { name: 'Ada' },
  server: {
    type: 'node',
    entry_point: 'server/main.js',
    mcp_config: {
      command: 'node',
      args: [
        '${__dirname}/server/main.js',
        '${user_config.folders}',
        '--level=${user_config.level}',
        '${user_config.more}',
      ],
      env: { API_KEY: '${user_config.key}', LIB: '${__dirname}/lib', REGION: '${user_config.region}' },
    },
  },
  user_config: {
    folders: { type: 'directory', multiple: true, required: true },
    level: { type: 'number', default: 3, min: 1, max: 5 },
    more: { type: 'string' },
    region: { type: 'string' },
    key: { type: 'string', sensitive: true, required: true },
  },
}

function aBundle(name: string, given: object = manifest): string {
  const at = path.join(home, name)
  const archive = crafted([
    { name: 'manifest.json', data: JSON.stringify(given) },
    { name: 'server/main.js', data: MAIN, isDeflated: true },
    { name: 'server/tool', data: '#!/bin/sh\n', mode: 0o100755 },
  ])
  writeFileSync(at, archive)
  return at
}

const gantry = (args: readonly string[], ...answers: readonly boolean[]) => {
  const left = [...answers]
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LOCAL_SERVERS_FILE: file }
  return gantryIn(env, args, async () => left.shift() === true)
}
const entry = (name: string): LocalServerEntry => {
  const found = readLocalServers(readFileSync(file, 'utf8')).entries.get(name)
  if (found === undefined) throw new Error('there is no entry')
  return found
}
const config = ['--config', JSON.stringify({ folders: [project] })]

describe('a bundle', () => {
  const bundle = aBundle('notes.mcpb')

  it('is unpacked only after its command was shown and agreed to, and is gone where its tools are declined', async () => {
    const add = ['servers', 'add', 'notes', '--bundle', bundle, ...config]
    const { code, error } = await gantry(add, false)
    expect(code).toBe(EXIT.failed)
    for (const line of ['Notes of Ada 1.2.0 of Ada', 'SHA-256', 'command   "node"', '--level=3', 'secrets   API_KEY'])
      expect(error).toContain(line)
    expect(existsSync(path.dirname(file))).toBe(false)
    expect((await gantry(add, true, false)).code).toBe(EXIT.failed)
    expect([existsSync(file), readdirSync(store)]).toEqual([false, []])
  })

  it('becomes an entry in the sandbox, with its settings as arguments, variables, secrets and folders', async () => {
    const { code, error } = await gantry(['servers', 'add', 'notes', '--bundle', bundle, ...config], true, true)
    expect([code, error]).toEqual([
      EXIT.ok,
      expect.stringContaining(lack === undefined ? `tool      search: In ${project} --level=3` : 'not listed'),
    ])
    const { bundle: stored, ...rest } = entry('notes')
    const at = path.join(store, stored?.folder ?? '')
    expect(rest).toMatchObject({
      command: 'node',
      args: [path.join(at, 'server/main.js'), project, '--level=3'],
      env: { LIB: path.join(at, 'lib') },
      secrets: ['API_KEY'],
      folders: [project],
      sandbox: 'os',
    })
    expect(stored).toMatchObject({ name: 'Notes of Ada', version: '1.2.0' })
    expect(statSync(path.join(at, 'server/tool')).mode & 0o777).toBe(0o755)
    expect(statSync(path.join(at, 'server/main.js')).mode & 0o777).toBe(0o644)
  })

  it('runs without a sandbox only where the person asks for that, and is not started before', async () => {
    const add = ['servers', 'add', 'plain', '--bundle', bundle, ...config, '--sandbox']
    for (const more of [['none'], ['group', '--hosts', 'a.example'], ['group', '--folders', project]])
      expect(await gantry([...add, ...more])).toMatchObject({ code: EXIT.usage })
    const { code, error } = await gantry([...add, 'group'], true)
    expect([code, error]).toEqual([EXIT.ok, expect.stringContaining('sandbox   group')])
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
    const refused = await gantry(add.slice(0, -1)).finally(() => vi.restoreAllMocks())
    expect(refused).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('--sandbox group') })
    const { sandbox, hosts, folders, args } = entry('plain')
    expect([sandbox, hosts, folders, args[1]]).toEqual(['group', [], [], project])
    expect((await gantry(['servers', 'remove', 'plain'])).code).toBe(EXIT.ok)
  })

  it('is exported without the values of this computer, and imported again as the same entry', async () => {
    const out = path.join(home, 'out.mcpb')
    const { code, error } = await gantry(['servers', 'export', 'notes', '--out', out])
    expect([code, error]).toEqual([EXIT.ok, ''])
    const [own] = membersOf(readFileSync(out))
    const text = own?.read().toString() ?? ''
    expect(text).not.toContain(home)
    expect(JSON.parse(text)).toMatchObject({ author: { name: 'Ada' }, server: { entry_point: 'server/main.js' } })
    expect((await gantry(['servers', 'export', 'notes', '--out', out])).code).toBe(EXIT.usage)
    const again = ['servers', 'add', 'again', '--bundle', out, '--config', JSON.stringify({ folder_1: project })]
    expect((await gantry(again, true, true)).code).toBe(EXIT.ok)
    const [first, second] = [entry('notes'), entry('again')]
    const args = ({ args: words, bundle: stored }: LocalServerEntry) =>
      words.map((word) => word.replace(stored?.folder ?? '', ''))
    expect(args(second)).toEqual(args(first))
    expect([second.secrets, second.folders]).toEqual([first.secrets, first.folders])
  })

  it('does not run when a file of it was changed since', async () => {
    const { bundle: stored } = entry('notes')
    const programs = createStore(store)
    expect(await programs.programOf(entry('notes'))).toBeUndefined()
    writeFileSync(path.join(store, stored?.folder ?? '', 'server', 'main.js'), 'other')
    expect(await createStore(store).programOf(entry('notes'))).toContain('was changed since')
  })

  it('with a file outside, without a manifest, or with a manifest of another kind is refused, and nothing is written', async () => {
    const files: readonly (readonly [name: string, archive: Buffer, why: string])[] = [
      ['slip.mcpb', crafted([{ name: '../../slip', data: 'x' }]), 'leads out of it'],
      ['none.mcpb', crafted([{ name: 'a' }]), 'has no manifest.json'],
      ['text.mcpb', Buffer.from('no archive at all, but some text'), 'it is no zip file'],
      ['odd.mcpb', crafted([{ name: 'manifest.json', data: '{"name":1}' }]), 'cannot be used: name'],
    ]
    const before = readdirSync(store)
    for (const [name, archive, why] of files) {
      const at = path.join(home, name)
      writeFileSync(at, archive)
      const { code, error } = await gantry(['servers', 'add', 'x', '--bundle', at], true, true)
      expect([name, code, error]).toEqual([name, EXIT.usage, expect.stringContaining(why)])
    }
    expect([readdirSync(store), existsSync(path.join(home, 'slip'))]).toEqual([before, false])
  })
})

describe('the manifest of a bundle', () => {
  const place = { at: '/store/x', home: '/home/ada', platform: 'linux', has: (name: string) => name === 'server/run' }
  const programOf = (config: object, given: object = {}, settings: object = {}, more: object = {}) =>
    bundleProgram(
      BundleManifest.parse({
        name: 'x',
        version: '1',
        server: { type: 'binary', mcp_config: { command: 'server/run', ...config } },
        user_config: settings,
        ...more,
      }),
      { ...given },
      place,
    )

  it('names files of it relatively, has defaults below the home, and differs by platform', () => {
    const folder = { type: 'directory', default: '${HOME}/Documents' }
    expect(
      programOf(
        {
          args: ['${user_config.folder}${/}a'],
          platform_overrides: { linux: { env: { A: '1' } }, win32: { args: [] } },
        },
        {},
        { folder },
      ),
    ).toEqual({
      command: '/store/x/server/run',
      args: ['/home/ada/Documents/a'],
      env: { A: '1' },
      secrets: [],
      folders: ['/home/ada/Documents'],
      notes: [],
    })
  })

  it('names its files as Windows does there, also where the manifest has no .exe', () => {
    const at = 'C:\\servers\\x'
    const files = ['server/run.exe', 'server/main.js']
    const windows = { at, home: 'C:\\Users\\Ada', platform: 'win32', has: (name: string) => files.includes(name) }
    const onWindows = (launch: object, given: object = {}, settings: object = {}) =>
      bundleProgram(
        BundleManifest.parse({
          name: 'x',
          version: '1',
          server: { type: 'binary', mcp_config: { command: 'server/run', ...launch } },
          user_config: settings,
        }),
        { ...given },
        windows,
      )
    const args = ['server\\main.js', '${DOCUMENTS}${/}a', '${__dirname}/server/main.js', '${user_config.folder}']
    const folder = { type: 'directory' }
    expect(onWindows({ args }, { folder: 'D:\\Notes' }, { folder })).toMatchObject({
      command: `${at}\\server\\run.exe`,
      args: [`${at}\\server\\main.js`, 'C:\\Users\\Ada\\Documents\\a', `${at}/server/main.js`, 'D:\\Notes'],
      folders: ['D:\\Notes'],
    })
    expect(onWindows({ command: 'python' }).command).toBe('python')
    expect(() => onWindows({ command: 'npx.cmd' })).toThrow('it downloads its program')
    expect(() => onWindows({}, { folder: 'Notes' }, { folder })).toThrow('an absolute path')
    expect(portableText(`${at}\\server\\main.js,D:\\other`, at)).toBe('${__dirname}/server/main.js,D:\\other')
    expect(portableText('/store/x/a\\b', '/store/x')).toBe('${__dirname}/a\\b')
  })

  it('leaves out an optional secret unless it is declared, and says how a composed one is set', () => {
    const key = { type: 'string', sensitive: true }
    const env = { AUTH: 'Bearer ${user_config.key}' }
    expect(programOf({ env }, {}, { key })).toMatchObject({
      env: {},
      secrets: [],
      notes: [expect.stringContaining('optional')],
    })
    expect(programOf({ env }, { key: true }, { key })).toMatchObject({
      secrets: ['AUTH'],
      notes: ['the secret AUTH is the whole text "Bearer ${user_config.key}"'],
    })
  })

  const secret = { key: { type: 'string', sensitive: true, required: true } }
  it.each<[string, object, object, object, object, string]>([
    ['a secret in its arguments', { args: ['--key=${user_config.key}'] }, {}, secret, {}, 'other users can read'],
    ['the value of a secret', {}, { key: 'sec-1' }, secret, {}, 'set it with gantry servers secret'],
    ['a setting that it does not have', {}, { b: 1 }, {}, {}, 'it has no setting b'],
    ['a setting that it does not declare', { args: ['${user_config.b}'] }, {}, {}, {}, 'it has no setting b'],
    ['a missing setting', {}, {}, { a: { type: 'file', required: true } }, {}, 'give its settings with --config: a'],
    ['a number out of its limits', {}, { a: 9 }, { a: { type: 'number', max: 5 } }, {}, 'a number in its limits'],
    ['a relative folder', {}, { a: 'x' }, { a: { type: 'directory' } }, {}, 'an absolute path'],
    ['an unknown variable', { args: ['${PATH}'] }, {}, {}, {}, 'is not known here'],
    ['a name of every object', { args: ['${constructor}'] }, {}, {}, {}, 'is not known here'],
    ['a package runner', { command: 'npx' }, {}, {}, {}, 'it downloads its program'],
    ['another platform', {}, {}, {}, { compatibility: { platforms: ['win32'] } }, 'it is for win32'],
    ['uv', {}, {}, {}, { server: { type: 'uv' } }, 'cannot be pinned'],
  ])('with %s is refused', (_what, launch, given, settings, more, why) => {
    expect(() => programOf(launch, given, settings, more)).toThrow(why)
  })
})

// Breaks every wall of the repository once, in a small copy: a rule that cannot fail protects nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
const CONFIG = path.join(ROOT, '.dependency-cruiser.cjs')

type Files = Readonly<Record<string, string>>
type Config = { readonly forbidden: readonly { readonly name: string }[] }
type Report = {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[]
  }
}

const SOUND: Files = {
  'gateway/contract/index.ts':
    "import { drivers } from '../../pcg-bridge/contract/index.ts'\nexport const contract = `pure ${drivers}`\n",
  'gateway/index.ts': "export { contract } from './contract/index.ts'\n",
  'gateway/serve.ts': "import { contract } from './index.ts'\nprocess.stdout.write(contract)\n",
  'pcg-bridge/contract/index.ts': 'export const drivers = 1\n',
  'pcg-bridge/catalog/index.ts': 'export const catalog = 1\n',
  'pcg-bridge/index.ts': "export { catalog } from './catalog/index.ts'\n",
  'preload/channels.ts': 'export const channels = 1\n',
  'preload/index.ts': "import { channels } from './channels.ts'\nconsole.log(channels)\n",
  'renderer/main.tsx': "import { contract } from '../gateway/contract/index.ts'\nconsole.log(contract)\n",
  'gateway/shell.ts': 'export const shell = 1\n',
  'main/index.ts': "import { shell } from '../gateway/shell.ts'\nconsole.log(shell)\n",
  'main/gateway-process.ts':
    "import { contract } from '../gateway/index.ts'\nimport { catalog } from '../pcg-bridge/index.ts'\nconsole.log(contract, catalog)\n",
}

/** Each rule, the file that breaks it, and the files it needs for that. */
const BROKEN: readonly (readonly [rule: string, from: string, text: string, more?: Files])[] = [
  [
    'no-cycles',
    'gateway/cycle-a.ts',
    "import { b } from './cycle-b.ts'\nexport const a = () => b\n",
    {
      'gateway/cycle-b.ts': "import { a } from './cycle-a.ts'\nexport const b = () => a\n",
    },
  ],
  ['no-unresolvable', 'gateway/unresolvable.ts', "import './gone.ts'\n"],
  ['no-orphans', 'gateway/orphan.ts', 'export const orphan = 1\n'],
  ['gateway-is-headless', 'gateway/serve.ts', "import 'electron'\n"],
  ['gateway-stands-alone', 'gateway/bridge-user.ts', "import '../pcg-bridge/index.ts'\n"],
  ['gateway-stands-alone', 'gateway/catalog-user.ts', "import '../pcg-bridge/catalog/index.ts'\n"],
  ['serve-opens-only-the-bridge', 'gateway/serve-pcg.ts', "import '../preload/index.ts'\n"],
  ['command-line-reviews-files', 'gateway/client/cli/runs-a-bridge.ts', "import '../../../pcg-bridge/index.ts'\n"],
  ['review-is-pure', 'pcg-bridge/review/reads-files.ts', "import 'node:fs'\n"],
  ['bridge-stands-alone', 'pcg-bridge/gateway-user.ts', "import '../gateway/contract/index.ts'\n"],
  ['contracts-are-pure', 'gateway/contract/impure.ts', "import 'node:fs'\n"],
  ['contracts-are-pure', 'pcg-bridge/contract/impure.ts', "import '../index.ts'\n"],
  ['renderer-sees-only-contracts', 'renderer/gateway-user.ts', "import '../gateway/index.ts'\n"],
  ['one-outbound-door', 'gateway/http-client.ts', "import 'undici'\n"],
  ['one-outbound-door', 'gateway/socket-client.ts', "import 'ws'\n"],
  [
    'upstreams-are-dialled-by-dispatch',
    'gateway/surfaces/dials.ts',
    "import '../upstream/connects.ts'\n",
    {
      'gateway/upstream/connects.ts': 'export const connects = 1\n',
    },
  ],
  ['nothing-is-spawned', 'gateway/spawns.ts', "import 'node:child_process'\n"],
  [
    'programs-are-started-by-their-file',
    'gateway/admin/starts.ts',
    "import '../upstream/programs/starts.ts'\n",
    { 'gateway/upstream/programs/starts.ts': 'export const starts = 1\n' },
  ],
  [
    'the-servers-file-is-written-by-a-person',
    'gateway/admin/writes.ts',
    "import '../instance/write-local-servers-file.ts'\n",
    { 'gateway/instance/write-local-servers-file.ts': 'export const writes = 1\n' },
  ],
  [
    'packages-are-installed-by-a-person',
    'gateway/operations/installs.ts',
    "import '../client/packages/installs.ts'\n",
    { 'gateway/client/packages/installs.ts': 'export const installs = 1\n' },
  ],
  [
    'sandboxes-are-for-starting',
    'gateway/operations/wraps.ts',
    "import '../sandbox/wraps.ts'\n",
    { 'gateway/sandbox/wraps.ts': 'export const wraps = 1\n' },
  ],
  [
    'browser-is-for-the-command-line',
    'gateway/index.ts',
    "import './client/cli/browser.ts'\n",
    {
      'gateway/client/cli/browser.ts': "import 'node:child_process'\nexport const browser = 1\n",
    },
  ],
  ['renderer-is-a-browser', 'renderer/reads-files.ts', "import 'node:fs'\n"],
  ['preload-is-small', 'preload/gateway-user.ts', "import '../gateway/contract/index.ts'\n"],
  ['channels-see-the-contract', 'preload/channels.ts', "import '../gateway/index.ts'\nexport const channels = 1\n"],
  ['gateway-has-its-own-process', 'main/index.ts', "import '../gateway/index.ts'\n"],
  ['main-never-renders', 'main/renders.ts', "import '../renderer/main.tsx'\n"],
  [
    'main-uses-doors',
    'main/no-door.ts',
    "import '../gateway/http/server.ts'\n",
    {
      'gateway/http/server.ts': 'export const inside = 1\n',
    },
  ],
  ['electron-only-in-the-shell', 'pcg-bridge/shell.ts', "import 'electron'\n"],
  [
    'no-tests-in-the-product',
    'gateway/uses-a-test.ts',
    "import './some.fixture.ts'\n",
    {
      'gateway/some.fixture.ts': 'export const fixture = 1\n',
    },
  ],
  ['ladder-has-every-room', 'gateway/attic/new.ts', "import '../contract/index.ts'\n"],
]

const { forbidden } = createRequire(import.meta.url)(CONFIG) as Config // the configuration of this repository
const rooms = forbidden.flatMap(({ name }) => {
  const [, folder, room] = /^ladder-(gateway|pcg-bridge|renderer)-(.*)$/.exec(name) ?? []
  return folder && room ? [{ folder, room, rule: name }] : []
})
const fileIn = (room: string, file: string): string => (room.endsWith('.ts') ? room : `${room}/${file}.ts`)

/** Every room imports the one after it; the last of a folder imports a file at its top, and the client the last room. */
const UPWARD = rooms.map(({ folder, room, rule }, at) => {
  const next = rooms[at + 1]
  const after = next?.folder === folder ? fileIn(next.room, 'room') : 'top.ts'
  const above = room === 'client' ? 'compose/room.ts' : after
  const from = room.endsWith('.ts') ? '.' : '..'
  return [rule, `${folder}/${fileIn(room, 'upward')}`, `import type {} from '${from}/${above}'\n`] as const
})
const ROOMS: Files = Object.fromEntries([
  ...rooms.map(({ folder, room }) => [`${folder}/${fileIn(room, 'room')}`, 'export type Room = 1\n'] as const),
  ...rooms.map(({ folder }) => [`${folder}/top.ts`, 'export type Top = 1\n'] as const),
])

function violationsOf(files: Files): string[] {
  const copy = mkdtempSync(path.join(tmpdir(), 'gantry-walls-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(CONFIG, path.join(copy, '.dependency-cruiser.cjs'))
  cpSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'), 'junction')
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    writeFileSync(path.join(copy, file), text)
  }
  const cli = path.join(ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')
  const run = spawnSync(
    process.execPath,
    [cli, '--config', '.dependency-cruiser.cjs', '-T', 'json', 'gateway', 'pcg-bridge', 'main', 'preload', 'renderer'],
    { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const { summary } = JSON.parse(run.stdout) as Report // what its `json` reporter writes
  return [...new Set(summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`))]
}

describe('the walls', () => {
  it('pass a sound tree', () => expect(violationsOf(SOUND)).toEqual([]))

  it('report each rule for the file that breaks it, and there is a case for every rule', () => {
    const all = [...BROKEN, ...UPWARD]
    const files: Record<string, string> = { ...SOUND, ...ROOMS }
    for (const [, from, text, more = {}] of all) {
      files[from] = `${files[from] ?? ''}${text}`
      Object.assign(files, more)
    }
    const found = violationsOf(files)
    for (const [rule, from] of all) expect(found).toContain(`${rule}: ${from}`)
    expect([...new Set(all.map(([rule]) => rule))].toSorted()).toEqual(forbidden.map(({ name }) => name).toSorted())
  })
})

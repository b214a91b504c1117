// The walls of the repository, by breaking each of them in a small copy: a rule that cannot fail protects nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
let copy = ''

/** A tree with the same folders and nothing in them but what a case puts there. */
const SOUND = {
  'gateway/contract/index.ts': "export const contract = 'pure'\n",
  'gateway/index.ts': "export { contract } from './contract/index.ts'\n",
  'gateway/serve.ts': "import { contract } from './index.ts'\nprocess.stdout.write(contract)\n",
  'pcg-bridge/catalog/index.ts': 'export const catalog = 1\n',
  'pcg-bridge/index.ts': "export { catalog } from './catalog/index.ts'\n",
  'preload/channels.ts': 'export const channels = 1\n',
  'preload/index.ts': "import { channels } from './channels.ts'\nconsole.log(channels)\n",
  'renderer/main.tsx': "import { contract } from '../gateway/contract/index.ts'\nconsole.log(contract)\n",
  'main/index.ts':
    "import { contract } from '../gateway/index.ts'\nimport { catalog } from '../pcg-bridge/index.ts'\nconsole.log(contract, catalog)\n",
} as const

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'gantry-walls-'))
  cpSync(path.join(ROOT, '.dependency-cruiser.cjs'), path.join(copy, '.dependency-cruiser.cjs'))
  cpSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'), 'junction')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function broken(extra: Readonly<Record<string, string>>): string[] {
  for (const folder of ['gateway', 'pcg-bridge', 'main', 'preload', 'renderer'])
    rmSync(path.join(copy, folder), { recursive: true, force: true })
  for (const [file, text] of Object.entries({ ...SOUND, ...extra })) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    writeFileSync(path.join(copy, file), text)
  }
  const cli = path.join(ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')
  const run = spawnSync(
    process.execPath,
    [cli, '--config', '.dependency-cruiser.cjs', '-T', 'json', 'gateway', 'pcg-bridge', 'main', 'preload', 'renderer'],
    { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const report = JSON.parse(run.stdout) as { summary: { violations: { rule: { name: string } }[] } }
  return [...new Set(report.summary.violations.map(({ rule }) => rule.name))].sort()
}

describe('the walls', () => {
  it('let a sound tree pass', () => expect(broken({})).toEqual([]))

  it.each([
    [
      'gateway-is-headless',
      {
        'gateway/far.ts': "import 'electron'\n",
        'gateway/index.ts': "import './far.ts'\nexport { contract } from './contract/index.ts'\n",
      },
    ],
    [
      'gateway-stands-alone',
      { 'gateway/index.ts': "import '../pcg-bridge/index.ts'\nexport { contract } from './contract/index.ts'\n" },
    ],
    [
      'bridge-stands-alone',
      {
        'pcg-bridge/index.ts': "import '../gateway/contract/index.ts'\nexport { catalog } from './catalog/index.ts'\n",
      },
    ],
    ['contracts-are-pure', { 'gateway/contract/index.ts': "import 'node:fs'\nexport const contract = 'pure'\n" }],
    [
      'renderer-sees-only-contracts',
      { 'renderer/main.tsx': "import { contract } from '../gateway/index.ts'\nconsole.log(contract)\n" },
    ],
    [
      'upstreams-are-dialled-by-dispatch',
      {
        'gateway/upstream/relay.ts': 'export const relay = 1\n',
        'gateway/index.ts': "import './upstream/relay.ts'\nexport { contract } from './contract/index.ts'\n",
      },
    ],
    [
      'nothing-is-spawned',
      {
        'gateway/index.ts': "import 'node:child_process'\nexport { contract } from './contract/index.ts'\n",
      },
    ],
    [
      'browser-is-for-the-command-line',
      {
        'gateway/cli/browser.ts': "import 'node:child_process'\nexport const browser = 1\n",
        'gateway/index.ts': "import './cli/browser.ts'\nexport { contract } from './contract/index.ts'\n",
      },
    ],
    ['renderer-is-a-browser', { 'renderer/main.tsx': "import 'node:fs'\n" }],
    [
      'electron-only-in-the-shell',
      { 'pcg-bridge/index.ts': "import 'electron'\nexport { catalog } from './catalog/index.ts'\n" },
    ],
    ['one-outbound-door', { 'gateway/index.ts': "import 'undici'\nexport { contract } from './contract/index.ts'\n" }],
    ['one-outbound-door', { 'gateway/index.ts': "import 'ws'\nexport { contract } from './contract/index.ts'\n" }],
    [
      'main-uses-doors',
      {
        'gateway/http/server.ts': 'export const inside = 1\n',
        'main/index.ts': "import { inside } from '../gateway/http/server.ts'\nconsole.log(inside)\n",
      },
    ],
    [
      'ladder-storage',
      {
        'gateway/http/server.ts': 'export const inside = 1\n',
        'gateway/storage/database.ts': "export { inside } from '../http/server.ts'\n",
        'gateway/index.ts': "export { inside } from './storage/database.ts'\n",
      },
    ],
    [
      'no-cycles',
      {
        'gateway/a.ts': "import { b } from './b.ts'\nexport const a = () => b\n",
        'gateway/b.ts': "import { a } from './a.ts'\nexport const b = () => a\n",
        'gateway/index.ts': "export { a } from './a.ts'\n",
      },
    ],
  ] as const)('%s is a rule that bites', (rule, extra) => {
    expect(broken(extra)).toContain(rule)
  })
})

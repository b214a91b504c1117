// Python packages without uv: pip of this machine, an index double, and wheels that are made here.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLocalServers } from '../../contract/local-servers.ts'
import { packageIn } from '../../contract/package-command.ts'
import { packedProgram } from '../../instance/server-store.ts'
import { createStore } from '../../upstream/programs/store.ts'
import { gantry as gantryIn } from '../cli/cli.fixture.ts'
import { EXIT } from '../cli/exit.ts'
import { installPackage } from './install.ts'
import { toolsOf } from './probe.ts'
import { lockedOf } from './pypi-pip.ts'
import { aPythonIndex, type Wheel } from './python-index.fixture.ts'

const SERVER = `
import json, sys
from notes_words import WORD
def main():
    for line in sys.stdin:
        message = json.loads(line)
        result = {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}}, 'serverInfo': {'name': WORD, 'version': '1'}}
        if message['method'] == 'tools/list':
            result = {'tools': [{'name': tool, 'inputSchema': {'type': 'object'}} for tool in TOOLS]}
        if 'id' in message:
            print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
`
const server = (version: string, tools: readonly string[]): Wheel => ({
  name: 'notes-server',
  version,
  needs: ['notes-words>=1,<2', "winpty; sys_platform == 'win32'", "extra-thing; extra == 'more'"],
  program: 'notes-server',
  files: { 'notes_server/__init__.py': `TOOLS = ${JSON.stringify(tools)}\n${SERVER}` },
})
const words = (version: string): Wheel => ({
  name: 'notes-words',
  version,
  files: { 'notes_words/__init__.py': "WORD = 'notes'\n" },
})
const platform: Wheel = { ...server('3.0.0', ['never']), tag: 'cp27-cp27m-win32' }
let wheels: readonly Wheel[] = []
const usual = [server('1.0.0', ['read']), server('1.1.0', ['read', 'write']), platform, words('1.5.0'), words('2.0.0')]

const home = mkdtempSync(path.join(tmpdir(), 'gantry-pypi-'))
const file = path.join(home, 'servers.json')
const store = path.join(home, 'servers')
let index: Awaited<ReturnType<typeof aPythonIndex>>
let env: Readonly<Record<string, string>> = {}
beforeAll(async () => {
  index = await aPythonIndex(() => wheels)
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LOCAL_SERVERS_FILE: file,
    PIP_INDEX_URL: index.url,
    PIP_NO_CACHE_DIR: '1',
    PIP_CONFIG_FILE: '/dev/null',
    PIP_RETRIES: '0',
  }
})
afterAll(async () => {
  await index.close()
  rmSync(home, { recursive: true, force: true })
})

const about = spawnSync('python3', ['-c', 'import pip, venv; print(pip.__version__)'], { encoding: 'utf8' })
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const lack =
  about.status !== 0
    ? 'python3 has no pip'
    : Number.parseFloat(about.stdout) < 22.3
      ? 'pip is older than 22.3'
      : has('uv')
        ? 'uv is installed, and used'
        : undefined

const gantry = (...args: readonly string[]) => gantryIn(env, args, async () => true)
const install = (spec: string, wanted = packageIn({ command: 'uvx', args: [spec] })) => {
  if (typeof wanted !== 'object') throw new Error(wanted)
  return installPackage(wanted, { store, env, signal: AbortSignal.timeout(120_000) })
}
const entry = () => {
  const found = readLocalServers(readFileSync(file, 'utf8')).entries.get('notes')
  if (found === undefined) throw new Error('there is no entry')
  return found
}

describe.skipIf(lack !== undefined)(
  `a Python package with pip (${lack === undefined ? 'pip' : `skipped: ${lack}`})`,
  () => {
    it('is resolved to an exact version and hash, installed with its dependencies, and runs as one process offline', async () => {
      wheels = usual
      const { code, error } = await gantry('servers', 'add', 'notes', '--', 'uvx', 'notes-server@1.0.0')
      expect([code, error]).toEqual([
        EXIT.ok,
        expect.stringMatching(/notes-server 1\.0\.0, sha256-.{44}, with 1 dependencies/),
      ])
      const { pin } = entry()
      expect(pin).toMatchObject({
        version: '1.0.0',
        program: expect.stringMatching(/^venv\/lib\/python3.*\/bin\/notes-server$/),
      })
      const lines = readFileSync(path.join(store, pin?.folder ?? '', 'requirements.txt'), 'utf8')
        .trim()
        .split('\n')
      expect(lines).toEqual([
        expect.stringMatching(/^notes-server==1\.0\.0 --hash=sha256:/),
        expect.stringMatching(/^notes-words==1\.5\.0 /),
      ])
      const asked = index.asked.length
      const program = await createStore(store).programOf(entry())
      if (typeof program !== 'object') throw new Error(program)
      const tools = await toolsOf({
        file: program.command,
        args: program.args,
        cwd: home,
        env: { PATH: '/nonexistent' },
      })
      expect([...tools.keys()]).toEqual(['read'])
      expect(index.asked.length).toBe(asked)
    }, 120_000)

    it('is updated after its changes were shown, and rolled back; the same lock is the same folder with the same files', async () => {
      wheels = usual
      const before = entry().pin
      const again = await install('notes-server==1.0.0')
      expect([again.folder, again.digest]).toEqual([before?.folder, before?.digest])
      const { code, error } = await gantry('servers', 'update', 'notes', '--to', '1.1.0')
      expect([code, error]).toEqual([EXIT.ok, expect.stringContaining('notes-server 1.0.0 → 1.1.0')])
      expect(error).toContain('Tools added: write')
      expect((await gantry('servers', 'rollback', 'notes')).code).toBe(EXIT.ok)
      expect(entry().pin).toMatchObject({ version: '1.0.0', previous: { version: '1.1.0' } })
      expect(await createStore(store).programOf(entry())).toMatchObject({
        args: [expect.stringContaining(before?.folder ?? '')],
      })
    }, 120_000)

    it.each<[string, readonly Wheel[], string]>([
      ['an archive that must be built', [{ ...words('1.0.0'), isSource: true }], 'Only wheels are installed'],
      ['a wheel of another platform', [{ ...words('1.0.0'), tag: 'cp27-cp27m-win32' }], 'Only wheels are installed'],
      ['other bytes than its index says', [{ ...words('1.0.0'), hash: 'a'.repeat(64) }], 'DO NOT MATCH THE HASHES'],
      ['a dependency that its index does not have', [{ ...words('1.0.0'), needs: ['no-such-thing'] }], 'no-such-thing'],
      ['no program', [words('1.0.0')], 'notes-words has no program notes-words. It has: none'],
    ])(
      'with %s is refused, and nothing stays',
      async (_what, given, why) => {
        wheels = given
        const before = existsSync(store) ? readdirSync(store) : []
        await expect(install('notes-words')).rejects.toThrow(why)
        expect(existsSync(store) ? readdirSync(store) : []).toEqual(before)
      },
      60_000,
    )

    it('with another name of its program runs that one', () => {
      const { pin, ...rest } = entry()
      const other = {
        ...rest,
        pin: pin && { ...pin, program: 'venv/bin/x' },
        command: 'uvx',
        args: ['notes-server', '--a'],
      }
      expect(packedProgram('/store', other)).toMatchObject({ args: [expect.stringContaining('venv/bin/x'), '--a'] })
    })
  },
)

describe('the report of pip', () => {
  const one = (url: string, archive: object) =>
    lockedOf({ install: [{ metadata: { name: 'A.b', version: '1' }, download_info: { url, archive_info: archive } }] })
  const hash = 'b'.repeat(64)
  it('gives names, versions and hashes, of old and new versions of pip', () => {
    const locked = [{ name: 'a-b', version: '1', hash }]
    expect(one('http://x/a.whl', { hashes: { sha256: hash } })).toEqual(locked)
    expect(one('http://x/a.whl', { hash: `sha256=${hash}` })).toEqual(locked)
  })
  it('without a sha256, or with another archive than a wheel, is refused', () => {
    expect(() => one('http://x/a.whl', { hash: `md5=${'c'.repeat(32)}` })).toThrow('no sha256')
    expect(() => one('http://x/a.tar.gz', { hashes: { sha256: hash } })).toThrow('is no wheel')
  })
})

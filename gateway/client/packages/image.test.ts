// Images by digest with an engine double, which is strict about its arguments. `e2e/scenarios/local-servers-container.test.ts` has a real one.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LocalServerEntry, readLocalServers } from '../../contract/local-servers.ts'
import { gantry as gantryIn } from '../cli/cli.fixture.ts'
import { EXIT } from '../cli/exit.ts'
import { dryTools } from './dry-start.ts'
import { anEngine, IMAGE } from './engine.fixture.ts'
import { imageByDigest } from './image.ts'

const home = mkdtempSync(path.join(tmpdir(), 'gantry-image-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const bin = path.join(home, 'bin')
mkdirSync(bin)
const file = path.join(home, 'servers.json')
const folder = path.join(home, 'project')
mkdirSync(folder)
const SERVER = new URL('../../../e2e/peers/local-server.mjs', import.meta.url).pathname
const log = anEngine(bin, 'podman', SERVER)
const calls = (): string[][] =>
  readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]) // written by the double
const env = { PATH: bin, HOME: home, LOCAL_SERVERS_FILE: file, TOKEN: 'sec-11223344' }

describe('an image (engine double)', () => {
  it('that is named by its tag is fetched after a question, and runs by its digest only', async () => {
    const value = JSON.stringify({
      command: 'ghcr.io/ada/notes:1.0',
      args: ['good'],
      sandbox: 'container',
      secrets: ['TOKEN'],
    })
    const add = ['servers', 'add', 'notes', '--entry', value]
    const asked: string[] = []
    const person = (...answers: readonly boolean[]) => {
      const left = [...answers]
      return gantryIn(env, add, async (question) => {
        asked.push(question)
        return left.shift() === true
      })
    }
    expect((await person(false)).code).toBe(EXIT.failed)
    expect([existsSync(log), asked]).toEqual([
      false,
      [expect.stringContaining('Fetch the image "ghcr.io/ada/notes:1.0"')],
    ])
    expect((await person(true, false)).error).toContain(`command   ${JSON.stringify(IMAGE)}`)
    expect(existsSync(file)).toBe(false)
    const { code, error } = await person(true, true, true)
    expect([code, error]).toEqual([EXIT.ok, expect.stringContaining('tool      echo: The tool echo')])
    const entry = readLocalServers(readFileSync(file, 'utf8')).entries.get('notes')
    expect(entry).toMatchObject({ command: IMAGE, sandbox: 'container' })
    expect(readFileSync(log, 'utf8')).not.toContain('sec-11223344')
  })

  it('is started once without a network and with folders that it may only read, and is removed by its name', async () => {
    const entry = LocalServerEntry.parse({
      command: IMAGE,
      args: ['good'],
      sandbox: 'container',
      folders: [folder],
      env: { LEVEL: '1' },
      memoryMb: 64,
    })
    const tools = await dryTools({ store: home, entry, home, hidden: [], env, signal: AbortSignal.timeout(60_000) })
    expect([...tools.keys()]).toContain('echo')
    const [run, remove] = calls().slice(-2)
    expect(run).toEqual(
      expect.arrayContaining([
        '--network=none',
        '--read-only',
        '--memory=64m',
        '--env=LEVEL',
        `--mount=type=bind,source=${folder},target=${folder},readonly`,
      ]),
    )
    const name = run?.find((word) => word.startsWith('--name='))?.slice('--name='.length)
    expect(remove).toEqual(['rm', '--force', name])
  })

  it.each([
    ['--privileged', 'is not the name of an image'],
    ['ghcr.io/ada/notes:1.0 --privileged', 'is not the name of an image'],
    ['ghcr.io/other/thing:1', 'manifest unknown'],
  ])('%s is refused', async (image, why) => {
    await expect(imageByDigest(image, env, AbortSignal.timeout(60_000))).rejects.toThrow(why)
  })

  it('needs an engine, which is named', async () => {
    await expect(imageByDigest('a:1', { PATH: '/nonexistent' }, AbortSignal.timeout(60_000))).rejects.toThrow(
      'neither podman nor docker is installed',
    )
  })
})

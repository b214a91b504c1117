// The profile of Seatbelt for an entry, read by a double of its language: what it allows, and that no name of a folder breaks out of it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { doubleOf } from './sandbox.fixture.ts'
import { createSeatbelt, type Form, formsOf } from './seatbelt.fixture.ts'
import { seatbelt } from './seatbelt.ts'
import { wordsOf } from './words.ts'

const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'gantry-seatbelt-')))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const home = path.join(place, 'me')
const own = path.join(home, 'Library', 'gantry', 'folders', 'one')
const data = path.join(home, 'Library', 'gantry')
const project = path.join(home, 'project')
const shown = path.join(home, 'shown')
for (const folder of [own, project, shown]) mkdirSync(folder, { recursive: true })
writeFileSync(path.join(project, 'tool'), '', { mode: 0o755 })

const { file } = doubleOf(place, 'sandbox-exec', 'exit 1')
const door = { port: 4711, token: 'the-token' }
const program = { file: path.join(project, 'tool'), args: ['--a', "it's"], env: { PATH: '/usr/bin' }, cwd: project }
const sandbox = { own, home, hidden: [data], writable: [project], readable: [shown], door }

async function wrapped(given: Partial<typeof sandbox> | { door: undefined } = {}) {
  const system = await seatbelt(file)
  return (await system.wrap(program, { ...sandbox, ...given })).program
}
const profileOf = async (given: Parameters<typeof wrapped>[0] = {}): Promise<string> =>
  (await wrapped(given)).args[1] ?? ''

describe('a program in the sandbox of macOS', () => {
  it('is started by sandbox-exec itself, with its own home and temporary folder', async () => {
    const { file: started, args, cwd, env } = await wrapped()
    expect([started, args[0], ...args.slice(2), cwd]).toEqual([file, '-p', program.file, '--a', "it's", project])
    expect(env).toMatchObject({ HOME: own, TMPDIR: path.join(own, 'tmp'), PATH: '/usr/bin', NODE_USE_ENV_PROXY: '1' })
    expect(env['HTTPS_PROXY']).toMatch(/^http:\/\/[^@]+:the-token@127\.0\.0\.1:4711$/)
    expect((await wrapped({ door: undefined })).env['HTTPS_PROXY']).toBeUndefined()
  })

  it.each([
    ['file-write-data', own, 'allow'],
    ['file-write-create', path.join(own, 'a', 'b'), 'allow'],
    ['file-write-unlink', path.join(project, 'a'), 'allow'],
    ['file-write-data', shown, 'deny'],
    ['file-write-create', path.join(home, 'other'), 'deny'],
    ['file-write-create', `${project}-2`, 'deny'],
    ['file-write-data', path.join(data, 'gantry.db'), 'deny'],
    ['file-write-create', '/usr/local/bin/x', 'deny'],
    ['file-write-unlink', path.join(home, '.ssh'), 'deny'],
    ['file-write-unlink', data, 'deny'],
    ['file-read-data', path.join(shown, 'a'), 'allow'],
    ['file-read-data', path.join(project, 'tool'), 'allow'],
    ['file-read-data', '/usr/lib/libSystem.B.dylib', 'allow'],
    ['file-read-data', path.join(home, '.ssh', 'id_ed25519'), 'deny'],
    ['file-read-data', path.join(data, 'gantry.db'), 'deny'],
    ['file-read-data', path.join(data, 'folders', 'another', 'a'), 'deny'],
    ['file-read-data', '/Users/other/a', 'deny'],
    ['file-read-data', '/System/Volumes/Data/Users/me/a', 'deny'],
    ['file-read-data', '/private/var/folders/xy/T/a', 'deny'],
    ['file-read-data', '/Library/Keychains/System.keychain', 'deny'],
    ['file-read-metadata', path.join(home, '.ssh', 'id_ed25519'), 'deny'],
  ] as const)('%s of %s: %s', async (operation, at, verdict) => {
    const judged = createSeatbelt(await profileOf())
    expect(judged({ operation, path: at })).toBe(verdict)
  })

  it('sees that a folder is there, not what is in it, and writes to no device but the one that takes all', async () => {
    const judged = createSeatbelt(await profileOf())
    const folder = { path: home, kind: 'DIRECTORY' } as const
    expect(judged({ operation: 'file-read-metadata', ...folder })).toBe('allow')
    expect(judged({ operation: 'file-read-data', ...folder })).toBe('deny')
    const device = (at: string) => judged({ operation: 'file-write-data', path: at, kind: 'CHARACTER-DEVICE' })
    expect(['/dev/null', '/dev/rdisk0'].map(device)).toEqual(['allow', 'deny'])
  })

  it('connects to its door alone, and listens nowhere', async () => {
    const judged = createSeatbelt(await profileOf())
    const to = (remote: string) => judged({ operation: 'network-outbound', remote })
    expect(['127.0.0.1:4711', '::1:4711', '127.0.0.1:4712', '169.254.169.254:80', '10.0.0.1:4711'].map(to)).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
      'deny',
    ])
    for (const operation of ['network-bind', 'network-inbound'])
      expect(judged({ operation, local: '127.0.0.1:4711' })).toBe('deny')
    expect(judged({ operation: 'system-socket', name: 'AF_UNIX' })).toBe('deny')
    const without = createSeatbelt(await profileOf({ door: undefined }))
    expect(without({ operation: 'network-outbound', remote: '127.0.0.1:4711' })).toBe('deny')
  })

  it('reaches no key chain, no other application, and signals no other process', async () => {
    const judged = createSeatbelt(await profileOf())
    const lookup = (name: string) => judged({ operation: 'mach-lookup', name: `com.apple.${name}` })
    expect(['SecurityServer', 'securityd.xpc', 'coreservices.appleevents', 'pasteboard.1'].map(lookup)).toEqual(
      Array(4).fill('deny'),
    )
    // One that the package allows: the double does not deny everything.
    expect(lookup('system.logger')).toBe('allow')
    for (const operation of ['appleevent-send', 'lsopen', 'process-info-pidinfo'])
      expect(judged({ operation, target: 'others' })).toBe('deny')
    expect(judged({ operation: 'signal', target: 'others' })).toBe('deny')
    expect(judged({ operation: 'signal', target: 'same-sandbox' })).toBe('allow')
  })

  it('has its folders under the names that the kernel has for them', async () => {
    const link = path.join(place, 'link')
    symlinkSync(project, link)
    const judged = createSeatbelt(await profileOf({ writable: [link] }))
    expect(judged({ operation: 'file-write-data', path: path.join(project, 'a') })).toBe('allow')
    const elsewhere = path.join(place, 'elsewhere')
    const toElsewhere = path.join(place, 'to-elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, toElsewhere)
    const read = { operation: 'file-read-data', path: path.join(elsewhere, 'a') }
    expect(judged(read)).toBe('allow')
    expect(createSeatbelt(await profileOf({ hidden: [toElsewhere] }))(read)).toBe('deny')
  })
})

/** Each text of a profile that has this name has another instead. */
const renamed = (form: Form, from: string, to: string): Form =>
  typeof form === 'string'
    ? form
    : 'text' in form
      ? { text: form.text.replaceAll(from, to) }
      : form.map((each) => renamed(each, from, to))

describe('the name of a folder', () => {
  it.each([
    'a") (allow default) ("',
    '") (allow file-read* (subpath "',
    "it's",
    '(parentheses)',
    'back\\slash',
    'end\\',
    '; comment',
    '#"raw"',
    '$(id) `id` $HOME',
    '-p',
    'ü 漢字 🙂',
  ])('%s is a name and nothing else', async (name) => {
    const folder = (named: string) => path.join(home, named)
    const [plain, hostile] = await Promise.all(
      [folder('plain-name'), folder(name)].map(async (each) =>
        formsOf(await profileOf({ writable: [each], hidden: [`${each}-hidden`] })),
      ),
    )
    const given = { operation: 'file-write-data', path: path.join(folder(name), 'a') }
    expect(createSeatbelt(await profileOf({ writable: [folder(name)] }))(given)).toBe('allow')
    expect(renamed(hostile ?? [], folder(name), folder('plain-name'))).toEqual(plain)
  })

  it.each(['*', 'p?oject', '[a-z]*', '**'])('%s is no pattern', async (name) => {
    const judged = createSeatbelt(await profileOf({ writable: [path.join(home, name)] }))
    expect(judged({ operation: 'file-write-data', path: path.join(home, name, 'a') })).toBe('allow')
    for (const other of ['shown', 'project', '.ssh'])
      expect(judged({ operation: 'file-write-data', path: path.join(home, other, 'a') })).toBe('deny')
  })

  it.each(['new\nline', 'a\u0001b', 'tab\t', 'delete\u007f'])('%j is refused', async (name) => {
    await expect(profileOf({ writable: [path.join(home, name)] })).rejects.toThrow('its name has a control character')
    await expect(profileOf({ hidden: [path.join(home, name)] })).rejects.toThrow('its name has a control character')
  })
})

it('reads a command as a shell does', () => {
  expect(wordsOf(`env A=b '' 'a b' 'it'"'"'s' "'"x '"'`)).toEqual(['env', 'A=b', '', 'a b', "it's", "'x", '"'])
})

// Update feeds over a real server and the real updater: what is not signed, not newer, or not what was signed is not installed.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import updaterPackage from 'electron-updater'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { keysIn, makeKey, privateKeysFrom, signFeeds, withKey } from '../tools/update-signing.ts'
import { compareVersions, publicKeyOf, signatureLine, signatureNameOf } from './update-feed.ts'
import { checkForUpdate, type Loaded, providerOf, type UpdateParts } from './updates.ts'

const CURRENT = '1.4.0'
const NAME = `latest-linux${process.arch === 'x64' ? '' : `-${process.arch}`}.yml`
const linux = process.platform === 'linux'
const why = linux ? '' : '; skipped: the updater of this system wants a running Electron'
const APP = Buffer.from('the new application')
const sha512 = (bytes: Buffer): string => createHash('sha512').update(bytes).digest('base64')
const aKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey

function feedOf(version: string, over: object = {}): string {
  const url = `Gantry-${version}.AppImage`
  const file = { url, sha512: sha512(APP), size: APP.length }
  return stringify({
    version,
    files: [file],
    path: url,
    sha512: file.sha512,
    releaseDate: '2026-11-20T10:00:00.000Z',
    ...over,
  })
}

function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-updates-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const { AppImageUpdater, Provider } = updaterPackage
const { ElectronHttpExecutor } = createRequire(import.meta.url)('electron-updater/out/electronHttpExecutor.js') as {
  ElectronHttpExecutor: new () => object // not exported by name; only how it makes a request is replaced
}

/** A feed server, and an application of version 1.4.0 that follows it. */
async function aDesktop(keys: readonly string[], version = CURRENT) {
  const pages = new Map<string, Buffer | string>()
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const page = pages.get(url)
    if (page === undefined) response.writeHead(404).end()
    else response.end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  const { port } = server.address() as AddressInfo // a TCP server has one
  const folder = aFolder()
  const config = path.join(folder, 'app-update.yml')
  writeFileSync(config, 'provider: generic\nurl: https://gantry.invalid\nupdaterCacheDirName: gantry\n')
  process.env.APPIMAGE = path.join(folder, 'Gantry.AppImage')
  onTestFinished(() => void delete process.env.APPIMAGE)

  const downloads: Promise<unknown>[] = []
  const logged: string[] = []
  function load(): Promise<Loaded> {
    const updater = new AppImageUpdater(null, {
      version,
      name: 'gantry',
      isPackaged: true,
      appUpdateConfigPath: config,
      userDataPath: folder,
      baseCachePath: folder,
      whenReady: async () => undefined,
      onQuit: () => undefined,
    })
    updater.logger = null
    // The transport of Electron over Node's: TLS ends here, and the address is what it was.
    const plain = (options: RequestOptions, callback: (response: IncomingMessage) => void) =>
      request({ ...options, protocol: 'http:' }, callback)
    const executor = new ElectronHttpExecutor()
    Object.assign(executor, { createRequest: plain })
    Object.assign(updater, { httpExecutor: executor })
    const download = updater.downloadUpdate.bind(updater)
    updater.downloadUpdate = (token) => {
      const done = download(token)
      downloads.push(done.catch((error: unknown) => error))
      return done
    }
    return Promise.resolve({ updater, Base: providerOf(Provider) })
  }
  const parts: UpdateParts = {
    packaged: true,
    keys,
    version,
    seenFile: path.join(folder, 'update-seen.json'),
    load,
    say: (line) => logged.push(line),
  }
  const feed = `https://127.0.0.1:${port}/gantry`
  return {
    asked,
    logged,
    check: (over: Partial<UpdateParts> = {}, url: string | null = feed) => checkForUpdate(url, { ...parts, ...over }),
    publish(text: string, signature: string | undefined, app: Buffer = APP): void {
      pages.clear()
      pages.set(`/gantry/${NAME}`, text)
      if (signature !== undefined) pages.set(`/gantry/${signatureNameOf(NAME)}`, signature)
      for (const [, name = ''] of text.matchAll(/url: (\S+\.AppImage)/g)) pages.set(`/gantry/${name}`, app)
    },
    /** What each download came to: the file, or the error. */
    downloaded: () => Promise.all(downloads),
    applications: () => asked.filter((url) => url.endsWith('.AppImage')),
  }
}

const KEY = aKey()
const OTHER = aKey()
const PUBLIC = publicKeyOf(KEY)

describe('this build', () => {
  it.each([
    [{ packaged: false }, 'Update checks are off in this build: it is not packaged.'],
    [{ keys: [] }, 'Update checks are off in this build: it holds no update key.'],
  ])('follows no feed where %o, and reports it', async (over, reason) => {
    const desktop = await aDesktop([PUBLIC])
    expect(await desktop.check({ ...over, load: () => expect.unreachable('loaded') })).toEqual({ state: 'off', reason })
    expect(desktop.asked).toEqual([])
  })

  it('does not even load the updater without a feed', async () => {
    const desktop = await aDesktop([PUBLIC])
    expect(await desktop.check({ load: () => expect.unreachable('loaded') }, null)).toEqual({ state: 'no-feed' })
  })
})

describe.skipIf(!linux)('a feed', () => {
  it(`that is signed and newer is downloaded, and left for the end of the application (security case EL-19${why})`, async () => {
    const desktop = await aDesktop([PUBLIC])
    const text = feedOf('1.5.0')
    desktop.publish(text, signatureLine(NAME, text, KEY))
    expect(await desktop.check()).toEqual({ state: 'available', version: '1.5.0' })
    const [[file]] = (await desktop.downloaded()) as [[string]]
    expect(readFileSync(file)).toEqual(APP)
  })

  const signed = (text: string, key = KEY, name = NAME): readonly [string, string] => [
    text,
    signatureLine(name, text, key),
  ]
  const text = feedOf('1.5.0')
  const [, signature] = signed(text)
  const REFUSED: Readonly<Record<string, readonly [text: string, signature: string | undefined, reason: RegExp]>> = {
    'without a signature': [text, undefined, /has no signature/],
    'with an empty signature': [text, '', /is not signed with an update key/],
    'signed with another key': [...signed(text, OTHER), /is not signed with an update key/],
    'signed with another key under the id of ours': [
      text,
      signature.replace(/\S+\n$/, signatureLine(NAME, text, OTHER).split(' ')[2] ?? ''),
      /does not match its content/,
    ],
    'with a changed version': [text.replaceAll('1.5.0', '1.6.0'), signature, /does not match its content/],
    'with another hash': [
      text.replaceAll(sha512(APP), sha512(Buffer.from('evil'))),
      signature,
      /does not match its content/,
    ],
    'with a later date': [text.replace('2026-11-20', '2026-11-21'), signature, /does not match its content/],
    'that was cut': [text.slice(0, -20), signature, /does not match its content/],
    'with something behind it': [`${text}stagingPercentage: 1\n`, signature, /does not match its content/],
    'that was signed as the feed of another system': [
      ...signed(text, KEY, 'latest-mac.yml'),
      /does not match its content/,
    ],
    'that offers an older version': [...signed(feedOf('1.3.9')), /older than this version, 1\.4\.0/],
    'that offers a pre-release of this version': [...signed(feedOf('1.4.0-beta.2')), /older than this version/],
    'whose file is elsewhere': [
      ...signed(feedOf('1.5.0', { files: [{ url: 'https://evil.test/x.AppImage', sha512: sha512(APP), size: 1 }] })),
      /must be a plain file name/,
    ],
    'whose file has no hash': [
      ...signed(feedOf('1.5.0', { files: [{ url: 'x.AppImage', size: 1 }] })),
      /is no update feed: files\.0\.sha512/,
    ],
  }
  it.each(Object.entries(REFUSED))(
    `%s is refused, and nothing is downloaded (security case EL-19${why})`,
    async (_what, [given, signatureGiven, reason]) => {
      const desktop = await aDesktop([PUBLIC])
      desktop.publish(given, signatureGiven)
      expect(await desktop.check()).toEqual({ state: 'failed', reason: expect.stringMatching(reason) })
      expect([desktop.applications(), desktop.logged.length]).toEqual([[], 1])
    },
  )

  it(`over http is refused before anything is asked (security case EL-19${why})`, async () => {
    const desktop = await aDesktop([PUBLIC])
    const state = await desktop.check({}, 'http://127.0.0.1:9/gantry')
    expect(state).toEqual({ state: 'failed', reason: 'The feed must have an https address' })
  })

  it(`of this version is current, and one that was replayed is refused (security case EL-19${why})`, async () => {
    const desktop = await aDesktop([PUBLIC])
    const publish = (version: string, over = {}): void => desktop.publish(...signed(feedOf(version, over)))
    publish(CURRENT)
    expect(await desktop.check()).toEqual({ state: 'current' })
    publish('1.6.0')
    expect(await desktop.check()).toMatchObject({ state: 'available' })
    publish('1.5.0')
    expect(await desktop.check()).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/read before, of 1\.6\.0/),
    })
    publish('1.6.0', { releaseDate: '2026-11-19T10:00:00.000Z' })
    expect(await desktop.check()).toMatchObject({ state: 'failed', reason: expect.stringMatching(/read before/) })
    publish('1.6.0')
    expect(await desktop.check()).toMatchObject({ state: 'available' })
    await desktop.downloaded()
  })

  it(`whose file is not what was signed is not installed (security case EL-19${why})`, async () => {
    const desktop = await aDesktop([PUBLIC])
    const given = feedOf('1.5.0')
    for (const evil of [Buffer.from('something else here'), APP.subarray(0, 5)]) {
      desktop.publish(given, signatureLine(NAME, given, KEY), evil)
      expect(await desktop.check()).toMatchObject({ state: 'available' })
    }
    for (const outcome of await desktop.downloaded()) expect(String(outcome)).toMatch(/sha512 checksum mismatch/)
    expect(desktop.logged.join('')).toContain('The update was not downloaded')
  })

  it(`signed with either of two keys is followed while keys are rotated${why}`, async () => {
    const keys = [publicKeyOf(OTHER), PUBLIC]
    const given = feedOf('1.5.0')
    for (const key of [KEY, OTHER]) {
      const desktop = await aDesktop(keys)
      desktop.publish(given, signatureLine(NAME, given, key))
      expect(await desktop.check()).toMatchObject({ state: 'available' })
      await desktop.downloaded()
    }
    const old = await aDesktop([PUBLIC])
    old.publish(given, signatureLine(NAME, given, OTHER) + signatureLine(NAME, given, KEY))
    expect(await old.check()).toMatchObject({ state: 'available' })
    await old.downloaded()
  })
})

describe('a release', () => {
  it('makes a key that only its owner reads, once, and signs every feed of a folder with it', async () => {
    const folder = aFolder()
    const file = path.join(folder, 'key.pem')
    const key = makeKey(file)
    expect(() => makeKey(file)).toThrow('EEXIST')
    writeFileSync(path.join(folder, 'latest.yml'), feedOf('1.5.0'))
    writeFileSync(path.join(folder, 'latest-mac.yml'), feedOf('1.5.0'))
    const [privateKey] = privateKeysFrom({ GANTRY_UPDATE_KEY: file })
    expect(privateKey && publicKeyOf(privateKey)).toBe(key)
    expect(signFeeds(folder, privateKey ? [privateKey] : [], [key]).toSorted()).toEqual([
      'latest-mac.yml',
      'latest.yml',
    ])
    expect(readFileSync(path.join(folder, 'latest.yml.sig'), 'utf8')).toMatch(/^ed25519 [0-9a-f]{16} \S{88}\n$/)
    // A release whose application would refuse its own feed is invalid.
    expect(() => signFeeds(folder, [createPrivateKey(readFileSync(file, 'utf8'))], [PUBLIC])).toThrow('is not signed')
  })

  it('keeps at most two keys in the package, the newest first', () => {
    const [one, two, three] = [aKey(), aKey(), aKey()].map(publicKeyOf) as [string, string, string]
    const first = withKey('export const UPDATE_KEYS: readonly string[] = []\n', one)
    const second = withKey(first, two)
    expect(keysIn(second)).toEqual([two, one])
    expect(() => withKey(second, three)).toThrow('two update keys already')
  })
})

it('orders versions as semantic versioning does', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]
  for (const [at, a] of ordered.entries())
    for (const [to, b] of ordered.entries())
      expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(at - to)])
})

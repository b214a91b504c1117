// Looks for a newer version at the feed a person has set, and nowhere else: a feed that is not signed with a key of this package is not followed.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { AppUpdater, Provider, ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater'
import type { UpdateState } from '#channels'
import { t } from './language.ts'
import { checkFresh, type Feed, FeedRefused, readFeed, type Seen, signatureNameOf, verifyFeed } from './update-feed.ts'

export type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'disableDifferentialDownload'
  | 'disableWebInstaller'
  | 'setFeedURL'
  | 'checkForUpdates'
  | 'downloadUpdate'
>
export type Loaded = { readonly updater: Updater; readonly Base: ProviderClass }

/** Its constructor and two of its methods are protected, which is what a class that extends it needs. */
export const providerOf = (base: typeof Provider): ProviderClass => base as unknown as ProviderClass

export async function loadUpdater(): Promise<Loaded> {
  const { default: updater } = await import('electron-updater')
  return { updater: updater.autoUpdater, Base: providerOf(updater.Provider) }
}

export type UpdateParts = {
  readonly packaged: boolean
  readonly keys: readonly string[]
  readonly version: string
  /** Where the newest feed that was read is remembered. */
  readonly seenFile: string
  readonly load: () => Promise<Loaded>
  readonly say: (line: string) => void
}

// Electron-updater exports neither what its providers are made with nor a constructor that types may call.
type Runtime = object
type ProviderClass = new (
  runtime: Runtime,
) => {
  getDefaultChannelName(): string
  httpRequest(url: URL): Promise<string | null>
}
type SignedProvider = new (options: unknown, updater: unknown, runtime: Runtime) => object

export function whyOff({ packaged, keys }: Pick<UpdateParts, 'packaged' | 'keys'>): string | null {
  if (!packaged) return t('Update checks are off in this build: it is not packaged.')
  return keys.length === 0 ? t('Update checks are off in this build: it holds no update key.') : null
}

/** Downloads what it finds, and installs it when the application is quit: never under a call in flight. */
export async function checkForUpdate(feed: string | null, parts: UpdateParts): Promise<UpdateState> {
  const { load, say } = parts
  const reason = whyOff(parts)
  if (reason !== null) return { state: 'off', reason }
  if (feed === null) return { state: 'no-feed' }
  try {
    if (new URL(feed).protocol !== 'https:') throw new FeedRefused(t('The feed must have an https address'))
    const { updater, Base } = await load()
    updater.autoDownload = false
    updater.autoInstallOnAppQuit = true
    updater.allowDowngrade = false
    // Both would read files that the feed does not sign.
    updater.disableDifferentialDownload = true
    updater.disableWebInstaller = true
    updater.setFeedURL({ provider: 'custom', updateProvider: signedProvider(Base, feed, parts) })
    const found = await updater.checkForUpdates()
    if (!found?.isUpdateAvailable) return { state: 'current' }
    void updater.downloadUpdate().catch((error: unknown) => say(`The update was not downloaded: ${reasonOf(error)}\n`))
    return { state: 'available', version: found.updateInfo.version }
  } catch (error) {
    const reason = reasonOf(error)
    say(`The update feed was not followed: ${reason}\n`)
    return { state: 'failed', reason }
  }
}

/** Electron-updater receives the text that was verified: nothing is read twice. */
function signedProvider(Base: ProviderClass, feed: string, parts: UpdateParts): SignedProvider {
  const base = new URL(feed.endsWith('/') ? feed : `${feed}/`)
  return class extends Base {
    // The updater hands every provider its options first.
    constructor(_options: unknown, _updater: unknown, runtime: Runtime) {
      super(runtime)
    }

    async getLatestVersion(): Promise<UpdateInfo> {
      const name = `${this.getDefaultChannelName()}.yml`
      const read = async (file: string): Promise<string> => (await this.httpRequest(new URL(file, base))) ?? ''
      const text = await read(name)
      const signatures = await read(signatureNameOf(name)).catch((error: unknown) => {
        throw new FeedRefused(t('{name} has no signature: {reason}', { name, reason: reasonOf(error) }))
      })
      verifyFeed(name, text, signatures, parts.keys)
      const found = readFeed(name, text)
      checkFresh(name, found, parts.version, readSeen(parts.seenFile))
      writeSeen(parts.seenFile, found)
      return infoOf(found)
    }

    resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
      return files.map((info) => ({ url: new URL(info.url, base), info }))
    }
  }
}

/** The first file stands where older updaters look for the only one. */
function infoOf({ version, files, releaseDate }: Feed): UpdateInfo {
  const [first] = files
  return { version, files, releaseDate, path: first?.url ?? '', sha512: first?.sha512 ?? '' }
}

function readSeen(file: string): Seen | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Seen // written below
  } catch {
    return undefined
  }
}

function writeSeen(file: string, { version, releaseDate }: Seen): void {
  writeFileSync(`${file}.new`, JSON.stringify({ version, releaseDate }), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)

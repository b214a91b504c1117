// Looks for a newer version where the person has said, and nowhere else: without a feed no request is made, and the updater is not even loaded.
import type { UpdateState } from '#channels'

/** What is needed of electron-updater's autoUpdater. */
export type Updater = {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  allowDowngrade: boolean
  setFeedURL(options: { provider: 'generic'; url: string }): void
  checkForUpdates(): Promise<{ readonly isUpdateAvailable: boolean; readonly updateInfo: { version: string } } | null>
  downloadUpdate(): Promise<unknown>
}

export async function loadUpdater(): Promise<Updater> {
  const { default: updater } = await import('electron-updater')
  return updater.autoUpdater
}

/** Downloads what it finds, and installs it when the application is quit: never under a call in flight. */
export async function checkForUpdate(
  feed: string | null,
  load: () => Promise<Updater>,
  say: (line: string) => void,
): Promise<UpdateState> {
  if (feed === null) return { state: 'no-feed' }
  try {
    const updater = await load()
    updater.autoDownload = false
    updater.autoInstallOnAppQuit = true
    updater.allowDowngrade = false
    updater.setFeedURL({ provider: 'generic', url: feed })
    const found = await updater.checkForUpdates()
    if (!found?.isUpdateAvailable) return { state: 'current' }
    void updater.downloadUpdate().catch((error: unknown) => say(`The update was not downloaded: ${reasonOf(error)}\n`))
    return { state: 'available', version: found.updateInfo.version }
  } catch (error) {
    const reason = reasonOf(error)
    say(`No update could be looked for: ${reason}\n`)
    return { state: 'failed', reason }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)

// Updates: nothing is asked without a feed, and what goes wrong is told, not thrown.
import { describe, expect, it } from 'vitest'
import { checkForUpdate, type Updater } from './updates.ts'

const FEED = 'https://updates.example.com/gantry'

/** A double of electron-updater, which wants a running Electron. */
function updaterDouble(found: Awaited<ReturnType<Updater['checkForUpdates']>>): Updater & { done: unknown[] } {
  const done: unknown[] = []
  return {
    done,
    autoDownload: true,
    autoInstallOnAppQuit: false,
    allowDowngrade: true,
    setFeedURL: (options) => void done.push(options),
    checkForUpdates: async () => found,
    downloadUpdate: async () => done.push('downloaded'),
  }
}

describe('looking for an update', () => {
  it('does not even load the updater without a feed', async () => {
    const load = (): Promise<Updater> => expect.unreachable('loaded')
    expect(await checkForUpdate(null, load, () => undefined)).toEqual({ state: 'no-feed' })
  })

  it('tells what went wrong', async () => {
    const said: string[] = []
    const load = (): Promise<Updater> => Promise.reject(new Error('the feed is no feed'))
    expect(await checkForUpdate(FEED, load, (line) => said.push(line))).toEqual({
      state: 'failed',
      reason: 'the feed is no feed',
    })
    expect(said).toHaveLength(1)
  })

  it('downloads nothing when there is nothing newer', async () => {
    const updater = updaterDouble({ isUpdateAvailable: false, updateInfo: { version: '1.0.0' } })
    expect(
      await checkForUpdate(
        FEED,
        async () => updater,
        () => undefined,
      ),
    ).toEqual({ state: 'current' })
    expect(updater.done).toEqual([{ provider: 'generic', url: FEED }])
  })

  it('downloads a newer version and leaves it for the end of the application, never an older one (security case EL-19; skipped: the signature, which the updater of each system checks)', async () => {
    const updater = updaterDouble({ isUpdateAvailable: true, updateInfo: { version: '1.1.0' } })
    expect(
      await checkForUpdate(
        FEED,
        async () => updater,
        () => undefined,
      ),
    ).toEqual({
      state: 'available',
      version: '1.1.0',
    })
    expect(updater.done).toContain('downloaded')
    expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: true, allowDowngrade: false })
  })
})

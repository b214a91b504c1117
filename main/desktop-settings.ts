// What a person has chosen for the application: one small file, this user's alone.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { AppSettings } from '#channels'

export type DesktopSettings = ReturnType<typeof openSettings>

/** Not every Linux desktop shows tray icons, and a window that hides there would be gone. */
export const firstSettings = (platform: string): AppSettings => ({
  port: 8790,
  closeToTray: platform !== 'linux',
  launchAtLogin: false,
  notifications: true,
  theme: 'system',
  language: 'system',
  updateFeed: null,
})

export function openSettings(file: string, platform: string, say: (line: string) => void) {
  let settings = read(file, firstSettings(platform), say)
  return {
    get: (): AppSettings => settings,
    /** Throws when the file cannot be written; nothing has changed then. */
    change(change: Partial<AppSettings>): AppSettings {
      const next = AppSettings.parse({ ...settings, ...change })
      if (isDeepStrictEqual(next, settings)) return settings
      // Beside, then over it: at no moment is there half a file.
      writeFileSync(`${file}.new`, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
      renameSync(`${file}.new`, file)
      settings = next
      return settings
    },
  }
}

function read(file: string, first: AppSettings, say: (line: string) => void): AppSettings {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return first
  }
  try {
    // A row that an older version did not know has its first value.
    return AppSettings.parse({ ...first, ...JSON.parse(text) })
  } catch {
    say(`${file} is not a valid settings file: Gantry uses the defaults until a setting is changed.\n`)
    return first
  }
}

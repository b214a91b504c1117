// Starts with the session, behind the tray icon: by the system's own list, or on Linux by an autostart file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { desktopEntry } from './desktop-entry.ts'
import { APP_ID, type RunningProgram, startCommand } from './start-command.ts'

/** A start at login shows no window. */
const HIDDEN = '--hidden'

/** The part of Electron's app that is used. */
type LoginItems = {
  setLoginItemSettings(settings: { openAtLogin: boolean; args?: string[] }): void
  getLoginItemSettings(): { wasOpenedAtLogin: boolean }
}

/** macOS passes no arguments to a login item. */
export function startsHidden(argv: readonly string[], app: Pick<LoginItems, 'getLoginItemSettings'>): boolean {
  return argv.includes(HIDDEN) || (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
}

export function setLaunchAtLogin(
  on: boolean,
  app: Pick<LoginItems, 'setLoginItemSettings'>,
  running: RunningProgram,
): void {
  const [program, ...args] = startCommand(running)
  if (process.platform === 'win32')
    // Electron writes these into a command line as they are.
    app.setLoginItemSettings({ openAtLogin: on, args: [...args.map((each) => `"${each}"`), HIDDEN] })
  else if (process.platform !== 'linux') app.setLoginItemSettings({ openAtLogin: on })
  else setAutostart(on, [program, ...args], running.env)
}

function setAutostart(on: boolean, command: readonly string[], env: RunningProgram['env']): void {
  const folder = path.join(env.XDG_CONFIG_HOME || path.join(env.HOME ?? '', '.config'), 'autostart')
  const file = path.join(folder, `${APP_ID}.desktop`)
  if (!on) return rmSync(file, { force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, desktopEntry(command, HIDDEN))
}

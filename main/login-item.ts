// Starts with the session, behind the tray icon: by the system's own list, or on Linux by an autostart file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A start by the session shows no window. */
export const HIDDEN_SWITCH = 'hidden'

/** What is needed of Electron's app. */
type LoginItems = { setLoginItemSettings(settings: { openAtLogin: boolean; args: string[] }): void }

/** The Exec key's own quoting, by the Desktop Entry Specification. */
function quoted(program: string): string {
  const escaped = program.replace(/["`$\\]/g, (each) => `\\${each}`).replaceAll('%', '%%')
  return `"${escaped.replaceAll('\\', '\\\\')}"`
}

export function autostartEntry(program: string): string {
  return `[Desktop Entry]\nType=Application\nName=Gantry\nExec=${quoted(program)} --${HIDDEN_SWITCH}\nTerminal=false\n`
}

type Environment = Readonly<Record<string, string | undefined>>

export function setLaunchAtLogin(on: boolean, app: LoginItems, env: Environment, program: string): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [`--${HIDDEN_SWITCH}`] })
    return
  }
  const folder = path.join(env.XDG_CONFIG_HOME || path.join(env.HOME ?? '', '.config'), 'autostart')
  const file = path.join(folder, 'dev.gantry.app.desktop')
  if (!on) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(folder, { recursive: true })
  // An AppImage runs from a mount that is gone after it; its own file is what stays.
  writeFileSync(file, autostartEntry(env.APPIMAGE || program))
}

// Makes this program the handler of gantry:// links, where no installer does: Windows, an AppImage, development.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { desktopEntry } from './desktop-entry.ts'
import { appImage, type RunningProgram, startCommand } from './start-command.ts'

const SCHEME = 'gantry'

/** The part of Electron's app that is used. */
type ProtocolClients = {
  setDesktopName(name: string): void
  getApplicationNameForProtocol(url: string): string
  setAsDefaultProtocolClient(scheme: string, program?: string, args?: string[]): boolean
}

/**
 * Call before `ready`: Linux takes the desktop name then. A development build never replaces an installed application.
 * On macOS the scheme is in Info.plist of the package only, so a development build receives no links.
 */
export function handleLinks(app: ProtocolClients, running: RunningProgram): void {
  const mayReplace = running.packaged
  const isFree = (): boolean => mayReplace || app.getApplicationNameForProtocol(`${SCHEME}://`) === ''
  if (process.platform === 'win32') {
    const [program, ...args] = startCommand(running)
    if (isFree()) app.setAsDefaultProtocolClient(SCHEME, program, args)
  } else if (process.platform === 'linux') {
    const name = entryName(running)
    if (name === undefined) return
    app.setDesktopName(name)
    // Electron starts xdg-settings and waits for it, so only after a change.
    if (writeEntry(name, running) && isFree()) app.setAsDefaultProtocolClient(SCHEME)
  }
}

/** Undefined for an installed package: its own entry has the scheme. */
function entryName(running: RunningProgram): string | undefined {
  if (!running.packaged) return 'gantry-dev.desktop'
  return appImage(running) === undefined ? undefined : 'gantry-appimage.desktop'
}

/** False when the file is as it should be, or cannot be written: the application runs without links then. */
function writeEntry(name: string, running: RunningProgram): boolean {
  const { env } = running
  const folder = path.join(env.XDG_DATA_HOME || path.join(env.HOME ?? '', '.local', 'share'), 'applications')
  const file = path.join(folder, name)
  const entry = desktopEntry(startCommand(running), '%u', ['NoDisplay=true', `MimeType=x-scheme-handler/${SCHEME};`])
  try {
    if (readOr(file, '') === entry) return false
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, entry, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

// The one window: sandboxed, remembers where it was, leads nowhere but the application.
import { BrowserWindow, screen, session, shell } from 'electron'
import { MIN_HEIGHT, MIN_WIDTH, readBounds, writeBounds } from './bounds.ts'
import { externalUrl } from './external.ts'
import { APP_ORIGIN, APP_PAGE, isOwnPage } from './page.ts'
import { canvas, followTheme } from './theme.ts'

/** A page that keeps dying is not loaded for ever. */
const MAX_RELOADS = 3

type Opening = {
  readonly preload: string
  readonly boundsFile: string
  readonly icon: string
  /** Closing hides the window, where a tray icon can show it again. */
  readonly hidesOnClose: () => boolean
  readonly hasTray: () => Promise<boolean>
}

export function openWindow({ preload, boundsFile, icon, hidesOnClose, hasTray }: Opening): BrowserWindow {
  const window = new BrowserWindow({
    ...readBounds(
      boundsFile,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    title: 'Gantry',
    show: false,
    backgroundColor: canvas(),
    icon,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  window.once('ready-to-show', () => window.show())
  window.on('close', (event) => {
    writeBounds(boundsFile, window.getNormalBounds())
    if (!hidesOnClose()) return
    event.preventDefault()
    void hasTray().then((has) => (has ? window.hide() : window.destroy()))
  })
  followTheme(window)
  window.webContents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault()
  })
  window.webContents.setWindowOpenHandler(({ url }) => {
    const outside = externalUrl(url)
    if (outside !== undefined) void shell.openExternal(outside)
    return { action: 'deny' }
  })
  let reloads = 0
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    // Calls go on in this process; only the picture is gone.
    if (reason === 'clean-exit' || reloads >= MAX_RELOADS) return
    reloads += 1
    window.webContents.reload()
  })
  void window.loadURL(`${APP_ORIGIN}/${APP_PAGE}`)
  return window
}

/** Writing text to the clipboard is what the copy buttons do; nothing else is asked of the system. */
const ALLOWED = 'clipboard-sanitized-write'

export function limitPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) =>
    answer(permission === ALLOWED && isOwnPage(contents.getURL())),
  )
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === ALLOWED && isOwnPage(origin),
  )
}

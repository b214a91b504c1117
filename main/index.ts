// The desktop application, top to bottom: one instance, the page, the gateway, the window.
import path from 'node:path'
import { app, type BrowserWindow, dialog, ipcMain, protocol } from 'electron'
import { type DesktopEvent, EVENT_CHANNEL, type GatewayStatus } from '#channels'
import { UI_POLICY } from '#gateway-shell'
import { createLinks, linkAmong } from './deep-link.ts'
import { createDesktop, type Desktop, runningProgram } from './desktop.ts'
import { handleAll } from './ipc.ts'
import { setLanguage, t } from './language.ts'
import { handleLinks } from './link-handler.ts'
import { startsHidden } from './login-item.ts'
import { setMenu } from './menu.ts'
import { APP_ORIGIN, servePage } from './page.ts'
import { openProfile } from './profile.ts'
import type { Services } from './services.ts'
import { APP_ID } from './start-command.ts'
import { dangerousSwitch } from './switches.ts'
import { setTheme } from './theme.ts'
import { hasTray, trayAppears } from './tray.ts'
import { limitPermissions, openWindow } from './window.ts'

const DIST = path.join(import.meta.dirname, '..')
const ICONS = path.join(DIST, 'main', 'icons')
const links = createLinks()
let desktop: Desktop | undefined
let window: BrowserWindow | undefined
let quitting = false
/** What the window shows next. It is stored here, because a page that is still loading receives no events. */
let wantedPage: string | null = null

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
])

const refused = app.isPackaged ? dangerousSwitch((name) => app.commandLine.hasSwitch(name)) : undefined
if (refused !== undefined) {
  process.stderr.write(`Gantry does not run with --${refused}.\n`)
  app.exit(78)
} else begin()

function begin(): void {
  speak('system')
  // Before the lock, which is a file in that folder.
  const lack = openProfile(app.getPath('userData'))
  if (lack !== undefined) giveUp(lack)
  else if (app.requestSingleInstanceLock()) run().catch(giveUp)
  else app.quit()
}

async function run(): Promise<void> {
  // Without a shortcut, Windows shows notifications of a development build under its program.
  if (process.platform === 'win32') app.setAppUserModelId(app.isPackaged ? APP_ID : process.execPath)
  followLinks()
  await app.whenReady()
  limitPermissions()
  protocol.handle('app', ({ url }) => servePage(url, path.join(DIST, 'renderer'), UI_POLICY))

  const userData = app.getPath('userData')
  desktop = createDesktop({ userData, icons: ICONS, links, send, showWindow, takePage, speak })
  const { services, handlers, say, theme } = desktop
  setTheme(theme)
  handleAll(ipcMain, handlers, APP_ORIGIN)
  drawMenu(desktop)
  stopOnQuit(services)
  logExceptions(say)

  const started = services.start(app.commandLine.hasSwitch('safe-mode') ? 'safe' : 'running')
  // Without a tray icon, a hidden application could not be opened.
  if (startsHidden(process.argv, app)) void trayAppears().then((has) => has || showWindow())
  else showWindow()
  app.on('activate', () => showWindow())
  showFailure(await started)
}

function drawMenu({ showFolder, services }: Desktop): void {
  setMenu({
    showFolder,
    restart: (mode) => void services.restart(mode).then(showFailure),
  })
}

function speak(language: string): void {
  setLanguage(language, app.getPreferredSystemLanguages())
  // Absent while the desktop is created.
  if (desktop) drawMenu(desktop)
}

/** A link comes with the start, with a second start, or on macOS as an event. */
function followLinks(): void {
  handleLinks(app, runningProgram())
  const offer = (link: string | undefined): void => {
    if (link !== undefined && links.offer(link)) send({ topic: 'link:waiting', data: null })
  }
  offer(linkAmong(process.argv))
  app.on('second-instance', (_event, argv) => {
    offer(linkAmong(argv))
    showWindow()
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    offer(url)
    showWindow()
  })
}

/** The gateway runs in its own process, so an exception in main does not end the application. */
function logExceptions(say: (line: string) => void): void {
  process.on('uncaughtException', (error) => say(`Uncaught exception: ${error.stack ?? String(error)}\n`))
  process.on('unhandledRejection', (error) => say(`Unhandled rejection: ${String(error)}\n`))
  // The terminal that started this process may close.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

function stopOnQuit(services: Services): void {
  app.on('before-quit', () => {
    quitting = true
  })
  app.on('window-all-closed', () => app.quit())
  let stopped = false
  app.on('will-quit', (event) => {
    if (stopped) return
    event.preventDefault()
    void services.stop().finally(() => {
      stopped = true
      app.quit()
    })
  })
}

function giveUp(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`Gantry cannot start: ${reason}\n`)
  dialog.showErrorBox(t('Gantry cannot start'), reason)
  app.exit(1)
}

/** The page says why the gateway does not run and offers the way on; this notice is for a desktop without an open window. */
function showFailure({ state, reason }: GatewayStatus): void {
  if (state === 'stopped' && reason !== null) showWindow()
}

function open(): BrowserWindow | undefined {
  return window?.isDestroyed() ? undefined : window
}

function showWindow(page?: string): void {
  // A link may come before there is anything to show.
  if (!desktop) return
  const { hidesOnClose } = desktop
  if (page !== undefined) wantedPage = page
  const there = open()
  if (there) {
    if (there.isMinimized()) there.restore()
    there.show()
    there.focus()
    if (page !== undefined) send({ topic: 'page:waiting', data: null })
    return
  }
  window = openWindow({
    preload: path.join(DIST, 'preload', 'index.cjs'),
    boundsFile: path.join(app.getPath('userData'), 'window.json'),
    icon: path.join(ICONS, 'app.png'),
    hidesOnClose: () => !quitting && hidesOnClose(),
    hasTray,
  })
}

function takePage(): string | null {
  const page = wantedPage
  wantedPage = null
  return page
}

function send(event: DesktopEvent): void {
  open()?.webContents.send(EVENT_CHANNEL, event)
}

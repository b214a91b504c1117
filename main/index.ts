// The desktop application, top to bottom: one instance, the gateway, the page, the window.
import { mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import {
  app,
  type BrowserWindow,
  dialog,
  ipcMain,
  type MessageBoxOptions,
  protocol,
  safeStorage,
  shell,
} from 'electron'
import { type DesktopEvent, EVENT_CHANNEL, type GatewayStatus } from '#channels'
import { UI_POLICY } from '#gateway'
import { encryptionKey } from './encryption-key.ts'
import { createHandlers } from './handlers.ts'
import { handleAll } from './ipc.ts'
import { setMenu } from './menu.ts'
import { APP_ORIGIN, servePage } from './page.ts'
import { createServices, type Services } from './services.ts'
import { desktopEnv } from './settings.ts'
import { dangerousSwitch } from './switches.ts'
import { limitPermissions, openWindow } from './window.ts'

const DIST = path.join(import.meta.dirname, '..')
let window: BrowserWindow | undefined

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
])

const refused = app.isPackaged ? dangerousSwitch((name) => app.commandLine.hasSwitch(name)) : undefined
if (refused !== undefined) {
  process.stderr.write(`Gantry does not run with --${refused}.\n`)
  app.exit(78)
} else if (app.requestSingleInstanceLock()) run().catch(giveUp)
else app.quit()

async function run(): Promise<void> {
  app.on('second-instance', showWindow)
  await app.whenReady()
  limitPermissions()
  protocol.handle('app', ({ url }) => servePage(url, path.join(DIST, 'renderer'), UI_POLICY))

  const userData = app.getPath('userData')
  mkdirSync(userData, { recursive: true, mode: 0o700 })
  const services = createServices({
    async environment() {
      const sealed = await encryptionKey(path.join(userData, 'encryption-key'), safeStorage)
      const key = 'key' in sealed ? sealed.key : undefined
      return { env: desktopEnv(process.env, userData, key), lack: 'reason' in sealed ? sealed.reason : null }
    },
    readFile: (file) => readFileSync(file, 'utf8'),
    writeLog: (line) => void process.stderr.write(line),
    user: userInfo().username,
    onChange: (status) => send({ topic: 'gateway:changed', data: status }),
    onEvent: send,
  })
  const restart = (): void => void services.restart().then((status) => tellFailure(services, status))
  handleAll(
    ipcMain,
    createHandlers(services, (url) => shell.openExternal(url)),
    APP_ORIGIN,
  )
  setMenu({ dataFolder: userData, restartGateway: restart })
  stopOnQuit(services)

  const started = services.start()
  showWindow()
  app.on('activate', showWindow)
  await tellFailure(services, await started)
}

/** Asks what to do until the gateway runs or the person gives up for now. */
async function tellFailure(services: Services, status: GatewayStatus): Promise<void> {
  for (let now = status; now.state === 'stopped' && now.reason !== null; now = await services.restart()) {
    const options: MessageBoxOptions = {
      type: 'error',
      message: 'The gateway did not start',
      detail: now.reason,
      buttons: ['Try again', 'Close'],
      defaultId: 0,
      cancelId: 1,
    }
    const shown =
      window && !window.isDestroyed() ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options)
    if ((await shown).response !== 0) return
  }
}

function stopOnQuit(services: Services): void {
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
  dialog.showErrorBox('Gantry cannot start', reason)
  app.exit(1)
}

function showWindow(): void {
  if (window && !window.isDestroyed()) {
    if (window.isMinimized()) window.restore()
    window.focus()
    return
  }
  window = openWindow(path.join(DIST, 'preload', 'index.cjs'), path.join(app.getPath('userData'), 'window.json'))
}

function send(event: DesktopEvent): void {
  if (window && !window.isDestroyed()) window.webContents.send(EVENT_CHANNEL, event)
}

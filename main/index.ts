// The desktop application, top to bottom: one instance, the gateway, the page, the window.
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { app, type BrowserWindow, dialog, ipcMain, protocol, safeStorage, shell } from 'electron'
import { UI_POLICY } from '#gateway'
import { encryptionKey } from './encryption-key.ts'
import { createHandlers } from './handlers.ts'
import { handleAll } from './ipc.ts'
import { setMenu } from './menu.ts'
import { APP_ORIGIN, servePage } from './page.ts'
import { createServices } from './services.ts'
import { desktopEnv } from './settings.ts'
import { denyPermissions, openWindow } from './window.ts'

const DIST = path.join(import.meta.dirname, '..')
let window: BrowserWindow | undefined

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
])

if (app.requestSingleInstanceLock()) void run()
else app.quit()

async function run(): Promise<void> {
  app.on('second-instance', showWindow)
  await app.whenReady()
  denyPermissions()
  protocol.handle('app', ({ url }) => servePage(url, path.join(DIST, 'renderer'), UI_POLICY))

  const userData = app.getPath('userData')
  const key = await encryptionKey(path.join(userData, 'encryption-key'), safeStorage)
  if ('reason' in key) process.stderr.write(`${key.reason}\n`)
  const services = createServices({
    env: desktopEnv(process.env, userData, 'key' in key ? key.key : undefined),
    readFile: (file) => readFileSync(file, 'utf8'),
    writeLog: (line) => void process.stderr.write(line),
    user: userInfo().username,
    onChange: (status) => send('gateway:changed', status),
    onEvent: (event) => send('admin:event', event),
  })
  handleAll(
    ipcMain,
    createHandlers(services, (url) => shell.openExternal(url)),
    APP_ORIGIN,
  )
  setMenu({ dataFolder: userData, restartGateway: () => void services.restart() })

  showWindow()
  const started = await services.start()
  if (started.reason !== null) dialog.showErrorBox('The gateway did not start', started.reason)

  app.on('activate', showWindow)
  app.on('window-all-closed', () => app.quit())
  let stopping = false
  app.on('will-quit', (event) => {
    if (stopping) return
    stopping = true
    event.preventDefault()
    void services.stop().finally(() => app.quit())
  })
}

function showWindow(): void {
  if (window && !window.isDestroyed()) {
    if (window.isMinimized()) window.restore()
    window.focus()
    return
  }
  window = openWindow(path.join(DIST, 'preload', 'index.cjs'), path.join(app.getPath('userData'), 'window.json'))
}

function send(event: 'gateway:changed' | 'admin:event', payload: unknown): void {
  if (window && !window.isDestroyed()) window.webContents.send(event, payload)
}

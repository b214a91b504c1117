// The one window: sandboxed, remembers where it was, leads nowhere but the application.

import { readFileSync, writeFileSync } from 'node:fs'
import { BrowserWindow, session, shell } from 'electron'
import { APP_ORIGIN } from './page.ts'

type Bounds = { readonly x?: number; readonly y?: number; readonly width: number; readonly height: number }
const FIRST: Bounds = { width: 1280, height: 860 }

function remembered(file: string): Bounds {
  try {
    const { x, y, width, height } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Bounds>
    if (typeof width === 'number' && typeof height === 'number' && width >= 640 && height >= 480)
      return { ...(x === undefined || y === undefined ? {} : { x, y }), width, height }
  } catch {
    // First run, or a file somebody edited: the default will do.
  }
  return FIRST
}

export function isOwnPage(url: string): boolean {
  return url === APP_ORIGIN || url.startsWith(`${APP_ORIGIN}/`)
}

export function openWindow(preload: string, boundsFile: string): BrowserWindow {
  const window = new BrowserWindow({
    ...remembered(boundsFile),
    minWidth: 900,
    minHeight: 600,
    title: 'Gantry',
    show: false,
    backgroundColor: '#0e1116',
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
  window.on('close', () => {
    try {
      writeFileSync(boundsFile, JSON.stringify(window.getNormalBounds()), { mode: 0o600 })
    } catch {
      // Where the window stood is not worth keeping the application from closing.
    }
  })
  window.webContents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault()
  })
  window.webContents.setWindowOpenHandler(({ url }) => {
    if (URL.canParse(url) && new URL(url).protocol === 'https:') void shell.openExternal(url)
    return { action: 'deny' }
  })
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    // Calls go on in this process; only the picture is gone.
    if (reason !== 'clean-exit') window.webContents.reload()
  })
  void window.loadURL(`${APP_ORIGIN}/index.html`)
  return window
}

export function denyPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.defaultSession.setPermissionCheckHandler(() => false)
}

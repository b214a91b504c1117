// A double of the `electron` module, as far as main uses it and as Electron documents it; its windows are in Chromium.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type MenuItem, Notification, nativeImage, notices, Tray } from './tray.ts'
import { UtilityProcess } from './utility-process.ts'
import type { Asked, AskName, Bounds, FromMain, ServerRequests } from './wire.ts'

const SCREEN: Bounds = { x: 0, y: 0, width: 1920, height: 1080 }
const registered: [method: string, ...args: unknown[]][] = []
const say = (message: FromMain): void => void process.send?.(message)

/** Electron's event with preventDefault. */
class Preventable {
  defaultPrevented = false
  preventDefault(): void {
    this.defaultPrevented = true
  }
}

function valueOf(name: string): string | undefined {
  const found = process.argv.find((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`))
  return found?.slice(name.length + 3)
}

class App extends EventEmitter {
  readonly isPackaged = process.env.GANTRY_DOUBLE_PACKAGED === 'yes'
  readonly commandLine = { hasSwitch: (name: string): boolean => valueOf(name) !== undefined }

  getPath(name: string): string {
    const folder = valueOf('user-data-dir')
    if (name !== 'userData' || !folder) throw new Error(`the double has no path ${name}`)
    return folder
  }

  getAppPath(): string {
    return path.join(import.meta.dirname, '..', '..', '..')
  }

  /** Windows and Linux; on macOS the package must have the scheme in its Info.plist. */
  setAsDefaultProtocolClient(...args: unknown[]): boolean {
    this.#only('setAsDefaultProtocolClient', ['win32', 'linux'])
    registered.push(['setAsDefaultProtocolClient', ...args])
    return true
  }
  getApplicationNameForProtocol(): string {
    return process.env.GANTRY_DOUBLE_HANDLER ?? ''
  }
  setDesktopName(name: string): void {
    this.#only('setDesktopName', ['linux'])
    if (UtilityProcess.ready) throw new Error('setDesktopName must be called before ready')
    registered.push(['setDesktopName', name])
  }
  getPreferredSystemLanguages(): string[] {
    return [process.env.GANTRY_DOUBLE_LANGUAGE ?? 'en-US']
  }

  setAppUserModelId(id: string): void {
    this.#only('setAppUserModelId', ['win32'])
    registered.push(['setAppUserModelId', id])
  }
  setLoginItemSettings(settings: object): void {
    this.#only('setLoginItemSettings', ['darwin', 'win32'])
    registered.push(['setLoginItemSettings', settings])
  }
  /** `wasOpenedAtLogin` is of macOS. */
  getLoginItemSettings(): object {
    this.#only('getLoginItemSettings', ['darwin', 'win32'])
    const wasOpenedAtLogin = process.env.GANTRY_DOUBLE_AT_LOGIN === 'yes'
    return { openAtLogin: false, ...(process.platform === 'darwin' ? { wasOpenedAtLogin } : {}) }
  }

  #only(method: string, platforms: readonly string[]): void {
    if (!platforms.includes(process.platform)) throw new TypeError(`app.${method} is not a function`)
  }

  /** The lock is a file with the holder's process id; a signal and a file stand for Electron's message to the holder. */
  requestSingleInstanceLock(): boolean {
    mkdirSync(this.getPath('userData'), { recursive: true })
    const lock = path.join(this.getPath('userData'), 'SingletonLock')
    const message = `${lock}.argv`
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
        process.on('exit', () => rmSync(lock, { force: true }))
        process.on('SIGUSR2', () => {
          const argv: unknown = JSON.parse(readFileSync(message, 'utf8'))
          this.emit('second-instance', new Preventable(), argv, process.cwd())
        })
        return true
      } catch {
        try {
          // Whole or not at all: several starts may speak at once.
          writeFileSync(`${message}.${process.pid}`, JSON.stringify(process.argv), { mode: 0o600 })
          renameSync(`${message}.${process.pid}`, message)
          process.kill(Number(readFileSync(lock, 'utf8')), 'SIGUSR2')
          return false
        } catch {
          // Its holder is no more.
          rmSync(lock, { force: true })
        }
      }
    }
    return false
  }

  whenReady(): Promise<void> {
    return new Promise((resolve) =>
      setImmediate(() => {
        UtilityProcess.ready = true
        resolve()
      }),
    )
  }

  #quitting = false

  /** Not when the application quits. */
  windowClosed(): void {
    if (BrowserWindow.open.length === 0 && !this.#quitting) this.emit('window-all-closed')
  }

  quit(): void {
    this.emit('before-quit', new Preventable())
    this.#quitting = true
    for (const window of BrowserWindow.getAllWindows()) window.close()
    // A window that will not close stops the end.
    if (BrowserWindow.open.length > 0) {
      this.#quitting = false
      return
    }
    const event = new Preventable()
    this.emit('will-quit', event)
    if (!event.defaultPrevented) this.exit(0)
  }

  exit(code: number): void {
    this.emit('quit')
    process.exit(code)
  }
}

type OpenHandler = (details: { readonly url: string }) => { readonly action: 'deny' | 'allow' }

class WebContents extends EventEmitter {
  url = ''
  openHandler: OpenHandler = () => ({ action: 'allow' })
  getURL(): string {
    return this.url
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }
  reload(): void {
    say({ tell: 'reload' })
  }
  send(channel: string, payload: unknown): void {
    say({ tell: 'send', channel, payload })
  }
}

type WindowOptions = Partial<Bounds> & {
  readonly webPreferences: Readonly<Record<string, unknown>>
  readonly backgroundColor?: string
  readonly show?: boolean
}

class BrowserWindow extends EventEmitter {
  static readonly open: BrowserWindow[] = []
  readonly webContents = new WebContents()
  readonly preferences: WindowOptions['webPreferences']
  bounds: Bounds
  minimized = false
  visible = false
  focuses = 0
  backgroundColor: string

  constructor({
    webPreferences,
    x = 320,
    y = 110,
    width = 800,
    height = 600,
    backgroundColor = '#ffffff',
    show = true,
  }: WindowOptions) {
    super()
    this.backgroundColor = backgroundColor
    this.visible = show
    this.preferences = webPreferences
    this.bounds = { x, y, width, height }
    BrowserWindow.open.push(this)
    say({
      tell: 'open',
      preload: String(webPreferences.preload),
      bounds: this.bounds,
      dark: nativeTheme.shouldUseDarkColors,
    })
  }

  static getAllWindows(): BrowserWindow[] {
    return [...BrowserWindow.open]
  }

  async loadURL(url: string): Promise<void> {
    this.webContents.url = url
    say({ tell: 'load', url })
  }

  close(): void {
    const event = new Preventable()
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }

  /** Without the event `close`. */
  destroy(): void {
    if (this.isDestroyed()) return
    BrowserWindow.open.splice(BrowserWindow.open.indexOf(this), 1)
    this.emit('closed')
    app.windowClosed()
  }

  setBackgroundColor(color: string): void {
    this.backgroundColor = color
  }

  getNormalBounds(): Bounds {
    return this.bounds
  }
  isDestroyed(): boolean {
    return !BrowserWindow.open.includes(this)
  }
  isMinimized(): boolean {
    return this.minimized
  }
  restore(): void {
    this.minimized = false
  }
  focus(): void {
    this.focuses += 1
  }
  show(): void {
    this.visible = true
    this.emit('show')
  }
  hide(): void {
    this.visible = false
  }
}

type Serve = (request: Request) => Promise<Response>
const schemes = new Map<string, Serve>()
const protocol = {
  registerSchemesAsPrivileged: (_schemes: readonly object[]): void => {},
  handle: (scheme: string, serve: Serve): void => void schemes.set(scheme, serve),
}

type Frame = { readonly url: string; readonly parent: unknown }
type Listener = (event: { readonly senderFrame: Frame }, input: unknown) => Promise<unknown>
const listeners = new Map<string, Listener>()
const ipcMain = {
  handle(channel: string, listener: Listener): void {
    if (listeners.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    listeners.set(channel, listener)
  },
}

type RequestHandler = (contents: WebContents, permission: string, answer: (granted: boolean) => void) => void
type CheckHandler = (contents: WebContents, permission: string, origin: string) => boolean
// Electron's default: it grants.
let requestHandler: RequestHandler = (_contents, _permission, answer) => answer(true)
let checkHandler: CheckHandler = () => true
const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: RequestHandler): void => void (requestHandler = handler),
    setPermissionCheckHandler: (handler: CheckHandler): void => void (checkHandler = handler),
  },
}

/** GANTRY_DOUBLE_KEYRING names who unlocked the keyring; `none` is a system without one. */
const keyringOwner = process.env.GANTRY_DOUBLE_KEYRING ?? 'the user'
const keyringKey = createHash('sha256').update(keyringOwner).digest()
const safeStorage = {
  isAsyncEncryptionAvailable: async (): Promise<boolean> => keyringOwner !== 'none',
  async encryptStringAsync(text: string): Promise<Buffer> {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keyringKey, nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  },
  async decryptStringAsync(sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
    const decipher = createDecipheriv('aes-256-gcm', keyringKey, sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(12, 28))
    const opened = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    return { result: opened.toString('utf8'), shouldReEncrypt: false }
  },
}

const opened: string[] = []
const shell = {
  openExternal: async (url: string): Promise<void> => void opened.push(url),
  openPath: async (folder: string): Promise<string> => {
    opened.push(folder)
    return ''
  },
}

const dialogs: string[] = []
const dialog = { showErrorBox: (title: string): void => void dialogs.push(title) }

let menu: readonly MenuItem[] = []
const Menu = {
  buildFromTemplate: (template: readonly MenuItem[]): readonly MenuItem[] => template,
  setApplicationMenu: (built: readonly MenuItem[]): void => void (menu = built),
}

/** GANTRY_DOUBLE_DARK: the system has a dark theme. */
class NativeTheme extends EventEmitter {
  #source: 'system' | 'light' | 'dark' = 'system'
  get shouldUseDarkColors(): boolean {
    return this.#source === 'system' ? process.env.GANTRY_DOUBLE_DARK === 'yes' : this.#source === 'dark'
  }
  get themeSource(): 'system' | 'light' | 'dark' {
    return this.#source
  }
  set themeSource(source: 'system' | 'light' | 'dark') {
    this.#source = source
    say({ tell: 'theme', dark: this.shouldUseDarkColors })
    this.emit('updated')
  }
}
const nativeTheme = new NativeTheme()

const screen = { getAllDisplays: () => [{ workArea: SCREEN }] }
const app = new App()

function theWindow(): BrowserWindow {
  const [window] = BrowserWindow.open
  if (!window) throw new Error('main has no window')
  return window
}

function theGateway(): UtilityProcess {
  const [gateway, another] = UtilityProcess.running
  if (!gateway || another) throw new Error('main has not one utility process')
  return gateway
}

const answers: {
  [N in AskName]: (ask: ServerRequests[N]['ask']) => ServerRequests[N]['answer'] | Promise<ServerRequests[N]['answer']>
} = {
  async serve({ url }) {
    const serve = schemes.get(new URL(url).protocol.slice(0, -1))
    if (!serve) throw new Error(`main handles no scheme of ${url}`)
    const response = await serve(new Request(url))
    const body = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: Object.fromEntries(response.headers), body }
  },
  async invoke({ channel, input, frame }) {
    const listener = listeners.get(channel)
    if (!listener) throw new Error(`No handler registered for '${channel}'`)
    return listener({ senderFrame: { url: frame.url, parent: frame.top ? null : {} } }, input)
  },
  navigate({ url }) {
    const event = Object.assign(new Preventable(), { url })
    theWindow().webContents.emit('will-navigate', event)
    return !event.defaultPrevented
  },
  popup({ url }) {
    const { action } = theWindow().webContents.openHandler({ url })
    if (action !== 'deny') throw new Error('the double has one window only')
    return undefined
  },
  permission({ name }) {
    const contents = theWindow().webContents
    const checked = checkHandler(contents, name, `${new URL(contents.url).protocol}//${new URL(contents.url).host}/`)
    return new Promise((resolve) => requestHandler(contents, name, (granted) => resolve(granted && checked)))
  },
  gone({ reason }) {
    theWindow().webContents.emit('render-process-gone', new Preventable(), { reason, exitCode: 1 })
    return undefined
  },
  shown() {
    theWindow().emit('ready-to-show')
    return undefined
  },
  minimize() {
    theWindow().minimized = true
    return undefined
  },
  close() {
    theWindow().close()
    return undefined
  },
  tray({ label }) {
    const row = Tray.only?.rows.find((each) => each.label === label)
    if (!row?.click) throw new Error(`the tray has no ${label}`)
    row.click()
    return undefined
  },
  crash({ message, in: where }) {
    if (where === 'gateway') theGateway().throwInside(message)
    else
      setImmediate(() => {
        throw new Error(message)
      })
    return undefined
  },
  move(bounds) {
    theWindow().bounds = bounds
    return undefined
  },
  click({ label }) {
    const item = menu.flatMap(({ submenu = [] }) => submenu).find((each) => each.label === label)
    if (!item?.click) throw new Error(`the menu has no ${label}`)
    item.click()
    return undefined
  },
  facts() {
    const [window] = BrowserWindow.open
    return {
      windows: BrowserWindow.open.length,
      minimized: window?.minimized ?? false,
      visible: window?.visible ?? false,
      focuses: window?.focuses ?? 0,
      bounds: window?.bounds ?? SCREEN,
      preferences: window?.preferences ?? {},
      backgroundColor: window?.backgroundColor ?? '',
      registered,
      opened,
      dialogs,
      tray: (Tray.only?.rows ?? []).flatMap(({ label }) => label ?? []),
      notices,
      processes: UtilityProcess.running.map(({ serviceName, pid }) => ({ name: serviceName, pid: pid ?? 0 })),
    }
  },
  quit() {
    setImmediate(() => app.quit())
    return undefined
  },
}

process.on('message', ({ id, name, ask }: Asked) => {
  // The asker's types pair each name with its ask.
  const answer = answers[name] as (ask: unknown) => unknown
  void Promise.resolve()
    .then(() => answer(ask))
    .then(
      (value) => say({ id, value }),
      (error: unknown) => say({ id, error: String(error) }),
    )
})
// A test that ends without a word must not leave a gateway behind.
process.on('disconnect', () => process.exit(1))

export {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  UtilityProcess as utilityProcess,
}

// The real host: Electron itself, driven by Playwright. What a person would click is called in main's process.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { _electron, type ElectronApplication } from 'playwright'
import { asUser, type DesktopApp, type Ended, type Launch } from './app.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

type Row = { readonly label: string; readonly click: () => void }
type Recorded = {
  opened: string[]
  dialogs: string[]
  notices: { title: string; body: string }[]
  tray: readonly Row[]
  focuses: number
}
type RecordingGlobal = { recorded: Recorded }

/** Puts recorders where main would leave the application: no browser opens, no dialog waits for a hand. */
async function record(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ shell, dialog, BrowserWindow, Tray, Notification }) => {
    const recorded: Recorded = { opened: [], dialogs: [], notices: [], tray: [], focuses: 0 }
    ;(globalThis as unknown as RecordingGlobal).recorded = recorded
    shell.openExternal = async (url) => void recorded.opened.push(url)
    shell.openPath = async (folder) => {
      recorded.opened.push(folder)
      return ''
    }
    dialog.showErrorBox = (title) => void recorded.dialogs.push(title)
    const { setContextMenu } = Tray.prototype
    Tray.prototype.setContextMenu = function record(menu) {
      recorded.tray = (menu?.items ?? []).map((item) => ({ label: item.label, click: () => item.click() }))
      setContextMenu.call(this, menu)
    }
    Notification.prototype.show = function record() {
      recorded.notices.push({ title: this.title, body: this.body })
    }
    for (const window of BrowserWindow.getAllWindows()) window.on('focus', () => (recorded.focuses += 1))
  })
}

function electronEnv({ env = {} }: Launch): Record<string, string> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...Object.fromEntries(inherited), ...env }
}

const argsFor = ({ userData, args = [] }: Launch): string[] => [ROOT, `--user-data-dir=${userData}`, ...args]

export function runElectronToItsEnd(binary: string, launch: Launch): Promise<Ended> {
  const child = spawn(binary, argsFor(launch), {
    env: electronEnv(launch),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...asUser(launch),
  })
  let output = ''
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

export async function launchElectron(binary: string, launch: Launch): Promise<DesktopApp> {
  const app = await _electron.launch({
    executablePath: binary,
    args: argsFor(launch),
    env: electronEnv(launch),
  })
  let output = ''
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  app.process().stdout?.on('data', collect)
  app.process().stderr?.on('data', collect)
  await record(app)
  if (!launch.hidden) await app.firstWindow()
  const ended = new Promise<number | null>((resolve) => app.process().once('close', (code) => resolve(code)))
  return {
    host: 'electron',
    get page() {
      const [page] = app.windows()
      if (!page) throw new Error('there is no window')
      return page
    },
    origin: 'app://gantry',
    pid: app.process().pid ?? 0,
    output: () => output,
    facts: () =>
      app.evaluate(({ app: main, BrowserWindow }) => {
        const { opened, dialogs, notices, tray, focuses } = (globalThis as unknown as RecordingGlobal).recorded
        const windows = BrowserWindow.getAllWindows()
        const [window] = windows
        // Electron has this for tests and leaves it out of its types.
        const contents = window?.webContents as { getLastWebPreferences?(): object } | undefined
        const preferences = contents?.getLastWebPreferences?.() ?? {}
        return {
          windows: windows.length,
          minimized: window?.isMinimized() ?? false,
          visible: window?.isVisible() ?? false,
          focuses,
          bounds: window?.getNormalBounds() ?? { x: 0, y: 0, width: 0, height: 0 },
          preferences: { ...preferences },
          backgroundColor: window?.getBackgroundColor().toLowerCase() ?? '',
          registered: [],
          opened,
          dialogs,
          tray: tray.map(({ label }) => label).filter((label) => label !== ''),
          notices,
          processes: main
            .getAppMetrics()
            .filter(({ type, name }) => type === 'Utility' && name?.startsWith('Gantry'))
            .map(({ name = '', pid }) => ({ name, pid })),
        }
      }),
    move: (bounds) => app.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), bounds),
    minimize: () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize()),
    close: () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()),
    clickTray: (label) =>
      app.evaluate((_electronModule, wanted) => {
        const row = (globalThis as unknown as RecordingGlobal).recorded.tray.find((each) => each.label === wanted)
        if (!row) throw new Error(`the tray has no ${wanted}`)
        row.click()
      }, label),
    crashMain: (message) =>
      app.evaluate((_electronModule, text) => {
        setTimeout(() => {
          throw new Error(text)
        }, 0)
      }, message),
    crashGateway: () => Promise.reject(new Error('no test reaches into a process of Electron’s but main')),
    clickMenu: (label) =>
      app.evaluate(({ Menu }, wanted) => {
        const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? []
        const item = items.find((each) => each.label === wanted)
        if (!item) throw new Error(`the menu has no ${wanted}`)
        item.click()
      }, label),
    invokeAs: (frame, channel, input) =>
      app.evaluate(
        ({ ipcMain }, [from, name, given]) => {
          // Electron keeps its handlers in this private map; no page could speak for a foreign frame otherwise.
          const { _invokeHandlers: handlers } = ipcMain as unknown as {
            readonly _invokeHandlers: Map<string, (event: object, input: unknown) => unknown>
          }
          const handler = handlers.get(name)
          if (!handler) throw new Error(`No handler registered for '${name}'`)
          return handler({ senderFrame: { url: from.url, parent: from.top ? null : {} } }, given)
        },
        [frame, channel, input] as const,
      ),
    crashRenderer: () =>
      app.evaluate(
        ({ BrowserWindow }) =>
          new Promise<void>((resolve) => {
            const contents = BrowserWindow.getAllWindows()[0]?.webContents
            contents?.once('did-finish-load', () => resolve())
            contents?.forcefullyCrashRenderer()
          }),
      ),
    async kill() {
      app.process().kill('SIGKILL')
      await ended
    },
    async quit() {
      await app.evaluate(({ app: main }) => void setTimeout(() => main.quit(), 0))
      return ended
    },
  }
}

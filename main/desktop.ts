// The parts of the desktop, put together: settings, keys, the gateway, the tray, and what the window may ask.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { app, dialog, safeStorage, shell, utilityProcess } from 'electron'
import type { AppFacts, AppSettings, DesktopEvent } from '#channels'
import { API, createClient } from '#contract'
import { type ComputerServers, createServerAdding, VERSION } from '#gateway-shell'
import { type AgentKey, createAgentKey } from './agent-key.ts'
import { type AskAgents, createAgents } from './agents.ts'
import type { Links } from './deep-link.ts'
import { type DesktopSettings, openSettings } from './desktop-settings.ts'
import { type Child, openIn } from './gateway-child.ts'
import { createHandlers, type Shell } from './handlers.ts'
import type { Handlers } from './ipc.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'
import { t, word } from './language.ts'
import { openLog } from './log-file.ts'
import { setLaunchAtLogin } from './login-item.ts'
import { createNotices } from './notices.ts'
import { serverDialogs } from './server-dialogs.ts'
import { createServices, type ServiceOptions, type Services } from './services.ts'
import { desktopEnv } from './settings.ts'
import type { RunningProgram } from './start-command.ts'
import { setTheme } from './theme.ts'
import { createTray, hasTray } from './tray.ts'
import { APPROVALS_PAGE, CONNECTIONS_PATH } from './tray-menu.ts'
import { UPDATE_KEYS } from './update-keys.ts'
import { checkForUpdate, loadUpdater, whyOff } from './updates.ts'
import { createWatch } from './watch.ts'

export type DesktopParts = {
  readonly userData: string
  readonly icons: string
  readonly links: Links
  readonly send: (event: DesktopEvent) => void
  /** `page`: one of the renderer's, to be opened in it. */
  readonly showWindow: (page?: string) => void
  /** The page it was to open with, once. */
  readonly takePage: () => string | null
  /** Sets the language of what is outside the window. */
  readonly speak: (language: string) => void
}

export type Desktop = {
  readonly services: Services
  readonly handlers: Handlers
  readonly showFolder: Shell['showFolder']
  readonly hidesOnClose: () => boolean
  readonly theme: AppSettings['theme']
  readonly say: (line: string) => void
}

type DesktopState = {
  readonly userData: string
  readonly logFolder: string
  readonly say: (line: string) => void
  readonly settings: DesktopSettings
  readonly keys: KeyStore
}

/** A user's own PORT counts for this run, exactly as it stands. */
const portFixed = Boolean(process.env.PORT)
const LOCKED = word('The stored credentials are sealed by your passphrase. The gateway starts as soon as you give it.')

/** What lies in the user's folder. */
function keep(userData: string): DesktopState {
  const logFolder = path.join(userData, 'logs')
  const log = openLog(logFolder)
  const say = (line: string): void => {
    process.stderr.write(line)
    log.write(line)
  }
  const settings = openSettings(path.join(userData, 'desktop.json'), process.platform, say)
  return {
    userData,
    logFolder,
    say,
    settings,
    keys: createKeyStore(userData, safeStorage, process.env.SECRET_ENCRYPTION_KEY),
  }
}

const preparing =
  ({ userData, settings, keys }: DesktopState): ServiceOptions['prepare'] =>
  async () => {
    const { key, lack, locked } = await keys.open()
    if (locked) return { locked: t(LOCKED) }
    const env = portFixed ? process.env : { ...process.env, PORT: String(settings.get().port) }
    return { env: desktopEnv(env, userData, key), portFixed, lack }
  }

/** Main's environment without the encryption key; the output goes to the log. */
function forkGateway(): Child {
  const { SECRET_ENCRYPTION_KEY: _key, ...env } = process.env
  const program = path.join(import.meta.dirname, 'gateway-process.js')
  return utilityProcess.fork(program, [], { env, stdio: 'pipe', serviceName: 'Gantry gateway' })
}

async function factsOf({ userData, logFolder, settings, keys }: DesktopState): Promise<AppFacts> {
  const { by, lack } = await keys.open()
  return {
    version: VERSION,
    settings: settings.get(),
    fixed: portFixed ? ['port'] : [],
    dataFolder: userData,
    logFolder,
    keyStore: by,
    keyLack: lack,
    mayChoosePassphrase: await keys.mayChoose(),
    hasTray: await hasTray(),
    updatesOff: whyOff({ packaged: app.isPackaged, keys: UPDATE_KEYS }),
  }
}

export const runningProgram = (): RunningProgram => ({
  packaged: app.isPackaged,
  execPath: process.execPath,
  appPath: app.getAppPath(),
  env: process.env,
})

function changeSettings(
  { settings }: DesktopState,
  change: Partial<AppSettings>,
  speak: (language: string) => void,
): void {
  const before = settings.get()
  const { launchAtLogin, theme, language } = settings.change(change)
  if (launchAtLogin !== before.launchAtLogin) setLaunchAtLogin(launchAtLogin, app, runningProgram())
  if (theme !== before.theme) setTheme(theme)
  if (language !== before.language) speak(language)
}

/** Beside the built main. Copied to where agents start it: the application's own archive is no folder to them. */
const bridge = (): string => readFileSync(path.join(import.meta.dirname, '..', 'stdio', 'gantry-stdio.mjs'), 'utf8')

const agentsOf = ({ userData }: DesktopState, services: Services): AskAgents =>
  createAgents({
    services,
    machine: { platform: process.platform, home: homedir(), env: process.env },
    folder: path.join(userData, 'agents'),
    bridge,
  })

const serversOf = ({ userData }: DesktopState, services: Services): ComputerServers =>
  createServerAdding({
    api: createClient(API, services.adminRequest),
    file: desktopEnv(process.env, userData, undefined).LOCAL_SERVERS_FILE ?? '',
    env: process.env,
    ...serverDialogs(dialog),
  })

type FromWindow = Pick<Shell, 'takeLink' | 'takePage' | 'askAgents' | 'servers'> & {
  readonly speak: (language: string) => void
}

function shellOf(kept: DesktopState, agentKey: AgentKey, { speak, ...fromWindow }: FromWindow): Shell {
  return {
    openExternal: (url) => shell.openExternal(url),
    async showFolder(which) {
      await shell.openPath(which === 'data' ? kept.userData : kept.logFolder)
    },
    changeSettings: (change) => changeSettings(kept, change, speak),
    facts: () => factsOf(kept),
    agentKey: agentKey.read,
    givePassphrase: kept.keys.give,
    checkForUpdate: () =>
      checkForUpdate(kept.settings.get().updateFeed, {
        packaged: app.isPackaged,
        keys: UPDATE_KEYS,
        version: VERSION,
        seenFile: path.join(kept.userData, 'update-seen.json'),
        load: loadUpdater,
        say: kept.say,
      }),
    ...fromWindow,
  }
}

export function createDesktop(parts: DesktopParts): Desktop {
  const { userData, icons, links, send, showWindow, takePage, speak } = parts
  const kept = keep(userData)
  speak(kept.settings.get().language)
  const notices = createNotices(() => kept.settings.get().notifications, showWindow)
  const services = createServices({
    prepare: preparing(kept),
    open: openIn(forkGateway),
    writeLog: kept.say,
    monotonic: () => performance.now(),
    onCrash: (what) => notices.tell(t('The gateway crashed'), what),
    onChange: (status) => {
      send({ topic: 'gateway:changed', data: status })
      watch.changed(status)
    },
    onEvent: (event) => {
      send(event)
      watch.received(event.topic)
    },
  })
  const sealedBy = async (): Promise<string | undefined> => (await kept.keys.open()).key
  const agentKey = createAgentKey(path.join(userData, 'agent-key'), sealedBy, services.adminRequest)
  const openConnections = (): void => {
    const { url } = services.status()
    if (url !== null) void shell.openExternal(new URL(CONNECTIONS_PATH, url).href)
  }
  const tray = createTray(icons, (deed) => {
    if (deed === 'quit') app.quit()
    else if (deed === 'pause') void services.restart('paused')
    else if (deed === 'resume') void services.restart()
    else if (deed === 'approvals') showWindow(APPROVALS_PAGE)
    else if (deed === 'connections') openConnections()
    else showWindow()
  })
  const watch = createWatch({ services, tray, notices, agentKey, say: kept.say })
  const ofShell = shellOf(kept, agentKey, {
    takeLink: links.take,
    takePage,
    askAgents: agentsOf(kept, services),
    servers: serversOf(kept, services),
    speak(language) {
      speak(language)
      watch.redraw()
    },
  })
  return {
    services,
    handlers: createHandlers(services, ofShell),
    showFolder: ofShell.showFolder,
    hidesOnClose: () => kept.settings.get().closeToTray,
    theme: kept.settings.get().theme,
    say: kept.say,
  }
}

// Starts the built application in the best host this machine has, and says which: Electron, or its double over Chromium.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { UNCHECKED } from '../scenarios/gateway.fixture.ts'
import { type DesktopApp, type Ended, type Launch } from './app.ts'
import { launchDouble, runDoubleToItsEnd } from './double/host.ts'
import { launchElectron, runElectronToItsEnd } from './electron-host.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

/** Without requiring the package, which would try to download the binary. */
function electronBinary(): string | undefined {
  const folder = path.join(ROOT, 'node_modules', 'electron')
  const name = path.join(folder, 'path.txt')
  const binary = existsSync(name) ? path.join(folder, 'dist', readFileSync(name, 'utf8').trim()) : undefined
  return binary !== undefined && existsSync(binary) ? binary : undefined
}

type Host = { readonly electron: string } | { readonly double: string } | { readonly none: string }

function chooseHost(): Host {
  const electron = electronBinary()
  const display = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY
  if (electron && display) return { electron }
  const noBrowser = process.env.GANTRY_NO_BROWSER
  if (noBrowser) return { none: noBrowser }
  return { double: electron ? 'there is no display for Electron' : 'the Electron binary is not installed' }
}

const HOST = chooseHost()

/** For the titles of the specs: what they ran on, or why they did not run. */
export const hostName =
  'electron' in HOST
    ? 'Electron'
    : 'double' in HOST
      ? `a host double over Chromium: ${HOST.double}`
      : `skipped: neither Electron nor a browser for its double: ${HOST.none}`
export const hasHost = !('none' in HOST)
export const isDouble = 'double' in HOST

const newProfile = (): string => mkdtempSync(path.join(tmpdir(), 'gantry-desktop-'))
// Chromium may still be writing when its process has been signalled to end.
const removeProfile = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })

/** Goes with the test. */
export function aProfile(): string {
  const folder = newProfile()
  onTestFinished(() => removeProfile(folder))
  return folder
}

/** A free port, so that instances of several tests do not meet; and backends whose requests are counted are left alone. */
const apart = (launch: Launch): Launch => ({ ...launch, env: { PORT: '0', ...UNCHECKED, ...launch.env } })

/** An application that goes with the test, unless the test ends it. */
export async function launchApp(given: Partial<Launch> = {}): Promise<DesktopApp> {
  const launch = apart({ userData: given.userData ?? aProfile(), ...given })
  const app = await start(launch)
  onTestFinished(async () => void (await app.quit().catch(() => null)))
  return app
}

/** One application for the tests of a suite that leave it as the next one needs it: a start is expensive. */
export function useApp(
  env: Launch['env'] = {},
  prepare: (userData: string) => Promise<void> = async () => undefined,
  /** A folder within, which does not exist yet. */
  within = '',
): () => DesktopApp {
  const profile = newProfile()
  const userData = path.join(profile, within)
  let app: DesktopApp | undefined
  beforeAll(async () => {
    await prepare(userData)
    app = await start(apart({ userData, env }))
  })
  afterAll(async () => {
    await app?.quit().catch(() => null)
    removeProfile(profile)
  })
  return () => {
    if (!app) throw new Error('the application has not started')
    return app
  }
}

function start(launch: Launch): Promise<DesktopApp> {
  if ('electron' in HOST) return launchElectron(HOST.electron, launch)
  if ('double' in HOST) return launchDouble(launch)
  throw new Error(hostName)
}

export function runToItsEnd(launch: Launch): Promise<Ended> {
  return 'electron' in HOST ? runElectronToItsEnd(HOST.electron, apart(launch)) : runDoubleToItsEnd(apart(launch))
}

// The start at login: the system's own list, or on Linux an autostart file.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { setLaunchAtLogin, startsHidden } from './login-item.ts'
import type { RunningProgram } from './start-command.ts'

const PACKAGED: RunningProgram = { packaged: true, execPath: '/opt/Gantry/gantry', appPath: '/opt/app.asar', env: {} }
const DEVELOPMENT = { ...PACKAGED, packaged: false, execPath: '/repo/electron', appPath: '/repo' }

afterEach(() => vi.unstubAllGlobals())
const onPlatform = (platform: NodeJS.Platform): void => void vi.stubGlobal('process', { ...process, platform })

it('writes the autostart file of Linux, and removes it', () => {
  onPlatform('linux')
  const config = mkdtempSync(path.join(tmpdir(), 'gantry-login-'))
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  const file = path.join(config, 'autostart', 'dev.gantry.app.desktop')
  const app = { setLoginItemSettings: () => expect.unreachable('Electron has none on Linux') }
  const set = (on: boolean, running: RunningProgram, env = {}): void =>
    setLaunchAtLogin(on, app, { ...running, env: { XDG_CONFIG_HOME: config, ...env } })
  set(false, PACKAGED)
  set(true, PACKAGED)
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Gantry/gantry" --hidden\n')
  set(true, DEVELOPMENT)
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/repo/electron" "/repo" --hidden\n')
  set(true, PACKAGED, { APPIMAGE: '/home/me/Gantry.AppImage', APPDIR: '/opt/Gantry' })
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/home/me/Gantry.AppImage" --hidden\n')
  set(false, PACKAGED)
  expect(existsSync(file)).toBe(false)
})

it.each([
  ['win32', PACKAGED, { openAtLogin: true, args: ['--hidden'] }],
  ['win32', DEVELOPMENT, { openAtLogin: true, args: ['"/repo"', '--hidden'] }],
  // Arguments are of Windows only.
  ['darwin', PACKAGED, { openAtLogin: true }],
] as const)('uses the list of %s', (platform, running, expected) => {
  onPlatform(platform)
  const setLoginItemSettings = vi.fn()
  setLaunchAtLogin(true, { setLoginItemSettings }, running)
  expect(setLoginItemSettings.mock.calls).toEqual([[expected]])
})

it.each([
  ['linux', ['gantry', '--hidden'], true],
  ['linux', ['gantry'], false],
  ['win32', ['gantry.exe', '--hidden'], true],
  ['win32', ['gantry.exe'], false],
  ['darwin', ['Gantry'], true],
] as const)('on %s starts hidden with %j: %s', (platform, argv, hidden) => {
  onPlatform(platform)
  // What Electron reports on macOS only.
  const app = { getLoginItemSettings: () => ({ wasOpenedAtLogin: true }) }
  expect(startsHidden(argv, app)).toBe(hidden)
})

it('shows the window on macOS when a person opened the application', () => {
  onPlatform('darwin')
  expect(startsHidden(['Gantry'], { getLoginItemSettings: () => ({ wasOpenedAtLogin: false }) })).toBe(false)
})

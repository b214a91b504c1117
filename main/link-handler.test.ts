// Who handles gantry:// links: an installed package by its installer, everything else by this registration.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { handleLinks } from './link-handler.ts'
import type { RunningProgram } from './start-command.ts'

let data: string
let calls: unknown[][]
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'gantry-links-'))
  calls = []
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
})
afterEach(() => vi.unstubAllGlobals())

const INSTALLED: RunningProgram = { packaged: true, execPath: '/opt/Gantry/gantry', appPath: '/opt/app.asar', env: {} }
const DEVELOPMENT = { ...INSTALLED, packaged: false, execPath: '/repo/electron', appPath: '/repo' }
const APPIMAGE = {
  ...INSTALLED,
  execPath: '/tmp/.mount_1/gantry',
  env: { APPIMAGE: '/home/me/Gantry.AppImage', APPDIR: '/tmp/.mount_1' },
}

function handle(platform: NodeJS.Platform, running: RunningProgram, handler = ''): unknown[][] {
  vi.stubGlobal('process', { ...process, platform })
  calls = []
  const app = {
    setDesktopName: (name: string) => void calls.push(['name', name]),
    getApplicationNameForProtocol: () => handler,
    setAsDefaultProtocolClient: (...args: unknown[]) => calls.push(['default', ...args]) > 0,
  }
  handleLinks(app, { ...running, env: { XDG_DATA_HOME: data, ...running.env } })
  return calls
}
const entry = (name: string): string => readFileSync(path.join(data, 'applications', name), 'utf8')

it('registers an AppImage with an entry of its own, once', () => {
  const name = 'gantry-appimage.desktop'
  expect(handle('linux', APPIMAGE, 'gantry.desktop')).toEqual([
    ['name', name],
    ['default', 'gantry'],
  ])
  expect(entry(name)).toBe(
    '[Desktop Entry]\nType=Application\nName=Gantry\nExec="/home/me/Gantry.AppImage" %u\nTerminal=false\nNoDisplay=true\nMimeType=x-scheme-handler/gantry;\n',
  )
  expect(handle('linux', APPIMAGE)).toEqual([['name', name]])
  const moved = { ...APPIMAGE, env: { ...APPIMAGE.env, APPIMAGE: '/opt/Gantry.AppImage' } }
  expect(handle('linux', moved)).toEqual([
    ['name', name],
    ['default', 'gantry'],
  ])
  expect(entry(name)).toContain('Exec="/opt/Gantry.AppImage" %u')
})

it('leaves an installed package to its installer, also when another AppImage started it', () => {
  expect(handle('linux', INSTALLED)).toEqual([])
  expect(handle('linux', { ...INSTALLED, env: APPIMAGE.env })).toEqual([])
  expect(handle('darwin', INSTALLED)).toEqual([])
  expect(readdirSync(data)).toEqual([])
})

it('registers a development build, but never in place of an application', () => {
  const name = 'gantry-dev.desktop'
  expect(handle('linux', DEVELOPMENT)).toEqual([
    ['name', name],
    ['default', 'gantry'],
  ])
  expect(entry(name)).toContain('\nExec="/repo/electron" "/repo" %u\n')
  rmSync(path.join(data, 'applications'), { recursive: true })
  expect(handle('linux', DEVELOPMENT, 'gantry.desktop')).toEqual([['name', name]])
  expect(handle('win32', DEVELOPMENT)).toEqual([['default', 'gantry', '/repo/electron', ['/repo']]])
  expect(handle('win32', DEVELOPMENT, 'Gantry')).toEqual([])
  expect(handle('darwin', DEVELOPMENT)).toEqual([])
})

it('registers a package of Windows at each start', () => {
  expect(handle('win32', INSTALLED, 'Gantry')).toEqual([['default', 'gantry', '/opt/Gantry/gantry', []]])
})

it('starts without links where the entry cannot be written', () => {
  mkdirSync(path.join(data, 'applications', 'gantry-appimage.desktop'), { recursive: true })
  expect(handle('linux', APPIMAGE)).toEqual([['name', 'gantry-appimage.desktop']])
})

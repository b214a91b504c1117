// The application's own settings: one file, read with care, written whole.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { firstSettings, openSettings } from './desktop-settings.ts'

let folder: string
let file: string
const logged: string[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantry-settings-'))
  file = path.join(folder, 'desktop.json')
  logged.length = 0
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const open = () => openSettings(file, 'linux', (line) => logged.push(line))

describe('a file', () => {
  it.each([
    '{"port": 80}',
    '{"port": "8790"}',
    '{"updateFeed": "http://updates.example.com/"}',
    '{"updateFeed": "https://user:password@updates.example.com/"}',
    '{"updateFeed": "file:///tmp/updates"}',
    '{"sudo": true}',
    'null and void',
    '',
  ])('that holds %j is reported, not used and not changed (security case EL-19, for the feeds)', (text) => {
    writeFileSync(file, text)
    expect(open().get()).toEqual(firstSettings('linux'))
    expect(logged).toEqual([expect.stringContaining('is not a valid settings file')])
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('that is missing is not reported', () => {
    expect(open().get()).toEqual(firstSettings('linux'))
    expect(logged).toEqual([])
  })

  it('of an older version has the first value for what it did not know', () => {
    writeFileSync(file, '{"port": 9000}')
    expect(open().get()).toEqual({ ...firstSettings('linux'), port: 9000 })
  })
})

describe('a change', () => {
  it('that breaks the contract changes nothing', () => {
    const settings = open()
    expect(() => settings.change({ port: 80 })).toThrow()
    expect(settings.get().port).toBe(8790)
    expect(existsSync(file)).toBe(false)
  })

  it('is kept for the next start, for this user alone', () => {
    open().change({ port: 9000, updateFeed: 'https://updates.example.com/gantry' })
    expect(open().get()).toMatchObject({ port: 9000, updateFeed: 'https://updates.example.com/gantry' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['desktop.json'])
  })

  it('that cannot be written is ignored', () => {
    const settings = open()
    rmSync(folder, { recursive: true })
    expect(() => settings.change({ notifications: false })).toThrow('ENOENT')
    expect(settings.get().notifications).toBe(true)
  })
})

it('hides the window on close only where a tray icon is sure to be seen', () => {
  expect(['win32', 'darwin', 'linux'].map((platform) => firstSettings(platform).closeToTray)).toEqual([
    true,
    true,
    false,
  ])
})

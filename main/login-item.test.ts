// Starts with the session, on Linux by a file that names the program and nothing else.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { autostartEntry, setLaunchAtLogin } from './login-item.ts'

it.each([
  ['/opt/Gantry/gantry', '"/opt/Gantry/gantry"'],
  ['/home/a b/gantry', '"/home/a b/gantry"'],
  ['/tmp/$(id)/`id`/"x"', '"/tmp/\\\\$(id)/\\\\`id\\\\`/\\\\"x\\\\""'],
  ['/tmp/100%u', '"/tmp/100%%u"'],
])('names %s so that nothing in it is read otherwise', (program, quoted) => {
  expect(autostartEntry(program)).toContain(`\nExec=${quoted} --hidden\n`)
})

it.runIf(process.platform === 'linux')('writes the entry, and takes it away again', () => {
  const config = mkdtempSync(path.join(tmpdir(), 'gantry-login-'))
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  const file = path.join(config, 'autostart', 'dev.gantry.app.desktop')
  const app = { setLoginItemSettings: () => expect.unreachable('Electron has none on Linux') }
  const set = (on: boolean, env = {}): void =>
    setLaunchAtLogin(on, app, { XDG_CONFIG_HOME: config, ...env }, '/opt/gantry')
  set(false)
  set(true)
  expect(readFileSync(file, 'utf8')).toContain('"/opt/gantry" --hidden')
  set(true, { APPIMAGE: '/home/me/Gantry.AppImage' })
  expect(readFileSync(file, 'utf8')).toContain('"/home/me/Gantry.AppImage" --hidden')
  set(false)
  expect(existsSync(file)).toBe(false)
})

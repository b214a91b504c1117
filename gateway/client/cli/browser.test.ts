// What a browser is started with: a rebuilt address, one argument, no shell.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminAddress, openerOf, openInBrowser } from './browser.ts'

const ADDRESS = 'http://127.0.0.1:8790/admin'

describe('the address', () => {
  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'smb://host/share',
    'ms-msdt:/id',
    'vscode://x',
    'https://x$(calc)/',
    'https://x&calc/',
    "https://x'y/",
    'https://-x;calc/',
  ])('%s is not opened (security case EL-04)', (hostile) => {
    // Some of these the parser of addresses refuses by itself.
    expect(URL.canParse(hostile) ? adminAddress(new URL(hostile)) : undefined).toBeUndefined()
  })

  it.each([
    ['http://127.0.0.1:8790/$(touch x)?a=`b`#c', ADDRESS],
    ['http://127.0.0.1:8790/../-n', ADDRESS],
    ['https://user:secret@gateway.example.com/mcp', 'https://gateway.example.com/admin'],
    ['http://[::1]:8790', 'http://[::1]:8790/admin'],
  ])('keeps the origin of %s and nothing else', (given, wanted) => {
    expect(adminAddress(new URL(given))).toBe(wanted)
  })
})

describe('the opener', () => {
  it('is the one of each system, with the address as one argument', () => {
    expect(openerOf('darwin', {}, ADDRESS)).toEqual({ command: '/usr/bin/open', args: [ADDRESS] })
    expect(openerOf('win32', { SystemRoot: 'D:\\Win' }, ADDRESS)).toEqual({
      command: 'D:\\Win\\System32\\rundll32.exe',
      args: ['url.dll,FileProtocolHandler', ADDRESS],
    })
    expect(openerOf('linux', { DISPLAY: ':0' }, ADDRESS)).toEqual({ command: 'xdg-open', args: [ADDRESS] })
    expect(openerOf('linux', {}, ADDRESS)).toEqual({ lack: 'there is no display here' })
  })

  const posix = process.platform === 'linux'
  it.skipIf(!posix)(
    `is really started, receives one argument and no key, and is believed when it fails${posix ? '' : ' (skipped: a script cannot stand in for this system’s opener)'}`,
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'gantry-open-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const received = path.join(folder, 'received')
      const opener = path.join(folder, 'xdg-open')
      const script = (end: number): void => {
        writeFileSync(opener, `#!/bin/sh\nprintf '%s|' "$#" "$1" "$GANTRY_ADMIN_KEY" > '${received}'\nexit ${end}\n`)
        chmodSync(opener, 0o755)
      }
      const env = { DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin`, GANTRY_ADMIN_KEY: 'secret' }
      script(0)
      expect(await openInBrowser(ADDRESS, 'linux', env)).toBeUndefined()
      expect(readFileSync(received, 'utf8')).toBe(`1|${ADDRESS}||`)
      script(3)
      expect(await openInBrowser(ADDRESS, 'linux', env)).toBe('xdg-open ended with 3')
      rmSync(opener)
      expect(await openInBrowser(ADDRESS, 'linux', { ...env, PATH: folder })).toContain('could not be started')
      expect(existsSync(received)).toBe(true)
    },
  )
})

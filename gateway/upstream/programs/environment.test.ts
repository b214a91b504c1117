// Where commands are looked for: the login shell of the person is asked once, on a desktop only.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPathOf, environmentOf } from './environment.ts'

/** A shell that counts its starts and gives its children another PATH, as profiles do. */
function aShell(body: string): { readonly shell: string; readonly starts: () => number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-shell-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [shell, log] = [path.join(folder, 'shell'), path.join(folder, 'starts')]
  writeFileSync(log, '')
  writeFileSync(shell, `#!/bin/sh\nprintf x >> '${log}'\n${body}\n`)
  chmodSync(shell, 0o700)
  return { shell, starts: () => readFileSync(log, 'utf8').length }
}

const isWindows = process.platform === 'win32'
describe.skipIf(isWindows)(
  `the PATH of local servers${isWindows ? ' (skipped: Windows has no login shell)' : ''}`,
  () => {
    it('is that of the login shell, asked once for all starts, also where it prints a greeting', async () => {
      const { shell, starts } = aShell(`PATH=/opt/mine:$PATH; export PATH; echo 'Good morning'; exec /bin/sh -c "$3"`)
      const pathOf = createPathOf({ SHELL: shell, PATH: '/usr/bin:/bin' }, true)
      const all = [...(await Promise.all([pathOf(), pathOf(), pathOf()])), await pathOf()]
      expect(new Set(all.map(({ text, from }) => `${from} ${text}`))).toEqual(
        new Set(['login_shell /opt/mine:/usr/bin:/bin']),
      )
      expect(starts()).toBe(1)
    })

    it.each([
      ['prints nothing', 'exit 0'],
      ['fails', 'exit 3'],
      ['has an empty PATH', 'PATH=; exec /bin/sh -c "$3"'],
    ])('is that of the gateway where the shell %s', async (_what, body) => {
      const { shell } = aShell(body)
      expect(await createPathOf({ SHELL: shell, PATH: '/usr/bin' }, true)()).toEqual({
        text: '/usr/bin',
        from: 'environment',
      })
    })

    it.each([undefined, '', 'sh', '/nonexistent/shell'])('is that of the gateway with the shell %s', async (shell) => {
      expect(await createPathOf({ SHELL: shell, PATH: '/usr/bin' }, true)()).toEqual({
        text: '/usr/bin',
        from: 'environment',
      })
    })

    it('is that of the gateway on a server, and no shell is started', async () => {
      const { shell, starts } = aShell('exec /bin/sh -c "$3"')
      expect(await createPathOf({ SHELL: shell, PATH: '/srv/bin' }, false)()).toEqual({
        text: '/srv/bin',
        from: 'environment',
      })
      expect(starts()).toBe(0)
    })
  },
)

it('a server has the listed variables of the host; its own win, and its secrets win over these', () => {
  const host = { HOME: '/home/ann', AWS_SECRET_ACCESS_KEY: 'k', NODE_OPTIONS: '--inspect', LANG: 'C' }
  expect(environmentOf(host, '/usr/bin', { LANG: 'de', TOKEN: 'own' }, { TOKEN: 'secret' })).toEqual({
    PATH: '/usr/bin',
    HOME: '/home/ann',
    LANG: 'de',
    TOKEN: 'secret',
  })
})

describe('on Windows', () => {
  const host = {
    Path: 'C:\\bin',
    systemroot: 'C:\\Windows',
    APPDATA: 'C:\\data',
    NODE_OPTIONS: '--inspect',
    HOME: '/h',
  }

  it('names are the same in any case: the last of host, entry and secrets wins, and each is there once', () => {
    const own = { path: 'C:\\own', AppData: 'C:\\mine', Token: 'own' }
    expect(environmentOf(host, 'C:\\bin', own, { TOKEN: 'secret' }, true)).toEqual({
      path: 'C:\\own',
      SystemRoot: 'C:\\Windows',
      AppData: 'C:\\mine',
      TOKEN: 'secret',
    })
  })

  it('the PATH is that of the gateway on a server, also with a shell of another world', async () => {
    const own = { text: 'C:\\bin', from: 'environment' }
    expect(await createPathOf({ ...host, SHELL: '/usr/bin/bash' }, false, true)()).toEqual(own)
  })

  it('the PATH of a desktop is that of the registry as it is now, with what the gateway was started with behind it', async () => {
    let registry = ['C:\\Windows;C:\\Windows\\System32', 'C:\\Users\\ann\\bin;']
    const host = { Path: 'c:\\windows\\;D:\\terminal' }
    const pathOf = createPathOf(host, true, true, () => registry)
    expect(await pathOf()).toEqual({
      text: 'C:\\Windows;C:\\Windows\\System32;C:\\Users\\ann\\bin;D:\\terminal',
      from: 'registry',
    })
    registry = ['C:\\Windows', 'C:\\Users\\ann\\uv']
    expect((await pathOf()).text).toBe('C:\\Windows;C:\\Users\\ann\\uv;D:\\terminal')
  })
})

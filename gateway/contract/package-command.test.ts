// Commands of package runners as clients write them on every system, and what is not understood.
import { describe, expect, it } from 'vitest'
import { isRunner, packageIn, withoutShell } from './package-command.ts'

describe('the package of a command', () => {
  it.each([
    ['npx', 'npx'],
    ['a path', '/usr/local/bin/npx'],
    ['the batch file of Windows', 'npx.cmd'],
    ['its whole path', 'C:\\Program Files\\nodejs\\npx.cmd'],
  ])('is that of %s', (_what, command) => {
    expect(packageIn({ command, args: ['-y', 'notes@1.2.0', '--stdio'] })).toEqual({
      from: 'npm',
      spec: 'notes@1.2.0',
      program: null,
      args: ['--stdio'],
    })
  })

  it('is that of the runner in cmd /c, as clients on Windows are set up', () => {
    const args = ['/C', 'npx', '-y', 'notes', 'C:\\My Notes']
    expect(withoutShell({ command: 'C:\\Windows\\System32\\cmd.exe', args })).toEqual({
      command: 'npx',
      args: ['-y', 'notes', 'C:\\My Notes'],
    })
    expect(packageIn({ command: 'cmd', args })).toMatchObject({ spec: 'notes', args: ['C:\\My Notes'] })
    expect(packageIn({ command: 'cmd', args: ['/c', 'uvx.exe', 'notes'] })).toMatchObject({ from: 'pypi' })
    expect(isRunner({ command: 'cmd', args })).toBe(true)
  })

  it.each([
    ['a variable', ['/c', 'npx', 'notes', '%TOKEN%']],
    ['a second command', ['/c', 'npx', 'notes', '&', 'calc']],
    ['a quote', ['/c', 'npx', 'notes', 'a"b']],
    ['another program', ['/c', 'start', 'npx', 'notes']],
    ['another option', ['/k', 'npx', 'notes']],
    ['no program', ['/c']],
  ])('is not looked for behind cmd with %s, which the shell may read in another way', (_what, args) => {
    expect(withoutShell({ command: 'cmd', args })).toEqual({ command: 'cmd', args })
    expect(packageIn({ command: 'cmd', args })).toBeUndefined()
  })
})

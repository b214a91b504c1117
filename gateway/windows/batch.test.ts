// What cmd.exe would make of arguments: they are quoted, or refused.
import { describe, expect, it } from 'vitest'
import { batchLine, startable } from './batch.ts'

const FILE = 'C:\\tools\\a server.cmd'
const ROOT = 'C:\\Windows'
const nothing = (): boolean => false

describe('the command line of a batch file', () => {
  it.each([
    ['nothing', '', '""'],
    ['a space', 'a b', '"a b"'],
    ['another command', 'a & del *', '"a & del *"'],
    ['pipes and files', 'a|b>c<d', '"a|b>c<d"'],
    ['parentheses and carets', '(^a^)', '"(^a^)"'],
    ['an exclamation mark', '!PATH!', '"!PATH!"'],
    ['separators', 'a,b;c=d', '"a,b;c=d"'],
    ['backslashes', 'C:\\a\\b', '"C:\\a\\b"'],
    ['backslashes at its end', 'C:\\a\\\\', '"C:\\a\\\\\\\\"'],
    ['other letters', 'größe…', '"größe…"'],
  ])('has %s between quotes', (_what, argument, quoted) => {
    expect(batchLine(FILE, [argument])).toBe(`/d /e:on /v:off /s /c ""C:\\tools\\a server.cmd" ${quoted}"`)
  })

  it.each([
    ['a quote', 'a" & calc & "'],
    ['an escaped quote', 'a\\" & calc'],
    ['a variable', '%PATH%'],
    ['one percent sign', '100%'],
    ['a substring of a variable', '%CMDCMDLINE:~-1%&calc'],
    ['a line feed', 'a\ncalc'],
    ['a carriage return', 'a\rcalc'],
    ['NUL', 'a\0'],
  ])('refuses %s', (_what, argument) => {
    expect(() => batchLine(FILE, [argument])).toThrow(/^the argument ".*" contains a quote, a percent sign or a line/)
    expect(() => batchLine(`C:\\${argument}.cmd`, [])).toThrow(/contains a quote, a percent sign/)
  })

  it('refuses more characters than cmd.exe takes', () => {
    expect(() => batchLine(FILE, ['x'.repeat(8_100)])).not.toThrow()
    expect(() => batchLine(FILE, ['x'.repeat(8_191)])).toThrow('longer than the 8191 characters')
  })
})

describe('what is started on Windows', () => {
  it('is a program with its arguments as they are', () => {
    const command = { file: 'C:\\node.exe', args: ['"%PATH%"', 'a\nb'] }
    expect(startable(command, ROOT, nothing)).toEqual({ ...command, verbatim: false })
  })

  it.each(['C:\\a.cmd', 'C:\\a.BAT', 'C:\\a.cmd. .', 'C:\\a.bat '])('is cmd.exe for %j', (file) => {
    const { file: shell, verbatim, args } = startable({ file, args: ['x'] }, ROOT, nothing)
    expect([shell, verbatim]).toEqual(['C:\\Windows\\System32\\cmd.exe', true])
    expect(args.join(' ')).toMatch(/\/c ""C:\\a\.(?:cmd|BAT|bat)" "x""$/)
  })

  it('is node for npx beside it, which takes every argument', () => {
    const there = (file: string): boolean =>
      ['C:\\node\\node.exe', 'C:\\node\\node_modules\\npm\\bin\\npx-cli.js'].includes(file)
    expect(startable({ file: 'C:\\node\\npx.CMD', args: ['-y', '50%"'] }, ROOT, there)).toEqual({
      file: 'C:\\node\\node.exe',
      args: ['C:\\node\\node_modules\\npm\\bin\\npx-cli.js', '-y', '50%"'],
      verbatim: false,
    })
    expect(startable({ file: 'C:\\other\\npx.cmd', args: [] }, ROOT, there).verbatim).toBe(true)
  })
})

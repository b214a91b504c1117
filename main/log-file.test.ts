// The log file: bounded, this user's alone, and never a reason to stop.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openLog } from './log-file.ts'

function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('does not stop the calls when there is nowhere to write', () => {
  const file = path.join(aFolder(), 'a file')
  writeFileSync(file, '')
  expect(() => openLog(path.join(file, 'logs')).write('lost\n')).not.toThrow()
})

it('goes on where the last start ended', () => {
  const folder = path.join(aFolder(), 'logs')
  openLog(folder).write('one\n')
  openLog(folder).write('two\n')
  expect(readFileSync(path.join(folder, 'gantry.log'), 'utf8')).toBe('one\ntwo\n')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(folder, 'gantry.log')).mode & 0o777).toBe(0o600)
})

it('keeps two files of a bounded size', () => {
  const folder = aFolder()
  const log = openLog(folder, 100)
  for (let line = 0; line < 100; line++) log.write(`line ${line}\n`)
  const [now, before] = ['gantry.log', 'gantry.old.log'].map((name) => path.join(folder, name))
  expect(existsSync(before ?? '')).toBe(true)
  for (const file of [now, before]) expect(statSync(file ?? '').size).toBeLessThan(120)
  expect(readFileSync(now ?? '', 'utf8')).toContain('line 99\n')
})

// The folder of this user: an unusable one is reported, and only its owner may read it.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openProfile } from './profile.ts'

function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-profile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('says which folder cannot be used, why, and what to do (security case EL-22)', () => {
  const file = path.join(aFolder(), 'a file')
  writeFileSync(file, '')
  const folder = path.join(file, 'profile')
  const problem = openProfile(folder)
  expect(problem).toContain(folder)
  expect(problem).toContain('ENOTDIR')
  expect(problem).toContain('--user-data-dir')
})

const windows = process.platform === 'win32'
it.skipIf(windows)(
  `is this user's alone, new or found open (security case EL-12${windows ? '; skipped: no POSIX modes' : ''})`,
  () => {
    const parent = aFolder()
    const found = path.join(parent, 'found')
    mkdirSync(found, { mode: 0o755 })
    for (const folder of [path.join(parent, 'new', 'profile'), found]) {
      expect(openProfile(folder)).toBeUndefined()
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700)
    }
  },
)

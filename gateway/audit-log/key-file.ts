// An audit head key stored away from the database, so that write access to the database cannot forge a head.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { headFiles, readHead } from './head.ts'

const KEY = /^[0-9a-f]{64}$/

export class AuditKeyError extends Error {
  override name = 'AuditKeyError'
}

/** Creates the key, or moves the one beside the database; throws if it is unusable. */
export function prepareKeyFile(file: string, beside: string | null): void {
  const usual = beside === null ? null : headFiles(beside).key
  const moves = usual !== null && existsSync(usual)
  if (!existsSync(file)) create(file, moves ? readFileSync(usual, 'utf8') : randomBytes(32).toString('hex'))
  const key = read(file)
  if (!KEY.test(key))
    throw new AuditKeyError(
      `AUDIT_HEAD_KEY_FILE ${file} holds no key of 64 hexadecimal digits: restore it, or name a file that does not exist yet.`,
    )
  // A key that did not sign the current head stays until a person has checked.
  if (moves && beside !== null && readHead(headFiles(beside, file)) !== 'untrusted') rmSync(usual, { force: true })
}

function create(file: string, key: string): void {
  try {
    writeFileSync(file, key, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    // Another process started at the same time and was first.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw new AuditKeyError(
      `AUDIT_HEAD_KEY_FILE ${file} cannot be made (${reasonOf(error)}): create its folder and give this user write access.`,
    )
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new AuditKeyError(
      `AUDIT_HEAD_KEY_FILE ${file} cannot be read (${reasonOf(error)}): give this user read access, or unset it.`,
    )
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

// Copies a database while it is in use: a read-only connection holds one snapshot and copies it in steps.
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { openReadOnly, type Raw } from './connection.ts'
import { StorageError } from './storage-error.ts'

/** The copy never overwrites, is private from its first byte, and is removed when it fails. */
export async function copyFile(path: string, toPath: string): Promise<void> {
  await guarded(toPath, async () => {
    const raw = openReadOnly(path)
    try {
      // Without an open snapshot every foreign write would restart the copy from its first page.
      raw.exec('BEGIN')
      raw.prepare('select count(*) from sqlite_master').get()
      await raw.backup(toPath)
    } finally {
      raw.close()
    }
  })
}

/** A database in memory has one connection, so its copy is taken at once; the caller holds the turn. */
export async function copyMemory(raw: Raw, toPath: string): Promise<void> {
  await guarded(toPath, async () => writeFileSync(toPath, raw.serialize()))
}

async function guarded(toPath: string, copy: () => Promise<void>): Promise<void> {
  try {
    closeSync(openSync(toPath, 'wx', 0o600))
  } catch (cause) {
    throw new StorageError('backup', `The backup ${toPath} cannot be created: check its folder.`, cause)
  }
  try {
    await copy()
  } catch (cause) {
    rmSync(toPath, { force: true })
    throw new StorageError('backup', `The backup ${toPath} failed: check the free space of its folder.`, cause)
  }
}

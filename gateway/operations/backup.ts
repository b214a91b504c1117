// A copy of the database as a download: made in steps beside it, hashed, recorded, streamed, removed. Contract 7.8.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../contract/error.ts'
import type { Database } from '../storage/database.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { By, Changes } from './changes.ts'

/** In `meta`: when the last copy was made, as ISO text. */
export const LAST_BACKUP = 'last_backup_at'

export type BackupFile = {
  readonly filename: string
  readonly sha256: string
  /** Read it once; the file goes with it, whether it was read to its end or not. */
  readonly body: AsyncIterable<Uint8Array>
}
export type Backups = {
  readonly create: (by: By) => Promise<BackupFile>
  /** Removes what a crash left behind. */
  readonly sweep: () => Promise<void>
}

type Parts = {
  readonly database: Database
  readonly changes: Changes
  readonly dataDir: string
  readonly version: string
  readonly clock: { now(): number }
}

const DRAFT = /^\.gantry-backup-[0-9a-f-]{36}\.db$/

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

async function* once(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } finally {
    await rm(file, { force: true })
  }
}

export function createBackups({ database, changes, dataDir, version, clock }: Parts): Backups {
  return {
    async create(by) {
      const file = join(dataDir, `.gantry-backup-${randomUUID()}.db`)
      const at = new Date(clock.now()).toISOString()
      const filename = `gantry-${version}-${at.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`
      try {
        await database.backup(file)
        const sha256 = await sha256Of(file)
        // Recorded before the first byte leaves: nobody takes a copy that is not in the log.
        await changes(by, async (tx, audit) => {
          await database.meta.set(LAST_BACKUP, at, tx)
          await audit('backup.create', filename, { sha256 })
        })
        return { filename, sha256, body: once(file) }
      } catch (error) {
        await rm(file, { force: true })
        if (!(error instanceof StorageError)) throw error
        if (error.reason === 'elsewhere') throw new GatewayError('NOT_SUPPORTED', error.message)
        if (error.reason !== 'backup') throw error
        const failed = new GatewayError(
          'BACKUP_FAILED',
          'The database was not copied; check the free space of DATA_DIR',
        )
        failed.cause = error
        throw failed
      }
    },
    async sweep() {
      const left = (await readdir(dataDir)).filter((name) => DRAFT.test(name))
      for (const name of left) await rm(join(dataDir, name), { force: true })
    },
  }
}

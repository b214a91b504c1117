// A copy of the database as a download: made in steps beside it, hashed, recorded, streamed. Contract 7.8.

import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../../contract/error.ts'
import type { CallLog } from '../../pipeline/8-audit/call-log.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { sweepDrafts } from '../../storage/backup.ts'
import { StorageError } from '../../storage/storage-error.ts'

/** In `meta`: when the last copy was made, as ISO text. */
export const LAST_BACKUP = 'last_backup_at'

export type BackupFile = {
  readonly filename: string
  readonly sha256: string
  /** Readable once. */
  readonly body: AsyncIterable<Uint8Array>
}
export type Backups = {
  /** `signal` aborts the copy and releases it, also when its body was never read. */
  readonly create: (by: By, signal: AbortSignal) => Promise<BackupFile>
  /** Removes copies that a crash left behind. */
  readonly sweep: () => Promise<void>
}

type BackupsDeps = Pick<Base, 'database' | 'changes' | 'clock' | 'version'> & {
  readonly callLog: Pick<CallLog, 'inserted'>
  readonly dataDir: string
}

/** What versions before 1.1 left behind when they were killed. */
const LEFT_BEHIND = /^\.gantry-backup-[0-9a-f-]{36}\.db(-journal|-wal|-shm)?$/

const CHUNK_BYTES = 256 * 1024

/** The bytes from the start of a file that may have no name any more. */
async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function sha256Of(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytesOf(handle)) hash.update(chunk)
  return hash.digest('hex')
}

/** The open copy. Its name is removed at once, so that the copy ends with this process in every case. */
async function opened(file: string, signal: AbortSignal): Promise<FileHandle> {
  const handle = await open(file, 'r')
  await rm(file, { force: true })
  const close = () => void handle.close().catch(() => undefined)
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  return handle
}

async function* once(handle: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    yield* bytesOf(handle)
  } finally {
    await handle.close()
  }
}

export function createBackups({ callLog, database, changes, dataDir, version, clock }: BackupsDeps): Backups {
  return {
    async create(by, signal) {
      const file = join(dataDir, `.gantry-backup-${randomUUID()}.db`)
      const at = new Date(clock.now()).toISOString()
      const filename = `gantry-${version}-${at.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`
      let handle: FileHandle | undefined
      try {
        await callLog.inserted()
        await database.backup(file, signal)
        handle = await opened(file, signal)
        const sha256 = await sha256Of(handle)
        // Recorded before the first byte is sent: no copy is missing from the log.
        await changes(by, async (tx, audit) => {
          await database.meta.set(LAST_BACKUP, at, tx)
          await audit('backup.create', filename, { sha256 })
        })
        return { filename, sha256, body: once(handle) }
      } catch (error) {
        await rm(file, { force: true })
        await handle?.close().catch(() => undefined)
        if (signal.aborted)
          throw new GatewayError('BACKUP_FAILED', 'The client closed the connection before the copy was complete')
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
      sweepDrafts(dataDir)
      const left = (await readdir(dataDir)).filter((name) => LEFT_BEHIND.test(name))
      for (const name of left) await rm(join(dataDir, name), { force: true })
    },
  }
}

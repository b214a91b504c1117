// Copies a database in steps while it is in use: a file through a read-only connection that holds one snapshot.
import { closeSync, linkSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openReadOnly, type Raw } from './connection.ts'
import { StorageError } from './storage-error.ts'

/** SQLite's default; between two steps other work runs and an abort takes effect. */
const PAGES_PER_STEP = 100
/** A draft and the files that SQLite keeps beside one while it writes it; of the audit head and its key as well. */
const DRAFT = /^(?:\..+\.(\d+)\.draft(?:-journal|-wal|-shm)?|.+\.audit-(?:head|key)\.(\d+)(?:-[0-9a-f]{8})?\.new)$/

/** The copy has its name once it is complete; it never overwrites, is private from its first byte, and leaves nothing when it fails. */
export async function copyFile(path: string, toPath: string, signal?: AbortSignal): Promise<void> {
  await guarded(toPath, async (draft) => {
    const raw = openReadOnly(path)
    try {
      // Without an open snapshot every foreign write would restart the copy from its first page.
      raw.exec('BEGIN')
      raw.prepare('select count(*) from sqlite_master').get()
      await inSteps(raw, draft, signal)
    } finally {
      raw.close()
    }
  })
}

/** A database in memory has one connection; the caller holds the turn, so nothing is written between two steps. */
export async function copyMemory(raw: Raw, toPath: string, signal?: AbortSignal): Promise<void> {
  await guarded(toPath, (draft) => inSteps(raw, draft, signal))
}

/** Never `serialize()`: its buffer is memory outside of V8's cage, which Electron does not allow. */
async function inSteps(raw: Raw, draft: string, signal: AbortSignal | undefined): Promise<void> {
  await raw.backup(draft, {
    progress() {
      signal?.throwIfAborted()
      return PAGES_PER_STEP
    },
  })
}

/** Removes the drafts of copies whose process ended before they were complete. */
export function sweepDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, ofCopy, ofHead] = DRAFT.exec(name) ?? []
    const pid = ofCopy ?? ofHead
    if (pid === undefined || isOtherProcess(Number(pid))) continue
    // The head is signed from the first moment on.
    if (ofHead !== undefined && Number(pid) === process.pid && isOfThisProcess(join(folder, name))) continue
    rmSync(join(folder, name), { force: true })
  }
}

const isOfThisProcess = (path: string): boolean =>
  (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= performance.timeOrigin

/** A draft with the id of this very process is one of its predecessor: a container gives each start the same id. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function guarded(toPath: string, copy: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(dirname(toPath), `.${basename(toPath)}.${process.pid}.draft`)
  try {
    requireFree(toPath)
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (cause) {
    throw new StorageError('backup', `The backup ${toPath} cannot be created: check its folder.`, cause)
  }
  try {
    await copy(draft)
    publish(draft, toPath)
  } catch (cause) {
    throw new StorageError('backup', `The backup ${toPath} failed: check the free space of its folder.`, cause)
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true })
  }
}

function requireFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error(`${path} exists`)
}

/** A link refuses a name that is taken in the meantime; a rename does not, and is for file systems without links. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch {
    requireFree(path)
    renameSync(draft, path)
  }
}

// A file is written whole or not at all.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** Most folders exist: one is made only when it is missing. */
async function opened(file: string, folder: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return open(file, 'wx', 0o600)
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** A temporary file in the same folder, flushed, then renamed over the old one: a kill leaves the one or the other. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${path.basename(file)}.${randomUUID()}.tmp`)
  try {
    const handle = await opened(temporary, folder)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } catch {
    // Some file systems cannot flush a folder; the file itself is flushed.
  } finally {
    await directory.close()
  }
}

// Writes the file of local servers, for its owner only. Nothing but the command line may import this: who writes the file runs programs.
import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { renameWhole } from './rename-whole.ts'

/** Replaces it at once: a reader sees the one or the other. */
export async function writeServersFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(beside, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    await renameWhole(beside, file)
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(beside, { force: true })
    throw error
  }
}

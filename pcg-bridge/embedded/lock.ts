// One process per project. The lock is one of the operating system, held through SQLite: it ends with its process, however that ends.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { PcgError } from '../editor/editor.ts'
import { writeWhole } from '../editor/whole-file.ts'

const Holder = z.object({ pid: z.number().int(), host: z.string(), since: z.string() })

/** Written beside the lock for people; only the lock itself decides. */
async function holderOf(file: string): Promise<string> {
  try {
    const { pid, host, since } = Holder.parse(JSON.parse(await readFile(file, 'utf8')))
    const where = host === hostname() ? '' : ` on ${host}`
    return pid === process.pid && where === '' ? 'this very process' : `process ${pid}${where} since ${since}`
  } catch {
    return 'another process'
  }
}

/** Answers what lets go of the project. */
export async function lockProject(directory: string): Promise<() => void> {
  const saved = path.join(directory, 'Saved')
  await mkdir(saved, { recursive: true, mode: 0o700 })
  const holderFile = path.join(saved, 'holder.json')
  const file = path.join(saved, 'project.lock')
  // SQLite would make it readable to all. One that is there is not opened: closing it again would let go of the lock in it.
  await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch(() => undefined)
  const database = new Database(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const busy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
    if (!busy) throw error
    throw new PcgError(
      'EDITOR_UNAVAILABLE',
      `The project ${directory} is open in ${await holderOf(holderFile)}: close it there, or give this editor a project of its own`,
    )
  }
  const holder: z.infer<typeof Holder> = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  await writeWhole(holderFile, JSON.stringify(holder))
  return () => void database.close()
}

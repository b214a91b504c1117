// The file of local servers on disk: read only where no other user could have written it.
import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import { placeFault } from './trusted-place.ts'

const MOST_BYTES = 1_048_576

/** Undefined where there is no file. Throws a sentence where it may not be trusted. */
export async function readServersFile(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    // On Windows who may delete in the folder may put a file of this user in its place.
    const folder = path.dirname(path.resolve(file))
    const inFolder = process.platform === 'win32' ? placeFault(folder, await stat(folder)) : undefined
    if (inFolder !== undefined) throw new Error(`its folder: ${inFolder}`)
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error('it is not a file')
    const fault = placeFault(file, stats)
    if (fault !== undefined) throw new Error(fault)
    if (stats.size > MOST_BYTES) throw new Error('it is larger than 1 MiB')
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

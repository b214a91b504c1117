// The file of local servers on disk: read only where no other user could have written it.
import { open } from 'node:fs/promises'

const MOST_BYTES = 1_048_576
const WRITABLE_BY_OTHERS = 0o022

/** Undefined where there is no file. Throws a sentence where it may not be trusted. */
export async function readServersFile(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const { uid, mode, size, isFile } = await handle.stat().then((stats) => ({
      uid: stats.uid,
      mode: stats.mode,
      size: stats.size,
      isFile: stats.isFile(),
    }))
    if (!isFile) throw new Error('it is not a file')
    if (uid !== 0 && uid !== process.getuid?.()) throw new Error('it belongs to another user')
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw new Error('others may write it: chmod go-w it')
    if (size > MOST_BYTES) throw new Error('it is larger than 1 MiB')
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

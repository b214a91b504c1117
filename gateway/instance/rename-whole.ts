// Renames a file or folder that was just written: on Windows a virus scanner or an index may hold it for a moment.
import { rename } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

const HELD = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MOST_TRIES = 20
const PAUSE_MS = 100

/** `isWindows` and `move` are parameters for the test. */
export async function renameWhole(
  from: string,
  to: string,
  isWindows = process.platform === 'win32',
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await move(from, to)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!isWindows || tries === MOST_TRIES || !HELD.has(code)) throw error
      await wait(PAUSE_MS)
    }
}

// Whether another user of this computer could have written a file or folder: owner and mode, on Windows owner and access list.
import type { Stats } from 'node:fs'
import { othersFault } from '../windows/file-security.ts'

const WRITABLE_BY_OTHERS = 0o022

/** Why it is not trusted; undefined where it is. Throws a sentence where that cannot be found out. */
export function placeFault(at: string, stats: Pick<Stats, 'uid' | 'mode' | 'isDirectory'>): string | undefined {
  if (process.platform === 'win32') return othersFault(at, stats.isDirectory(), 'write')
  if (stats.uid !== 0 && stats.uid !== process.getuid?.()) return 'it belongs to another user'
  return (stats.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : 'others may write it: chmod go-w it'
}

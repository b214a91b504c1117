// The log as a file, because a packaged application has no terminal: two files of a bounded size, this user's alone.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'

const MAX_BYTES = 5 * 2 ** 20

export type LogFile = { readonly write: (line: string) => void }

export function openLog(folder: string, maxBytes = MAX_BYTES): LogFile {
  const file = path.join(folder, 'gantry.log')
  let size = 0
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    // The application runs without a log rather than not at all.
  }
  return {
    write(line) {
      try {
        if (size >= maxBytes) {
          renameSync(file, path.join(folder, 'gantry.old.log'))
          size = 0
        }
        appendFileSync(file, line, { mode: 0o600 })
        size += Buffer.byteLength(line)
      } catch {
        // A full disk must not stop the calls.
      }
    },
  }
}

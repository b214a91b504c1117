// The folder of everything that is kept for this user: made, closed to everyone else, and tried before anything relies on it.
import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { t } from './language.ts'

/** Why nothing can be kept there, or nothing. Without this the single-instance lock fails, and the start ends without a word. */
export function openProfile(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return t(
      'Gantry keeps its settings and data in {folder} and cannot write there ({reason}). Make it your own and writable, or start with --user-data-dir=<another folder>.',
      { folder, reason },
    )
  }
}

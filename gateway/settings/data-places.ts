// The default data directory per user, derived from the given environment.
import { dirname, join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** The directory for this user's data on Linux, macOS and Windows; without a home, one beside the process. */
function userDataDirectory(env: Environment): string {
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'gantry')
  if (env['APPDATA']) return join(env['APPDATA'], 'gantry')
  if (env['HOME']) return join(env['HOME'], '.local', 'share', 'gantry')
  return 'gantry-data'
}

type DataPlaces = { readonly DB_PATH: string; readonly DATA_DIR: string | null }

/** Derives a missing `DATA_DIR` or `DB_PATH` from the other; an ephemeral store keeps no files. */
export function dataPlaces(env: Environment, given: { DB_PATH: string | null; DATA_DIR: string | null }): DataPlaces {
  const DB_PATH = given.DB_PATH ?? join(given.DATA_DIR ?? userDataDirectory(env), 'gantry.db')
  return { DB_PATH, DATA_DIR: given.DATA_DIR ?? (DB_PATH === ':memory:' ? null : dirname(DB_PATH)) }
}

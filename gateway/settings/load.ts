// Environment, file and defaults → frozen settings, their sources, and their problems.

import { dirname, join } from 'node:path'
import { parseConfigFile } from './config-file.ts'
import { type Problem, shown } from './problem.ts'
import type { Refusal } from './row.ts'
import { judge } from './startup-rules.ts'
import { isSettingName, rowOf, SETTING_NAMES, type SettingName, type Settings } from './table.ts'
import { looksLikeSetting, nearestSetting, SECRET_PREFIX } from './unknown-names.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The directory for this user's data on Linux, macOS and Windows; without a home, one beside the process. */
function userDataDirectory(env: Environment): string {
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'gantry')
  if (env['APPDATA']) return join(env['APPDATA'], 'gantry')
  if (env['HOME']) return join(env['HOME'], '.local', 'share', 'gantry')
  return 'gantry-data'
}

type DataPlaces = { readonly DB_PATH: string; readonly DATA_DIR: string | null }

/** Derives a missing `DATA_DIR` or `DB_PATH` from the other; an ephemeral store keeps no files. */
function dataPlaces(env: Environment, given: { DB_PATH: string | null; DATA_DIR: string | null }): DataPlaces {
  const DB_PATH = given.DB_PATH ?? join(given.DATA_DIR ?? userDataDirectory(env), 'gantry.db')
  return { DB_PATH, DATA_DIR: given.DATA_DIR ?? (DB_PATH === ':memory:' ? null : dirname(DB_PATH)) }
}

export type Source = 'env' | 'file' | 'default'

export type LoadInput = {
  readonly env: Environment
  /** Throws if the file cannot be read. */
  readonly readFile: (path: string) => string
  /** The same names from the command line; they override the environment. */
  readonly flags?: Environment
}

export type Loaded = {
  readonly settings: Settings
  readonly defaults: Settings
  readonly sources: Readonly<Record<SettingName, Source>>
  /** The values of `GANTRY_SECRET_*`, which imported configuration may reference, by full name. */
  readonly envSecrets: ReadonlyMap<string, Written>
  readonly problems: readonly Problem[]
}

type Place = { readonly source: 'env' | 'file'; readonly read: (name: string) => string | undefined }
export type Written = { readonly text: string; readonly source: 'env' | 'file' }
type Note = (problem: Problem) => void

const A_FILE = rowOf('GANTRY_CONFIG_FILE').range

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
}

function readOrNote({ readFile }: LoadInput, variable: string, file: string, note: Note): string | null {
  try {
    return readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const message = `names a file that ${REASONS[code] ?? 'cannot be read'}`
    const remedy = 'Correct the path or the permissions of the file, or remove the variable.'
    note({ variable, severity: 'fatal', value: shown(file, false), allowed: A_FILE, message, remedy })
    return null
  }
}

function readConfigFile(input: LoadInput, environment: Place, note: Note): ReadonlyMap<string, string> {
  const variable = 'GANTRY_CONFIG_FILE'
  const file = environment.read(variable)
  if (!file) return new Map()
  const text = readOrNote(input, variable, file, note)
  const { values, problems } = parseConfigFile(text ?? '')
  for (const message of problems) {
    const remedy = 'Write one NAME: value a line, or a JSON object of the same.'
    note({ variable, severity: 'fatal', value: shown(file, false), allowed: A_FILE, message, remedy })
  }
  // A file cannot name another file: its own values are already read.
  return new Map([...values].filter(([name]) => name !== variable))
}

/** The text of a setting from one source, directly or from its `_FILE` variant. */
function writtenIn(place: Place, name: string, secret: boolean, input: LoadInput, note: Note): Written | null {
  const { source } = place
  const direct = place.read(name)
  // An empty provider is a mistake about encryption; all other empty settings are unset.
  const given = direct !== undefined && (direct !== '' || name === 'SECRETS_PROVIDER')
  const file = secret ? place.read(`${name}_FILE`) : undefined
  if (given && file) {
    const message = `is ignored, because ${name} is set as well`
    const problem = { variable: `${name}_FILE`, severity: 'warning', value: null, allowed: null, message } as const
    note({ ...problem, remedy: 'Remove one of the two.' })
  }
  if (given) return { text: direct, source }
  if (!file) return null
  const text = readOrNote(input, `${name}_FILE`, file, note)?.replace(/\r?\n$/, '') ?? null
  if (text === '') {
    const problem = { variable: `${name}_FILE`, severity: 'fatal', value: shown(file, false), allowed: null } as const
    note({
      ...problem,
      message: 'names a file that is empty',
      remedy: 'Write the secret into it, or remove the variable.',
    })
  }
  return text ? { text, source } : null
}

type Reading = { readonly value: unknown; readonly usable: boolean }

function readRow(
  name: SettingName,
  written: Written | null,
  refuses: (refuse?: Refusal) => boolean,
  note: Note,
): Reading {
  const row = rowOf(name)
  if (written === null) return { value: row.default, usable: true }
  const parsed = row.parse(written.text)
  const base = { variable: name, value: shown(written.text, row.secret) }
  if ('value' in parsed) {
    const remedy = 'Use a longer, random value.'
    if (parsed.doubt !== undefined) note({ ...base, severity: 'warning', allowed: null, message: parsed.doubt, remedy })
    return { value: parsed.value, usable: true }
  }
  const used = row.fallback === row.default ? `the default, ${row.shownDefault},` : String(row.fallback)
  note({
    ...base,
    severity: refuses(parsed.refuse) ? 'fatal' : 'warning',
    allowed: row.range,
    message: parsed.wrong,
    remedy: 'Correct or remove it.',
    consequence: `Until then ${row.onMistake ?? `${used} is used`}.`,
  })
  return { value: row.fallback, usable: false }
}

function noteUnknown(names: Iterable<string>, judged: (name: string) => boolean, note: Note): void {
  for (const name of names) {
    const bare = name.endsWith('_FILE') ? name.slice(0, -5) : name
    const known = isSettingName(name) || name.startsWith(SECRET_PREFIX) || (isSettingName(bare) && rowOf(bare).secret)
    if (known || !judged(name)) continue
    const nearest = nearestSetting(name)
    const remedy = nearest === null ? 'Remove it.' : `Did you mean ${nearest}?`
    note({
      variable: name,
      severity: 'warning',
      value: null,
      allowed: null,
      message: 'is not a setting of Gantry',
      remedy,
    })
  }
}

function readEnvSecrets(places: readonly Place[], names: Iterable<string>, input: LoadInput, note: Note) {
  const secrets = new Map<string, Written>()
  for (const name of names) {
    if (!name.startsWith(SECRET_PREFIX)) continue
    const bare = name.endsWith('_FILE') ? name.slice(0, -5) : name
    const written = places.map((place) => writtenIn(place, bare, true, input, note)).find((one) => one !== null)
    if (written && !secrets.has(bare)) secrets.set(bare, written)
  }
  return secrets
}

function readWritten(places: readonly Place[], input: LoadInput, note: Note): ReadonlyMap<SettingName, Written> {
  const written = new Map<SettingName, Written>()
  for (const name of SETTING_NAMES) {
    for (const place of places) {
      const one = written.has(name) ? null : writtenIn(place, name, rowOf(name).secret, input, note)
      if (one !== null) written.set(name, one)
    }
  }
  return written
}

/** Reads every setting without throwing: unusable values are in `problems`, replaced by usable ones. */
export function loadSettings(input: LoadInput): Loaded {
  const found: Problem[] = []
  const note: Note = (problem) => found.push(problem)
  const env = { ...input.env, ...input.flags }
  const environment: Place = { source: 'env', read: (name) => env[name] }
  const file = readConfigFile(input, environment, note)
  const places: readonly Place[] = [environment, { source: 'file', read: (name) => file.get(name) }]
  const written = readWritten(places, input, note)
  const development = written.get('NODE_ENV')?.text === 'development'
  const refuses = (refuse?: Refusal) => refuse === 'always' || (refuse === 'outside development' && !development)

  const values: Partial<Record<SettingName, unknown>> = {}
  const defaults: Partial<Record<SettingName, unknown>> = {}
  const sources: Partial<Record<SettingName, Source>> = {}
  for (const name of SETTING_NAMES) {
    const one = written.get(name) ?? null
    const reading = readRow(name, one, refuses, note)
    values[name] = reading.value
    defaults[name] = rowOf(name).default
    sources[name] = one !== null && reading.usable ? one.source : 'default'
    // Token checks were requested: an unusable key set must not leave the endpoints open.
    if (name === 'JWT_JWKS_URL' && !reading.usable) values.REQUIRE_MCP_AUTH = true
  }
  // Each value was parsed by its own row, from which Settings derives its type; the data places complete DB_PATH.
  const complete = (record: typeof values) => ({ ...record, ...dataPlaces(env, record as Settings) }) as Settings
  const verdict = judge(complete(values), (name) => {
    const one = written.get(name)
    return one === undefined ? null : shown(one.text, rowOf(name).secret)
  })
  found.push(...verdict.problems)
  for (const name of verdict.reset) {
    values[name] = rowOf(name).default
    sources[name] = 'default'
  }

  noteUnknown(Object.keys(env), looksLikeSetting, note)
  noteUnknown(file.keys(), () => true, note)
  const envSecrets = readEnvSecrets(places, [...Object.keys(env), ...file.keys()], input, note)
  const settings = Object.freeze(complete(values))
  const strict = settings.STRICT_CONFIG === 'production'
  return {
    settings,
    defaults: Object.freeze(complete(defaults)),
    // The loop above set every name of the table.
    sources: sources as Record<SettingName, Source>,
    envSecrets,
    problems: strict ? found.map((problem) => ({ ...problem, severity: 'fatal' })) : found,
  }
}

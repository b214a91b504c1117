// What `gantry doctor` looks at on this machine: the program's own Node, the folder of its data, its database, its port.
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import type { Announcement } from '../../instance/announcement.ts'
import { loadSettings } from '../../settings/load.ts'
import { describeProblems, fatal } from '../../settings/problem.ts'
import { othersFault } from '../../windows/file-security.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'
import type { Context } from './command.ts'
import { holderOf, isFree } from './port-holder.ts'

/** Where a gateway keeps what it has. */
export type Place = Pick<Announcement, 'dataFolder' | 'database'>
/** What one that is started in this environment would use. */
export type ToCome = Place & { readonly host: string; readonly port: number; readonly sealed: boolean }

const NEEDED_NODE = 24
/** A backup, the log of the database and a day of calls want to fit. */
const ROOM_BYTES = 200 * 1024 * 1024
const MIB = 1024 * 1024

export function checkNode(version = process.versions.node): Check {
  if (Number(version.split('.')[0]) >= NEEDED_NODE) return ok('node', `Node ${version}`)
  return fail(
    'node',
    `Node ${version}; ${NEEDED_NODE} is needed`,
    `Install Node ${NEEDED_NODE} and run gantry with it.`,
  )
}

export function placeOf(env: Context['env'], readFile: (file: string) => string): ToCome | Check {
  const { settings, problems } = loadSettings({ env, readFile })
  if (fatal(problems))
    return fail('settings', describeProblems(problems), 'Correct the settings; gantry serve --help lists them.')
  const { DATA_DIR, DATABASE_URL, DB_PATH, HOST, PORT, SECRETS_PROVIDER, SECRET_ENCRYPTION_KEY } = settings
  return {
    dataFolder: DATA_DIR,
    database: DB_PATH === ':memory:' || DATABASE_URL !== null ? null : DB_PATH,
    host: HOST,
    port: PORT,
    sealed: SECRETS_PROVIDER === 'kms' || SECRET_ENCRYPTION_KEY !== null,
  }
}

export function checkFolder(folder: string | null): readonly Check[] {
  const check = 'data folder'
  if (folder === null) return [warn(check, 'nothing is kept: the database is in memory', 'Set DATA_DIR to keep it.')]
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return [ok(check, `${folder} does not exist yet; the first start creates it`)]
  if (!stat.isDirectory())
    return [fail(check, `${folder} is no folder`, 'Set DATA_DIR to a folder, or move the file away.')]
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      fail(
        check,
        `${folder} cannot be written by this user`,
        `Give it to this user: chown -R "$USER" ${quoted(folder)}`,
      ),
    ]
  }
  return [ownership(folder, stat), room(folder)]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function ownership(folder: string, { uid, mode }: Stats): Check {
  const check = 'data folder'
  const fault = process.platform === 'win32' ? othersFault(folder, true, 'read') : undefined
  if (fault !== undefined) return warn(check, `${folder}: ${fault}`, 'Run that command at a terminal.')
  const user = process.getuid?.()
  if (user !== undefined && uid !== user)
    return warn(
      check,
      `${folder} belongs to user ${uid}, and this is ${user}`,
      'Run gantry as the user of the gateway.',
    )
  if (user !== undefined && (mode & 0o077) !== 0)
    return warn(
      check,
      `other users may look into ${folder} (mode ${(mode & 0o777).toString(8)})`,
      `Close it: chmod 700 ${quoted(folder)}`,
    )
  return ok(check, `${folder} is this user's alone and can be written`)
}

function room(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const message = `${Math.floor(free / MIB)} MiB are free for ${folder}`
  return free >= ROOM_BYTES ? ok('room', message) : warn('room', message, 'Make room: a full disk stops every change.')
}

export async function checkDatabase(file: string | null): Promise<Check | undefined> {
  const check = 'database'
  if (file === null || !existsSync(file)) return undefined
  try {
    // Only here: where it cannot be loaded, that is what there is to say.
    const [{ readVersion }, { MIGRATIONS }] = await Promise.all([
      import('../../storage/preflight.ts'),
      import('../../storage/migrations/index.ts'),
    ])
    const found = readVersion(file, statSync(file).size)
    const latest = MIGRATIONS.at(-1)?.version ?? 0
    if (found === 'new') return ok(check, `${file} holds nothing yet`)
    const message = `${file} is sound; schema ${found.version}, written by Gantry ${found.appVersion}`
    if (found.version > latest)
      return fail(
        check,
        `${message}; this program has schema ${latest}`,
        'Run the newer program, or restore an older backup.',
      )
    return ok(check, message)
  } catch (error) {
    return fail(check, reasonOf(error), 'Keep a copy of the file before anything else.')
  }
}

export function checkSeal({ sealed }: ToCome): Check {
  const check = 'encryption key'
  if (sealed) return ok(check, 'stored credentials are sealed')
  return warn(
    check,
    'there is no SECRET_ENCRYPTION_KEY here, so no credential can be stored',
    'Set it to the output of: openssl rand -base64 32',
  )
}

/** Where no gateway answers. */
export async function checkPort({ host, port }: Pick<ToCome, 'host' | 'port'>): Promise<Check> {
  if (port === 0) return ok('port', 'any free one will be taken')
  if (await isFree(host, port)) return ok('port', `${port} on ${host} is free`)
  const holder = holderOf(port)
  return fail(
    'port',
    `${port} on ${host} is held by ${holder ?? 'another program'}`,
    'Stop that program, or set PORT to another number.',
  )
}

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import { openDatabase } from './database.ts'
import type { StorageReason } from './storage-error.ts'

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** A closed database with a person in it. */
async function aUsedFile(): Promise<string> {
  const path = join(aFolder(), 'gantry.db')
  const database = await openDatabase(optionsFor(path))
  const at = new Date(0).toISOString()
  const user = {
    role: 'admin',
    is_active: 1,
    auth_method: 'password',
    created_at: at,
    updated_at: at,
    revision: 1,
  } as const
  await database.write((tx) =>
    tx
      .insertInto('users')
      .values({ username: 'ada', ...user })
      .execute(),
  )
  await database.close()
  return path
}

async function expectRefusal(path: string, reason: StorageReason, message: RegExp): Promise<void> {
  const before = statSync(path).isFile() ? digest(path) : undefined
  const opening = openDatabase(optionsFor(path))
  await expect(opening).rejects.toMatchObject({ name: 'StorageError', reason, message: expect.stringMatching(message) })
  if (before) expect(digest(path)).toBe(before)
}

describe('a path that names no database', () => {
  it('is refused when it is empty', async () => {
    await expect(openDatabase(optionsFor(' ', { dataDir: aFolder() }))).rejects.toMatchObject({ reason: 'path' })
  })

  it('is refused when it is a folder', async () => {
    const path = join(aFolder(), 'gantry.db')
    mkdirSync(path)
    await expectRefusal(path, 'path', /not a file/)
  })

  it('is refused when its folder cannot be made', async () => {
    const file = join(aFolder(), 'file')
    writeFileSync(file, 'here')
    const path = join(file, 'deep', 'gantry.db')
    await expect(openDatabase(optionsFor(path))).rejects.toMatchObject({ reason: 'unreadable' })
    expect(readFileSync(file, 'utf8')).toBe('here')
  })
})

describe('the check of every page', () => {
  const stateOf = (path: string): string => {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  }
  /** A page of a long value is garbage, which only a look at every page finds. */
  async function spoil(path: string): Promise<void> {
    const database = await openDatabase(optionsFor(path))
    await database.meta.set('long', 'a'.repeat(200_000))
    await database.close()
    const bytes = readFileSync(path)
    bytes.fill(0xa5, bytes.length - 4096)
    writeFileSync(path, bytes)
  }

  it('is left out once after a clean close, as long as nothing wrote to the file', async () => {
    const path = await aUsedFile()
    const mark = `${path}.closed`
    expect(readFileSync(mark, 'utf8')).toBe(stateOf(path))
    await spoil(path)
    await expectRefusal(path, 'corrupt', /damaged/)
    expect(existsSync(mark)).toBe(false)
    writeFileSync(mark, stateOf(path))
    const opened = await openDatabase(optionsFor(path))
    expect(existsSync(mark)).toBe(false)
    await opened.close()
  })

  it('is made after a crash: an open database has no mark', async () => {
    const path = await aUsedFile()
    const database = await aDatabase(path)
    await database.meta.set('a', 'b')
    expect(existsSync(`${path}.closed`)).toBe(false)
    await database.close()
    expect(existsSync(`${path}.closed`)).toBe(true)
  })

  it('is made where another process still has the file open', async () => {
    const path = await aUsedFile()
    const [first, second] = [await aDatabase(path), await aDatabase(path)]
    await first.meta.set('a', 'b')
    await first.close()
    expect(existsSync(`${path}.closed`)).toBe(false)
    await second.close()
    expect(existsSync(`${path}.closed`)).toBe(true)
  })
})

describe('a damaged file (security case ST-04)', () => {
  it('is refused when it is not SQLite', async () => {
    const path = join(aFolder(), 'gantry.db')
    writeFileSync(path, 'once upon a time '.repeat(1000))
    await expectRefusal(path, 'not_sqlite', /not a SQLite database; .*restore a backup/)
  })

  it('is refused when it is empty, marker or not', async () => {
    const path = await aUsedFile()
    truncateSync(path)
    await expectRefusal(path, 'corrupt', /0 bytes.*Restore a backup/)
    rmSync(`${path}.exists`)
    await expectRefusal(path, 'corrupt', /0 bytes.*Restore a backup/)
  })

  it('is refused when its end is cut off', async () => {
    const path = await aUsedFile()
    truncateSync(path, Math.floor(statSync(path).size / 2))
    await expectRefusal(path, 'corrupt', /damaged.*restore a backup/)
  })

  it('is refused when it belongs to another program', async () => {
    const path = join(aFolder(), 'gantry.db')
    const raw = new BetterSqlite3(path)
    raw.exec('create table albums (id integer primary key)')
    raw.close()
    await expectRefusal(path, 'foreign', /another program/)
  })

  it('is refused when the log beside it is another file’s', async () => {
    const path = await aUsedFile()
    const other = await aDatabase()
    await other.meta.set('a', 'b')
    copyFileSync(`${other.path}-wal`, `${path}-wal`)
    await expectRefusal(path, 'foreign', /-wal is the log of another database/)
    rmSync(`${path}-wal`)
    expect(await (await aDatabase(path)).query.selectFrom('users').select('id').execute()).toHaveLength(1)
  })

  it('is opened with its own log after a crash', async () => {
    const crashed = await aDatabase()
    await crashed.meta.set('a', 'b')
    const path = join(aFolder(), 'gantry.db')
    for (const end of ['', '-wal']) copyFileSync(`${crashed.path}${end}`, `${path}${end}`)
    expect(await (await aDatabase(path)).meta.get('a')).toBe('b')
  })

  it('is either refused untouched or still holds its people, whichever byte flips', async () => {
    const whole = readFileSync(await aUsedFile())
    const folder = aFolder()
    const outcomes = { refused: 0, opened: 0 }
    for (let round = 0; round < 500; round++) {
      const path = join(folder, `${round}.db`)
      const bytes = Buffer.from(whole)
      // A stride coprime to the size visits the whole file; the header, where most depends on each byte, is dense.
      const at = round < 100 ? round : (round * 7919) % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (round % 8))
      writeFileSync(path, bytes)
      const before = digest(path)
      try {
        const database = await openDatabase(optionsFor(path, { dataDir: folder }))
        const people = await database.query.selectFrom('users').select('id').execute()
        await database.close()
        expect(people).toHaveLength(1)
        outcomes.opened++
      } catch (error) {
        expect(error).toMatchObject({ name: 'StorageError' })
        expect(digest(path)).toBe(before)
        outcomes.refused++
      }
    }
    expect(outcomes.refused).toBeGreaterThan(10)
    expect(outcomes.opened).toBeGreaterThan(10)
  })
})

describe('a lost database (security case ST-05)', () => {
  it('is not taken for a first run', async () => {
    const path = await aUsedFile()
    rmSync(path)
    const opening = openDatabase(optionsFor(path))
    await expect(opening).rejects.toMatchObject({ reason: 'lost', message: expect.stringContaining(`${path}.exists`) })
    expect(existsSync(path)).toBe(false)
  })

  it('is noticed when its whole folder is gone and the data folder is not', async () => {
    const dataDir = aFolder()
    const path = join(aFolder(), 'volume', 'gantry.db')
    await (await openDatabase(optionsFor(path, { dataDir }))).close()
    rmSync(join(path, '..'), { recursive: true })
    await expect(openDatabase(optionsFor(path, { dataDir }))).rejects.toMatchObject({ reason: 'lost' })
    expect(existsSync(join(path, '..'))).toBe(false)
  })

  it('is noticed when only its log is left', async () => {
    const path = join(aFolder(), 'gantry.db')
    writeFileSync(`${path}-wal`, 'frames')
    await expect(openDatabase(optionsFor(path))).rejects.toMatchObject({ reason: 'lost' })
  })

  it('is noticed when the file is there without its tables', async () => {
    const path = await aUsedFile()
    rmSync(path)
    const raw = new BetterSqlite3(path)
    raw.pragma('journal_mode = WAL')
    raw.close()
    await expectRefusal(path, 'lost', /no tables/)
  })

  it('starts empty once a person deleted the marker, or goes on from a restored copy', async () => {
    const path = await aUsedFile()
    const copy = join(aFolder(), 'copy.db')
    copyFileSync(path, copy)
    rmSync(path)
    copyFileSync(copy, path)
    const restored = await openDatabase(optionsFor(path))
    expect(await restored.query.selectFrom('users').select('username').execute()).toEqual([{ username: 'ada' }])
    await restored.close()
    for (const file of [path, `${path}.exists`]) rmSync(file)
    const empty = await aDatabase(path)
    expect(await empty.query.selectFrom('users').select('username').execute()).toEqual([])
  })
})

// Root may write anywhere, so these open the database as an unprivileged user, in a process of its own.
const root = process.getuid?.() === 0
const windows = process.platform === 'win32'
describe.skipIf(windows)(windows ? 'permissions, skipped: no POSIX modes' : 'permissions', () => {
  const openAsNobody = (path: string) => {
    const script = `
      const { openDatabase } = await import(${JSON.stringify(new URL('./database.ts', import.meta.url).href)})
      const log = { warn() {} }
      const options = { path: process.argv[1], dataDir: process.argv[2], appVersion: '1.0.0', strict: true, backupBeforeMigrate: true, log, clock: Date }
      await openDatabase(options).then(() => console.log('opened'), (error) => console.log(error.reason, error.message))`
    const options = { encoding: 'utf8', ...(root ? { uid: 65534, gid: 65534 } : {}) } as const
    return execFileSync(process.execPath, ['--input-type=module', '-e', script, path, join(path, '..')], options)
  }

  it('refuses a file that cannot be read, cannot be written, or sits in a read-only folder', async () => {
    const path = await aUsedFile()
    const folder = join(path, '..')
    const before = digest(path)
    chmodSync(folder, 0o777)
    chmodSync(path, 0o200)
    if (!root) chmodSync(path, 0o000)
    expect(openAsNobody(path)).toMatch(/^unreadable .*read access/)
    chmodSync(path, 0o444)
    expect(openAsNobody(path)).toMatch(/^read_only .*write access/)
    chmodSync(path, 0o666)
    chmodSync(folder, 0o555)
    expect(openAsNobody(path)).toMatch(/^read_only .*folder writable/)
    expect(openAsNobody(join(folder, 'new.db'))).toMatch(/^read_only .*folder writable/)
    chmodSync(folder, 0o777)
    expect(digest(path)).toBe(before)
  })
})

it('on a full disk refuses to start, then refuses writes, and recovers when there is space again (security cases ST-06, AU-08)', async ({
  skip,
}) => {
  const folder = aFolder()
  skip(!mounted(folder), 'skipped: no right to mount a small disk')
  const ballast = join(folder, 'ballast')
  const fill = () => execFileSync('sh', ['-c', `head -c 4M /dev/zero > '${ballast}' || true`], { stdio: 'ignore' })
  const path = join(folder, 'gantry.db')
  fill()
  await expect(openDatabase(optionsFor(path))).rejects.toMatchObject({ name: 'StorageError' })
  expect(readdirSync(folder)).toEqual(['ballast'])
  rmSync(ballast)
  const database = await aDatabase(path)
  await database.meta.set('kept', 'yes')
  fill()
  const big = 'x'.repeat(100_000)
  await expect(database.meta.set('big', big)).rejects.toMatchObject({ reason: 'disk_full' })
  expect([await database.meta.get('kept'), await database.meta.get('big')]).toEqual(['yes', undefined])
  rmSync(ballast)
  await database.meta.set('big', big)
  expect(await database.meta.get('big')).toBe(big)
  await database.close()
})

function mounted(folder: string): boolean {
  if (!root || process.platform !== 'linux') return false
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' })
    onTestFinished(() => void execFileSync('umount', ['-l', folder]))
    return true
  } catch {
    // A container without the right to mount has no disk to fill.
    return false
  }
}

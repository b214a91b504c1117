import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { EffectiveEntry } from '#contract'
import { aFolder } from '../storage/database.fixture.ts'
import { aHouse, type House, KEY } from './admin.fixture.ts'

type HouseOnDisk = House & { readonly folder: string }

async function aHouseOnDisk(more: { env?: Record<string, string> } = {}): Promise<HouseOnDisk> {
  const folder = aFolder()
  const house = await aHouse({ path: join(folder, 'gantry.db'), dataDir: folder, ...more })
  return { ...house, folder }
}
const drafts = (folder: string) => readdirSync(folder).filter((name) => name.includes('.gantry-backup-'))
/** Copies without a name take space for as long as this process holds them open. */
function openCopies(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`)
      return file.startsWith(folder) && file.includes('gantry-backup-') ? [file] : []
    } catch {
      // Closed since it was listed.
      return []
    }
  })
}
const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
const download = (house: House, signal?: AbortSignal) =>
  fetch(`${house.front.url}/admin-api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    ...(signal && { signal }),
  })

describe('a backup (security case ST-09)', () => {
  it('that cannot be written is BACKUP_FAILED, and leaves nothing and no entry [ct.7.8.backup-failed ct.18.backup_failed]', async () => {
    const house = await aHouse({ path: join(aFolder(), 'gantry.db'), dataDir: '/nowhere/at/all' })
    expect(await house.asKey('/admin-api/backup', { method: 'POST' })).toMatchObject({
      status: 500,
      code: 'BACKUP_FAILED',
    })
    expect((await house.asKey('/admin-api/audit-log?action=backup.create')).json).toEqual({ items: [] })
    expect(await house.database.meta.get('last_backup_at')).toBeUndefined()
    expect(JSON.stringify(house.front.logged)).toContain('/nowhere/at/all')
  })

  it('is written through no link and swept through none: security case LK-11', async () => {
    const house = await aHouseOnDisk()
    const outside = join(aFolder(), 'precious.txt')
    writeFileSync(outside, 'precious')
    const link = join(house.folder, '.gantry-backup-01234567-89ab-cdef-0123-456789abcdef.db')
    symlinkSync(outside, link)
    await expect(house.database.backup(link)).rejects.toMatchObject({ reason: 'backup' })
    await house.backups.sweep()
    expect([existsSync(link), readFileSync(outside, 'utf8')]).toEqual([false, 'precious'])
  })

  it('that cannot be exported is never sent', async () => {
    const house = await aHouseOnDisk()
    await house.database.write((tx) => tx.schema.alterTable('audit_log').renameColumn('detail', 'gone').execute())
    const answer = await download(house)
    expect([answer.status, answer.headers.get('x-backup-sha256')]).toEqual([500, null])
    expect(drafts(house.folder)).toEqual([])
  })

  it('is the database, named and hashed, and written down [ct.7.8.backup ct.13.2.backup.create]', async () => {
    const house = await aHouseOnDisk()
    await house.addUser('ada', 'viewer')
    const answer = await download(house)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="gantry-1.0.0-20260131T091500Z.db"')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(answer.headers.get('x-backup-sha256')).toBe(sha256)
    const restored = join(aFolder(), 'restored.db')
    writeFileSync(restored, bytes)
    const copy = new BetterSqlite3(restored)
    expect(copy.prepare('select username from users').all()).toEqual([{ username: 'ada' }])
    copy.close()
    expect(drafts(house.folder)).toEqual([])
    expect((await house.asKey('/admin-api/audit-log?action=backup.create')).json).toMatchObject({
      items: [{ target: 'gantry-1.0.0-20260131T091500Z.db', detail: { sha256 } }],
    })
    expect(await house.database.meta.get('last_backup_at')).toBe('2026-01-31T09:15:00.000Z')
  })

  it('removes the finding that none is set', async () => {
    const house = await aHouseOnDisk()
    const found = async () => {
      const { json } = await house.asKey('/admin-api/security-posture')
      return (json as { findings: { id: string }[] }).findings.some(({ id }) => id === 'no_backup_recent')
    }
    expect(await found()).toBe(true)
    await (await download(house)).arrayBuffer()
    expect(await found()).toBe(false)
    house.time.nowMs += 8 * 24 * 60 * 60 * 1000
    expect(await found()).toBe(true)
  })

  it.each([
    ['while the database is copied', (house: HouseOnDisk) => drafts(house.folder).length > 0],
    ['while the answer is read', () => false],
  ])('leaves no file and no open copy when its reader leaves %s', async (_when, copying) => {
    const house = await aHouseOnDisk()
    await house.database.write(async (tx) => {
      await house.database.meta.set('padding', 'x'.repeat(30_000_000), tx)
    })
    const hangUp = new AbortController()
    const state = { answered: false }
    const answer = download(house, hangUp.signal)
      .then(async (response) => {
        state.answered = true
        await response.body?.getReader().read()
        hangUp.abort()
      })
      .catch(() => undefined)
    while (!state.answered && !copying(house)) await turn()
    const modes = drafts(house.folder).map((name) => statSync(join(house.folder, name)).mode & 0o777)
    hangUp.abort()
    await answer
    expect(modes).toEqual(modes.map(() => 0o600))
    await expect.poll(() => [drafts(house.folder), openCopies(house.folder)], { timeout: 20_000 }).toEqual([[], []])
  })

  it('left by a crash is swept, and nothing else is', async () => {
    const house = await aHouseOnDisk()
    const left = '.gantry-backup-12345678-1234-1234-1234-123456789abc.db'
    const ended = spawnSync(process.execPath, ['--version']).pid
    const gone = [
      left,
      `${left}-journal`,
      `.${left}.${process.pid}.draft`,
      `.x.backup.${ended}.draft`,
      `gantry.db.audit-key.${ended}.new`,
      `gantry.db.audit-head.${ended}-0123abcd.new`,
    ]
    const beingSigned = `gantry.db.audit-head.${process.pid}-0123abcd.new`
    const other = [beingSigned, `.${left}.${process.ppid}.draft`, '.gantry-backup-mine.db', '.draft', 'x.1.draft']
    for (const name of [...gone, ...other]) writeFileSync(join(house.folder, name), '', { mode: 0o600 })
    await house.backups.sweep()
    const kept = readdirSync(house.folder).filter((name) => [...gone, ...other].includes(name))
    expect(kept.sort()).toEqual(other.sort())
  })

  it('is limited [ct.7.8.backup-rate]', async () => {
    const house = await aHouseOnDisk({ env: { RATE_LIMIT_BACKUP: '1' } })
    expect((await download(house)).status).toBe(200)
    expect((await download(house)).status).toBe(429)
  })
})

describe('the effective settings', () => {
  it('tell every setting by name, and no secret [ct.7.8.effective ct.7.8.effective-secrets]', async () => {
    const house = await aHouse({ env: { SECRET_ENCRYPTION_KEY: 'a passphrase of the tests', LOG_LEVEL: 'warn' } })
    const { json, text } = await house.asKey('/admin-api/config/effective')
    const { entries, ...about } = json as { entries: EffectiveEntry[] }
    expect(about).toEqual({ nodeEnv: null, version: '1.0.0', runtime: 'node test', dbVersion: house.database.version })
    const keys = entries.map((entry) => EffectiveEntry.strict().parse(entry).key)
    expect(keys).toEqual([...keys].sort())
    const of = (key: string) => entries.find((entry) => entry.key === key)
    expect(of('LOG_LEVEL')).toEqual({
      key: 'LOG_LEVEL',
      value: 'warn',
      redacted: false,
      source: 'env',
      default: 'info',
      meaning: 'The least level that is written',
    })
    expect(of('SECRET_ENCRYPTION_KEY')).toMatchObject({ value: 'set', redacted: true })
    for (const secret of ['a passphrase of the tests', KEY]) expect(text).not.toContain(secret)
  })
})

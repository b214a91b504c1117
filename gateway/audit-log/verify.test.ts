import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aDatabase, aFolder } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import type { Schema } from '../storage/schema.ts'
import { append, tamper } from './audit.fixture.ts'
import { entryHash } from './canonical.ts'
import { startCheckpoints } from './checkpoint.ts'
import { headFiles, readHead, type SignedHead, writeHead } from './head.ts'
import { verifyAudit } from './verify.ts'
import { walkChain } from './walk.ts'

type Row = Schema['audit_log']
type Raw = Parameters<Parameters<typeof tamper>[1]>[0]
const COLUMNS = ['prev_hash', 'actor', 'action', 'target', 'detail', 'created_at', 'hash'] as const

const walk = (database: Database, signed: SignedHead = 'none') =>
  walkChain(database.query, signed, new Date(0).toISOString())
const verdictOf = async (database: Database) => {
  const { valid, brokenAt, reason } = await verifyAudit(database, Date)
  return { valid, brokenAt, reason }
}
const INTACT = { valid: true, brokenAt: null, reason: null }

function recorder() {
  const errors: string[] = []
  return { errors, log: { error: (message: string) => void errors.push(message) } }
}

/** A log with a signed head at its end. */
async function aSignedLog(count: number) {
  const database = await aDatabase()
  const entries = await append(database, count)
  const checkpoints = startCheckpoints({ database, ...recorder(), clock: Date, everyMs: 1e9 })
  await checkpoints.stop()
  return { database, entries }
}

/** Recomputes every hash, so that the chain is self-consistent. */
function rewrite(raw: Raw): void {
  let prev_hash = ''
  for (const row of raw.prepare<[], Row>('select * from audit_log order by id').all()) {
    const hash = entryHash({ ...row, prev_hash })
    raw.prepare('update audit_log set prev_hash = ?, hash = ? where id = ?').run(prev_hash, hash, row.id)
    prev_hash = hash
  }
}

describe('a chain with one changed byte (security case AU-01)', () => {
  it('names the row, for any row, column and bit [ct.13.1.hash_mismatch gw.audit.tamper]', async () => {
    const database = await aDatabase()
    // So many that each of the eight bits is changed in each column.
    const entries = await append(database, 24)
    const update = (raw: Raw, column: string, bytes: Buffer, id: number) =>
      raw.prepare(`update audit_log set ${column} = cast(? as text) where id = ?`).run(bytes, id)
    for (const { id } of entries)
      for (const [place, column] of COLUMNS.entries()) {
        let original = Buffer.alloc(0)
        tamper(database, (raw) => {
          original = Buffer.from(String(raw.prepare(`select ${column} from audit_log where id = ?`).pluck().get(id)))
          const bytes = Buffer.from(original.length === 0 ? ' ' : original)
          const at = (id * 31 + place) % bytes.length
          bytes[at] = (bytes[at] ?? 0) ^ (1 << ((id + place) % 8))
          update(raw, column, bytes, id)
        })
        const verdict = await walk(database)
        expect(verdict, `${column} of #${id}`).toMatchObject({
          valid: false,
          brokenAt: id,
          checked: id,
          reason: 'hash_mismatch',
        })
        tamper(database, (raw) => update(raw, column, original, id))
      }
    expect(await walk(database)).toMatchObject({ valid: true, checked: 24 })
  })

  it('is detected in every byte of a row', async () => {
    const database = await aDatabase()
    await append(database, 3)
    const [row] = await database.query.selectFrom('audit_log').selectAll().where('id', '=', 2).execute()
    for (const column of COLUMNS) {
      const original = Buffer.from(String(row?.[column]))
      for (let at = 0; at < original.length; at++) {
        const bytes = Buffer.from(original)
        bytes[at] = (bytes[at] ?? 0) ^ 0x20
        tamper(database, (raw) =>
          raw.prepare(`update audit_log set ${column} = cast(? as text) where id = 2`).run(bytes),
        )
        expect(await walk(database), `${column} at ${at}`).toMatchObject({ valid: false, brokenAt: 2 })
      }
      tamper(database, (raw) =>
        raw.prepare(`update audit_log set ${column} = cast(? as text) where id = 2`).run(original),
      )
    }
    expect(await walk(database)).toMatchObject({ valid: true, checked: 3 })
  })

  it.each([
    ['a blob', "update audit_log set actor = x'00ff' where id = 2"],
    ['text that is not JSON', "update audit_log set detail = '{' where id = 2"],
    ['no detail', 'update audit_log set detail = null where id = 2'],
    ['another time', 'update audit_log set created_at = 1769850900000 where id = 2'],
  ])('is seen when a cell became %s', async (_what, sql) => {
    const database = await aDatabase()
    await append(database, 3)
    tamper(database, (raw) => raw.exec(sql))
    expect(await verdictOf(database)).toEqual({ valid: false, brokenAt: 2, reason: 'hash_mismatch' })
  })
})

describe('a chain with rows moved (security case AU-02) [ct.13.1.link_mismatch ct.13.1.missing_rows]', () => {
  const copy =
    'insert into audit_log select ?, prev_hash, actor, action, target, detail, created_at, hash, team_id from audit_log where id = ?'
  it.each<[string, (raw: Raw) => void, object]>([
    ['one deleted', (raw) => raw.exec('delete from audit_log where id = 5'), { brokenAt: 6, reason: 'missing_rows' }],
    [
      'the first deleted',
      (raw) => raw.exec('delete from audit_log where id = 1'),
      { brokenAt: 2, reason: 'missing_rows' },
    ],
    [
      'two swapped',
      (raw) => {
        for (const [from, to] of [
          [5, 99],
          [6, 5],
          [99, 6],
        ])
          raw.prepare('update audit_log set id = ? where id = ?').run(to, from)
      },
      { brokenAt: 5, reason: 'link_mismatch' },
    ],
    ['one repeated at the end', (raw) => raw.prepare(copy).run(11, 10), { brokenAt: 11, reason: 'link_mismatch' }],
    [
      'one repeated in the middle',
      (raw) => {
        raw.exec('update audit_log set id = -id where id > 5; update audit_log set id = 1 - id where id < 0')
        raw.prepare(copy).run(6, 5)
      },
      { brokenAt: 6, reason: 'link_mismatch' },
    ],
    [
      'one put in, linked to the row before',
      (raw) => {
        raw.exec('update audit_log set id = -id where id > 5; update audit_log set id = 1 - id where id < 0')
        const before = raw.prepare<[], Row>('select * from audit_log where id = 5').get()
        if (!before) throw new Error('There is no row 5')
        const row = { ...before, prev_hash: before.hash, actor: 'mallory' }
        const insert =
          'insert into audit_log values (6, @prev_hash, @actor, @action, @target, @detail, @created_at, @hash, null)'
        raw.prepare(insert).run({ ...row, hash: entryHash(row) })
      },
      { brokenAt: 7, reason: 'link_mismatch' },
    ],
    [
      'a tail renumbered',
      (raw) => raw.exec('update audit_log set id = id + 100 where id > 5'),
      { brokenAt: 106, reason: 'missing_rows' },
    ],
    [
      'all renumbered',
      (raw) => raw.exec('update audit_log set id = id + 100'),
      { brokenAt: 101, reason: 'missing_rows' },
    ],
  ])('is broken: %s', async (_what, change, expected) => {
    const database = await aDatabase()
    await append(database, 10)
    tamper(database, change)
    expect(await verdictOf(database)).toEqual({ valid: false, ...expected })
  })
})

describe('a chain against its signed head (security case AU-02) [gw.audit.tamper ct.13.1.missing_rows]', () => {
  it.each<[string, (raw: Raw) => void, object]>([
    [
      'its tail cut off',
      (raw) => raw.exec('delete from audit_log where id > 7'),
      { brokenAt: 8, reason: 'missing_rows' },
    ],
    ['everything gone', (raw) => raw.exec('delete from audit_log'), { brokenAt: 1, reason: 'missing_rows' }],
    [
      'all rewritten',
      (raw) => {
        raw.exec("update audit_log set actor = 'mallory'")
        rewrite(raw)
      },
      { brokenAt: 10, reason: 'hash_mismatch' },
    ],
    [
      'one left out and the rest rewritten',
      (raw) => {
        raw.exec(
          'delete from audit_log where id = 5; update audit_log set id = -id where id > 5; update audit_log set id = -id - 1 where id < 0',
        )
        rewrite(raw)
      },
      { brokenAt: 10, reason: 'missing_rows' },
    ],
  ])('is broken: %s', async (_what, change, expected) => {
    const { database } = await aSignedLog(10)
    tamper(database, change)
    expect(await walk(database)).toMatchObject({ valid: true })
    expect(await verdictOf(database)).toEqual({ valid: false, ...expected })
  })

  it('is broken after its tail was cut off and rewritten', async () => {
    const { database } = await aSignedLog(10)
    tamper(database, (raw) => raw.exec('delete from audit_log where id > 7'))
    await append(database, 10, { actor: 'mallory' })
    expect(await verdictOf(database)).toEqual({ valid: false, brokenAt: 10, reason: 'hash_mismatch' })
  })

  it('is broken when the head is forged, damaged or without its key', async () => {
    const { database } = await aSignedLog(10)
    const files = headFiles(database.path)
    const genuine = readFileSync(files.head, 'utf8')
    for (const forged of [genuine.replace('"count":10', '"count":7'), genuine.slice(1), '{}', '']) {
      writeFileSync(files.head, forged)
      expect(await verdictOf(database)).toEqual({ valid: false, brokenAt: null, reason: 'hash_mismatch' })
    }
    writeFileSync(files.head, genuine)
    expect(await verdictOf(database)).toEqual(INTACT)
    rmSync(files.key)
    expect(await verdictOf(database)).toEqual({ valid: false, brokenAt: null, reason: 'hash_mismatch' })
  })

  it('keeps the evidence: signs no newer head over it, and logs this once (security case AU-14)', async () => {
    const { database } = await aSignedLog(10)
    const before = readFileSync(headFiles(database.path).head, 'utf8')
    tamper(database, (raw) => raw.exec('delete from audit_log where id > 7'))
    const { errors, log } = recorder()
    const checkpoints = startCheckpoints({ database, log, clock: Date, everyMs: 1e9 })
    await checkpoints.save()
    await append(database, 10)
    await checkpoints.stop()
    expect(readFileSync(headFiles(database.path).head, 'utf8')).toBe(before)
    expect(errors).toEqual([expect.stringMatching(/ends at #7, but #10 was signed.*older backup.*delete/)])
  })

  it('stays evidence where the head is removed under a running gateway, which writes the head again otherwise', async () => {
    const { database } = await aSignedLog(10)
    const { head } = headFiles(database.path)
    const { errors, log } = recorder()
    const checkpoints = startCheckpoints({ database, log, clock: Date, everyMs: 1e9 })
    await checkpoints.save()
    rmSync(head)
    await checkpoints.save()
    expect(readHead(headFiles(database.path))).toMatchObject({ headId: 10 })
    rmSync(head)
    tamper(database, (raw) => raw.exec('delete from audit_log where id > 7'))
    await checkpoints.stop()
    expect(errors).toEqual([expect.stringMatching(/ends at #7, but #10 was signed/)])
    expect(existsSync(head)).toBe(false)
  })

  it('is intact again after a person deleted the head', async () => {
    const { database } = await aSignedLog(10)
    tamper(database, (raw) => raw.exec('delete from audit_log where id > 7'))
    rmSync(headFiles(database.path).head)
    await startCheckpoints({ database, ...recorder(), clock: Date, everyMs: 1e9 }).stop()
    expect(await verdictOf(database)).toEqual(INTACT)
    expect(readHead(headFiles(database.path))).toMatchObject({ headId: 7 })
  })
})

describe('a signed head', () => {
  it('may lag behind the table, as after a crash, without an alarm [gw.durability.chain]', async () => {
    const { database } = await aSignedLog(10)
    await append(database, 5)
    expect(await verdictOf(database)).toEqual(INTACT)
  })

  it('is written periodically and on shutdown, with private permissions, beside the database', async () => {
    const database = await aDatabase()
    const { errors, log } = recorder()
    const checkpoints = startCheckpoints({ database, log, clock: Date, everyMs: 5 })
    await append(database, 3)
    while (readHead(headFiles(database.path)) === 'none') await new Promise((resolve) => setTimeout(resolve, 5))
    const entries = await append(database, 4)
    await checkpoints.stop()
    expect(readHead(headFiles(database.path))).toMatchObject({ count: 7, headId: 7, headHash: entries.at(-1)?.hash })
    const { head, key } = headFiles(database.path)
    for (const file of [head, key]) expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(readFileSync(database.path).includes(readFileSync(key))).toBe(false)
    expect(errors).toEqual([])
  })

  it('is not written for an empty log, nor for one in memory', async () => {
    const file = await aDatabase()
    const memory = await aDatabase(':memory:')
    await append(memory, 2)
    for (const database of [file, memory])
      await startCheckpoints({ database, ...recorder(), clock: Date, everyMs: 1e9 }).stop()
    expect([existsSync(headFiles(file.path).head), existsSync(headFiles(':memory:').head)]).toEqual([false, false])
    expect([await verdictOf(file), await verdictOf(memory)]).toEqual([INTACT, INTACT])
  })

  it('survives a move of the folder, and reports failures', async () => {
    const { database } = await aSignedLog(3)
    const { errors, log } = recorder()
    const checkpoints = startCheckpoints({ database, log, clock: Date, everyMs: 1e9 })
    await database.close()
    await checkpoints.stop()
    expect(errors).toEqual(expect.arrayContaining([expect.stringContaining('could not be signed')]))
    const again = await aDatabase(database.path)
    expect(await verdictOf(again)).toEqual(INTACT)
  })

  it('cannot be written without its key', async () => {
    const path = join(aFolder(), 'gantry.db')
    await expect(writeHead(path, headFiles(path), { count: 1, headId: 1, headHash: '', at: '' })).rejects.toThrow(
      'ENOENT',
    )
    expect(readHead(headFiles(path))).toBe('none')
  })
})

describe('a verdict', () => {
  it('reports what was checked and where the log ends, for files and memory [ct.13.1.verdict]', async () => {
    for (const [database, headKey] of [
      [await aDatabase(), 'beside_database'],
      [await aDatabase(':memory:'), undefined],
    ] as const) {
      expect(await verifyAudit(database, { now: () => 0 })).toEqual({
        ...INTACT,
        checked: 0,
        headId: null,
        headHash: null,
        headKey,
        verifiedAt: '1970-01-01T00:00:00.000Z',
      })
      const entries = await append(database, 1_001)
      expect(await verifyAudit(database, { now: () => 0 })).toMatchObject({
        valid: true,
        checked: 1_001,
        headId: 1_001,
        headHash: entries.at(-1)?.hash,
      })
    }
  })

  it('is reached while entries are appended', async () => {
    const { database } = await aSignedLog(2_000)
    const timer = setInterval(() => void append(database, 5), 1)
    const verdicts = await Promise.all([1, 2, 3].map(() => verdictOf(database)))
    clearInterval(timer)
    expect(verdicts).toEqual([INTACT, INTACT, INTACT])
  })

  it('is an error for a missing file', async () => {
    const { database } = await aSignedLog(2)
    rmSync(database.path)
    await expect(verifyAudit(database, Date)).rejects.toThrow()
  })
})

// Real processes that share one database file, and processes killed while writing.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { append, independentlyValid } from './audit.fixture.ts'
import { entryOf } from './chain.ts'
import { headFiles, readHead } from './head.ts'
import { verifyAudit } from './verify.ts'

/** The full counts take minutes, so they run in long mode. */
const IS_LONG = process.env.GANTRY_FUZZ_RUNS !== undefined || process.env.GANTRY_FUZZ_MINUTES !== undefined
const EACH = IS_LONG ? 5_000 : 250
const ROUNDS = IS_LONG ? 200 : 6

/** Writes a record and its audit entry per transaction, and prints the name after the commit. */
function aWriter(database: Database, name: string, count: number): ChildProcess {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  const script = `
    const { openDatabase } = await import(${at('../storage/database.ts')})
    const { appendAudit } = await import(${at('./chain.ts')})
    const { startCheckpoints } = await import(${at('./checkpoint.ts')})
    const { writeSync } = await import('node:fs')
    const [path, dataDir, name, count] = process.argv.slice(1)
    const log = { warn() {}, error: console.error }
    const database = await openDatabase({ path, dataDir, appVersion: '1.0.0', strict: true, backupBeforeMigrate: true, log, clock: Date })
    const checkpoints = startCheckpoints({ database, log, clock: Date, everyMs: 10 })
    for (let number = 0; number < Number(count); number++) {
      const key = name + '-' + number
      await database.write(async (tx) => {
        await tx.insertInto('meta').values({ key, value: name }).execute()
        await appendAudit(tx, { actor: name, action: 'user.create', target: key, detail: { number }, at: Date.now() })
      })
      writeSync(1, key + '\\n')
    }
    await checkpoints.stop()
    await database.close()`
  const given = ['--input-type=module', '-e', script, database.path, `${database.path}.d`, name, String(count)]
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'gantry-e2e-compiled') }
  return spawn(process.execPath, given, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function factsOf(database: Database) {
  const entries = await database.query.selectFrom('audit_log').selectAll().orderBy('id').execute()
  const facts = await database.query.selectFrom('meta').select('key').where('value', 'like', 'writer%').execute()
  return { entries: entries.map(entryOf), facts: facts.map(({ key }) => key) }
}

it(`four processes with ${EACH} entries each, and this one, append to one chain with no broken link (security case AU-03; in the long mode: 5,000 each) [ct.13.1.serialised]`, {
  timeout: IS_LONG ? 3_600_000 : 240_000,
}, async () => {
  const database = await aDatabase()
  const writers = ['a', 'b', 'c', 'd'].map((name) => aWriter(database, `writer-${name}`, EACH))
  for (const writer of writers) writer.stdout?.resume()
  const exits = Promise.all(writers.map((writer) => once(writer, 'exit')))
  for (let round = 0; round < 100; round++) await append(database, 1)
  expect(await exits).toEqual(writers.map(() => [0, null]))
  const { entries, facts } = await factsOf(database)
  expect([entries.length, facts.length, independentlyValid(entries)]).toEqual([
    4 * EACH + 100,
    4 * EACH,
    4 * EACH + 100,
  ])
  expect(await verifyAudit(database, Date)).toMatchObject({ valid: true, checked: 4 * EACH + 100 })
})

it(`a process killed at any moment loses nothing it had acknowledged, and raises no alarm (security case AU-06, ${ROUNDS} kills; in the long mode: 200) [gw.durability.crash ct.13.1.together]`, {
  timeout: IS_LONG ? 3_600_000 : 240_000,
}, async () => {
  const database = await aDatabase()
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const writer = aWriter(database, `writer-${round}`, 1e9)
    if (!writer.stdout) throw new Error('The writer has no output')
    let received = 0
    for await (const line of createInterface({ input: writer.stdout })) {
      acknowledged.push(line)
      if (++received === 5 + (round % 6) * 17) writer.kill('SIGKILL')
    }
    const verdict = await verifyAudit(database, Date)
    expect(verdict).toMatchObject({ valid: true })
    const { entries, facts } = await factsOf(database)
    expect(entries.map(({ target }) => target).sort()).toEqual(facts.sort())
    expect(facts).toEqual(expect.arrayContaining(acknowledged))
    const signed = readHead(headFiles(database.path))
    if (typeof signed === 'object') expect(signed.headId).toBeLessThanOrEqual(entries.length)
  }
  expect(readHead(headFiles(database.path))).not.toBe('untrusted')
})

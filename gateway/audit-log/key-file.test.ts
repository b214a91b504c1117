// `AUDIT_HEAD_KEY_FILE`: creation, move, refusal, and use by signing and verification.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished, vi } from 'vitest'
import { aFolder, optionsFor } from '../storage/database.fixture.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { appendAudit } from './chain.ts'
import { startCheckpoints } from './checkpoint.ts'
import { headFiles, readHead } from './head.ts'
import { prepareKeyFile } from './key-file.ts'
import { verifyAudit } from './verify.ts'

const log = { error: () => undefined }
const at = Date.UTC(2026, 0, 1)

async function opened(path: string, auditKeyFile: string | null): Promise<Database> {
  if (auditKeyFile !== null) prepareKeyFile(auditKeyFile, path)
  return openDatabase(optionsFor(path, { auditKeyFile }))
}

/** One run of the gateway that writes an entry and signs the head. */
async function aRun(path: string, keyFile: string | null) {
  const database = await opened(path, keyFile)
  await database.write((tx) => appendAudit(tx, { actor: 'a', action: 'user.create', target: 't', detail: {}, at }))
  await startCheckpoints({ database, log, clock: Date, everyMs: 1e9 }).stop()
  const verdict = await verifyAudit(database, Date)
  await database.close()
  return verdict
}

it('is read by a thread that closes its connection and exits on its own', async () => {
  const terminate = vi.spyOn(Worker.prototype, 'terminate')
  onTestFinished(() => terminate.mockRestore())
  expect(await aRun(join(aFolder(), 'gantry.db'), null)).toMatchObject({ valid: true })
  expect(terminate).not.toHaveBeenCalled()
})

it('is created with private permissions, signs, and appears in the verdict', async () => {
  const [path, keyFile] = [join(aFolder(), 'gantry.db'), join(aFolder(), 'head.key')]
  expect(await aRun(path, keyFile)).toMatchObject({ valid: true, checked: 1, headKey: 'configured' })
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  expect(existsSync(headFiles(path).key)).toBe(false)
  expect(readHead(headFiles(path, keyFile))).toMatchObject({ count: 1 })
})

it('is moved from beside the database', async () => {
  const [path, keyFile] = [join(aFolder(), 'gantry.db'), join(aFolder(), 'head.key')]
  expect(await aRun(path, null)).toMatchObject({ valid: true, headKey: 'beside_database' })
  const key = readFileSync(headFiles(path).key, 'utf8')
  expect(await aRun(path, keyFile)).toMatchObject({ valid: true, checked: 2, headKey: 'configured' })
  expect([readFileSync(keyFile, 'utf8'), existsSync(headFiles(path).key)]).toEqual([key, false])
})

it('keeps the key beside the database if another one signed the head', async () => {
  const [path, keyFile] = [join(aFolder(), 'gantry.db'), join(aFolder(), 'head.key')]
  await aRun(path, null)
  writeFileSync(keyFile, 'a'.repeat(64), { mode: 0o600 })
  prepareKeyFile(keyFile, path)
  expect(existsSync(headFiles(path).key)).toBe(true)
})

it.each([
  ['a folder', (file: string) => mkdirSync(file), /cannot be read \(EISDIR\)/],
  ['no key', (file: string) => writeFileSync(file, 'x'), /holds no key/],
  ['empty', (file: string) => writeFileSync(file, ''), /holds no key/],
])('is refused where it is %s, and nothing is changed', (_what, make, message) => {
  const file = join(aFolder(), 'head.key')
  make(file)
  expect(() => prepareKeyFile(file, null)).toThrow(message)
})

it('is refused where its folder does not exist', () => {
  expect(() => prepareKeyFile(join(aFolder(), 'gone', 'head.key'), null)).toThrow(/cannot be made \(ENOENT\)/)
})

const asRoot = process.getuid?.() === 0
it.skipIf(asRoot)(`is refused where it cannot be read${asRoot ? ' (skipped: root reads everything)' : ''}`, () => {
  const file = join(aFolder(), 'head.key')
  writeFileSync(file, 'a'.repeat(64))
  chmodSync(file, 0)
  onTestFinished(() => chmodSync(file, 0o600))
  expect(() => prepareKeyFile(file, null)).toThrow(/cannot be read \(EACCES\)/)
})

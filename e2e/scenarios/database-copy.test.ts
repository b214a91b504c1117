// A database moves from a SQLite file to PostgreSQL and back, with everything that a gateway needs of it.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { bearer, mint, outcome } from './access.fixture.ts'
import { anUpstream, aShopProcess, register } from './data-plane.fixture.ts'
import { aFolder, type Env, type Gateway, UNCHECKED } from './gateway.fixture.ts'

const address = usePostgres()
const root = new URL('../..', import.meta.url).pathname

async function copy(
  from: string,
  to: string,
  env: Env = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const args = ['gateway/gantry.ts', 'database', 'copy', from, to]
  return promisify(execFile)(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH ?? '', ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}

type Verdict = { readonly valid: boolean; readonly checked: number }
const verified = async (gateway: Gateway): Promise<Verdict> =>
  (await gateway.admin('/admin-api/audit-log/verify')).json as Verdict // by the contract
const totals = async (gateway: Gateway): Promise<unknown> =>
  ((await gateway.admin('/admin-api/overview')).json as { readonly calls24h: { readonly calls: number } }).calls24h
    .calls // by the contract

describe.skipIf(!hasPostgres)(`gantry database copy, with PostgreSQL (${postgresHere})`, () => {
  it('moves a database to PostgreSQL and back; a gateway continues on each', { timeout: 120_000 }, async () => {
    const first = aFolder()
    const file = path.join(first, 'gantry.db')
    const gateway = await aShopProcess({ ...UNCHECKED, DB_PATH: file }, first)
    const upstream = await anUpstream()
    await register(gateway, upstream)
    const key = await mint(gateway)
    for (let call = 0; call < 20; call += 1) expect(await outcome(gateway, bearer(key.key))).toBe('ok')

    const url = await address()
    const used = await copy(file, url)
    expect(used.code).toBe(74)
    expect(used.text).toContain('is in use by the instance')
    const { checked } = await verified(gateway)
    await gateway.stop()

    const there = await copy(file, 'env:TARGET', { TARGET: url })
    expect(there.text).toContain('The audit chain is complete')
    expect(there.code).toBe(0)
    const again = await copy(file, url)
    expect(again.text).toContain('The target database is not empty')
    expect(again.code).toBe(74)

    const moved = await aShopProcess({ ...UNCHECKED, DATABASE_URL: url }, aFolder())
    expect(await outcome(moved, bearer(key.key))).toBe('ok')
    expect(await totals(moved)).toBe(21)
    const verdict = await verified(moved)
    expect(verdict.valid).toBe(true)
    expect(verdict.checked).toBeGreaterThan(checked)
    // Ids count on.
    const next = await mint(moved)
    expect(next.id).toBeGreaterThan(key.id)
    await moved.stop()

    const second = aFolder()
    const back = path.join(second, 'gantry.db')
    const returned = await copy(url, back)
    expect(returned.text).toContain('The audit chain is complete')
    const home = await aShopProcess({ ...UNCHECKED, DB_PATH: back }, second)
    for (const each of [key, next]) expect(await outcome(home, bearer(each.key))).toBe('ok')
    expect(await totals(home)).toBe(23)
    expect((await verified(home)).valid).toBe(true)
  })

  it('prints how it is used', async () => {
    expect(await copy('', '')).toMatchObject({ code: 64 })
  })
})

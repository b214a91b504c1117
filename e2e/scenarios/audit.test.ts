// The audit log from outside: what is recorded, who may verify it, what a forger leaves behind.
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AUDIT_ACTIONS, AuditEntry, AuditVerdict } from '#contract'
import { addUser, aFolder, aGateway, aUser, type Gateway, passwordOf, signIn, startGateway } from './gateway.fixture.ts'
import { aGatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.end())

const EntryPage = z.object({ items: z.array(AuditEntry.strict()), nextCursor: z.string().optional() })
const entries = async (query = '', at = gateway) =>
  EntryPage.parse((await at.admin(`/admin-api/audit-log?limit=200&${query}`)).json).items
const verdict = async (at = gateway) =>
  AuditVerdict.strict().parse((await at.admin('/admin-api/audit-log/verify')).json)

/** Sorted keys at every level, as the hash has them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}
function hashOf({ prev_hash, actor, action, target, detail, created_at }: AuditEntry): string {
  const image = JSON.stringify([prev_hash, actor, action, target, sorted(detail), created_at])
  return createHash('sha256').update(image).digest('hex')
}

describe('the chain', () => {
  const kept = mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  afterAll(() => rmSync(kept, { recursive: true, force: true }))
  let written: Promise<string> | undefined
  /** What a gateway that has stopped left, with something to forge in it. */
  const recorded = (): Promise<string> =>
    (written ??= (async () => {
      const writer = await spawnGateway({}, kept)
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await addUser(writer, name, 'viewer')
      expect((await writer.stop()).code).toBe(0)
      return kept
    })())

  // cites: gw.audit.fields gw.audit.hash ct.13.1.entry ct.13.1.hash ct.13.1.sorted ct.13.1.first ct.19.25.verify
  it('is verified by anyone from what the API answers', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => addUser(gateway, `chained-${name}`, 'viewer')))
    const chain = (await entries()).toReversed()
    expect(chain[0]).toMatchObject({ id: 1, prev_hash: '' })
    for (const [index, entry] of chain.entries()) {
      expect(entry.prev_hash).toBe(chain[index - 1]?.hash ?? '')
      expect(entry.hash).toBe(hashOf(entry))
    }
  })

  it('does not fork when many write at once [ct.13.1.serialised]', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => addUser(gateway, `at-once-${index}`, 'viewer')))
    const links = (await entries()).map(({ prev_hash }) => prev_hash)
    expect(new Set(links).size).toBe(links.length)
    expect(await verdict()).toMatchObject({ valid: true, brokenAt: null, reason: null })
  })

  it('is returned whole, with its head [ct.13.1.verdict ct.7.7.audit-verify]', async () => {
    const [newest] = await entries()
    expect(await verdict()).toMatchObject({
      valid: true,
      checked: newest?.id,
      headId: newest?.id,
      headHash: newest?.hash,
      verifiedAt: expect.stringMatching(/Z$/),
    })
  })

  // cites: gw.audit.tamper ct.13.1.hash_mismatch ct.13.1.link_mismatch ct.13.1.missing_rows ct.13.4.html-broken
  it.each([
    ['hash_mismatch', 3, "update audit_log set actor = 'another user' where id = 3"],
    [
      'link_mismatch',
      4,
      'update audit_log set id = -4 where id = 4; update audit_log set id = 4 where id = 5; update audit_log set id = 5 where id = -4',
    ],
    ['missing_rows', 5, 'delete from audit_log where id = 4'],
    ['missing_rows', expect.any(Number), 'delete from audit_log where id > 5'],
  ])('shows %s after %3$s', async (reason, brokenAt, forgery) => {
    const folder = aFolder()
    // The signed head beside the database as well.
    cpSync(await recorded(), folder, { recursive: true })
    const raw = new BetterSqlite3(join(folder, 'gantry.db'))
    // A forger with the file first drops what blocks it.
    for (const name of raw.prepare("select name from sqlite_master where type = 'trigger'").pluck().all())
      raw.exec(`drop trigger "${String(name)}"`)
    raw.exec(forgery)
    raw.close()
    const second = await aGateway({}, folder)
    const found = await verdict(second)
    expect(found).toMatchObject({ valid: false, brokenAt, reason })
    const report = await second.admin('/admin-api/audit-log/export?format=html')
    expect(report.text).toMatch(/BROKEN at #\d+/)
  })
})

describe('what is recorded', () => {
  // cites: ct.13.2.user ct.13.2.target ct.13.2.before-after ct.13.2.secrets gw.route.mutations-audited
  it('of users: who did what to whom, before and after, without a password', async () => {
    await addUser(gateway, 'recorded', 'viewer')
    const body = { role: 'operator', password: 'a password that is set' }
    await gateway.admin('/admin-api/users/recorded', { method: 'PATCH', body })
    await gateway.admin('/admin-api/users/recorded', { method: 'DELETE' })
    const recorded = await entries('target=recorded')
    expect(recorded.map(({ action }) => action)).toEqual(['user.delete', 'user.update', 'user.create'])
    expect(recorded.map(({ target }) => target)).toEqual(['recorded', 'recorded', 'recorded'])
    expect(recorded[1]?.detail).toMatchObject({ before: { role: 'viewer' }, after: { role: 'operator' } })
    expect(JSON.stringify(recorded)).not.toContain('a password that is set')
    expect(JSON.stringify(recorded)).not.toContain(passwordOf('recorded'))
    expect(JSON.stringify(recorded[1]?.detail)).toContain('[set]')
  })

  it('of people: signing in, failing to, out, passwords and sessions [ct.13.2.auth]', async () => {
    const session = await aUser(gateway, 'watched', 'viewer')
    const post = (path: string, body?: unknown) =>
      gateway.ask(path, { method: 'POST', headers: session, ...(body !== undefined && { body }) })
    await gateway.ask('/admin-api/auth/login', { method: 'POST', body: { username: 'watched', password: 'wrong' } })
    await signIn(gateway, 'watched', passwordOf('watched'))
    await post('/admin-api/auth/sessions/revoke-others')
    await aUser(gateway, 'watched-2', 'viewer')
    await post('/admin-api/auth/logout')
    const changing = await aUser(gateway, 'watched-3', 'viewer')
    await gateway.ask('/admin-api/auth/me/password', {
      method: 'PATCH',
      headers: changing,
      body: { currentPassword: passwordOf('watched-3'), newPassword: 'another password, as good' },
    })
    const actions = new Set((await entries('action=auth.')).map(({ action }) => action))
    const wanted = ['auth.login', 'auth.login_failed', 'auth.logout', 'auth.password.change', 'auth.session.revoke']
    expect([...actions]).toEqual(expect.arrayContaining(wanted))
  })

  it('of copies: backups and exports [ct.13.2.backup.create ct.13.2.audit.export]', async () => {
    await gateway.admin('/admin-api/backup', { method: 'POST' })
    await gateway.admin('/admin-api/audit-log/export')
    expect((await entries('action=backup.create')).length).toBeGreaterThan(0)
    expect((await entries('action=audit.export')).length).toBeGreaterThan(0)
  })

  it('only with actions that are listed, sorted [ct.7.7.audit-actions]', async () => {
    const { actions } = z
      .object({ actions: z.array(z.string()) })
      .parse((await gateway.admin('/admin-api/audit-log/actions')).json)
    expect(actions).toEqual([...AUDIT_ACTIONS])
    expect(actions).toEqual([...actions].sort((a, b) => (a < b ? -1 : 1)))
    expect((await entries()).filter(({ action }) => !actions.includes(action))).toEqual([])
  })
})

describe('the list', () => {
  it('is newest first, for every role [ct.7.7.audit-log ct.19.21.auditor gw.route.audit-log]', async () => {
    const headers = await aUser(gateway, 'looks-on', 'viewer')
    const { status, json } = await gateway.ask('/admin-api/audit-log', { headers })
    expect(status).toBe(200)
    const ids = EntryPage.parse(json).items.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
  })

  it('is filtered by actor, action, its prefix, target and time [ct.7.7.audit-filters]', async () => {
    const headers = await aUser(gateway, 'filters', 'admin')
    const body = { username: 'filtered', password: passwordOf('filtered') }
    await gateway.ask('/admin-api/users', { method: 'POST', body, headers })
    expect(await entries('actor=filters&action=user.create')).toMatchObject([{ target: 'filtered' }])
    expect((await entries('actor=filters')).every(({ actor }) => actor === 'filters')).toBe(true)
    expect((await entries('action=user.')).every(({ action }) => action.startsWith('user.'))).toBe(true)
    expect(await entries('target=filtered')).toHaveLength(1)
    expect(await entries('to=2020-01-01T00:00:00Z')).toEqual([])
    expect(await entries(`from=${Date.now() + 3_600_000}`)).toEqual([])
  })
})

describe('an export', () => {
  const exported = (query: string, headers?: Record<string, string>) =>
    headers === undefined
      ? gateway.admin(`/admin-api/audit-log/export?${query}`)
      : gateway.ask(`/admin-api/audit-log/export?${query}`, { headers })

  it('is refused in another form [ct.7.7.audit-format]', async () => {
    expect((await exported('format=pdf')).status).toBe(400)
  })

  it('is for auditors, like the verdict [ct.7.7.audit-export ct.7.7.audit-verify ct.2.3.u]', async () => {
    const [viewer, auditor] = [await aUser(gateway, 'sees', 'viewer'), await aUser(gateway, 'audits', 'auditor')]
    const verify = (headers: Record<string, string>) => gateway.ask('/admin-api/audit-log/verify', { headers })
    expect([(await exported('', viewer)).status, (await exported('', auditor)).status]).toEqual([403, 200])
    expect([(await verify(viewer)).status, (await verify(auditor)).status]).toEqual([403, 200])
  })

  // cites: ct.13.4.ascending ct.13.4.json ct.13.4.csv ct.13.4.html ct.13.4.filename gw.route.audit-export-forms
  it('comes as JSON, CSV and HTML, with the verdict, filtered like the list', async () => {
    const before = await entries('action=user.')
    const json = await exported('format=json&action=user.')
    const document = z
      .object({
        exportedAt: z.string(),
        filters: z.unknown(),
        count: z.number(),
        verification: AuditVerdict,
        items: z.array(AuditEntry),
      })
      .parse(json.json)
    expect(document.items).toEqual(before.toReversed())
    expect(document).toMatchObject({
      count: before.length,
      filters: { action: 'user.' },
      verification: { valid: true },
    })
    const csv = await exported('format=csv&action=user.')
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toBe('id,prev_hash,actor,action,target,detail,created_at,hash')
    expect(lines).toHaveLength(before.length + 2)
    const html = await exported('format=html')
    expect(html.text).toContain('intact')
    expect(html.text).not.toMatch(/<script|src=/i)
    for (const [answer, type, extension] of [
      [json, 'application/json', 'json'],
      [csv, 'text/csv', 'csv'],
      [html, 'text/html', 'html'],
    ] as const) {
      expect(answer.headers.get('content-type')).toContain(type)
      const name = new RegExp(`^attachment; filename="gantry-audit-\\d{8}T\\d{6}Z\\.${extension}"$`)
      expect(answer.headers.get('content-disposition')).toMatch(name)
    }
  })
})

it('loses nothing to a process that is killed, and stays one chain [gw.durability.crash gw.durability.chain]', async () => {
  const folder = aFolder()
  const first = await aGatewayProcess({}, folder)
  await Promise.all(Array.from({ length: 10 }, (_, index) => addUser(first, `kept-${index}`, 'viewer')))
  first.signal('SIGKILL')
  await first.exited
  const second = await aGateway({}, folder)
  expect(await entries('action=user.create', second)).toHaveLength(10)
  expect(await verdict(second)).toMatchObject({ valid: true })
})

it('a start that finds no signed head beside an old database is an entry of the log, so that a cut end is seen', async () => {
  const folder = aFolder()
  const key = join(aFolder(), 'head.key')
  const env = { AUDIT_HEAD_KEY_FILE: key }
  const started = async (at: Gateway) =>
    (await entries('action=system.start', at))
      .map(({ detail }) => (detail as { auditHead?: string }).auditHead)
      .reverse()
  const first = await startGateway(env, folder)
  expect((await first.admin('/admin-api/teams', { method: 'POST', body: { name: 'evidence' } })).status).toBe(201)
  expect(await started(first)).toEqual([undefined])
  await first.stop()
  const second = await startGateway(env, folder)
  expect(await started(second)).toEqual([undefined, undefined])
  expect(second.output()).not.toContain('has no signed head')
  await second.stop()
  // A person with write access to the folder and without the key cuts the log and deletes the head.
  const raw = new BetterSqlite3(join(folder, 'gantry.db'))
  const [{ id = 0 } = {}] = raw.prepare("select id from audit_log where action = 'team.create'").all() as {
    id?: number
  }[]
  raw.prepare('delete from audit_log where id >= ?').run(id)
  raw.close()
  rmSync(join(folder, 'gantry.db.audit-head'))
  const third = await startGateway(env, folder)
  expect(await started(third)).toEqual([undefined, 'missing'])
  expect(third.output()).toContain('has no signed head')
  await third.stop()
})

// Overview, posture, settings, live events and backup, as the admin application meets them.
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EffectiveEntry, Overview, PostureFinding, SEVERITIES } from '#contract'
import { listen } from './events.fixture.ts'
import {
  ADMIN_KEY,
  addUser,
  aFolder,
  aGateway,
  aUser,
  FIRST_ADMIN,
  type Gateway,
  startGateway,
} from './gateway.fixture.ts'
import { aGatewayProcess } from './gateway-process.fixture.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(FIRST_ADMIN)
})
afterAll(() => gateway.end())

it('answers JSON under /admin-api, never to be stored [gw.service.surface-admin-api gw.route.json ct.1.4.no-store]', async () => {
  for (const path of ['overview', 'users', 'audit-log', 'config/effective', 'security-posture', 'auth/me', 'nothing']) {
    const { headers } = await gateway.admin(`/admin-api/${path}`)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

it('gives every viewer an overview [ct.7.7.overview ct.10.14.overview gw.route.overview]', async () => {
  const headers = await aUser(gateway, 'glances', 'viewer')
  const { status, json } = await gateway.ask('/admin-api/overview', { headers })
  expect(status).toBe(200)
  expect(Overview.strict().parse(json)).toMatchObject({ adminUsers: 2, clients: { total: 0 }, tools: { total: 0 } })
})

describe('the posture', () => {
  const Posture = z.object({ findings: z.array(PostureFinding), worst: z.enum(SEVERITIES).nullable() })
  const posture = async (at: Gateway) => Posture.parse((await at.admin('/admin-api/security-posture')).json)

  it('lists findings and the worst of them, for auditors [ct.7.7.posture]', async () => {
    const [viewer, auditor] = [await aUser(gateway, 'carefree', 'viewer'), await aUser(gateway, 'careful', 'auditor')]
    const ask = (headers: Record<string, string>) => gateway.ask('/admin-api/security-posture', { headers })
    expect([(await ask(viewer)).status, (await ask(auditor)).status]).toEqual([403, 200])
    const open = await aGateway({ NODE_ENV: 'development', AUTH_DISABLED: 'true' })
    const { findings, worst } = await posture(open)
    expect(findings).toContainEqual(expect.objectContaining({ id: 'auth_disabled', tolerated: 'development' }))
    expect(worst).toBe('critical')
  })

  it('no longer misses a backup once there is one', async () => {
    const own = await aGateway()
    const ids = async () => (await posture(own)).findings.map(({ id }) => id)
    expect(await ids()).toContain('no_backup_recent')
    await own.admin('/admin-api/backup', { method: 'POST' })
    expect(await ids()).not.toContain('no_backup_recent')
  })
})

it('shows superadmins every setting, by key, and of secrets only that they are set [ct.7.8.effective ct.7.8.effective-secrets ct.16.kms-token-hidden ct.2.3.s]', async () => {
  const own = await aGateway({ MAX_SESSIONS: '7', KMS_TOKEN: 'a-token-never-shown' })
  const answer = await own.admin('/admin-api/config/effective')
  const { entries, dbVersion } = z
    .object({ dbVersion: z.number(), version: z.string(), entries: z.array(EffectiveEntry) })
    .parse(answer.json)
  expect(entries.map(({ key }) => key)).toEqual(entries.map(({ key }) => key).toSorted())
  const of = (key: string) => entries.find((entry) => entry.key === key)
  expect(of('MAX_SESSIONS')).toEqual({
    key: 'MAX_SESSIONS',
    value: 7,
    redacted: false,
    source: 'env',
    default: 100,
    meaning: expect.any(String),
  })
  expect(of('PORT')).toMatchObject({ source: 'env', default: 8790 })
  expect(of('KMS_TOKEN')).toMatchObject({ value: 'set', redacted: true })
  expect(of('ADMIN_API_KEYS')).toMatchObject({ value: 'set', redacted: true })
  expect(answer.text).not.toContain('a-token-never-shown')
  expect(answer.text).not.toContain(ADMIN_KEY)
  expect(dbVersion).toBeGreaterThan(0)
  const headers = await aUser(own, 'curious', 'operator')
  expect((await own.ask('/admin-api/config/effective', { headers })).status).toBe(403)
})

describe('events', () => {
  it('start with ready, in the frames of a stream [ct.7.7.events-ready ct.1.9.sse]', async () => {
    const { response, until } = await listen(gateway)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await until('\n\n')).toMatch(/^event: ready\n/)
  })

  // cites: ct.7.7.events ct.7.7.events-record ct.7.7.events-audit ct.7.7.events-config
  it('tell viewers what was asked for, with its type and time', async () => {
    const headers = await aUser(gateway, 'listener', 'viewer')
    const [audit, config] = [
      await listen(gateway, '?topics=audit', headers),
      await listen(gateway, '?topics=config', headers),
    ]
    await Promise.all([audit.until('event: ready'), config.until('event: ready')])
    await addUser(gateway, 'newcomer', 'viewer')
    const received = await audit.until('newcomer')
    expect(received).toMatch(/event: audit\ndata: \{/)
    expect(received).not.toContain('event: config')
    const record = /event: audit\ndata: (.+)/.exec(received)?.[1] ?? ''
    expect(JSON.parse(record)).toMatchObject({ type: 'appended', at: expect.stringMatching(/Z$/) })
    const changed = await config.until('event: config')
    const data = /event: config\ndata: (.+)/.exec(await config.until('newcomer'))?.[1] ?? ''
    expect(JSON.parse(data)).toMatchObject({ type: 'changed', at: expect.any(String) })
    expect(changed).not.toContain('event: audit')
  })

  it('end with bye when the session does [ct.7.7.events-bye]', async () => {
    const headers = await aUser(gateway, 'leaving', 'viewer')
    const { until, ended } = await listen(gateway, '', headers)
    await until('event: ready')
    await gateway.ask('/admin-api/auth/logout', { method: 'POST', headers })
    expect(await ended()).toMatch(/event: bye\n/)
  })
})

describe('a backup', () => {
  it('is a copy one can start from [ct.7.8.backup gw.route.backup]', async () => {
    await addUser(gateway, 'copied', 'viewer')
    const response = await fetch(`${gateway.url}/admin-api/backup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="gantry-\d+\.\d+\.\d+\S*-\d{8}T\d{6}Z\.db"$/,
    )
    expect(response.headers.get('x-backup-sha256')).toBe(createHash('sha256').update(bytes).digest('hex'))
    const folder = aFolder()
    writeFileSync(join(folder, 'gantry.db'), bytes)
    const raw = new BetterSqlite3(join(folder, 'gantry.db'))
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok')
    raw.close()
    const restored = await aGateway({}, folder)
    expect((await restored.admin('/admin-api/users/copied')).status).toBe(200)
  })

  it('whose gateway is killed under way is removed by the next start', async () => {
    const folder = aFolder()
    const killed = await aGatewayProcess({}, folder)
    const padding = new BetterSqlite3(join(folder, 'gantry.db'))
    padding.prepare("insert into meta values ('padding', ?)").run('x'.repeat(50_000_000))
    padding.close()
    const copies = () => readdirSync(folder).filter((name) => name.includes('backup'))
    const asked = killed.admin('/admin-api/backup', { method: 'POST' }).catch(() => undefined)
    await expect.poll(copies, { interval: 1 }).not.toEqual([])
    killed.signal('SIGKILL')
    await Promise.all([asked, killed.exited])
    const left = copies()
    await aGateway({}, folder)
    expect([left.length > 0, copies()]).toEqual([true, []])
  })

  it('is for superadmins', async () => {
    const headers = await aUser(gateway, 'copycat', 'operator')
    expect((await gateway.ask('/admin-api/backup', { method: 'POST', headers })).status).toBe(403)
  })
})

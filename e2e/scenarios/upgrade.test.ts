// What a start leaves behind: the description of every route, and a trace of what it did to an older database.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { API, type Route } from '#contract'
import { openDatabase } from '../../gateway/storage/database.ts'
import { MIGRATIONS } from '../../gateway/storage/migrations/index.ts'
import { aFolder, aGateway } from './gateway.fixture.ts'

describe('an older database', () => {
  it('is brought up to date, and the audit log says from where to where [ct.13.2.system.migrate]', async () => {
    const folder = aFolder()
    const older = MIGRATIONS.slice(0, 1)
    const database = await openDatabase({
      path: path.join(folder, 'gantry.db'),
      dataDir: folder,
      appVersion: '0.9.0',
      strict: false,
      backupBeforeMigrate: false,
      log: { warn: () => undefined },
      clock: { now: Date.now },
      migrations: older,
    })
    await database.close()
    const gateway = await aGateway({}, folder)
    const { json } = await gateway.admin('/admin-api/audit-log?action=system.migrate')
    expect(json).toMatchObject({
      items: [{ actor: 'system', action: 'system.migrate', detail: { from: older.length, to: MIGRATIONS.length } }],
    })
    await gateway.stop()
  })
})

describe('the description at /docs', () => {
  it('holds every route that exists, public ones too [ct.3.docs-files]', async () => {
    // Those of editors exist where there are editors.
    const gateway = await aGateway({ PCG_ENABLED: 'true' })
    const json = (await gateway.admin('/docs/openapi.json')).json as { paths: Record<string, Record<string, unknown>> }
    const yaml = (await gateway.admin('/docs/openapi.yaml')).text
    const routes: Route[] = Object.values(API).flatMap((table) => Object.values(table) as Route[])
    const missing = routes.filter(
      ({ method, path: at }) => json.paths[at.replace(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()] === undefined,
    )
    expect(missing.map(({ method, path: at }) => `${method} ${at}`)).toEqual([])
    expect(Object.keys(json.paths)).toEqual(
      expect.arrayContaining(['/health', '/livez', '/readyz', '/metrics', '/llms.txt', '/docs']),
    )
    expect(yaml).toContain('/health:')
    // Described is answered: none of them is a route that does not exist.
    for (const at of ['/health', '/livez', '/readyz', '/metrics', '/llms.txt', '/docs', '/docs/openapi.yaml'])
      expect([at, (await gateway.admin(at)).status]).toEqual([at, 200])
    await gateway.stop()
  })
})

// Kept documents: taken, compared, gone back to.
import { describe, expect, it } from 'vitest'
import { aGateway, backend, document, type Thing, usePets } from './config.fixture.ts'

const PETS = { client: 'pets', tool: 'get_pet' }
const gateway = usePets()
const { clientOf, configure, exported, snapshots } = gateway

describe('a snapshot', () => {
  it('and everything else that is done with documents is written down [ct.13.2.config gw.route.config-group]', async () => {
    await gateway.export('?sections=teams')
    await gateway.import(document({ teams: [{ name: 'Noted' }] }))
    const { id } = await gateway.must('POST', '/admin-api/config/snapshots', { label: 'noted' })
    await gateway.must('POST', `/admin-api/config/snapshots/${id}/rollback`, { confirm: true })
    await gateway.must('DELETE', `/admin-api/config/snapshots/${id}`)
    await gateway.import(document({ teams: [{ name: 'Tried' }] }), { dryRun: true })
    const { items } = (await gateway.must('GET', '/admin-api/audit-log?action=config.&limit=5')) as { items: Thing[] }
    expect(items.map(({ action, target }) => [action, target])).toEqual([
      ['config.snapshot.delete', String(id)],
      ['config.snapshot.rollback', String(id)],
      ['config.snapshot.create', String(id)],
      ['config.import', 'merge'],
      ['config.export', 'json'],
    ])
    expect(items[3]).toMatchObject({ detail: { changed: 1, paths: ['/teams/Noted'], skipped: 0 } })
  })

  it('is taken before an import, listed newest first, read and removed [ct.12.snapshot ct.7.8.snapshots ct.7.8.snapshot ct.10.10.snapshot ct.18.snapshot_not_found]', async () => {
    const { text, headers } = await gateway.export()
    await gateway.import(document({ teams: [{ name: 'After' }] }))
    const [newest] = await snapshots()
    expect(newest).toMatchObject({
      kind: 'pre_import',
      createdBy: 'desktop:tester',
      configHash: String(headers.etag).replaceAll('"', ''),
    })
    const mine = await gateway.must('POST', '/admin-api/config/snapshots', { label: ' before the party ' })
    expect(mine).toMatchObject({ kind: 'manual', label: 'before the party' })
    expect((await snapshots())[0]).toEqual(mine)
    expect((await gateway.must('GET', `/admin-api/config/snapshots/${newest?.id}`)).config).toEqual(JSON.parse(text))
    await gateway.must('DELETE', `/admin-api/config/snapshots/${mine.id}`)
    for (const path of [mine.id, 'x', 0])
      expect((await gateway.ask('GET', `/admin-api/config/snapshots/${path}`)).json).toMatchObject({
        error: { code: 'SNAPSHOT_NOT_FOUND' },
      })
  })

  it('is compared with the present or another one [ct.7.8.snapshot-diff]', async () => {
    const first = await gateway.must('POST', '/admin-api/config/snapshots', { label: 'first' })
    await configure('get_pet', { enabled: false })
    const second = await gateway.must('POST', '/admin-api/config/snapshots', { label: 'second' })
    await configure('get_pet', { enabled: true })
    const diff = (query: string) => gateway.must('GET', `/admin-api/config/snapshots/${first.id}/diff${query}`)
    expect(await diff('')).toEqual({ from: first, to: 'current', entries: [] })
    expect(await diff(`?against=${second.id}`)).toMatchObject({
      to: second,
      entries: [
        {
          path: '/clients/pets/tools/get_pet',
          kind: 'added',
          before: null,
          after: { name: 'get_pet', enabled: false },
        },
      ],
    })
    expect((await gateway.ask('GET', `/admin-api/config/snapshots/${first.id}/diff?against=yesterday`)).status).toBe(
      400,
    )
  })

  it('is gone back to: the covered sections as they were, after another snapshot, and no secret comes back [ct.12.rollback ct.7.8.rollback gw.route.config-covers]', async () => {
    await gateway.must('POST', '/register', backend('fleeting'))
    await gateway.must('PUT', '/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: 'revoked-since' })
    await gateway.must('POST', '/admin-api/bundles', { name: 'mine', tools: [PETS] })
    await configure('get_pet', { guards: { timeoutMs: 5 } })
    const nightly = { targetType: 'client', clientName: 'pets', action: 'disable', cron: '0 3 * * *' }
    const { id } = await gateway.must('POST', '/admin-api/schedules', nightly)
    const strict = await gateway.must('POST', '/admin-api/policies', { name: 'strict', timeoutMs: 5 })
    await gateway.must('POST', '/admin-api/teams', { name: 'Blue' })
    const target = { name: 'feed', backendWsUrl: 'ws://127.0.0.1:50909/' }
    await gateway.must('POST', '/admin-api/ws-proxy-targets', target)
    const entry = { slug: 'my-pets', name: 'Mine', kind: 'mcp', mcpUrl: 'http://127.0.0.1:50909/mcp' }
    const { id: mine } = await gateway.must('POST', '/admin-api/catalog', entry)
    const then = await gateway.must('POST', '/admin-api/config/snapshots', { label: 'then' })
    await gateway.must('PATCH', `/admin-api/schedules/${id}`, { enabled: false })
    await gateway.must('DELETE', `/admin-api/policies/${strict.id}`)
    await gateway.must('DELETE', `/admin-api/ws-proxy-targets/feed`)
    await gateway.must('DELETE', `/admin-api/catalog/${mine}`)
    await gateway.must('POST', '/admin-api/teams', { name: 'Late' })
    await gateway.must('DELETE', '/admin-api/clients/fleeting')
    await gateway.must('DELETE', '/admin-api/clients/pets/upstream-auth')
    await gateway.must('DELETE', '/admin-api/bundles/mine')
    await gateway.must('POST', '/admin-api/bundles', { name: 'later', tools: [PETS] })
    await configure('get_pet', { guards: null })
    await configure('list_pets', { sensitive: true })
    const back = (dryRun: boolean) =>
      gateway.must('POST', `/admin-api/config/snapshots/${then.id}/rollback`, { dryRun, confirm: true })
    const { snapshotId: none, ...tried } = await back(true)
    expect(none).toBeNull()
    const { snapshotId, ...answer } = await back(false)
    expect(tried).toEqual({ ...answer, dryRun: true })
    expect(answer).toMatchObject({
      mode: 'replace',
      skipped: [{ type: 'clients', id: 'fleeting' }],
      needsSecret: ['clients/pets/upstream-auth'],
      applied: { bundles: { created: 1, deleted: 1 }, tools: { created: 1, deleted: 1 } },
    })
    expect((await snapshots())[0]).toMatchObject({ id: snapshotId, kind: 'pre_rollback' })
    expect((await clientOf()).upstreamAuth).toBeNull()
    expect((await clientOf()).tools).toEqual([{ name: 'get_pet', guards: { timeoutMs: 5 } }])
    expect(await exported('?sections=schedules,guardPolicies,teams,wsProxyTargets,catalogEntries')).toMatchObject({
      schedules: [{ ...nightly, enabled: true }],
      guardPolicies: [{ name: 'strict', timeoutMs: 5 }],
      teams: [{ name: 'Blue' }],
      wsProxyTargets: [target],
      catalogEntries: [{ slug: 'my-pets' }],
    })
  })

  it('is one of at most 200: a person is refused, an import removes the oldest', async () => {
    const full = await aGateway()
    for (let n = 0; n < 199; n++) await full.must('POST', '/admin-api/config/snapshots', { label: `n${n}` })
    await full.import(document({}))
    expect(await full.ask('POST', '/admin-api/config/snapshots', { label: 'one too many' })).toMatchObject({
      status: 409,
      json: { error: { code: 'LIMIT_REACHED' } },
    })
    await full.import(document({ teams: [{ name: 'T' }] }))
    const { items } = (await full.must('GET', '/admin-api/config/snapshots?limit=200')) as { items: Thing[] }
    expect(items).toHaveLength(200)
    expect(items.filter(({ kind }) => kind === 'pre_import')).toHaveLength(1)
  })
})

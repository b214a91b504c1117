// A rollback or an import that weakens something asks first, and brings back nothing that was taken away (security case ST-12).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { body, code } from './curation.fixture.ts'
import { configure, openUpstream, ROOMY, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { type Answer, addUser, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
let shop: Upstream
beforeAll(async () => {
  ;[gateway, shop] = await Promise.all([startGateway(ROOMY), openUpstream()])
  await register(gateway, shop)
})
afterAll(async () => {
  await gateway.end()
  await shop.close()
})

const post = (path: string, given: unknown): Promise<Answer> =>
  gateway.admin(`/admin-api/${path}`, { method: 'POST', body: given })
type Weakened = { readonly path: string; readonly reason: string }[]
const paths = (list: unknown): string[] => (list as Weakened).map(({ path }) => path)

it('lists what a rollback weakens, refuses it without a confirmation, and resurrects nothing', async () => {
  const key = body(await post('mcp-keys', { label: 'old' }))
  await addUser(gateway, 'gone', 'operator')
  const { id } = body(await post('config/snapshots', { label: 'before' }))
  await gateway.admin(`/admin-api/mcp-keys/${String(key.id)}`, { method: 'DELETE' })
  await gateway.admin('/admin-api/users/gone', { method: 'DELETE' })
  // A key that stays closes the data plane to those without one.
  await post('mcp-keys', { label: 'other' })
  await configure(gateway, 'getPetById', { guards: { rateLimitPerMin: 5 }, approval: {}, redactPaths: ['name'] })

  const at = '/clients/petstore/tools/getPetById'
  const wanted = [`${at}/approval/required`, `${at}/guards/rateLimitPerMin`, `${at}/redactPaths`]
  const dry = body(await post(`config/snapshots/${String(id)}/rollback`, { dryRun: true }))
  expect(paths(dry.weakened)).toEqual(wanted)
  const refused = await post(`config/snapshots/${String(id)}/rollback`, {})
  expect([refused.status, code(refused)]).toEqual([409, 'CONFIRMATION_REQUIRED'])
  const { details } = body(refused).error as { details: { weakened: unknown; total: number } }
  expect([paths(details.weakened), details.total]).toEqual([wanted, 3])
  const tool = async () => body(await gateway.admin('/admin-api/clients/petstore/tools/getPetById'))
  expect(await tool()).toMatchObject({ guards: { rateLimitPerMin: 5 }, requiresApproval: true })

  const done = await post(`config/snapshots/${String(id)}/rollback`, { confirm: true })
  expect([done.status, paths(body(done).weakened)]).toEqual([200, wanted])
  expect(await tool()).toMatchObject({ guards: null, requiresApproval: false })
  const { items } = body(await gateway.admin('/admin-api/audit-log?action=config.snapshot.rollback&limit=1'))
  expect(items).toMatchObject([{ detail: { weakened: wanted } }])
  const revoked = await rpc(gateway, 'tools/list', {}, { headers: { authorization: `Bearer ${String(key.key)}` } })
  expect(revoked.status).toBe(401)
  expect((await gateway.admin('/admin-api/users/gone')).status).toBe(404)
})

it('asks the same of an import, also of one that registers, and nothing of one that tightens', async () => {
  const tight = { version: 1, clients: [{ name: 'petstore', tools: [{ name: 'addPet', sensitive: true }] }] }
  const loose = { version: 1, clients: [{ name: 'petstore', tools: [{ name: 'addPet', sensitive: false }] }] }
  expect((await post('config/import', { data: tight })).status).toBe(200)
  for (const registerClients of [false, true])
    expect(code(await post('config/import', { data: loose, registerClients }))).toBe('CONFIRMATION_REQUIRED')
  expect((await post('config/import', { data: loose, confirm: true })).status).toBe(200)
})

it('asks before a composite of a bundle reaches another tool, a schedule enables, or a limit rises above its default', async () => {
  const step = (targetTool: string) => ({ targetClient: 'petstore', targetTool })
  const composite = (...tools: string[]) => ({ name: 'both', steps: tools.map(step) })
  const first = { version: 1, composites: [composite('ok')], bundles: [{ name: 'few', composites: ['both'] }] }
  expect((await post('config/import', { data: first })).status).toBe(200)
  const night = { targetType: 'client', clientName: 'petstore', action: 'enable', cron: '* * * * *', timezone: 'UTC' }
  const weak: readonly [object, string][] = [
    [{ composites: [composite('ok', 'deletePet')] }, '/composites/both/steps'],
    [{ schedules: [night] }, '/schedules/petstore enable * * * * * UTC/enabled'],
    [
      { clients: [{ name: 'petstore', guards: { circuitBreaker: { failureThreshold: 1000, windowMs: 1000 } } }] },
      '/clients/petstore/guards/circuitBreaker/windowMs',
    ],
    [
      { clients: [{ name: 'petstore', tools: [{ name: 'hang', guards: { timeoutMs: 600_000 } }] }] },
      '/clients/petstore/tools/hang/guards/timeoutMs',
    ],
  ]
  for (const [sections, path] of weak) {
    const refused = await post('config/import', { data: { version: 1, ...sections } })
    expect([code(refused), refused.text]).toEqual(['CONFIRMATION_REQUIRED', expect.any(String)])
    const { details } = body(refused).error as { details: { weakened: unknown } }
    expect(paths(details.weakened)).toContain(path)
  }
  expect((await post('config/import', { data: { version: 1, schedules: [night] }, confirm: true })).status).toBe(200)
})

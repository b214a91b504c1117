// What a configuration must hold and what it must not: the settings of an editor's tools, and no secret in an address.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry as run } from '../../gateway/client/cli/cli.fixture.ts'
import { ADMIN_KEY, aFolder, type Gateway, startGateway } from './gateway.fixture.ts'
import { PCG_ENV } from './pcg.fixture.ts'

const SECRET = 's3cr&t+of=the-shop'
const VARIABLE = 'GANTRY_SECRET_SHOP_BASE_URL_API_KEY'
const NEAR = { ALLOW_PRIVATE_IPS: 'true' }
const BASE = `http://127.0.0.1:8099/api?v=2&api_key=${encodeURIComponent(SECRET)}`

let here: Gateway
let there: Gateway
let folder = ''
const gantry = (gateway: Gateway, ...args: readonly string[]) =>
  run({ HOME: gateway.folder, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }, args)
const limitOf = async (gateway: Gateway): Promise<unknown> =>
  (await gateway.admin('/admin-api/clients/pcg/tools/get_pcg_graph_info')).json
const limit = (rateLimitPerMin: number | null) =>
  here.admin('/admin-api/clients/pcg/tools/get_pcg_graph_info', {
    method: 'PATCH',
    body: { guards: { rateLimitPerMin } },
  })

beforeAll(async () => {
  ;[here, there] = await Promise.all([
    startGateway({ ...PCG_ENV, ...NEAR }),
    startGateway({ ...PCG_ENV, ...NEAR, [VARIABLE]: SECRET }),
  ])
  const tools = [{ name: 'item', method: 'GET', endpoint: '/items/:id', description: 'Reads one item' }]
  const made = await here.admin('/register', { method: 'POST', body: { name: 'shop', base_url: BASE, tools } })
  expect(made.status, made.text).toBe(200)
  expect((await limit(7)).status).toBe(200)
  expect(await limitOf(here)).toMatchObject({ guards: { rateLimitPerMin: 7 } })
})
afterAll(() => Promise.all([here.end(), there.end()]))

describe('a configuration', () => {
  it('names a secret of an address and does not hold it, in every file and in the plain list', async () => {
    folder = aFolder()
    const whole = await gantry(here, 'config', 'export')
    expect(whole.out).toContain(`v=2&api_key=$${VARIABLE}`)
    const answer = await gantry(here, 'config', 'export', '--dir', folder, '--same-machine')
    const texts = [
      whole.out,
      answer.out,
      ...readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')),
    ]
    for (const text of texts) expect(text).not.toMatch(/s3cr/)
    expect(answer.out).toContain(`the parameter api_key in the base_url of shop goes into ${VARIABLE}`)
    expect(answer.out).toMatch(/needs value +editors\/pcg .*what was set of its tools \(1\) goes along/)
    expect(readFileSync(join(folder, '.env.example'), 'utf8')).toContain(`\n${VARIABLE}=\n`)

    // Where it came from it changes nothing, without the variable; where the variable is, it is the same backend.
    expect(await gantry(here, 'config', 'diff', folder)).toMatchObject({ code: 0, out: 'nothing would change\n' })
    expect(await gantry(there, 'config', 'apply', folder)).toMatchObject({ code: 0, error: '' })
    expect((await there.admin('/admin-api/clients/shop')).json).toMatchObject({ name: 'shop', baseUrl: BASE })
    expect(await gantry(there, 'config', 'diff', folder)).toMatchObject({ code: 0, out: 'nothing would change\n' })
    expect(await limitOf(there)).toMatchObject({ guards: { rateLimitPerMin: 7 } })
  })

  it('brings back what was set of the tools of an editor, and reports a missing editor', async () => {
    const { out } = await gantry(here, 'config', 'snapshot', 'with the limit', '--json')
    const { id } = JSON.parse(out) as { id: number } // what --json is
    await limit(null)
    const back = await gantry(here, 'config', 'rollback', String(id))
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining('/clients/pcg/tools/get_pcg_graph_info') })
    expect(await limitOf(here)).toMatchObject({ guards: { rateLimitPerMin: 7 } })

    const without = JSON.stringify({
      version: 1,
      clients: [{ name: 'another-editor', tools: [{ name: 'get_pcg_graph_info', enabled: false }] }],
    })
    const answer = await here.admin('/admin-api/config/import?confirm=true', {
      method: 'POST',
      body: { data: JSON.parse(without) as unknown, dryRun: true, mode: 'merge', registerClients: true },
    })
    expect(answer.json).toMatchObject({ skipped: [{ type: 'clients', id: 'another-editor' }], changes: [] })
  })

  it('does not make a backend of an editor', async () => {
    const clients = [{ name: 'pcg', registration: { name: 'pcg', base_url: 'http://127.0.0.1:8099' } }]
    const answer = await here.admin('/admin-api/config/import?confirm=true', {
      method: 'POST',
      body: { data: { version: 1, clients }, dryRun: false, mode: 'merge', registerClients: true },
    })
    expect(answer.json).toMatchObject({
      skipped: [{ type: 'clients', id: 'pcg', reason: 'an editor of this gateway has this name' }],
      changes: [],
    })
    expect((await here.admin('/admin-api/clients/pcg')).json).toMatchObject({ kind: 'pcg', live: true })
  })
})

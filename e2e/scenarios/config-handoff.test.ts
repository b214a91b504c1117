// A configuration goes from one gateway into a folder and from there onto another, by the command line: the same surfaces.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, gantry as run } from '../../gateway/client/cli/cli.fixture.ts'
import { reference } from '../../gateway/client/cli/help.ts'
import { make, member, startMall } from './curation.fixture.ts'
import { call, ROOMY, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, type Gateway, startGateway } from './gateway.fixture.ts'

const SEALED = { SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') }
const TOKEN = 'the-token-of-the-bank'

let mall: Awaited<ReturnType<typeof startMall>>
let server: Gateway
let folder: string
beforeAll(async () => {
  mall = await startMall(SEALED)
  server = await startGateway({ ...ROOMY, ...SEALED, GANTRY_SECRET_BANK_TOKEN: TOKEN })
  folder = mkdtempSync(path.join(tmpdir(), 'gantry-handoff-'))
  const { gateway } = mall
  const set = async (method: string, where: string, body: object): Promise<void> => {
    const reply = await gateway.admin(`/admin-api/${where}`, { method, body })
    if (reply.status >= 300) throw new Error(`${where} answered ${reply.status}: ${reply.text}`)
  }
  await set('PUT', 'clients/bank/upstream-auth', { type: 'bearer', token: TOKEN })
  await set('PUT', 'clients/petstore/tags', { tags: ['public'] })
  await set('PATCH', 'clients/petstore/tools/getPetById', {
    guards: { rateLimitPerMin: 500, timeoutMs: 5000 },
    overrides: { displayName: 'pet', description: 'One pet' },
  })
  await set('POST', 'teams', { name: 'Blue' })
  await set('POST', 'consumers', { name: 'ci', monthlyQuota: 1000 })
  await set('POST', 'policies', { name: 'strict', timeoutMs: 5000 })
  const pet = member('petstore', 'getPetById')
  await make(gateway, 'composites', {
    name: 'pet_twice',
    steps: [pet, pet].map(({ client, tool }) => ({
      targetClient: client,
      targetTool: tool,
      argsTemplate: { id: { $ref: 'input.id' } },
    })),
  })
  await make(gateway, 'bundles', {
    name: 'pets',
    tools: [pet, member('bank', 'getPetById')],
    composites: ['pet_twice'],
  })
})
afterAll(async () => {
  await Promise.all([mall.end(), server.end()])
  rmSync(folder, { recursive: true, force: true })
})

const gantry = (args: readonly string[], { url = server.url, key = ADMIN_KEY } = {}): Promise<Ended> =>
  run({ HOME: folder, GANTRY_URL: url, GANTRY_ADMIN_KEY: key }, args)
const json = async (args: readonly string[], where = {}): Promise<unknown> =>
  JSON.parse((await gantry([...args, '--json'], where)).out)

const SURFACES = ['/mcp/petstore', '/mcp/bank', '/mcp-custom/pets']
const surfaces = (gateway: Gateway): Promise<unknown[]> =>
  Promise.all(SURFACES.map(async (where) => (await rpc(gateway, 'tools/list', {}, { path: where })).json))

describe('the folder', () => {
  it('leaves behind what belongs to this machine, and reports it', async () => {
    const { items } = (await json(['config', 'export', '--dir', path.join(folder, 'remote')], mall.gateway)) as {
      items: { section: string; name: string; verdict: string; why: string[] }[]
    }
    expect(items.map(({ section, name, verdict }) => `${section}/${name} ${verdict}`)).toEqual([
      'clients/bank cannot_move',
      'clients/petstore cannot_move',
      'bundles/pets portable',
      'composites/pet_twice cannot_move',
    ])
    expect(readFileSync(path.join(folder, 'remote', 'README.md'), 'utf8')).toContain('a server cannot reach it')
  })

  it('is everything git and a server need, and holds no secret', async () => {
    const reply = await gantry(['config', 'export', '--dir', folder, '--same-machine'], mall.gateway)
    expect(reply).toMatchObject({ code: 0, error: '' })
    const files = readdirSync(folder).filter((file) => file !== 'remote')
    expect(files).toEqual([
      '.env.example',
      '.gitignore',
      'README.md',
      'compose.yaml',
      'gantry.schema.json',
      'gantry.yaml',
    ])
    const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n')
    expect(texts).toContain('GANTRY_SECRET_BANK_TOKEN=')
    expect(texts).not.toContain(TOKEN)
    expect(await gantry(['config', 'validate', folder])).toMatchObject({ code: 0 })
    // Written again it is the same, to the byte.
    await gantry(['config', 'export', '--dir', folder, '--same-machine'], mall.gateway)
    expect(files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n')).toBe(texts)
  })

  it('becomes the same surfaces on an empty server, and a call goes through', async () => {
    expect(await gantry(['config', 'diff', folder])).toMatchObject({
      code: 2,
      out: expect.stringContaining('+ /bundles/pets'),
    })
    expect(await gantry(['config', 'apply', folder, '--dry-run'])).toMatchObject({ code: 0 })
    expect((await server.admin('/admin-api/clients')).json).toEqual({ items: [] })
    expect(await gantry(['config', 'apply', folder])).toMatchObject({ code: 0, error: '' })
    expect(await gantry(['config', 'diff', folder, '--prune'])).toMatchObject({
      code: 0,
      out: 'nothing would change\n',
    })
    expect(await surfaces(server)).toEqual(await surfaces(mall.gateway))
    const [here, there] = [await call(mall.gateway, 'pet', { id: 5 }), await call(server, 'pet', { id: 5 })]
    expect(there.content).toEqual(here.content)
    expect(JSON.stringify(there.content)).toContain('Rex')
    // The secret came from the environment of the server, by its name in the folder.
    const received: unknown[] = []
    mall.bank.answer = ({ headers }, response) => {
      received.push(headers.authorization)
      response.setHeader('content-type', 'application/json').end('{}')
    }
    await call(server, 'getPetById', { id: 5 }, '/mcp/bank')
    expect(received).toEqual([`Bearer ${TOKEN}`])
    const composite = await call(server, 'pet_twice', { id: 5 }, '/mcp-custom/pets')
    expect(composite.isError ?? false).toBe(false)
  })

  it('reports drift with exit code 2, and --prune fixes it', async () => {
    await server.admin('/admin-api/clients/petstore/tools/getPetById', {
      method: 'PATCH',
      body: { guards: { timeoutMs: 1 } },
    })
    await server.admin('/admin-api/consumers', { method: 'POST', body: { name: 'by hand' } })
    const drift = await gantry(['config', 'diff', folder, '--prune'])
    expect(drift.code).toBe(2)
    expect(drift.out).toContain('- /consumers/by hand')
    expect(drift.out).toContain('~ /clients/petstore/tools/getPetById/guards')
    expect((await gantry(['config', 'diff', folder, '--select', 'nothing-has-it'])).code).toBe(0)
    expect((await gantry(['config', 'diff', folder, '--select', 'public'])).out).not.toContain('consumers')
    // Without the limit set by hand calls may take longer: that is confirmed, or nothing changes.
    const refused = await gantry(['config', 'apply', folder, '--prune'])
    expect([refused.code === 0, refused.error]).toEqual([false, expect.stringContaining('timeoutMs')])
    expect((await gantry(['config', 'apply', folder, '--prune', '--confirm'])).code).toBe(0)
    expect((await gantry(['config', 'diff', folder, '--prune'])).code).toBe(0)
    const [last] = (await json(['config', 'snapshots'])) as { id: number; kind: string }[]
    expect(last?.kind).toBe('pre_import')
    expect((await gantry(['config', 'rollback', String(last?.id), '--dry-run'])).out).toContain('+ /consumers/by hand')
  })

  it('comes back into the gateway it came from', async () => {
    // The token is stored there already, and not in its environment: it is kept, and its variable is named.
    const { code, out } = await gantry(['config', 'apply', folder], mall.gateway)
    expect([code, out]).toEqual([1, expect.stringContaining('GANTRY_SECRET_BANK_TOKEN is not set')])
    expect((await mall.gateway.admin('/admin-api/clients/bank/upstream-auth')).json).toMatchObject({ configured: true })
    const whole = path.join(folder, 'whole.json')
    writeFileSync(whole, (await gantry(['config', 'export', '--format', 'json'], mall.gateway)).out)
    expect(await gantry(['config', 'diff', whole, '--prune'], mall.gateway)).toMatchObject({ code: 0 })
  })

  it('is refused by name where it is wrong', async () => {
    const wrong = path.join(folder, 'wrong.yaml')
    writeFileSync(wrong, 'version: 1\nconsumers:\n  - name: ci\n    monthlyQuota: many\n')
    expect(await gantry(['config', 'validate', wrong])).toMatchObject({
      code: 1,
      error: expect.stringContaining('consumers.ci.monthlyQuota'),
    })
    writeFileSync(wrong, 'version: 1\nconsumers: [*everyone]\n')
    expect((await gantry(['config', 'validate', wrong])).code).toBe(1)
    expect((await gantry(['config', 'validate', path.join(folder, 'absent')])).code).toBe(64)
  })
})

describe('a command', () => {
  it('ends with a number that says how', async () => {
    expect(await gantry(['backend', 'fly'])).toMatchObject({ code: 64, error: expect.stringContaining('backend list') })
    expect((await gantry(['backend', 'show'])).code).toBe(64)
    expect((await gantry(['backend', 'list', '--colour'])).code).toBe(64)
    expect((await gantry(['backend', 'list'], { url: 'http://203.0.113.9' })).error).toContain('must be https')
    expect((await gantry(['backend', 'list'], { url: 'http://127.0.0.1:1' })).code).toBe(69)
    expect((await gantry(['backend', 'list'], { key: 'wrong' })).code).toBe(77)
    expect(await gantry(['backend', 'show', 'absent', '--json'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('CLIENT_NOT_FOUND'),
    })
    expect((await gantry(['backend', 'list', '--help'])).out).toContain('--url <address>')
    expect((await gantry([])).out).toContain('config apply')
  })

  it('has the nouns of the application: backends, tools, bundles, keys', async () => {
    expect((await gantry(['backend', 'list'])).out).toMatch(/^name +kind[^]*petstore +rest/)
    expect(await json(['backend', 'disable', 'bank'])).toEqual({ bank: true })
    expect((await gantry(['backend', 'enable', 'bank'])).code).toBe(0)
    expect(await gantry(['tool', 'call', 'petstore__getPetById', '--args', '{"id":5}'])).toMatchObject({ code: 0 })
    expect(await gantry(['tool', 'call', 'petstore__getPetById', '--args', '{}'])).toMatchObject({ code: 1 })
    expect((await gantry(['diagnose', 'petstore', 'getPetById'])).code).toBe(0)
    expect((await gantry(['bundle', 'create', 'one', '--tools', 'petstore__getPetById'])).out).toContain(
      '/mcp-custom/one',
    )
    expect((await gantry(['bundle', 'remove', 'one'])).code).toBe(0)
    expect((await gantry(['key', 'mint', 'of the tests', '--client', 'petstore'])).out).toMatch(/^mcp_\S+\n$/)
    const [key] = (await json(['key', 'list'])) as { id: number; label: string }[]
    expect(key?.label).toBe('of the tests')
    expect(await json(['key', 'revoke', String(key?.id)])).toMatchObject({ active: false })
  })

  it('looks after the gateway: verifies, copies, examines, follows', async () => {
    expect((await gantry(['audit', 'verify'])).out).toMatch(/^intact: \d+ entries \(head key: .+\)\n$/)
    const copy = path.join(folder, 'copy.db')
    expect((await gantry(['backup', copy])).code).toBe(0)
    expect(readFileSync(copy).subarray(0, 15).toString()).toBe('SQLite format 3')
    expect(await gantry(['backup', copy])).toMatchObject({ code: 64 })
    expect(existsSync(copy)).toBe(true)
    // An event happens as soon as a listener is connected.
    const received = gantry(['tail', '--topics', 'audit', '--count', '1', '--json'])
    const ping = setInterval(() => void gantry(['config', 'snapshot', 'tailed']), 200)
    const { code, out } = await received.finally(() => clearInterval(ping))
    expect([code, (JSON.parse(out) as { data: unknown }).data]).toEqual([0, expect.objectContaining({})])
    expect((await gantry(['open', '--print'])).out).toBe(`${new URL('/admin', server.url).href}\n`)
  })

  it('is described in docs/cli.md, and completed by three shells', async () => {
    expect(
      readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8'),
      'run: node gateway/client/cli/docs.ts',
    ).toBe(reference())
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await gantry(['completion', shell])).out).toContain('rediscover')
    const { out } = await gantry(['completion', 'bash'])
    expect(spawnSync('bash', ['-n'], { input: out }).status).toBe(0)
    expect((await gantry(['completion', 'tcsh'])).code).toBe(64)
  })
})

// `gantry doctor` on a machine in good order, and on one where each thing is wrong in turn.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Check } from '../../gateway/client/cli/check.ts'
import { checkNode } from '../../gateway/client/cli/check-machine.ts'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { lack } from '../../gateway/sandbox/sandbox.fixture.ts'
import { ADMIN_KEY, aFolder, type Gateway, startGateway } from './gateway.fixture.ts'

const SEALED = { SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'), REQUIRE_MCP_AUTH: 'true' }
/** What this configuration leaves open, and what this machine may lack. */
const MAY_WARN = ['posture', 'sandbox']
const posix = process.platform !== 'win32'

type Reply = { readonly code: number; readonly checks: readonly Check[] }
async function doctor(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Reply> {
  const { code, out } = await gantry(env, ['doctor', '--json', ...args])
  return { code, checks: JSON.parse(out) as Check[] } // what --json is
}
const of = ({ checks }: Reply, wanted: string): readonly Check[] => checks.filter(({ check }) => check === wanted)

describe('where a gateway runs', () => {
  let gateway: Gateway
  let env: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    gateway = await startGateway(SEALED)
    chmodSync(gateway.folder, 0o700)
    env = { HOME: gateway.folder, USERPROFILE: gateway.folder, GANTRY_ADMIN_KEY: ADMIN_KEY }
  })
  afterAll(() => gateway.end())

  it('all is well, thing by thing, and the exit code agrees', async () => {
    const answer = await doctor(env)
    expect(answer.checks.filter(({ state, check }) => state !== 'ok' && !MAY_WARN.includes(check))).toEqual([])
    expect(of(answer, 'sandbox')).toEqual([
      expect.objectContaining(
        lack === undefined
          ? { state: 'ok', finding: expect.stringContaining('was tried here and holds') }
          : { state: 'warn', finding: expect.stringContaining('"sandbox": "os" of local servers is not available') },
      ),
    ])
    expect(answer.code).toBe(0)
    const things = [...new Set(answer.checks.map(({ check }) => check))]
    expect(things.toSorted()).toEqual([
      'agents',
      'announcement',
      'clock',
      'credential',
      'data folder',
      'database',
      'encryption key',
      'gateway',
      'keys',
      'node',
      'port',
      'posture',
      'room',
      'sandbox',
    ])
    const { out } = await gantry(env, ['doctor'])
    expect(out).toContain(`ok   gateway: ${gateway.url} answers and is ready`)
    expect(out).toMatch(/ok {3}database: .*gantry\.db is sound; schema \d+/)
  })

  it('an agent’s entry with the former address of the gateway is named, with the way to fix it', async () => {
    mkdirSync(join(gateway.folder, '.cursor'))
    const file = join(gateway.folder, '.cursor', 'mcp.json')
    const made = await gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'Cursor' } })
    const { key } = made.json as { key: string } // the answer of the contract
    const entry = { url: 'http://127.0.0.1:1/mcp/shop', headers: { Authorization: `Bearer ${key}` } }
    writeFileSync(file, JSON.stringify({ mcpServers: { 'gantry-shop': entry } }))
    const answer = await doctor(env)
    expect(of(answer, 'agents')).toEqual([
      {
        check: 'agents',
        state: 'warn',
        finding: 'Cursor still asks http://127.0.0.1:1/mcp/shop',
        todo: 'gantry agent move cursor gantry-shop --yes',
      },
    ])
    expect(answer.code).toBe(0)
    rmSync(file)
  })

  it.skipIf(!posix)(
    `a folder that others may look into is reported${posix ? '' : ' (skipped: no POSIX modes)'}`,
    async () => {
      chmodSync(gateway.folder, 0o755)
      const [folder] = of(await doctor(env), 'data folder')
      expect(folder).toMatchObject({ state: 'warn', todo: `Close it: chmod 700 '${gateway.folder}'` })
      chmodSync(gateway.folder, 0o700)
    },
  )

  it('a key that may not ask is a failure, and what it may not see is no guess', async () => {
    const answer = await doctor({ ...env, GANTRY_ADMIN_KEY: 'wrong' })
    expect([answer.code, of(answer, 'credential')]).toEqual([
      1,
      [expect.objectContaining({ state: 'fail', todo: 'Set GANTRY_ADMIN_KEY or --key-file to an admin key.' })],
    ])
    expect(of(answer, 'posture')).toEqual([])
  })
})

describe('where none runs', () => {
  it('what would prevent a start is reported: the holder of the port, the database, the key', async () => {
    const home = aFolder()
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void holder.close())
    const address = holder.address()
    const port = String(typeof address === 'object' && address !== null ? address.port : 0)
    const data = join(home, 'data')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(join(data, 'gantry.db'), 'no database at all')

    const env = { HOME: home, USERPROFILE: home, PORT: port, DATA_DIR: data }
    const answer = await doctor(env)
    expect(answer.code).toBe(69)
    const [held] = of(answer, 'port')
    const linux = process.platform === 'linux'
    expect(held).toMatchObject({
      state: 'fail',
      finding: expect.stringContaining(linux ? `(process ${process.pid})` : 'another program'),
    })
    expect(of(answer, 'database')).toMatchObject([
      { state: 'fail', finding: expect.stringContaining('not a SQLite database') },
    ])
    expect(readFileSync(join(data, 'gantry.db'), 'utf8')).toBe('no database at all')
    expect(of(answer, 'encryption key')).toMatchObject([{ state: 'warn' }])
    // Named, it does not exist either: its port belongs to another program.
    const named = await doctor({ HOME: home, USERPROFILE: home }, '--url', 'http://127.0.0.1:1')
    expect([named.code, of(named, 'port')]).toEqual([69, [expect.objectContaining({ state: expect.any(String) })]])
  })

  it('an invalid setting and a path that is no folder are reported', async () => {
    const home = aFolder()
    writeFileSync(join(home, 'file'), '')
    const env = { HOME: home, USERPROFILE: home, PORT: '0' }
    expect(of(await doctor({ ...env, DATA_DIR: join(home, 'file') }), 'data folder')).toMatchObject([{ state: 'fail' }])
    expect(of(await doctor({ ...env, SECRETS_PROVIDER: 'vault' }), 'settings')).toMatchObject([
      { state: 'fail', finding: expect.stringContaining('SECRETS_PROVIDER') },
    ])
  })

  it('a Node that is too old is named', () => {
    expect(checkNode('22.1.0')).toMatchObject({ state: 'fail', todo: expect.stringContaining('Install Node 24') })
  })
})

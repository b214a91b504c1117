// Agents of this computer by the command line, in a home of their own, on a real gateway.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gantry as run } from '../../gateway/client/cli/cli.fixture.ts'
import { aShop } from './data-plane.fixture.ts'
import { ADMIN_KEY, aFolder } from './gateway.fixture.ts'

it('are shown the change, changed on confirmation, and found again as they are', async () => {
  const { gateway } = await aShop()
  const home = aFolder()
  const file = join(home, '.codex', 'config.toml')
  const before = '# mine\nmodel = "o"\n'
  mkdirSync(join(home, '.codex'))
  writeFileSync(file, before)
  const gantry = (...args: readonly string[]) =>
    run({ HOME: home, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }, args)

  const asked = await gantry('agent', 'connect', 'codex', 'petstore', '--backend')
  expect(asked).toMatchObject({ code: 0, error: '' })
  expect(asked.out).toContain('+ [mcp_servers.gantry-petstore]')
  expect(readFileSync(file, 'utf8')).toBe(before)

  expect((await gantry('agent', 'connect', 'codex', 'petstore', '--backend', '--yes')).out).toContain('Connected.')
  const written = readFileSync(file, 'utf8')
  expect(written.startsWith(before)).toBe(true)
  const key = /Bearer (mcp_[\w-]+)/.exec(written)?.[1] ?? ''
  const tools = { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
  expect((await gateway.ask('/mcp/petstore', { ...tools, headers })).text).toContain('getPetById')
  expect((await gantry('agent', 'list')).out).toMatch(/codex +true +gantry-petstore +connected/)

  // The gateway was elsewhere when it was written.
  writeFileSync(file, written.replace(gateway.url, 'http://127.0.0.1:1'))
  const looked = await gantry('agent', 'move')
  expect(looked.out).toContain(`+ url = "${gateway.url}/mcp/petstore"`)
  expect(looked.out).toContain('say --yes')
  expect(readFileSync(file, 'utf8')).not.toBe(written)
  expect((await gantry('agent', 'move', '--yes')).out).toContain('1 changed.')
  expect(readFileSync(file, 'utf8')).toBe(written)
  expect((await gantry('agent', 'move', '--yes')).out).toBe('none leads to an old address\n')

  expect((await gantry('agent', 'disconnect', 'codex', 'gantry-petstore', '--yes')).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await gateway.ask('/mcp/petstore', { ...tools, headers })).status).toBe(401)
  expect(await gantry('agent', 'disconnect', 'codex', 'gantry-petstore')).toMatchObject({ code: 1 })
  expect((await gantry('agent', 'connect', 'emacs', 'petstore')).error).toContain('an agent is one of claude-code')
})

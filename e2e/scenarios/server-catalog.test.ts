// The server catalogue over HTTP and on the command line, with a registry double: read, cached, offline, and added by a person only.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry as run } from '../../gateway/client/cli/cli.fixture.ts'
import { ADMIN_KEY, aFolder, type Gateway, startGateway } from './gateway.fixture.ts'
import { aServerRegistry, NOTES } from './server-registry.fixture.ts'

const OTHER = { name: 'com.example/weather', description: 'The weather of a place', version: '2.0.0' }
const REMOTE = {
  name: 'com.example/notes-remote',
  version: '2.0.0',
  remotes: [{ type: 'sse', url: 'https://a.example/sse' }],
}
const folder = aFolder(afterAll)
const file = join(folder, 'servers.json')
let registry: Awaited<ReturnType<typeof aServerRegistry>>
let gateway: Gateway
beforeAll(async () => {
  registry = await aServerRegistry([NOTES, OTHER, REMOTE])
  gateway = await startGateway({ SERVER_CATALOG_URL: registry.url, NPM_REGISTRY_URL: registry.url })
})
afterAll(async () => {
  await gateway.end()
  await registry.close()
})

const ROUTE = '/admin-api/server-catalog'
const gantry = (args: readonly string[], answer?: boolean) =>
  run(
    { HOME: folder, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY, LOCAL_SERVERS_FILE: file },
    args,
    ...(answer === undefined ? [] : [async () => answer]),
  )

describe('the server catalog', () => {
  it('lists what the registry has, page by page, and asks once for what it just read', async () => {
    const first = await gateway.admin(ROUTE)
    expect(first.json).toMatchObject({
      items: [
        {
          name: NOTES.name,
          // Another registry than the official one proves nothing.
          publisher: { name: 'ada', proof: 'none' },
          publishedAt: '2026-01-02T03:04:05.000Z',
          packages: [{ kind: 'npm', registry: null, env: [{ name: 'NOTES_TOKEN', secret: true }, {}] }],
        },
        { name: OTHER.name },
      ],
      nextCursor: '2',
      source: { url: registry.url, problem: null },
    })
    const { json: last } = await gateway.admin(`${ROUTE}?cursor=2`)
    expect(last).toMatchObject({ items: [{ name: REMOTE.name, remotes: [{ url: 'https://a.example/sse' }] }] })
    expect(last).not.toHaveProperty('nextCursor')
    const asked = registry.asked.length
    expect((await gateway.admin(ROUTE)).json).toEqual(first.json)
    expect(registry.asked.length).toBe(asked)
    expect(registry.asked[0]).toBe('/v0.1/servers?version=latest&limit=30')
  })

  it('says whether a package has an install script, by its own registry', async () => {
    const { json } = await gateway.admin(`${ROUTE}/entry?name=${encodeURIComponent(NOTES.name)}`)
    expect(json).toMatchObject({ entry: { version: '1.2.0' }, installScripts: ['not_run'] })
    expect((await gateway.admin(`${ROUTE}/entry?name=no.such/server`)).json).toMatchObject({
      error: { code: 'CATALOG_ENTRY_NOT_FOUND' },
    })
  })

  it('is shown from what was read before while the registry does not answer', async () => {
    registry.breaks(true)
    try {
      expect((await gateway.admin(`${ROUTE}?search=weather`)).json).toMatchObject({
        items: [{ name: OTHER.name }],
        source: { problem: 'it answered 503' },
      })
      const { json } = await gateway.admin(`${ROUTE}/entry?name=${encodeURIComponent(NOTES.name)}`)
      expect(json).toMatchObject({ entry: { name: NOTES.name }, source: { problem: 'it answered 503' } })
      const found = await gantry(['servers', 'search', 'reads notes'])
      expect([found.code, found.out]).toEqual([0, expect.stringContaining(NOTES.name)])
      expect(found.error).toContain('this is from the cache')
    } finally {
      registry.breaks(false)
    }
  })

  it('is for superadmins, and no request adds what it lists', async () => {
    expect((await gateway.ask(ROUTE)).status).toBe(401)
    expect((await gateway.admin(ROUTE, { method: 'POST', body: { name: NOTES.name } })).status).toBe(405)
    expect((await gateway.admin('/admin-api/local-servers')).json).toMatchObject({ items: [] })
  })
})

it('the server catalog is off where its setting is false, and the registry is not asked', async () => {
  const off = await startGateway({ SERVER_CATALOG_URL: registry.url, SERVER_CATALOG_ENABLED: 'false' })
  try {
    const asked = registry.asked.length
    for (const path of [ROUTE, `${ROUTE}/entry?name=${encodeURIComponent(NOTES.name)}`])
      expect((await off.admin(path)).json).toMatchObject({
        error: { code: 'NOT_CONFIGURED', message: expect.stringContaining('SERVER_CATALOG_ENABLED') },
      })
    expect(registry.asked.length).toBe(asked)
  } finally {
    await off.stop()
  }
})

describe('gantry servers add --catalog', () => {
  it('shows the publisher, the scripts and the whole command, and adds nothing without agreement', async () => {
    const { code, error } = await gantry(['servers', 'add', 'notes', '--catalog', NOTES.name, '--no-pin'], false)
    expect(code).toBe(1)
    for (const shown of ['ada (not proved)', 'published  2026-01-02', 'has an install script, which is not run'])
      expect(error).toContain(shown)
    expect(error).toContain('arguments ["-y","notes-server@1.2.0","--level","high"]')
    expect(error).toContain('sandbox   os')
    expect(existsSync(file)).toBe(false)
  })

  it('writes the entry that was shown, with the sandbox and the hosts that the person named', async () => {
    const args = ['servers', 'add', 'notes', '--catalog', NOTES.name, '--no-pin', '--hosts', 'api.example.com']
    expect((await gantry([...args, '--', '--dir', 'x'], true)).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      mcpServers: {
        notes: {
          command: 'npx',
          args: ['-y', 'notes-server@1.2.0', '--level', 'high', '--dir', 'x'],
          env: { NOTES_LANG: 'en' },
          secrets: ['NOTES_TOKEN'],
          sandbox: 'os',
          hosts: ['api.example.com'],
        },
      },
    })
    const remote = await gantry(['servers', 'add', 'far', '--catalog', REMOTE.name], true)
    expect([remote.code, remote.error]).toEqual([64, expect.stringContaining('add its URL as a backend')])
  })
})

// Programs of this machine as backends: their calls are ordinary calls, and the file alone says which there are.
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { call, failureOf } from './data-plane.fixture.ts'
import { aGateway } from './gateway.fixture.ts'
import { aHost, listed, program, soon, writeServers } from './local-servers.fixture.ts'

type State = { readonly state: string; readonly reason: string | null; readonly lastOutput: readonly string[] }
const textOf = ({ content }: Awaited<ReturnType<typeof call>>): string => String(content[0]?.text)

describe('local servers [MC-15]', () => {
  it('lists the tools of a program at its path, calls them, and records the calls', async () => {
    const { gateway } = await aHost({ notes: program() })
    expect(await listed(gateway, 'notes')).toContain('echo')
    expect(textOf(await call(gateway, 'echo', { text: 'hello' }, '/mcp/notes'))).toBe('hello')
    await soon(async () => {
      const { json } = await gateway.admin('/admin-api/calls?client=notes')
      expect(json).toMatchObject({ items: [{ client: 'notes', tool: 'echo', outcome: 'success' }] })
    })
    const { json } = await gateway.admin('/admin-api/local-servers/notes')
    expect(json).toMatchObject({ name: 'notes', state: 'idle', reason: null })
    expect((await gateway.admin('/admin-api/clients/notes')).json).toMatchObject({ kind: 'mcp', source: 'program' })
  })

  it('passes the guards: a disabled tool is refused and never sent', async () => {
    const { gateway } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    const body = { enabled: false }
    const made = await gateway.admin('/admin-api/clients/notes/tools/echo', { method: 'PATCH', body })
    expect(made.status).toBe(200)
    const refused = await call(gateway, 'echo', { text: 'hello' }, '/mcp/notes')
    expect(refused.isError).toBe(true)
  })

  it('is cold after a restart of the gateway, and lists its tools from the database', async () => {
    const { gateway, folder, file } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    expect(textOf(await call(gateway, 'echo', { text: 'warm' }, '/mcp/notes'))).toBe('warm')
    await gateway.stop()
    const again = await aGateway({ LOCAL_SERVERS_FILE: file }, folder)
    expect(await listed(again, 'notes')).toContain('echo')
    expect((await again.admin('/admin-api/local-servers/notes')).json).toMatchObject({ state: 'stopped' })
    expect(textOf(await call(again, 'echo', { text: 'again' }, '/mcp/notes'))).toBe('again')
  })

  it('follows the file: a new entry is there, one that is gone is not', async () => {
    const { gateway, file } = await aHost({ one: program() })
    await listed(gateway, 'one')
    writeServers(file, { two: program() })
    expect(await listed(gateway, 'two')).toContain('echo')
    await soon(async () => expect((await gateway.admin('/admin-api/local-servers/one')).status).toBe(404))
    expect((await gateway.admin('/admin-api/clients/one')).json).toMatchObject({ live: false })
    expect((await gateway.admin('/admin-api/clients/one', { method: 'DELETE' })).status).toBe(204)
    expect((await gateway.admin('/admin-api/clients/two', { method: 'DELETE' })).status).toBe(400)
  })

  it('does not use a file that others may write, and keeps what runs', async () => {
    const { gateway, file } = await aHost({ one: program() })
    await listed(gateway, 'one')
    writeServers(file, { one: program(), two: program() })
    chmodSync(file, 0o666)
    await soon(async () =>
      expect((await gateway.admin('/admin-api/local-servers')).json).toMatchObject({
        items: [{ name: 'one' }],
        problems: [{ message: expect.stringContaining('others may write it') }],
      }),
    )
    expect((await gateway.admin('/admin-api/clients/two')).status).toBe(404)
  })

  it('takes a secret that the file declares, seals it, and gives it to the next start only there', async () => {
    const { gateway } = await aHost(
      { notes: program('good', { secrets: ['TOKEN'] }) },
      { SECRET_ENCRYPTION_KEY: 'ab'.repeat(32) },
    )
    await soon(async () => {
      const { json } = await gateway.admin('/admin-api/local-servers/notes')
      expect((json as State).reason).toContain('the secret TOKEN is not set')
    })
    const put = (key: string, value = 'tok-55667788') =>
      gateway.admin(`/admin-api/local-servers/notes/secrets/${key}`, { method: 'PUT', body: { value } })
    expect((await put('NODE_OPTIONS')).status).toBe(404)
    expect((await put('TOKEN')).json).toMatchObject({ secrets: [{ name: 'TOKEN', isSet: true }] })
    await listed(gateway, 'notes')
    const env = textOf(await call(gateway, 'env', {}, '/mcp/notes'))
    expect(env).toContain('"TOKEN"')
    // It was given, and what comes back is masked.
    expect(env).not.toContain('tok-55667788')
    const shown = await gateway.admin('/admin-api/local-servers')
    const exported = await gateway.admin('/admin-api/config/export')
    expect(shown.text + exported.text + gateway.output()).not.toContain('tok-55667788')
    expect(exported.text).not.toContain(process.execPath)
  })

  it('says why one does not start, in the record and in the failure of a call, and restarts it', async () => {
    const { gateway } = await aHost({ notes: program() })
    await listed(gateway, 'notes')
    const died = await call(gateway, 'die', {}, '/mcp/notes')
    expect(failureOf(died)).toMatchObject({ kind: 'network' })
    expect(textOf(died)).toContain('it ended with code 7. Last output: Fatal: it is over')
    const down = { status: 'unreachable', lastError: expect.stringContaining('it ended with code 7') }
    await soon(async () => expect((await gateway.admin('/admin-api/clients/notes')).json).toMatchObject(down))
    const restarted = await gateway.admin('/admin-api/local-servers/notes/restart', { method: 'POST' })
    expect(restarted.json).toMatchObject({ state: 'idle', reason: null })
    expect((await gateway.admin('/admin-api/clients/notes')).json).toMatchObject({ status: 'healthy' })
    const stopped = await gateway.admin('/admin-api/local-servers/notes/stop', { method: 'POST' })
    expect(stopped.json).toMatchObject({ state: 'stopped', processes: [] })
  })
})

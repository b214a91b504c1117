// Local servers in containers of a real engine: by digest, with what was declared and nothing else, and with no container left after any end. Long mode: GANTRY_FUZZ_RUNS starts and stops.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { EXIT } from '../../gateway/client/cli/exit.ts'
import { readLocalServers } from '../../gateway/contract/local-servers.ts'
import { ownMarker } from '../../gateway/instance/marker.ts'
import { containerName } from '../../gateway/sandbox/container.ts'
import { type RealEngine, realEngine } from './containers.fixture.ts'
import { call } from './data-plane.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'
import { commandsWith, listed, soon, writeServers } from './local-servers.fixture.ts'

const found = process.platform === 'linux' ? await realEngine() : 'no container engine: only on Linux'
const where = typeof found === 'string' ? `skipped: ${found}` : 'podman'
if (typeof found === 'string') process.stdout.write(`${where}\n`)
const CYCLES = Math.min(500, Number(process.env['GANTRY_FUZZ_RUNS'] ?? 3))
const SECRET = `tok-${randomUUID()}`

describe.skipIf(typeof found === 'string')(`a container (${where})`, () => {
  const engine = found as RealEngine // else skipped
  let gateway: GatewayProcess
  let folder = ''
  let file = ''
  let project = ''
  const image = (tag: '1.0' | '1.1'): string => `${engine.address}/notes@${engine.digests[tag]}`
  const container = (more: object = {}): object => ({
    command: image('1.0'),
    sandbox: 'container',
    memoryMb: 64,
    ...more,
  })
  const env = () => ({
    ...engine.env,
    LOCAL_SERVERS_FILE: file,
    SECRET_ENCRYPTION_KEY: 'ab'.repeat(32),
    RATE_LIMIT_MCP: '1000000',
  })
  const cli = (args: readonly string[], ...answers: readonly boolean[]) => {
    const left = [...answers]
    return gantry({ ...env(), TOKEN: SECRET }, ['servers', ...args], async () => left.shift() === true)
  }
  const run = async (code: string, name = 'notes'): Promise<string> => {
    const { content, ...rest } = await call(gateway, 'run', { code }, `/mcp/${name}`)
    return content?.[0]?.text ?? JSON.stringify(rest)
  }
  const report = async (name: string) =>
    (await gateway.admin(`/admin-api/local-servers/${name}`)).json as {
      readonly state: string
      readonly reason: string | null
      readonly processes: readonly { readonly pid: number }[]
    }
  const stop = (name: string) => gateway.admin(`/admin-api/local-servers/${name}/stop`, { method: 'POST' })
  const none = () => soon(async () => expect(await engine.names()).toEqual([]))

  beforeAll(async () => {
    folder = join(engine.folder, 'gateway')
    project = join(engine.folder, 'project')
    for (const each of [folder, project]) mkdirSync(each)
    file = join(folder, 'servers.json')
  })
  afterAll(async () => {
    await gateway?.end()
    await none()
    await engine.end()
  })

  it('named by its tag is fetched, started once without effect, and written by the digest of its registry', async () => {
    const value = container({
      command: `${engine.address}/notes:1.0`,
      args: [join(project, 'started')],
      folders: [project],
      secrets: ['TOKEN'],
      env: { LEVEL: 'high', HOME: '/tmp' },
    })
    const add = ['add', 'notes', '--entry', JSON.stringify(value)]
    const { code, error } = await cli(add, true, true, true)
    expect([code, error]).toEqual([EXIT.ok, expect.stringContaining('tool      of-1.0')])
    const command = () => readLocalServers(readFileSync(file, 'utf8')).entries.get('notes')?.command
    expect(command()).toBe(image('1.0'))
    expect(existsSync(join(project, 'started'))).toBe(false)
    expect(await engine.names()).toEqual([])
    const { error: change } = await cli(['update', 'notes', '--to', '1.1'], true)
    expect(change).toContain(`${image('1.0')} → ${image('1.1')}`)
    expect(change).toMatch(
      /Tools added: of-1\.1\n.*Tools removed: of-1\.0\n.*Tools changed: run\n.*LEVEL, HOME, TOKEN/s,
    )
    expect(command()).toBe(image('1.1'))
    expect((await cli(['update', 'notes'])).out).toContain('already runs')
    expect((await cli(['rollback', 'notes'])).code).toBe(EXIT.ok)
    expect(command()).toBe(image('1.0'))
    expect(await engine.names()).toEqual([])
    const missing = ['add', 'other', '--entry', JSON.stringify(container({ command: `${engine.address}/notes:9` }))]
    expect((await cli(missing, true)).error).toContain('manifest unknown')
  })

  it('answers calls of the gateway, with what was declared and nothing else', async () => {
    gateway = await spawnGateway(env(), folder)
    await gateway.admin('/admin-api/local-servers/notes/secrets/TOKEN', { method: 'PUT', body: { value: SECRET } })
    expect(await listed(gateway, 'notes')).toEqual(expect.arrayContaining(['run']))
    const names = (await run('compgen -e')).split(' ')
    expect(names).toEqual(expect.arrayContaining(['LEVEL', 'TOKEN']))
    const ofEngine = ['PATH', 'TERM', 'HOSTNAME', 'container', 'PWD', 'OLDPWD', 'SHLVL', '_']
    expect(names.filter((name) => !['LEVEL', 'HOME', 'TOKEN', ...ofEngine].includes(name))).toEqual([])
    expect(await run('echo $LEVEL $HOME ${#TOKEN}')).toBe(`high /tmp ${SECRET.length}`)
    const [name = ''] = await engine.names()
    const created = await engine.podman('inspect', '--format', '{{json .Config.CreateCommand}}', name)
    expect(created).toContain('--env=TOKEN')
    expect(created).not.toContain(SECRET)
    expect(commandsWith(SECRET)).toEqual([])

    expect(readFileSync(join(project, 'started'), 'utf8')).toBe('started\n')
    expect(await run(`echo written > ${project}/note; echo * /*`)).toMatch(/ \/server /)
    expect(readFileSync(join(project, 'note'), 'utf8')).toBe('written\n')
    expect(await run('echo x > /server')).toContain('Read-only file system')
    for (const hidden of [file, '/etc/passwd', engine.env.CONTAINERS_CONF])
      expect([hidden, await run(`[ -e ${hidden} ] && echo seen || echo hidden`)]).toEqual([hidden, 'hidden'])

    const [host, port] = engine.address.split(':')
    expect(await run(`exec 3<>/dev/tcp/${host}/${port}; echo $?`)).toContain('1')
    const links = await run('while read -r a b; do echo $a; done < /proc/net/dev')
    expect(links.match(/\b[a-z]+\d*:/g)).toEqual(['lo:'])
  })

  it('is ended by its engine when it holds more memory than its limit, and the failure names the limit', async () => {
    const answer = await run('x=1234567890; while :; do x=$x$x; done')
    expect(answer).toContain('more memory than its limit (memoryMb)')
    await soon(async () => expect((await report('notes')).state).toBe('failed'))
    expect(await engine.names()).toEqual([])
    expect(await run('echo again')).toBe('again')
  })

  it(`leaves nothing when it is stopped (${CYCLES} times; long mode: GANTRY_FUZZ_RUNS), nor when the client is killed`, async () => {
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      expect(await run('echo here')).toBe('here')
      await stop('notes')
      expect(await engine.names()).toEqual([])
    }
    writeServers(file, {
      rude: container({ args: ['', 'stubborn'] }),
      ...Object.fromEntries(faults().map(([name, entry]) => [name, entry])),
    })
    await listed(gateway, 'rude')
    const [client] = (await report('rude')).processes
    process.kill(client?.pid ?? 0, 'SIGKILL')
    await soon(async () => expect((await report('rude')).state).toBe('failed'))
    expect(await engine.names()).toEqual([])
    expect(await run('echo again', 'rude')).toBe('again')
  }, 600_000)

  const faults = (): [string, object, string][] => [
    ['gone', container({ command: `${engine.address}/notes@sha256:${'d'.repeat(64)}` }), 'no such image'],
    ['down', container({ command: `127.0.0.1:1/notes@sha256:${'d'.repeat(64)}` }), 'could not be reached'],
    ['bare', container({ folders: [join(engine.folder, 'missing')] }), 'a folder of folders does not exist'],
    ['wide', container({ folders: [engine.folder] }), 'contains your home or the data of the gateway'],
    ['taken', container({ secrets: ['DOCKER_HOST'] }), 'it needs another name'],
  ]

  it('that cannot start says why', async () => {
    await gateway.admin('/admin-api/local-servers/taken/secrets/DOCKER_HOST', { method: 'PUT', body: { value: 'x' } })
    for (const [name, , why] of faults())
      await soon(async () => expect(`${name}: ${(await report(name)).reason}`).toContain(why))
    // That of another server.
    expect(await engine.names()).toHaveLength(1)
  })

  it('of a gateway that is killed is removed, and what another left by the next gateway; without the registry', async () => {
    engine.endRegistry()
    expect(await run('echo here', 'rude')).toBe('here')
    expect(await engine.names()).toHaveLength(1)
    await gateway.end()
    await none()
    const [pid, ...others] = (await ownMarker()).split(':')
    const left = containerName(['4194304', ...others].join(':'), 1)
    const used = containerName([pid, ...others].join(':'), 1)
    for (const name of [left, used, 'unrelated'])
      await engine.podman('create', '--network=none', `--name=${name}`, image('1.0'))
    gateway = await spawnGateway(env(), folder)
    await soon(async () => expect(await engine.names()).not.toContain(left))
    const names = await engine.names()
    expect(names).toEqual(expect.arrayContaining([used, 'unrelated']))
    for (const name of [used, 'unrelated']) await engine.podman('rm', '--force', name)
    await gateway.stop()
  })
})

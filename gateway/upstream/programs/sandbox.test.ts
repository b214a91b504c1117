// The levels of the sandbox: what `os` keeps a hostile server from, what is refused without it, and the command line of a container.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSocket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalServerEntry, readLocalServers } from '../../contract/local-servers.ts'
import { listening } from '../../net/listening.fixture.ts'
import { createOutbound } from '../../net/outbound.ts'
import { containerOf } from '../../sandbox/container.ts'
import { osSystem, wrapOs } from '../../sandbox/os.ts'
import { installationOf } from '../../sandbox/program.ts'
import { DOES_NOTHING, doubleOf, lack } from '../../sandbox/sandbox.fixture.ts'
import { seatbelt } from '../../sandbox/seatbelt.ts'
import { somePrograms } from './programs.fixture.ts'
import { MARKER } from './watchdog.ts'

const onLinux = process.platform === 'linux'
const where = lack === undefined ? (onLinux ? 'bubblewrap' : 'Seatbelt') : `skipped: ${lack}`
const linuxOnly = onLinux ? '' : ' (skipped: only Linux has it)'

/** In the home of this user, which is hidden. */
const home = mkdtempSync(path.join(tmpdir(), 'gantry-home-'))
const hidden = path.join(home, 'data')
const store = path.join(hidden, 'servers')
const shared = path.join(home, 'project')
const outside = path.join(home, 'written-outside')
/** Of the entry: what is in it must not make its sandbox. */
const bin = path.join(shared, 'bin')
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Its tool runs the text as JavaScript and answers with what it returns: as hostile as a server can be. */
const SERVER = `
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') send(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'evil', version: '1' } })
  if (method === 'tools/call') {
    let text
    try { text = String(await new (Object.getPrototypeOf(async () => {}).constructor)('require', params.arguments.code)(require)) }
    catch (error) { text = 'failed: ' + (error.code ?? error.cause?.code ?? error.message) }
    send(id, { content: [{ type: 'text', text }] })
  }
})
`

const outbound = createOutbound({ allowPrivate: true, connections: 1, resolve: async () => ['127.0.0.1'] })
const web = createServer((_request, response) => response.end('through the door'))
let port = 0
const programs = somePrograms({
  host: { PATH: process.env['PATH'], HOME: home, SSH_AUTH_SOCK: '/run/agent' },
  home,
  store,
  hidden: [hidden],
  pin: outbound.pin,
  secretOf: async () => 'sec-11223344',
})

async function run(code: string, timeoutMs = 60_000): Promise<string> {
  const answer = await programs.connectionOf('evil').request({
    method: 'tools/call',
    params: { name: 'run', arguments: { code } },
    timeoutMs,
    maxBytes: 1_000_000,
    maxDepth: 64,
  })
  if (!('result' in answer)) return JSON.stringify(answer)
  const { content } = answer.result as { content: { text: string }[] }
  return content[0]?.text ?? ''
}

describe.skipIf(lack !== undefined)(`a hostile server in the sandbox of the operating system (${where})`, () => {
  beforeAll(async () => {
    await mkdir(path.join(home, '.ssh'), { recursive: true })
    await mkdir(store, { recursive: true, mode: 0o700 })
    await mkdir(shared)
    writeFileSync(path.join(home, '.ssh', 'id_test'), 'the private key')
    writeFileSync(path.join(hidden, 'gantry.db'), 'the database')
    writeFileSync(path.join(shared, 'server.cjs'), SERVER)
    await mkdir(bin)
    doubleOf(bin, 'bwrap', DOES_NOTHING.bubblewrap)
    ;({ port } = await listening(web))
    const entry = LocalServerEntry.parse({
      command: process.execPath,
      args: [path.join(shared, 'server.cjs')],
      sandbox: 'os',
      folders: [shared],
      hosts: [`listed.test:${port}`],
      secrets: ['TOKEN'],
      env: { PATH: `${bin}:${process.env['PATH']}`, BASH_ENV: doubleOf(bin, 'profile', 'exit 1').file },
    })
    await programs.put('evil', entry, undefined)
  })
  afterAll(async () => {
    await programs.closeAll()
    await outbound.close()
    web.close()
  })

  it('starts, answers, and has its own home', async () => {
    expect(await run('return process.env.HOME')).toBe(path.join(store, 'folders', 'evil'))
    expect(await run('return process.env.TOKEN')).toBe('sec-11223344')
    expect(programs.report('evil')).toMatchObject({ state: 'idle', reason: null, file: process.execPath })
  })

  it('has its PATH, which is not where what makes its sandbox is looked for', async () => {
    expect(await run('return process.env.PATH')).toMatch(bin)
    expect(['bwrap.log', 'profile.log'].map((name) => existsSync(path.join(bin, name)))).toEqual([false, false])
  })

  it('writes to its own and the declared folder, and nowhere else', async () => {
    const write = (file: string) => run(`require('fs').writeFileSync(${JSON.stringify(file)}, 'x'); return 'written'`)
    expect(await write(path.join(shared, 'a'))).toBe('written')
    expect(readFileSync(path.join(shared, 'a'), 'utf8')).toBe('x')
    expect(await write(path.join(store, 'folders', 'evil', 'a'))).toBe('written')
    for (const file of ['/etc/gantry-escape', '/usr/bin/gantry-escape', outside, path.join(hidden, 'other.db')])
      expect([file, await write(file), existsSync(file) && readFileSync(file, 'utf8') === 'x']).toEqual([
        file,
        expect.stringMatching(/^failed: (?:EROFS|EACCES|EPERM|ENOENT)|^written$/),
        false,
      ])
  })

  it('reads neither the keys of its user nor the data of the gateway, nor other processes', async () => {
    const read = (file: string) => run(`return require('fs').readFileSync(${JSON.stringify(file)}, 'latin1')`)
    for (const file of [path.join(home, '.ssh', 'id_test'), path.join(hidden, 'gantry.db')])
      expect(await read(file)).toMatch(/^failed: (?:ENOENT|EACCES|EPERM)/)
    expect(await run(`return require('fs').existsSync('/proc/${process.pid}/environ')`)).toBe('false')
    // On Linux it has its own process numbers.
    if (!onLinux) expect(await run(`process.kill(${process.pid}, 0); return 'reached'`)).toMatch(/^failed: EPERM/)
  })

  it('has no variable of the session, and connects to none of its sockets', async () => {
    const names = await run('return Object.keys(process.env).join()')
    expect(names).not.toMatch(/SSH_AUTH_SOCK|DBUS|XDG|DISPLAY|WAYLAND/)
    const agent = createSocket((socket) => socket.end())
    // In a folder that it sees; and, on Linux, without a file at all.
    const sockets = [path.join(shared, 'agent'), ...(onLinux ? [`\0gantry-test-${process.pid}`] : [])]
    for (const at of sockets) {
      await new Promise<void>((resolve) => agent.listen(at, resolve))
      expect(
        await run(
          `return new Promise((resolve) => require('net').connect(${JSON.stringify(at)}).once('connect', () => resolve('connected')).once('error', (error) => resolve('failed: ' + error.code)))`,
        ),
      ).toMatch(/^failed/)
      await new Promise((resolve) => agent.close(resolve))
    }
  })

  it.skipIf(!onLinux)(`has a memory shared with none, and calls that reach nothing around it${linuxOnly}`, async () => {
    const ipc = readlinkSync('/proc/self/ns/ipc')
    expect(await run(`return require('fs').readlinkSync('/proc/self/ns/ipc')`)).not.toBe(ipc)
    if (!existsSync('/usr/bin/python3')) return
    const calls = {
      x64: { add_key: 248, keyctl: 250, ptrace: 101, unshare: 272, io_uring_setup: 425 },
      arm64: { add_key: 217, keyctl: 219, ptrace: 117, unshare: 97, io_uring_setup: 425 },
    }[process.arch === 'arm64' ? 'arm64' : 'x64']
    // Its own key ring; the first process, as a tracer; a nested user namespace.
    const words = {
      add_key: "b'user', b'a', b'b', 1, -3",
      keyctl: '0, -3, 1',
      ptrace: '16, 1, 0, 0',
      unshare: '0x10000000',
      io_uring_setup: '1, ctypes.create_string_buffer(256)',
    }
    const code = Object.entries(words).map(
      ([name, given]) =>
        `print('${name}', libc.syscall(${calls[name as keyof typeof calls]}, ${given}), ctypes.get_errno())`,
    )
    const script = ['import ctypes', 'libc = ctypes.CDLL(None, use_errno=True)', ...code].join('\n')
    const out = await run(
      `return require('child_process').spawnSync('/usr/bin/python3', ['-c', ${JSON.stringify(script)}], { encoding: 'utf8' }).stdout`,
    )
    expect(out.trim().split('\n')).toEqual(Object.keys(words).map((name) => `${name} -1 1`))
  })

  it('reaches a listed host through the door, and neither another one nor the metadata address', async () => {
    const get = (url: string) => run(`return (await fetch(${JSON.stringify(url)})).text()`)
    expect(await get(`http://listed.test:${port}/`)).toBe('through the door')
    expect(await get(`http://other.test:${port}/`)).not.toBe('through the door')
    expect(programs.report('evil')?.network).toEqual([
      expect.objectContaining({ host: 'listed.test', refused: null }),
      expect.objectContaining({ host: 'other.test', refused: 'it is not in hosts of this server' }),
    ])
    const direct = (host: string, at: number) =>
      run(
        `return new Promise((resolve) => require('net').connect(${at}, '${host}').once('connect', () => resolve('connected')).once('error', (error) => resolve('failed: ' + error.code)))`,
      )
    expect(await direct('169.254.169.254', 80)).toMatch(/^failed/)
    expect(await direct('127.0.0.1', port)).toMatch(/^failed/)
  })

  it.skipIf(!onLinux)(
    `opens no raw socket and no Unix socket, and shows no hidden folder as root of its namespace${linuxOnly}`,
    async () => {
      const socket = (kind: string) =>
        run(
          `return require('child_process').spawnSync('/usr/bin/python3', ['-c', 'import socket; socket.socket(socket.${kind})']).status`,
        )
      if (existsSync('/usr/bin/python3')) {
        // An ordinary one opens, so the others fail for what they are.
        expect(await socket('AF_INET, socket.SOCK_STREAM')).toBe('0')
        for (const kind of ['AF_INET, socket.SOCK_RAW, 1', 'AF_PACKET, socket.SOCK_RAW', 'AF_UNIX, socket.SOCK_STREAM'])
          expect([kind, await socket(kind)]).toEqual([kind, '1'])
      }
      expect(await run(`return require('child_process').spawnSync('unshare', ['-Ur', 'true']).status`)).not.toBe('0')
      // It may be root in a namespace of its own; what hides a folder is locked there.
      for (const folder of [home, '/tmp', '/'])
        await run(`require('child_process').spawnSync('umount', ['-l', ${JSON.stringify(folder)}])`)
      expect(await run(`return require('fs').existsSync(${JSON.stringify(path.join(home, '.ssh', 'id_test'))})`)).toBe(
        'false',
      )
      expect(existsSync('/etc/gantry-escape')).toBe(false)
    },
  )

  it.skipIf(!onLinux)(
    `ends with all that it started when it is stopped: what forks without end, and what leaves its group${linuxOnly}`,
    async () => {
      // Root could fill the machine.
      const most = process.getuid?.() === 0 ? 300 : 1_000_000
      const fork = `setsid sh -c 'n=0; while [ $n -lt ${most} ]; do n=$((n+1)); sleep 1000 & done' >/dev/null 2>&1 &`
      await run(
        `require('child_process').spawn('sh', ['-c', ${JSON.stringify(fork)}], { detached: true, stdio: 'ignore' }).unref()`,
      )
      await vi.waitFor(() => expect(marked().length).toBeGreaterThan(50), { timeout: 60_000 })
      // The system limits the processes of no root.
      if (process.getuid?.() !== 0) expect(marked().length).toBeLessThan(700)
      await programs.stop('evil')
      await vi.waitFor(() => expect(marked()).toEqual([]), { timeout: 60_000 })
    },
  )

  it('of 100 MB in one line costs the calls that wait, and no later one', async () => {
    const flood = `process.stdout.write('{"x":"' + 'y'.repeat(100_000_000) + '"}\\n'); return 'after'`
    await expect(run(flood)).rejects.toThrow('exceeds the limit')
    expect(await run('return 1')).toBe('1')
  })
})

const marked = (): readonly string[] =>
  spawnSync(
    'grep',
    ['-l', '-s', '-a', '-F', `${MARKER}=${process.pid}:`, '-r', '--include=environ', '/proc', '--exclude-dir=task'],
    { encoding: 'utf8' },
  )
    .stdout.split('\n')
    .filter(Boolean)

describe('the sandbox of the operating system', () => {
  const program = { file: process.execPath, args: [], env: {}, cwd: '/' }
  const sandbox = { own: '/a', writable: [], readable: [], hidden: [], home: '/nonexistent', door: undefined }

  it('is refused where it does not exist, and nothing is started with less', async () => {
    await expect(osSystem('win32')).rejects.toThrow('it is built for Linux and macOS')
    await expect(seatbelt('/nonexistent/sandbox-exec')).rejects.toThrow('/nonexistent/sandbox-exec is missing')
    vi.stubEnv('PATH', '/nonexistent')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(osSystem('linux')).rejects.toThrow(/bubblewrap \(bwrap\) and socat and bash must be installed/)
  })

  it('is refused where it limits nothing, which is tried once', async () => {
    const { file, log } = doubleOf(home, 'sandbox-exec', DOES_NOTHING.seatbelt)
    const system = await seatbelt(file)
    const found =
      'not available: the sandbox of this machine let a program write outside its folder and reach a file that is hidden and connect to this machine without its door. It is not started without it'
    await expect(wrapOs(program, sandbox, system)).rejects.toThrow(found)
    await expect(wrapOs(program, sandbox, system)).rejects.toThrow(found)
    expect(readFileSync(log, 'utf8')).toBe('run\n')
  })

  it.skipIf(!onLinux || lack !== undefined)(`is refused where bubblewrap limits nothing (${where})`, async () => {
    const folder = path.join(home, 'double')
    await mkdir(folder)
    doubleOf(folder, 'bwrap', DOES_NOTHING.bubblewrap)
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(wrapOs(program, sandbox)).rejects.toThrow('let a program write outside its folder')
  })

  it('is refused where it lets nothing work, with what it wrote', async () => {
    const { file } = doubleOf(home, 'broken', 'echo "setting up uid map: Permission denied" >&2; exit 1')
    await expect(wrapOs(program, sandbox, await seatbelt(file))).rejects.toThrow(
      'a program could not write to its folder and could not read a declared folder and did not reach its door (setting up uid map: Permission denied)',
    )
  })

  it('sees the installation of its program, but never a home', () => {
    expect(installationOf('/usr/bin/env', '/home/a')).toEqual(expect.arrayContaining(['/usr/bin']))
    const bin = path.join(home, 'bin')
    rmSync(bin, { recursive: true, force: true })
    spawnSync('mkdir', [bin])
    writeFileSync(path.join(bin, 'tool'), '')
    expect(installationOf(path.join(bin, 'tool'), home)).toEqual([bin])
  })
})

describe('an entry with a sandbox', () => {
  const digest = `ghcr.io/a/b@sha256:${'a'.repeat(64)}`
  it.each([
    [{ command: 'x', sandbox: 'group', hosts: ['a.example'] }, 'limit nothing without'],
    [{ command: 'x', sandbox: 'os', hosts: ['https://a.example/'] }, 'must be a host'],
    [{ command: 'x', sandbox: 'os', folders: ['relative'] }, 'must be an absolute path'],
    [{ command: 'ghcr.io/a/b:latest', sandbox: 'container' }, 'an image by its digest'],
    [{ command: digest, sandbox: 'container', hosts: ['a.example'] }, 'a container has no network'],
  ])('%j is refused', (entry, message) => {
    expect(readLocalServers(JSON.stringify({ mcpServers: { a: entry } })).problems.get('a')).toContain(message)
  })

  it('of a container is the command line of the engine, with names of variables and no values', async () => {
    const named = { command: digest, args: ['--x'], sandbox: 'container', folders: ['/data'], secrets: ['TOKEN'] }
    const entry = LocalServerEntry.parse({ ...named, env: { HOME: '/tmp', LD_PRELOAD: '/x.so', LEVEL: 'high' } })
    const env = { HOME: '/tmp', LD_PRELOAD: '/x.so', LEVEL: 'high', TOKEN: 'sec-1', LANG: 'C' }
    const given = {
      entry,
      program: { file: digest, args: [], env, cwd: '/' },
      name: 'gantry.1',
      host: {
        HOME: '/home/ada',
        DOCKER_HOST: 'unix:///d',
        HTTPS_PROXY: 'http://ada:pw@proxy',
        SECRET_ENCRYPTION_KEY: 'k',
      },
      find: async (name: string) => (name === 'docker' ? '/usr/bin/docker' : undefined),
      isDry: false,
    }
    const { program, remove } = await containerOf(given)
    expect(program.file).toBe('/usr/bin/docker')
    // What the engine itself would read is in the arguments, and no secret is.
    expect(program.args.slice(-7)).toEqual([
      '--mount=type=bind,source=/data,target=/data',
      '--env=HOME=/tmp',
      '--env=LD_PRELOAD=/x.so',
      '--env=LEVEL',
      '--env=TOKEN',
      digest,
      '--x',
    ])
    expect(program.args).toEqual(expect.arrayContaining(['--network=none', '--cap-drop=ALL', '--read-only']))
    expect(program.args.join()).not.toContain('sec-1')
    const engine = { HOME: '/home/ada', DOCKER_HOST: 'unix:///d' }
    expect(program.env).toEqual({ ...engine, LEVEL: 'high', TOKEN: 'sec-1' })
    expect(remove).toEqual({ file: '/usr/bin/docker', args: ['rm', '--force', 'gantry.1'], cwd: '/', env: engine })
    await expect(containerOf({ ...given, find: async () => undefined })).rejects.toThrow('neither podman nor docker')
    const taken = { ...entry, secrets: ['DOCKER_HOST'] }
    await expect(containerOf({ ...given, entry: taken })).rejects.toThrow('the secret DOCKER_HOST')
  })
})

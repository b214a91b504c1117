// The gateway as a process: how it starts, what it refuses, what it prints, how it stops, what survives.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ADMIN_KEY,
  addUser,
  aFolder,
  aGateway,
  FIRST_ADMIN,
  onLinux,
  passwordOf,
  signIn,
  unlessLinux,
} from './gateway.fixture.ts'
import { aGatewayProcess, DEAR_PASSWORDS, type Exit, refusedStart, spawnGateway } from './gateway-process.fixture.ts'

const TERMINAL = '/usr/bin/script'
const printed = ({ stdout, stderr }: Exit): string => stdout + stderr

describe('a start that is refused', () => {
  // cites: ct.17.refusal-form ct.17.strict
  it.each([
    ['AUTH_DISABLED', { AUTH_DISABLED: 'true' }],
    ['SESSION_COOKIE_SECURE', { SESSION_COOKIE_SECURE: 'false' }],
    ['JWT_AUDIENCE', { JWT_JWKS_URL: 'https://id.example/keys' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'true' }],
    ['KMS_ADDR', { SECRETS_PROVIDER: 'kms', KMS_TOKEN: 'a-token' }],
    ['SECRETS_PROVIDER', { SECRETS_PROVIDER: 'vault' }],
    ['BOOTSTRAP_ADMIN_PASSWORD', { BOOTSTRAP_ADMIN_USERNAME: 'root', BOOTSTRAP_ADMIN_PASSWORD: 'elevenchars' }],
    ['MAX_SESSIONS', { MAX_SESSIONS: '0', STRICT_CONFIG: 'production' }],
  ])('names %s in one line and exits 78 (security case JW-05)', async (name, env: Record<string, string>) => {
    const exit = await refusedStart({ ...FIRST_ADMIN, ...env })
    expect(exit.code).toBe(78)
    const received = printed(exit)
      .split('\n')
      .filter((line) => line.startsWith('fatal: '))
    expect(received).toEqual([expect.stringMatching(new RegExp(`^fatal: ${name}\\b`))])
    expect(printed(exit)).not.toContain('listening')
  })
})

describe('a start', () => {
  it('prints one line, on a free port of the host [ct.3.start-line ct.17.port-zero ct.17.effect.host gw.setting.port]', async () => {
    const gateway = await aGatewayProcess({ HOST: '127.0.0.2' })
    const lines = gateway
      .output()
      .split('\n')
      .filter((line) => line.includes('listening on'))
    expect(lines).toEqual([expect.stringMatching(/^gantry \d+\.\d+\.\d+\S* listening on http:\/\/127\.0\.0\.2:\d+$/)])
    expect((await gateway.ask('/health')).status).toBe(200)
    const port = Number(new URL(gateway.url).port)
    const elsewhere = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve('open'))
      socket.on('error', () => resolve('closed'))
      socket.on('close', () => socket.destroy())
    })
    expect(elsewhere).toBe('closed')
    const again = await aGatewayProcess({ HOST: '127.0.0.3', PORT: String(port) })
    expect(new URL(again.url).port).toBe(String(port))
  })

  it('lets everyone be admin with AUTH_DISABLED in development [ct.2.1.auth-disabled gw.auth-var.auth_disabled]', async () => {
    const gateway = await aGateway({ AUTH_DISABLED: 'true', NODE_ENV: 'development' })
    expect((await gateway.ask('/admin-api/users')).status).toBe(200)
    const { json } = await gateway.ask('/admin-api/auth/me')
    expect(json).toMatchObject({ authMethod: 'disabled', role: 'admin' })
    await gateway.ask('/admin-api/users', {
      method: 'POST',
      body: { username: 'open', password: 'a password never guessed' },
    })
    const log = await gateway.ask('/admin-api/audit-log?action=user.create')
    expect(log.json).toMatchObject({ items: [{ actor: 'auth-disabled' }] })
  })

  it('keeps nothing in memory databases [gw.setting.db_path]', async () => {
    const folder = aFolder()
    const gateway = await aGateway({ DB_PATH: ':memory:' }, folder)
    await addUser(gateway, 'gone', 'viewer')
    await gateway.stop()
    expect(readdirSync(folder).filter((file) => file.endsWith('.db'))).toEqual([])
  })

  it('logs one object a line with time, level and msg [ct.3.log-lines gw.setting.log_format]', async () => {
    const gateway = await aGatewayProcess({ LOG_LEVEL: 'debug', ...FIRST_ADMIN })
    await gateway.admin('/admin-api/overview')
    const { stdout, stderr } = await gateway.stop()
    const lines = (stdout + stderr)
      .split('\n')
      .filter((line) => line !== '' && !/^(gantry|bootstrap admin:) /.test(line))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        time: expect.anything(),
        level: expect.anything(),
        msg: expect.any(String),
      })
    const text = await aGatewayProcess({ LOG_FORMAT: 'text', LOG_LEVEL: 'debug' })
    await text.admin('/admin-api/overview')
    expect(text.output()).not.toMatch(/^\{/m)
  })

  it('drops lines below the level [ct.17.effect.log_level]', async () => {
    const levels = async (LOG_LEVEL: string) => {
      const gateway = await aGateway({ LOG_LEVEL })
      await gateway.admin('/admin-api/overview')
      await gateway.stop()
      return gateway
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{')).length
    }
    expect(await levels('error')).toBe(0)
    expect(await levels('trace')).toBeGreaterThan(await levels('warn'))
  })
})

describe('the first admin (security case AN-11)', () => {
  const BOOTSTRAP = { BOOTSTRAP_ADMIN_USERNAME: 'root', BOOTSTRAP_ADMIN_PASSWORD: 'a first password' }

  it('is made of the variables while there are no users, and never again [gw.bootstrap.first-admin gw.bootstrap.only-empty]', async () => {
    const folder = aFolder()
    const first = await aGateway(BOOTSTRAP, folder)
    expect(
      (await first.ask('/admin-api/auth/me', { headers: await signIn(first, 'root', 'a first password') })).json,
    ).toMatchObject({
      role: 'admin',
      user: { username: 'root', teamId: null },
    })
    await first.stop()
    expect(first.output()).not.toContain('bootstrap admin:')
    const second = await aGateway(
      { BOOTSTRAP_ADMIN_USERNAME: 'other', BOOTSTRAP_ADMIN_PASSWORD: 'another password' },
      folder,
    )
    await expect(signIn(second, 'other', 'another password')).rejects.toThrow('401')
    await signIn(second, 'root', 'a first password')
    const { json } = await second.admin('/admin-api/users')
    expect(json).toMatchObject({ items: [{ username: 'root' }] })
  })

  it('has a generated password in one line of stdout and nowhere else [ct.3.bootstrap-line gw.bootstrap.generated gw.bootstrap.only-hash]', async () => {
    const folder = aFolder()
    const gateway = await aGatewayProcess({ LOG_LEVEL: 'trace', ...FIRST_ADMIN, ...DEAR_PASSWORDS }, folder)
    const received = [...gateway.output().matchAll(/^bootstrap admin: username=admin password=(\S{24})$/gm)]
    expect(received).toHaveLength(1)
    const password = received[0]?.[1] ?? ''
    await signIn(gateway, 'admin', password)
    const log = await gateway.admin('/admin-api/audit-log')
    expect(log.text).not.toContain(password)
    const exit = await gateway.stop()
    expect(printed(exit).split(password)).toHaveLength(2)
    expect(exit.stdout).toContain(password)
    for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ))
      expect([name, readFileSync(join(parentPath, name)).includes(password)]).toEqual([name, false])
    const again = await aGatewayProcess(FIRST_ADMIN, folder)
    expect(again.output()).not.toContain('bootstrap admin:')
  })

  it('is not made of one variable alone [gw.bootstrap.one-of-two]', async () => {
    for (const name of ['BOOTSTRAP_ADMIN_USERNAME', 'BOOTSTRAP_ADMIN_PASSWORD']) {
      const gateway = await aGateway({ ...FIRST_ADMIN, [name]: 'root-with-enough-characters' })
      expect((await gateway.admin('/admin-api/users')).json).toEqual({ items: [] })
      expect(gateway.output()).not.toContain('bootstrap admin:')
    }
  })
})

describe('a stop', () => {
  it('exits 0, for both signals, with what happened in the audit log [ct.3.stop-exit ct.13.2.system]', async () => {
    const folder = aFolder()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const gateway = await aGatewayProcess(FIRST_ADMIN, folder)
      await gateway.ask('/livez')
      gateway.signal(signal)
      expect((await gateway.exited).code).toBe(0)
    }
    const { json } = await (await aGatewayProcess({}, folder)).admin('/admin-api/audit-log?action=system.')
    const actions = (json as { items: { action: string; actor: string }[] }).items.map(({ action }) => action).reverse()
    expect(actions).toContain('system.bootstrap_admin')
    const around = actions.filter((action) => action === 'system.start' || action === 'system.stop')
    expect(around).toEqual(['system.start', 'system.stop', 'system.start', 'system.stop', 'system.start'])
  })

  /** A request whose body is still on its way. */
  function anOpenRequest(url: string): { finish: () => void; answer: Promise<string>; began: Promise<void> } {
    const { hostname, port } = new URL(url)
    const body = JSON.stringify({ username: 'slow', password: passwordOf('slow') })
    const socket = connect(Number(port), hostname)
    const began = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    let text = ''
    const answer = new Promise<string>((resolve) => {
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
    socket.write(
      `POST /admin-api/users HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    )
    return { finish: () => void socket.write(body.slice(10)), answer, began }
  }

  // cites: ct.3.stop-in-flight ct.3.stop-readyz ct.18.shutting_down
  it('lets what is in flight finish and answers newcomers 503', async () => {
    const gateway = await aGatewayProcess()
    const open = anOpenRequest(gateway.url)
    await open.began
    await gateway.ask('/livez')
    gateway.signal('SIGTERM')
    // A connection that is not yet accepted when the stop begins is closed; a client that asks again gets a refusal.
    const received = async () => gateway.ask('/readyz').catch(() => undefined)
    let late = await received()
    while (late?.status !== 503) late = await received()
    expect(late).toMatchObject({ status: 503, json: { status: 'not_ready', reasons: ['shutting_down'] } })
    const newcomer = await gateway.admin('/admin-api/users')
    expect(newcomer).toMatchObject({ status: 503, json: { error: { code: 'SHUTTING_DOWN' } } })
    open.finish()
    expect(await open.answer).toMatch(/^HTTP\/1\.1 201 /)
    expect((await gateway.exited).code).toBe(0)
  })

  it('is forced when something never ends, with exit 1 [gw.setting.shutdown_force_exit_ms ct.3.stop-exit]', async () => {
    const gateway = await aGatewayProcess({ SHUTDOWN_FORCE_EXIT_MS: '300' })
    const open = anOpenRequest(gateway.url)
    await open.began
    await gateway.ask('/livez')
    expect((await gateway.stop()).code).toBe(1)
  })

  it('is not what a hang-up, a broken pipe or a pause is, and a second signal means now (security case NF-05)', async () => {
    const gateway = await aGatewayProcess({ SHUTDOWN_FORCE_EXIT_MS: '600000' })
    for (const signal of ['SIGHUP', 'SIGPIPE'] as const) gateway.signal(signal)
    expect((await gateway.ask('/health')).status).toBe(200)
    gateway.signal('SIGSTOP')
    const asked = gateway.admin('/admin-api/users')
    const early = await Promise.race([asked.then(() => 'answered'), pause(500, 'paused')])
    expect(early).toBe('paused')
    gateway.signal('SIGCONT')
    expect((await asked).status).toBe(200)
    const open = anOpenRequest(gateway.url)
    await open.began
    await gateway.ask('/livez')
    gateway.signal('SIGTERM')
    while ((await gateway.ask('/readyz').catch(() => undefined))?.status !== 503) await pause(5)
    gateway.signal('SIGTERM')
    expect((await gateway.exited).code).toBe(1)
  })

  it('is not what opens a debugger (security case KM-10)', async () => {
    // A port of its own, should one be opened after all.
    const gateway = await aGatewayProcess({ NODE_OPTIONS: '--inspect-port=127.0.0.1:0' })
    gateway.signal('SIGUSR1')
    for (let asked = 0; asked < 20; asked += 1) expect((await gateway.ask('/health')).status).toBe(200)
    expect(gateway.output()).not.toContain('Debugger')
  })

  it.skipIf(!onLinux)(`finds no secret in the command line (security case KM-10)${unlessLinux}`, async () => {
    const gateway = await aGatewayProcess()
    const commandLine = readFileSync(`/proc/${gateway.pid}/cmdline`, 'utf8')
    expect(commandLine).toContain('serve')
    expect(commandLine).not.toContain(ADMIN_KEY)
  })

  it.skipIf(!existsSync(TERMINAL))(
    'is what the end of its terminal is (skipped: no script(1) to open one when absent)',
    async () => {
      const gateway = await spawnGateway({ NODE: process.execPath }, aFolder(), undefined, (node, program) => [
        TERMINAL,
        '-qec',
        `exec '${node}' '${program}'`,
        '/dev/null',
      ])
      await gateway.end()
      const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
      onTestFinished(() => void database.close())
      const stops = database.prepare("SELECT count(*) FROM audit_log WHERE action = 'system.stop'").pluck()
      await vi.waitUntil(() => stops.get() === 1, { timeout: 30_000 })
    },
  )

  it('because of an uncaught error lets calls in flight finish too, reports the error and exits 70 (security case NF-11)', async () => {
    const throwing = `process.on('SIGUSR2',()=>setTimeout(()=>{throw(new(Error)('a-timer-threw'))}))`
    const gateway = await aGatewayProcess({ NODE_OPTIONS: `--import=data:text/javascript,${throwing}` })
    const open = anOpenRequest(gateway.url)
    await open.began
    await gateway.ask('/livez')
    gateway.signal('SIGUSR2')
    await expect.poll(gateway.output, { timeout: 30_000 }).toContain('a-timer-threw')
    open.finish()
    expect(await open.answer).toMatch(/^HTTP\/1\.1 201 /)
    const exit = await gateway.exited
    expect([exit.code, exit.stderr]).toEqual([70, expect.stringContaining('stops because of a defect')])
  })

  it('closes the streams [ct.3.stop-streams]', async () => {
    const gateway = await aGatewayProcess()
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, accept: 'text/event-stream' }
    const stream = await fetch(`${gateway.url}/admin-api/events`, { headers })
    const ended = stream.text()
    expect((await gateway.stop()).code).toBe(0)
    expect(await ended).toContain('event: ready')
  })
})

describe('what survives', () => {
  // cites: gw.durability.crash
  it.each(['SIGTERM', 'SIGKILL'] as const)('%s: every write that was answered', async (signal) => {
    const folder = aFolder()
    const gateway = await aGatewayProcess(FIRST_ADMIN, folder)
    for (const name of ['one', 'two', 'three']) await addUser(gateway, name, 'viewer')
    gateway.signal(signal)
    await gateway.exited
    const again = await aGatewayProcess({}, folder)
    const { json } = await again.admin('/admin-api/users')
    const names = (json as { items: { username: string }[] }).items.map(({ username }) => username)
    expect(names).toEqual(['admin', 'one', 'three', 'two'])
    expect((await again.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
  })
})

// The two commands' own programs: what they refuse, what `npm start` says, and that a second start is quick.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Announcement, announcementsIn, isRunning } from '../../gateway/instance/announcement.ts'
import { aFolder } from './gateway.fixture.ts'
import { COMPILED, PROGRAM } from './gateway-process.fixture.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const start = path.join(ROOT, 'tools', 'start.mjs')
const built = existsSync(path.join(ROOT, 'dist', '.built'))
const unlessBuilt = built ? '' : ' (skipped: dist is not built)'

type Launched = { child: ChildProcess; printed: (pattern: RegExp) => Promise<string>; exit: Promise<number | null> }
const launched = (program: string, args: readonly string[], home: string): Launched =>
  launchedAs(process.execPath, [program, ...args], home)

function launchedAs(command: string, args: readonly string[], home: string): Launched {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: home, PORT: '0', ...COMPILED },
  })
  let text = ''
  const waiting: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      for (const wake of waiting.splice(0)) wake()
    })
  const exit = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  onTestFinished(() => void child.kill('SIGKILL'))
  async function printed(pattern: RegExp): Promise<string> {
    for (;;) {
      if (pattern.test(text)) return text
      const ended = await Promise.race([
        new Promise<'more'>((resolve) => waiting.push(() => resolve('more'))),
        exit.then(() => 'ended' as const),
      ])
      if (ended === 'ended' && !pattern.test(text))
        throw new Error(`it ended without saying ${String(pattern)}:\n${text}`)
    }
  }
  return { child, printed, exit }
}

/** Counts the signals of half a second and exits with 7. */
const COUNTER = `let signals = 0
process.on('SIGTERM', () => { if (++signals === 1) setTimeout(() => { console.log('signals', signals); process.exit(7) }, 500) })
setInterval(() => {}, 1000)
console.log('ready')`
const AS_CHILD = `import { runAsChild } from ${JSON.stringify(path.join(ROOT, 'tools', 'hand-over.mjs'))}
runAsChild(process.execPath, ['-e', ${JSON.stringify(COUNTER)}], process.env)`

const post = (url: string, method: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
  })

describe('npm start', () => {
  it('refuses an option it does not know, and names those it does', () => {
    const { status, stderr } = spawnSync(process.execPath, [start, '--windowless'], { encoding: 'utf8' })
    expect(status).toBe(64)
    expect(stderr).toMatch(/--windowless.*--headless/s)
  })

  it('explains itself with --help and starts nothing', () => {
    const { status, stdout } = spawnSync(process.execPath, [start, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout).toContain('--headless')
  })

  it.skipIf(!built)(
    `runs the gateway with the embedded editor: where to look, how to sign in, what to paste${unlessBuilt} [ct.0.5.default]`,
    async () => {
      const home = aFolder()
      const first = launched(start, ['--headless'], home)
      const text = await first.printed(/Stop with Ctrl-C/)
      expect(text).toContain('--headless was given')
      expect(text).toMatch(/^bootstrap admin: username=admin password=\S{24}$/m)
      const url = /^ {2}Admin\s+(http:\S+)\/admin$/m.exec(text)?.[1] ?? ''
      const entry = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
        gantry: { type: string; url: string }
      }
      expect(entry.gantry).toMatchObject({ type: 'http', url: `${url}/mcp/pcg` })

      expect((await fetch(`${url}/admin`)).headers.get('content-type')).toContain('text/html')
      const list = () => post(entry.gantry.url, 'tools/list')
      const listed = await list()
      const { result } = (await listed.json()) as { result: { tools: { name: string }[] } }
      expect(result.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['create_pcg_graph', 'generate_pcg_component', 'spawn_pcg_volume']),
      )
      // An agent that authors a graph makes more calls in a minute than a server allows by default.
      const burst = await Promise.all(Array.from({ length: 150 }, list))
      expect(burst.every(({ status }) => status === 200)).toBe(true)
      first.child.kill('SIGTERM')
      expect(await first.exit).toBe(0)

      // Nothing is installed or built again, and the password of the first start is not printed twice.
      const second = launched(start, ['--headless'], home)
      const again = await second.printed(/Stop with Ctrl-C/)
      expect(again).not.toMatch(/installing|building|password=/)
      second.child.kill('SIGTERM')
      expect(await second.exit).toBe(0)
    },
  )
})

describe('npm run gateway', () => {
  it.skipIf(!built)(
    `starts the headless server from the environment and prints the start line [ct.3.start-line]${unlessBuilt}`,
    async () => {
      const gateway = launched(path.join(ROOT, 'tools', 'gateway.mjs'), [], aFolder())
      const text = await gateway.printed(/listening on/)
      const [, url] = /^gantry \d+\.\d+\.\d+ listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(text) ?? []
      expect(url).toBeDefined()
      // The README's address: the editor is off here, and the answer says how to switch it on.
      const refused = await post(`${url}/mcp/pcg`, 'tools/list')
      expect(refused.status).toBe(404)
      expect(await refused.text()).toMatch(/CLIENT_NOT_FOUND.*PCG_ENABLED=true/)
      gateway.child.kill('SIGTERM')
      expect(await gateway.exit).toBe(0)
    },
  )
})

const npm = spawnSync('npm', ['--version']).status === 0
const unlessNpm = npm ? unlessBuilt : ' (skipped: npm is not installed)'

/** The process of the gateway, as the gateway announces it. */
function announced(home: string): number {
  const folder = announcementsIn(home)
  const [file = ''] = readdirSync(folder)
  return (JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Announcement).pid
}

describe.skipIf(!built)(`the process of the start commands${unlessBuilt}`, () => {
  const COMMANDS = [
    { program: 'gateway.mjs', args: [], npm: ['run', 'gateway'], ready: /listening on/ },
    { program: 'start.mjs', args: ['--headless'], npm: ['start', '--', '--headless'], ready: /Stop with Ctrl-C/ },
  ] as const

  it.skipIf(process.platform === 'win32').each(COMMANDS)(
    '$program becomes the gateway: no second process, and signals reach it',
    async ({ program, args, ready }) => {
      const home = aFolder()
      const gateway = launched(path.join(ROOT, 'tools', program), args, home)
      await gateway.printed(ready)
      expect(announced(home)).toBe(gateway.child.pid)
    },
  )

  it.skipIf(!npm || process.platform === 'win32').each(COMMANDS)(
    `SIGTERM to the npm of $program stops the gateway, which closes in order${unlessNpm}`,
    async ({ npm: words, ready }) => {
      const home = aFolder()
      const gateway = launchedAs('npm', words, home)
      const text = await gateway.printed(ready)
      const pid = announced(home)
      expect(pid).not.toBe(gateway.child.pid)
      const stillThere = () => isRunning(pid)
      onTestFinished(() => void (stillThere() && process.kill(pid, 'SIGKILL')))
      gateway.child.kill('SIGTERM')
      await expect.poll(stillThere, { timeout: 30_000 }).toBe(false)
      // An orderly stop takes its announcement away.
      expect(readdirSync(announcementsIn(home))).toEqual([])
      expect(text).not.toContain('did not stop cleanly')
    },
  )

  it('a program that Node cannot become runs as a child: one signal is passed on once, and the exit code is its own', async () => {
    const child = launchedAs(process.execPath, ['--input-type=module', '-e', AS_CHILD], aFolder())
    await child.printed(/ready/)
    child.child.kill('SIGTERM')
    expect(await child.printed(/signals 1/)).toContain('ready')
    expect(await child.exit).toBe(7)
  })
})

describe('what stops the headless server, in one message and with its own exit code', () => {
  const serve = path.join(ROOT, PROGRAM)
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [serve, ...args], {
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env.PATH ?? '', HOME: aFolder(), PORT: '0', ...COMPILED, ...env },
    })

  it('an option it does not know', () => {
    const { status, stderr } = run(['--prot', '80'])
    expect(status).toBe(64)
    expect(stderr).toMatch(/'--prot'.*--help/s)
  })

  it('a port in use: it names the port and the way out', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { status, stderr } = run([], { PORT: String(port) })
    expect(status).toBe(69)
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use`)
    expect(stderr).toContain('PORT=0')
  })

  it('a damaged database: refused, and its bytes stay as they were', () => {
    const file = path.join(aFolder(), 'gantry.db')
    const bytes = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 7)])
    writeFileSync(file, bytes)
    const { status, stderr } = run([], { DB_PATH: file })
    expect(status).toBe(74)
    expect(stderr).toContain(file)
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it('settings that cannot be used: every problem named, nothing started', () => {
    const folder = aFolder()
    const { status, stderr } = run([], {
      STRICT_CONFIG: 'production',
      PORT: '99999',
      MAX_JSON_DEPTH: 'deep',
      SECRETS_PROVIDER: 'vault',
      DB_PATH: path.join(folder, 'data', 'g.db'),
    })
    expect(status).toBe(78)
    for (const name of ['PORT', 'MAX_JSON_DEPTH', 'SECRETS_PROVIDER']) expect(stderr).toContain(name)
    expect(existsSync(path.join(folder, 'data'))).toBe(false)
  })

  it('help and version start nothing', () => {
    expect(run(['--help']).stdout).toContain('TOOL_CALL_TIMEOUT_MS')
    expect(run(['--version']).stdout).toMatch(/^gantry \d+\.\d+\.\d+\n$/)
  })
})

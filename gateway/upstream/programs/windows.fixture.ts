// Runs inside Windows, or Wine: local servers by our code in real Job Objects. Prints one line of JSON: what became of them.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { LocalServerEntry } from '../../contract/local-servers.ts'
import { createJob } from '../../windows/job.ts'
import { somePrograms } from './programs.fixture.ts'

const SELF = fileURLToPath(import.meta.url)
const SERVER = path.resolve(path.dirname(SELF), '../../../e2e/peers/local-server.mjs')
const MOST_MS = 120_000
const [task = 'all', given = ''] = process.argv.slice(2)
const folder = mkdtempSync(path.join(tmpdir(), 'gantry-windows-'))

/** Node is found by its name. */
const host = { ...process.env, PATH: `${path.dirname(process.execPath)};${process.env['PATH'] ?? ''}` }
const programs = () => somePrograms({ host, home: folder, memoryEveryMs: 50 })
const entry = (args: readonly string[], more: object = {}): LocalServerEntry =>
  LocalServerEntry.parse({ command: 'node', args: [SERVER, ...args], ...more })

async function until<T>(check: () => T | undefined): Promise<T> {
  for (const endsAt = performance.now() + MOST_MS; ; ) {
    const found = check()
    if (found !== undefined) return found
    if (performance.now() > endsAt) throw new Error(`waited in vain for ${String(check)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const living = (pids: readonly number[]): number => pids.filter(isAlive).length
const pidsIn = (file: string): Promise<readonly number[]> =>
  until(() => {
    const pids = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : []
    return pids.length === 3 ? pids : undefined
  })
const goneSoon = (pids: readonly number[]): Promise<true> => until(() => (living(pids) === 0 ? true : undefined))

async function call(all: ReturnType<typeof somePrograms>, tool: string, args: object): Promise<string> {
  const params = { name: tool, arguments: args }
  const limits = { timeoutMs: MOST_MS, maxBytes: 1_000_000, maxDepth: 64, takesLarge: false }
  const answer = await all
    .connectionOf('one')
    .request({ method: 'tools/call', params, ...limits, conversation: undefined })
  return JSON.stringify(answer)
}

async function reasonOf(all: ReturnType<typeof somePrograms>): Promise<string> {
  await all.listTools('one').catch(() => undefined)
  return until(() => all.whyDown('one') ?? undefined)
}

const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  async stop() {
    const all = programs()
    const file = path.join(folder, 'stop')
    await all.put('one', entry(['generations', file]), undefined)
    const answer = await call(all, 'echo', { text: 'hello' })
    const pids = await pidsIn(file)
    const before = living(pids)
    const memoryBytes = await until(() => all.report('one')?.processes[0]?.memoryBytes || undefined)
    await all.stop('one')
    const after = living(pids)
    await all.closeAll()
    return { answered: answer.includes('hello'), before, after, measured: memoryBytes > 10_000_000 }
  },
  async killed() {
    const file = path.join(folder, 'killed')
    const gateway = spawn(process.execPath, [SELF, 'gateway', file], { stdio: 'ignore' })
    const pids = [...(await pidsIn(file)), ...(await pidsIn(`${file} alone`))]
    await until(() => (existsSync(`${file} held`) ? true : undefined))
    const before = living(pids)
    gateway.kill('SIGKILL')
    return { before, gone: await goneSoon(pids) }
  },
  /** A tree that runs for long before it is held. */
  async late() {
    const file = path.join(folder, 'late')
    const { pid = 0 } = spawn(process.execPath, [SERVER, 'generations', file], { stdio: ['pipe', 'ignore', 'ignore'] })
    const pids = await pidsIn(file)
    const job = createJob(2 ** 40)
    job.hold(pid)
    const held = pids.every((each) => job.processes().includes(each))
    job.close()
    return { held, gone: await goneSoon(pids) }
  },
  async memory() {
    const all = programs()
    await all.put('one', entry(['good'], { memoryMb: 300 }), undefined)
    await call(all, 'echo', { text: 'a', count: 400_000_000 }).catch(() => undefined)
    const reason = await until(() => all.whyDown('one') ?? undefined)
    await all.closeAll()
    return reason
  },
  async environment() {
    const all = programs()
    await all.put('one', entry(['good'], { env: { Path: `${host.PATH};C:\\own`, temp: 'C:\\mine' } }), undefined)
    const answer = JSON.parse(await call(all, 'env', {}))
    await all.closeAll()
    const env = JSON.parse(answer.result.content[0].text)
    const names = Object.keys(env).map((name) => name.toUpperCase())
    return {
      own: [env.Path ?? env.PATH, env.temp].map((value) => String(value).split(';').at(-1)),
      twice: names.length - new Set(names).size,
      hasSystemRoot: names.includes('SYSTEMROOT'),
      hasOfGateway: names.includes('NODE_PATH'),
    }
  },
  async batch() {
    const file = path.join(folder, 'a server.cmd')
    copyFileSync(SERVER, path.join(folder, 'server.mjs'))
    writeFileSync(file, '@node "%~dp0server.mjs" %*\r\n')
    const all = programs()
    await all.put('one', entry([], { command: path.join(folder, 'a server'), args: ['good'] }), undefined)
    const answer = await call(all, 'echo', { text: 'from a batch file' })
    const hostile = ['exit', 'a & b', '(c)', 'd|e', 'f<g>h']
    await all.put('one', entry([], { command: file, args: hostile }), undefined)
    const reason = await reasonOf(all)
    await all.put('one', entry([], { command: file, args: ['%PATH%'] }), undefined)
    const refusal = await reasonOf(all)
    await all.closeAll()
    return { answered: answer.includes('from a batch file'), reason, refusal }
  },
  async sandbox() {
    const all = programs()
    await all.put('one', entry(['good'], { sandbox: 'os' }), undefined)
    const reason = await reasonOf(all)
    await all.closeAll()
    return reason
  },
}

/** The gateway itself with a file of local servers: a call from outside, and its end. `given` is a folder that the test shares. */
async function wholeGateway(): Promise<unknown> {
  const file = path.join(folder, 'whole')
  const servers = path.join(folder, 'servers.json')
  const one = { command: 'node', args: [SERVER, 'generations', file] }
  writeFileSync(servers, JSON.stringify({ mcpServers: { one } }))
  const gateway = spawn(process.execPath, [path.resolve(path.dirname(SELF), '../../serve.ts')], {
    env: { ...host, PORT: '0', DATA_DIR: folder, DB_PATH: path.join(folder, 'gantry.db'), LOCAL_SERVERS_FILE: servers },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  gateway.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const url = await until(() => /listening on (http:\S+)/.exec(text)?.[1])
  // Node cannot connect in Wine; the test calls the gateway from outside.
  writeFileSync(path.join(given, 'url'), url)
  await until(() => (existsSync(path.join(given, 'called')) ? true : undefined))
  const pids = await pidsIn(file)
  const before = living(pids)
  gateway.kill('SIGKILL')
  return { before, gone: await goneSoon(pids) }
}

if (task === 'gateway') {
  const all = programs()
  await all.put('one', entry(['generations', given]), undefined)
  await all.listTools('one')
  // Node has a Job Object for what it starts; one that is detached is in ours alone.
  const { pid = 0 } = spawn(process.execPath, [SERVER, 'generations', `${given} alone`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  await pidsIn(`${given} alone`)
  createJob(2 ** 40).hold(pid)
  writeFileSync(`${given} held`, '')
  setInterval(() => undefined, 1_000)
} else if (task === 'whole') {
  process.stdout.write(`${JSON.stringify({ whole: await wholeGateway() })}\n`)
  process.exit(0)
} else {
  const done: Record<string, unknown> = {}
  for (const [name, step] of Object.entries(STEPS))
    if (task === 'all' || task === name)
      done[name] = await step().catch((error: unknown) => ({ error: error instanceof Error ? error.stack : error }))
  process.stdout.write(`${JSON.stringify(done)}\n`)
  process.exit(0)
}

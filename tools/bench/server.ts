// Starts a server under measurement: when it answers, what it weighs, how fast it answers.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { endedWithUs } from '../ended-with.ts'

export type Server = { readonly url: string; readonly startMs: number; readonly pid: number; stop(): Promise<void> }

/** `core` keeps it on one core from its first moment; Linux with `taskset`. */
export async function startServer(
  entry: string,
  env: Readonly<Record<string, string>> = {},
  core?: number,
): Promise<Server> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'))
  const started = performance.now()
  const pinned = core !== undefined && existsSync('/usr/bin/taskset')
  const [command, ...args] = [...(pinned ? ['taskset', '-c', String(core)] : []), process.execPath, entry]
  const child: ChildProcess = spawn(command ?? '', args, {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      PORT: '0',
      DB_PATH: path.join(folder, 'bench.db'),
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endedWithUs(child)
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = /listening on (http:\S+)/.exec(text)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`${entry} ended with ${code} before it listened`)))
  })
  while (
    !(await fetch(`${url}/livez`).then(
      (answer) => answer.ok,
      () => false,
    ))
  )
    await wait(1)
  return {
    url,
    startMs: performance.now() - started,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        const ended = (): void => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        }
        // One that ended by itself sends no event any more.
        if (child.exitCode !== null || child.signalCode !== null) return ended()
        child.once('exit', ended)
        child.kill('SIGTERM')
      }),
  }
}

/** As in the referee: what is measured has a core of its own, what calls it and what it calls share another. */
export const MEASURED = 0
export const AROUND = 1

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Keeps all threads of a process on one core, or on `all` again. Linux with `taskset`; elsewhere everything stays where it runs. */
export function keepOn(pid: number, core: number | 'all'): void {
  const cores = core === 'all' ? `0-${availableParallelism() - 1}` : String(core)
  spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' })
}

/** Resident memory in MiB; Linux only, NaN elsewhere. */
export function residentMiB(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kib) / 1024
  } catch {
    return Number.NaN
  }
}

/** Answers per second of one GET over keep-alive sockets, each with one request under way. */
export async function throughput(url: string, target: string, { connections = 16, ms = 2_000 } = {}): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const request = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
  let answers = 0
  let open = true
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (head === -1 || text.length < head + 4 + length) return
      text = ''
      answers += 1
      if (open) socket.write(request)
    })
    socket.on('connect', () => socket.write(request))
    socket.on('error', () => undefined)
    return socket
  })
  const started = performance.now()
  await wait(ms)
  open = false
  const rate = answers / ((performance.now() - started) / 1000)
  for (const socket of sockets) socket.destroy()
  return rate
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

// One process of a local server: its own group, its output as lines, and the way it is ended. The one file that starts such a program.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createLines } from '../../mcp/lines.ts'
import type { Program } from '../../sandbox/program.ts'
import type { Cgroup } from './cgroup.ts'
import type { Sweep } from './marked.ts'
import { MARKER, type Watchdog } from './watchdog.ts'

export type Exit = { readonly code: number | null; readonly signal: string | null }

export type ProgramProcess = {
  readonly pid: number
  /** False where the program does not read what it was sent already. */
  send(text: string): boolean
  /** After the last line of output was read and the group is gone. */
  readonly exited: Promise<Exit>
  /** Closes the input, then TERM, then KILL. Resolves when the group is gone. */
  stop(): Promise<void>
  /** At once: it takes what others need. */
  kill(): void
}

type Output = {
  readonly maxLineBytes: number
  /** A line that may be a message. One that is read beside this thread answers with the end of that. */
  readonly onMessage: (line: Buffer) => Promise<unknown> | undefined
  readonly onTooLong: (beginning: Buffer) => void
  /** Any other line. */
  readonly onText: (line: string) => void
  readonly onSpawned: () => void
}

/** How long each step of the stop takes at most; tests shorten it. */
export type Patience = { readonly inputMs: number; readonly termMs: number }
export const PATIENCE: Patience = { inputMs: 2_000, termMs: 5_000 }

const MOST_WAITING = 64 * 1024 * 1024
const MOST_TEXT_LINE = 64 * 1024
const POLL_MS = 20
/** A group of zombies without a parent that collects them looks alive for ever. */
const KILLED_MS = 2_000
const OPEN_BRACE = 123
const OPEN_BRACKET = 91

type Parts = {
  readonly watchdog: Watchdog
  readonly sweep: Sweep
  readonly cgroup: Cgroup | undefined
  readonly marker: string
  readonly patience: Patience
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, name)
    return true
  } catch {
    return false
  }
}

async function isGone(group: number, ms: number): Promise<boolean> {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; await wait(POLL_MS))
    if (!signal(group, 0)) return true
  return !signal(group, 0)
}

function firstByte(line: Buffer): number | undefined {
  let at = 0
  while (line[at] === 32 || line[at] === 9 || line[at] === 13) at += 1
  return line[at]
}

/** Rejects with the error of `spawn`, such as EACCES. */
export async function startProcess(program: Program, output: Output, parts: Parts): Promise<ProgramProcess> {
  const { watchdog, cgroup, marker } = parts
  watchdog.ready()
  const child = spawn(program.file, [...program.args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: program.cwd,
    env: { ...program.env, [MARKER]: marker },
    shell: false,
    windowsHide: true,
  })
  if (child.pid === undefined)
    return new Promise((_resolve, reject) => {
      child.once('error', (error) => {
        reject(error)
        void cgroup?.end()
      })
    })
  cgroup?.hold(child.pid)
  watchdog.guard(child.pid)
  output.onSpawned()
  return supervise(child, child.pid, output, parts)
}

function supervise(
  child: ChildProcessWithoutNullStreams,
  group: number,
  output: Output,
  { watchdog, sweep, cgroup, marker, patience }: Parts,
): ProgramProcess {
  const { stdin, stdout, stderr } = child
  child.on('error', () => undefined)
  // Its end shows on the output.
  stdin.on('error', () => undefined)

  const drained = Promise.all([readMessages(stdout, output), readText(stderr, output)])
  const left = Promise.withResolvers<Exit>()
  child.once('exit', (code, name) => left.resolve({ code, signal: name }))

  /** What the first process left in its group is ended as well. */
  async function endGroup(): Promise<void> {
    if (signal(group, 0) && signal(group, 'SIGTERM') && !(await isGone(group, patience.termMs))) {
      signal(group, 'SIGKILL')
      await isGone(group, KILLED_MS)
    }
    await cgroup?.end()
    await sweep.end(marker)
    watchdog.release(group)
  }

  async function over(): Promise<Exit> {
    const exit = await left.promise
    await endGroup()
    await Promise.race([drained, wait(KILLED_MS)])
    stdout.destroy()
    stderr.destroy()
    return exit
  }

  const exited = over()

  async function end(): Promise<void> {
    stdin.end()
    await Promise.race([left.promise, wait(patience.inputMs)])
    if (child.exitCode === null && child.signalCode === null) {
      signal(group, 'SIGTERM')
      await Promise.race([left.promise, wait(patience.termMs)])
    }
    if (child.exitCode === null && child.signalCode === null) signal(group, 'SIGKILL')
    await exited
  }

  let ending: Promise<void> | undefined
  return {
    pid: group,
    send(text) {
      if (stdin.writableLength > MOST_WAITING) return false
      stdin.write(`${text}\n`)
      return true
    },
    exited,
    stop: () => (ending ??= end()),
    kill: () => void signal(group, 'SIGKILL'),
  }
}

function readMessages(stdout: Readable, { maxLineBytes, onMessage, onTooLong, onText }: Output): Promise<void> {
  let waitingBytes = 0
  /** A program that writes faster than its lines are read waits, as it would at a full pipe. */
  function account(bytes: number): void {
    waitingBytes += bytes
    if (waitingBytes > maxLineBytes) stdout.pause()
    else stdout.resume()
  }
  const lines = createLines({
    maxBytes: maxLineBytes,
    onTooLong,
    onLine(line) {
      const { length } = line
      const first = firstByte(line)
      if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return onText(line.subarray(0, MOST_TEXT_LINE).toString())
      const reading = onMessage(line)
      if (reading === undefined) return undefined
      account(length)
      const read = (): void => account(-length)
      return void reading.then(read, read)
    },
  })
  return readTo(stdout, lines)
}

function readText(stderr: Readable, { onText }: Output): Promise<void> {
  const onLine = (line: Buffer): void => onText(line.toString())
  return readTo(stderr, createLines({ maxBytes: MOST_TEXT_LINE, onLine, onTooLong: onLine }))
}

function readTo(stream: Readable, lines: ReturnType<typeof createLines>): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => lines.push(chunk))
    stream.on('error', () => undefined)
    stream.once('close', () => {
      lines.end()
      resolve()
    })
  })
}

// One process of a local server: its output as lines, and the way it is ended with its tree. The one file that starts such a program.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createLines } from '../../mcp/lines.ts'
import type { Program } from '../../sandbox/program.ts'
import { startable } from '../../windows/batch.ts'
import { variableOf } from '../../windows/variables.ts'
import type { Tree } from './tree.ts'

export type Exit = { readonly code: number | null; readonly signal: string | null }

export type ProgramProcess = {
  readonly pid: number
  /** False where the program does not read what it was sent already. */
  send(text: string): boolean
  /** After the last line of output was read and nothing of its tree is left. */
  readonly exited: Promise<Exit>
  /** Closes the input, then TERM where there is one, then KILL. Resolves when its tree is gone. */
  stop(): Promise<void>
  /** At once: it takes what others need. */
  kill(): void
  readonly watchMemory: Tree['watch']
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
/** Output that a killed process left in a pipe. */
const KILLED_MS = 2_000
const OPEN_BRACE = 123
const OPEN_BRACKET = 91

type Parts = { readonly tree: Tree; readonly patience: Patience }

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function firstByte(line: Buffer): number | undefined {
  let at = 0
  while (line[at] === 32 || line[at] === 9 || line[at] === 13) at += 1
  return line[at]
}

/** What Windows needs: its batch files are started by a shell. */
function startedOf(program: Program): ReturnType<typeof startable> {
  if (process.platform !== 'win32') return { ...program, verbatim: false }
  return startable(program, variableOf(program.env, 'SystemRoot') ?? 'C:\\Windows')
}

const RUN_MS = 30_000

/** A program that ends by itself: what it wrote, or nothing where it failed. */
export function outputOf({ file, args, cwd, env }: Program): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, [...args], { cwd, env: { ...env }, timeout: RUN_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    )
  })
}

/** Rejects with the error of `spawn`, such as EACCES, and where its tree cannot be held. */
export async function startProcess(program: Program, output: Output, parts: Parts): Promise<ProgramProcess> {
  const { tree } = parts
  const { file, args, verbatim } = startedOf(program)
  const child = spawn(file, [...args], {
    detached: tree.detached,
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: program.cwd,
    env: { ...program.env, ...tree.env },
    shell: false,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  })
  const { pid } = child
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    await tree.end()
    throw error
  }
  try {
    tree.hold(pid)
  } catch (error) {
    child.on('error', () => undefined)
    child.kill('SIGKILL')
    await tree.end()
    throw error
  }
  output.onSpawned()
  return supervise(child, pid, output, parts)
}

function supervise(
  child: ChildProcessWithoutNullStreams,
  pid: number,
  output: Output,
  { tree, patience }: Parts,
): ProgramProcess {
  const { stdin, stdout, stderr } = child
  child.on('error', () => undefined)
  // Its end shows on the output.
  stdin.on('error', () => undefined)

  const drained = Promise.all([readMessages(stdout, output), readText(stderr, output)])
  const left = Promise.withResolvers<Exit>()
  child.once('exit', (code, name) => left.resolve({ code, signal: name }))

  async function over(): Promise<Exit> {
    const exit = await left.promise
    await tree.end()
    await Promise.race([drained, wait(KILLED_MS)])
    stdout.destroy()
    stderr.destroy()
    return exit
  }

  const exited = over()

  async function end(): Promise<void> {
    stdin.end()
    await Promise.race([left.promise, wait(patience.inputMs)])
    const runs = (): boolean => child.exitCode === null && child.signalCode === null
    if (runs() && tree.ask()) await Promise.race([left.promise, wait(patience.termMs)])
    if (runs()) tree.kill()
    await exited
  }

  let ending: Promise<void> | undefined
  return {
    pid,
    send(text) {
      if (stdin.writableLength > MOST_WAITING) return false
      stdin.write(`${text}\n`)
      return true
    },
    exited,
    stop: () => (ending ??= end()),
    kill: () => tree.kill(),
    watchMemory: (onMeasure) => tree.watch(onMeasure),
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

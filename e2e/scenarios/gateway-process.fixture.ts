// A gateway in a process of its own: for scenarios about signals, kills, exit codes, memory, clocks and blocked event loops.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { endedWithUs } from '../../tools/ended-with.ts'
import { isStale } from '../../tools/stale.mjs'
import { aFolder, type Ends, type Env, envOf, type Gateway, REMOVED, speaksTo } from './gateway.fixture.ts'
import { placeOf } from './place.fixture.ts'

const root = new URL('../..', import.meta.url).pathname

/** Gives the process scrypt at the cost that `startGateway` passes by parameter. */
export const LIGHT_PASSWORDS = `--import=${new URL('light-passwords.mjs', import.meta.url).href}`

/** Keeps the shipped cost of passwords. */
export const DEAR_PASSWORDS = { NODE_OPTIONS: '' }

export type Exit = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type GatewayProcess = Omit<Gateway, 'stop'> & {
  readonly pid: number
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Promise<Exit>
  /** Sends SIGTERM; the folder stays. */
  readonly stop: () => Promise<Exit>
  /** Sends SIGKILL. */
  readonly end: () => Promise<void>
}

/** What hundreds of starts of one program compile once. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'gantry-e2e-compiled') }
/** What is shipped, when it says what the sources say: it starts in half the time. */
export const PROGRAM = isStale() ? 'gateway/serve.ts' : 'dist/gateway/serve.js'

/** The command that runs a program of Node: a shell or a terminal may stand before it. */
export type Through = (node: string, program: string) => readonly [command: string, ...args: string[]]

type Launched = { readonly child: ChildProcess; readonly exit: Promise<Exit>; readonly output: () => string }

function launch(folder: string, env: Env, program = PROGRAM, through: Through = (...all) => all): Launched {
  const [command, ...args] = through(process.execPath, program)
  const child = endedWithUs(
    spawn(command, args, {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        ...COMPILED,
        NODE_OPTIONS: LIGHT_PASSWORDS,
        ...envOf(folder, env),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const exit = new Promise<Exit>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
  return { child, exit, output: () => stdout + stderr }
}

/** A start that is expected to end by itself. */
export async function refusedStart(env: Env, folder = aFolder()): Promise<Exit> {
  const { child, exit } = launch(folder, { ...(await placeOf(folder, env)), ...env })
  onTestFinished(() => void child.kill('SIGKILL'))
  return exit
}

export async function spawnGateway(
  env: Env = {},
  folder?: string,
  program?: string,
  through?: Through,
): Promise<GatewayProcess> {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'gantry-e2e-'))
  const { child, exit, output } = launch(own, { ...(await placeOf(own, env)), ...env }, program, through)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /^gantry \S+ listening on (http:\/\/\S+)$/m.exec(output())?.[1]
      if (found) resolve(found)
    })
    void exit.then(({ code }) => reject(new Error(`The gateway ended with ${code}:\n${output()}`)))
  })
  return {
    url,
    folder: own,
    ...speaksTo(url),
    pid: child.pid ?? 0,
    output,
    signal: (signal) => void child.kill(signal),
    exited: exit,
    stop: () => {
      child.kill('SIGTERM')
      return exit
    },
    end: async () => {
      child.kill('SIGKILL')
      await exit
      if (folder === undefined) rmSync(own, REMOVED)
    },
  }
}

/** A process that ends with the test. */
export async function aGatewayProcess(
  env: Env = {},
  folder?: string,
  ends: Ends = onTestFinished,
): Promise<GatewayProcess> {
  const gateway = await spawnGateway(env, folder)
  ends(gateway.end)
  return gateway
}

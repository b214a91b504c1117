// A double of Electron's utilityProcess: a real child process with the message port that Electron gives one.
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'

type ForkOptions = {
  readonly env?: NodeJS.ProcessEnv
  readonly stdio?: 'pipe' | 'ignore' | 'inherit'
  readonly serviceName?: string
}

/** SIGKILL follows SIGTERM after this time. */
const TERM_MS = 2_000

export class UtilityProcess extends EventEmitter {
  static ready = false
  static readonly running: UtilityProcess[] = []
  readonly #child: ChildProcess
  #state: 'starting' | 'running' | 'exiting' | 'ended' = 'starting'
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly serviceName: string

  static fork(program: string, args: readonly string[] = [], options: ForkOptions = {}): UtilityProcess {
    if (!UtilityProcess.ready) throw new Error('utilityProcess cannot be used before app is ready')
    return new UtilityProcess(program, args, options)
  }

  private constructor(
    program: string,
    args: readonly string[],
    { env = process.env, stdio = 'inherit', serviceName = 'Node Utility Process' }: ForkOptions,
  ) {
    super()
    this.serviceName = serviceName
    this.#child = fork(program, args, {
      env,
      execArgv: ['--import', new URL('parent-port.ts', import.meta.url).href],
      serialization: 'advanced',
      stdio: ['ignore', stdio, stdio, 'ipc'],
    })
    this.stdout = this.#child.stdout
    this.stderr = this.#child.stderr
    UtilityProcess.running.push(this)
    this.#child.once('spawn', () => {
      this.#state = 'running'
      this.emit('spawn')
    })
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.once('close', (code, signal) => this.#end(code ?? (signal === null ? 1 : 15)))
  }

  #end(code: number): void {
    UtilityProcess.running.splice(UtilityProcess.running.indexOf(this), 1)
    this.#state = 'exiting'
    this.emit('exit', code)
    this.#state = 'ended'
  }

  get pid(): number | undefined {
    return this.#state === 'running' || this.#state === 'exiting' ? this.#child.pid : undefined
  }

  postMessage(message: unknown): void {
    if (this.#state === 'exiting') {
      // electron/electron#53923
      process.stderr.write('postMessage() in a listener of exit: Electron ends main here\n')
      process.exit(139)
    }
    // After the exit, messages are dropped.
    if (this.#state !== 'ended' && this.#child.connected)
      this.#child.send(structuredClone(message) as object, () => undefined)
  }

  kill(): boolean {
    if (this.#state !== 'running') return false
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), TERM_MS)
    this.#child.once('exit', () => clearTimeout(timer))
    return this.#child.kill('SIGTERM')
  }

  /** Of the double only. */
  end(): void {
    this.#child.kill('SIGKILL')
  }

  /** Of the double only: causes an uncaught exception in the process. */
  throwInside(message: string): void {
    this.#child.send({ throwInside: message })
  }
}

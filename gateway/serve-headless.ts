// The headless gateway: environment → settings → gateway → listen, until a signal ends it.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { parseArgs } from 'node:util'
import {
  AuditKeyError,
  announcementsIn,
  createGateway,
  describeProblems,
  fatal,
  type Gateway,
  giveBackIdleMemory,
  helpText,
  loadSettings,
  StorageError,
  VERSION,
  WrongKeyError,
} from '#gateway'

/** sysexits.h: what a supervisor can tell apart. */
const EXIT = { usage: 64, unavailable: 69, software: 70, io: 74, config: 78 } as const

function leave(code: number, message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

function options() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        greet: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    return leave(
      EXIT.usage,
      `gantry: ${error instanceof Error ? error.message : String(error)}. Try --help; settings are environment variables.`,
    )
  }
}

const { help, version, greet } = options()
if (help) {
  process.stdout.write(`${helpText()}\n`)
  process.exit(0)
}
if (version) {
  process.stdout.write(`gantry ${VERSION}\n`)
  process.exit(0)
}

const loaded = loadSettings({ env: process.env, readFile: (file) => readFileSync(file, 'utf8') })
if (fatal(loaded.problems))
  leave(EXIT.config, `gantry: the configuration cannot be used\n${describeProblems(loaded.problems)}`)
if (loaded.problems.length > 0)
  process.stderr.write(
    `gantry: the configuration has problems; defaults are used in their place\n${describeProblems(loaded.problems)}\n`,
  )
const { settings } = loaded

async function start(): Promise<Gateway> {
  const { editorHost } = await import('./serve-pcg.ts')
  const gateway = await createGateway({
    loaded,
    home: 'headless',
    hostEnvironment: process.env,
    writeLog: (line) => void process.stderr.write(line),
    editorHost: await editorHost(settings),
    announceIn: announcementsIn(homedir()),
    onReplaced(message) {
      process.stderr.write(`gantry: stops: ${message}\n`)
      if (stopping) return
      stopping = true
      stop(EXIT.unavailable)
    },
  })
  try {
    const url = await gateway.listen()
    const bootstrapped = gateway.bootstrapped()
    if (bootstrapped.line !== null) process.stdout.write(`${bootstrapped.line}\n`)
    process.stdout.write(`gantry ${VERSION} listening on ${url}\n`)
    if (greet)
      (await import('./welcome.ts')).sayWelcome(
        url,
        bootstrapped,
        settings,
        (line) => void process.stdout.write(`${line}\n`),
      )
    return gateway
  } catch (error) {
    await gateway.close()
    throw error
  }
}

function explain(error: unknown): never {
  if (error instanceof StorageError && error.reason === 'in_use')
    return leave(EXIT.unavailable, `gantry: ${error.message}`)
  if (error instanceof StorageError) return leave(EXIT.io, `gantry: ${error.message}`)
  if (error instanceof WrongKeyError || error instanceof AuditKeyError)
    return leave(EXIT.config, `gantry: ${error.message}`)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return leave(
      EXIT.unavailable,
      `gantry: port ${settings.PORT} on ${settings.HOST} is in use. Stop the other program, or set PORT to another number (PORT=0 picks a free one).`,
    )
  if (code === 'EADDRNOTAVAIL')
    return leave(
      EXIT.config,
      `gantry: this machine has no address ${settings.HOST}. Set HOST to one of its own, such as 127.0.0.1.`,
    )
  if (code === 'EACCES')
    return leave(
      EXIT.unavailable,
      `gantry: this user may not listen on port ${settings.PORT}. Set PORT to a number above 1023.`,
    )
  return leave(1, `gantry: could not start: ${error instanceof Error ? error.message : String(error)}`)
}

// Listened to from the first moment: a stop during the start is obeyed as soon as there is something to stop.
let stopping = false
let gateway: Gateway | undefined
function stop(code = 0): void {
  // Only a healthy process serves on while it leaves.
  gateway?.close({ drain: code === 0 }).then(
    ({ forced }) => process.exit(forced ? 1 : code),
    (error: unknown) => leave(1, `gantry: did not stop cleanly: ${String(error)}`),
  )
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal means now.
    if (stopping) process.exit(1)
    stopping = true
    stop()
  })
}
// A terminal that closes takes what runs in it along. To a service the signal says nothing: some supervisors mean "reload".
const inTerminal = isatty(0)
process.on('SIGHUP', () => {
  if (!inTerminal || stopping) return
  stopping = true
  stop()
})
// An uncaught exception leaves unknown state: running calls finish, then the process exits for its supervisor to restart it.
process.on('uncaughtException', (error) => {
  process.stderr.write(`gantry: stops because of a defect: ${error.stack ?? String(error)}\n`)
  if (gateway === undefined) process.exit(EXIT.software)
  if (stopping) return
  stopping = true
  stop(EXIT.software)
})
// Node would open a debugger, which reads every secret, for any process that may send this signal.
process.on('SIGUSR1', () => undefined)
// A broken pipe of the log reader is not a reason to stop serving.
process.on('SIGPIPE', () => undefined)
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

gateway = await start().catch(explain)
giveBackIdleMemory()
// Widened again: the handler above may have run while the start was awaited.
if (stopping as boolean) stop()

// One process of the headless gateway: settings → gateway → listen, until a signal ends it.
import cluster from 'node:cluster'
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import {
  AuditKeyError,
  announcementsIn,
  createGateway,
  createLink,
  type Gateway,
  giveBackIdleMemory,
  type Link,
  type Loaded,
  StorageError,
  VERSION,
  WrongKeyError,
} from '#gateway'
import { EXIT, leave } from './serve-exit.ts'

type Serving = {
  readonly loaded: Loaded
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly greet: boolean
  /** Set where it is one of several. */
  readonly oneOf: { readonly name: string; readonly alone: boolean; readonly leasesPermits: boolean } | undefined
}

async function start({ loaded, environment, greet, oneOf }: Serving, link: Link | undefined): Promise<Gateway> {
  const { settings } = loaded
  const { editorHost } = await import('./serve-pcg.ts')
  const gateway = await createGateway({
    loaded,
    home: 'headless',
    hostEnvironment: environment,
    writeLog: (line) => void process.stderr.write(line),
    editorHost: await editorHost(settings),
    ...(link === undefined ? { announceIn: announcementsIn(homedir()) } : { processes: link, alone: oneOf?.alone }),
    onReplaced(message) {
      process.stderr.write(`gantry: stops: ${message}\n`)
      end({ code: EXIT.unavailable })
    },
  })
  try {
    const url = await gateway.listen()
    const bootstrapped = gateway.bootstrapped()
    if (bootstrapped.line !== null) process.stdout.write(`${bootstrapped.line}\n`)
    if (link !== undefined) {
      link.serving(url, bootstrapped.line !== null)
      return gateway
    }
    process.stdout.write(`gantry ${VERSION} listening on ${url}\n`)
    if (greet)
      (await import('./welcome.ts')).sayWelcome(
        url,
        bootstrapped.line !== null,
        settings,
        (line) => void process.stdout.write(`${line}\n`),
      )
    return gateway
  } catch (error) {
    await gateway.close()
    throw error
  }
}

function explain(error: unknown, { settings }: Loaded): never {
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

// A stop during the start is obeyed as soon as there is something to stop.
let stopping = false
let gateway: Gateway | undefined
type Ending = Parameters<Gateway['close']>[0] & { readonly code?: number }
/** Only a healthy process serves on while it leaves. */
function stop({ code = 0, drain = code === 0, elsewhere = false }: Ending = {}): void {
  gateway?.close({ drain, elsewhere }).then(
    ({ forced }) => process.exit(forced ? 1 : code),
    (error: unknown) => leave(1, `gantry: did not stop cleanly: ${String(error)}`),
  )
}

/** The first reason counts. */
function end(how?: Ending): void {
  if (stopping) return
  stopping = true
  stop(how)
}

/** By a person or a supervisor. A second signal means now. */
function obeySignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      end()
    })
  // A terminal that closes takes what runs in it along. To a service the signal says nothing: some supervisors mean "reload".
  const inTerminal = isatty(0)
  process.on('SIGHUP', () => {
    if (inTerminal) end()
  })
}

/** By the parent. A terminal and some supervisors signal all processes at once: that is no second request. */
function obeyParent(leave: Link['leave']): void {
  process.on('SIGTERM', () => void leave().then((elsewhere) => end({ elsewhere })))
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  // Node would exit at once. There are no new connections: what is under way finishes.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  process.on('disconnect', () => end({ drain: false }))
}

function linkToParent({ name, leasesPermits }: NonNullable<Serving['oneOf']>): Link {
  const link = createLink(
    {
      send(message) {
        // A parent that is gone is noticed by the end of the channel.
        if (process.connected) process.send?.(message, undefined, {}, () => undefined)
      },
      onMessage: (listener) => void process.on('message', listener),
    },
    { process: name, leasesPermits, onStop: () => end() },
  )
  obeyParent(link.leave)
  return link
}

export async function serveOne(serving: Serving): Promise<void> {
  const { oneOf } = serving
  if (oneOf !== undefined && process.send === undefined)
    leave(EXIT.usage, 'gantry: --process is given by the parent of several processes; start them with --instances')
  // From the first moment.
  const link = oneOf && linkToParent(oneOf)
  if (link === undefined) obeySignals()
  // An uncaught exception leaves unknown state: running calls finish, then the process exits for its supervisor to restart it.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`gantry: stops because of a defect: ${error.stack ?? String(error)}\n`)
    if (gateway === undefined) process.exit(EXIT.software)
    end({ code: EXIT.software })
  })
  // Node would open a debugger, which reads every secret, for any process that may send this signal.
  process.on('SIGUSR1', () => undefined)
  // A broken pipe of the log reader is not a reason to stop serving.
  process.on('SIGPIPE', () => undefined)
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)

  gateway = await start(serving, link).catch((error: unknown) => explain(error, serving.loaded))
  giveBackIdleMemory()
  // Asked for while it started.
  if (stopping) stop()
}

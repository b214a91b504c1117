// The headless gateway as several processes on one port: this one is their parent, and serves nothing.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import path from 'node:path'
import { isatty } from 'node:tty'
import { announcementsIn } from './instance/announcement.ts'
import { createAnnouncing, placesOf } from './instance/publish.ts'
import { Parent } from './processes/parent.ts'
import { EXIT } from './serve-exit.ts'
import type { Settings } from './settings/table.ts'
import { createLog } from './telemetry/log.ts'
import { VERSION } from './version.ts'

type Serving = { readonly settings: Settings; readonly count: number; readonly greet: boolean }

/** What a stop needs besides the calls in flight. */
const SPARE_MS = 15_000

export function serveProcesses({ settings, count, greet }: Serving): void {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const log = createLog({
    format: settings.LOG_FORMAT,
    level: settings.LOG_LEVEL,
    write: (line) => void process.stderr.write(line),
  })
  const announcing = createAnnouncing(announcementsIn(homedir()), {
    home: 'headless',
    version: VERSION,
    ...placesOf(settings),
    clock: Date,
  })
  const program = path.join(import.meta.dirname, `serve${path.extname(import.meta.filename)}`)
  const processes = new Parent({
    count,
    exec: program,
    argsOf: ({ name, alone }) => [`--process=${name}`, `--instances=${count}`, ...(alone ? ['--alone'] : [])],
    name: settings.INSTANCE_ID ?? randomUUID().slice(0, 8),
    secret: announcing.secret,
    log,
    monotonic: () => performance.now(),
    onServing(url, isNew) {
      try {
        announcing.publish(url)
      } catch (error) {
        log.warn('the command line finds this gateway by --url only', { error })
      }
      say(`gantry ${VERSION} listening on ${url}`)
      log.info('the processes of this gateway serve', { processes: count })
      if (greet) void import('./welcome.ts').then(({ sayWelcome }) => sayWelcome(url, isNew, settings, say))
    },
    stopMs: settings.SHUTDOWN_DRAIN_MS + settings.SHUTDOWN_FORCE_EXIT_MS + SPARE_MS,
    exit: (code) => process.exit(code),
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => processes.stop())
  const inTerminal = isatty(0)
  process.on('SIGHUP', () => {
    if (inTerminal) processes.stop()
  })
  process.on('uncaughtException', (error) => {
    process.stderr.write(`gantry: stops because of a defect: ${error.stack ?? String(error)}\n`)
    processes.stop(EXIT.software)
  })
  process.on('SIGUSR1', () => undefined)
  process.on('SIGPIPE', () => undefined)
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

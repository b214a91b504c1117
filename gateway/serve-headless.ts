// The headless gateway: environment → settings, then one process or several.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { EXIT, leave } from './serve-exit.ts'
import { helpText } from './settings/help.ts'
import { type Loaded, loadSettings } from './settings/load.ts'
import { describeProblems, fatal } from './settings/problem.ts'
import { VERSION } from './version.ts'

function options() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        greet: { type: 'boolean' },
        instances: { type: 'string' },
        // Given by the parent of several processes: the name of this one, and whether it is the only one.
        process: { type: 'string' },
        alone: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return leave(
      EXIT.usage,
      `gantry: ${error instanceof Error ? error.message : String(error)}. Try --help; settings are environment variables.`,
    )
  }
}

const { help, version, greet = false, instances, process: name, alone } = options()
if (help) {
  process.stdout.write(`${helpText()}\n`)
  process.exit(0)
}
if (version) {
  process.stdout.write(`gantry ${VERSION}\n`)
  process.exit(0)
}

function load(flags: Readonly<Record<string, string>>): Loaded {
  const loaded = loadSettings({ env: process.env, readFile: (file) => readFileSync(file, 'utf8'), flags })
  if (fatal(loaded.problems))
    leave(EXIT.config, `gantry: the configuration cannot be used\n${describeProblems(loaded.problems)}`)
  return loaded
}

/** What several processes of one gateway need to act as one. */
const TOGETHER = { ALLOW_SECOND_INSTANCE: 'true', REGISTRY_SYNC: 'true', RATE_LIMIT_SHARED: 'true' }

const given = load(instances === undefined ? {} : { INSTANCES: instances })
if (instances !== undefined && given.problems.some(({ variable }) => variable === 'INSTANCES'))
  leave(EXIT.usage, 'gantry: --instances takes a number of 1 to 256, or auto')
const { settings } = given
const count = settings.INSTANCES === 'auto' ? availableParallelism() : settings.INSTANCES
if (name !== undefined) {
  // Where the operator lets others use the database as well, limits are counted there.
  const theirs = !settings.ALLOW_SECOND_INSTANCE
  const leasesPermits = theirs && settings.DATABASE_URL === null
  const { serveOne } = await import('./serve-one.ts')
  await serveOne({
    loaded: load({ ...TOGETHER, INSTANCE_ID: name, INSTANCES: String(count) }),
    environment: process.env,
    greet: false,
    // Those who share the database on purpose do not stand in the way.
    oneOf: { name, alone: alone && theirs, leasesPermits },
  })
} else {
  if (given.problems.length > 0)
    process.stderr.write(
      `gantry: the configuration has problems; defaults are used in their place\n${describeProblems(given.problems)}\n`,
    )
  if (count === 1) {
    const { serveOne } = await import('./serve-one.ts')
    await serveOne({ loaded: given, environment: process.env, greet, oneOf: undefined })
  } else {
    if (settings.DATABASE_URL === null && settings.DB_PATH.trim() === ':memory:')
      leave(
        EXIT.config,
        'gantry: several processes need a database that all of them can open. Set DB_PATH to a file, or INSTANCES=1.',
      )
    ;(await import('./serve-processes.ts')).serveProcesses({ settings, count, greet })
  }
}

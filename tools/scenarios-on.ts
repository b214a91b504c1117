// Scenarios on PostgreSQL or on three instances: `node tools/run.mjs tools/scenarios-on.ts postgres`, `… fleet`, and names of files for some of them.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')
const SCENARIOS = path.join(ROOT, 'e2e', 'scenarios')

type Place = 'postgres' | 'fleet'

const FILE = 'reads the SQLite file'
const LAG = 'reads at once what another instance writes within a second'
/** Tests that do not apply there, by a part of their title, with the reason. */
const APART: Readonly<Record<Place, Readonly<Record<string, string>>>> = {
  postgres: {
    'shows hash_mismatch after': FILE,
    'shows link_mismatch after': FILE,
    'shows missing_rows after': FILE,
    'a row that the database rejects is counted': FILE,
    'takes, when it is set to all': FILE,
    'takes, when it is set to off': FILE,
    'runs its steps in order, each answer feeding': FILE,
    'ends with the call that asked for it': FILE,
    'tried, or only resolved': FILE,
    "that leaves a session's call does not cancel it": FILE,
    'that leaves a stateless call cancels it': FILE,
    'that cancels by notification gets no answer': FILE,
    'that is stopped lets its calls end': FILE,
    'that is killed has the row of every call': FILE,
    'an invitation, on SQLite': FILE,
    'a call says whose it is': FILE,
    'are recorded and logged each under its own key': FILE,
    'leaves a row where it read something': FILE,
    'of copies: backups and exports': 'PostgreSQL is copied by pg_dump',
    'is written down once for each thing it does': 'PostgreSQL is copied by pg_dump',
    'a start that finds no signed head': 'the database of these runs has its tables before the first start',
  },
  fleet: {
    'by expiry closes its sessions': 'a changed key ends streams of other instances at once',
    'shows when it was last used': LAG,
    'is used by the calls that pass every gate': LAG,
    'counts every step of a composite': LAG,
    RATE_LIMIT_MAX_BUCKETS: 'the buckets of each instance',
    'meets the guards of the shard, and the breaker': 'failures open a breaker where they were counted',
    'is each step of it, to the audit log': 'counters of one instance',
    'a tool of an editor waits as well': 'an editor is connected to the instance that added it',
    'gives its events no ids': 'an editor of each instance',
  },
}

/** Scenarios about state that instances share. `fleet-*`, `registry-sync` and others start several instances themselves. */
const SHARED = [
  'access-consumers',
  'access-key-ends',
  'access-keys',
  'approvals',
  'bundles',
  'limits',
  'list-pages',
  'revisions',
]

const scenarios = (): readonly string[] =>
  readdirSync(SCENARIOS).flatMap((name) => (name.endsWith('.test.ts') ? [name.replace('.test.ts', '')] : []))

function filesOn(place: Place, only: readonly string[] = []): readonly string[] {
  const all = place === 'fleet' ? SHARED : scenarios()
  const chosen = only.length === 0 ? all : only
  const missing = chosen.find((name) => !existsSync(path.join(SCENARIOS, `${name}.test.ts`)))
  if (missing !== undefined) throw new Error(`There is no e2e/scenarios/${missing}.test.ts`)
  return chosen.map((name) => `e2e/scenarios/${name}.test.ts`)
}

const [place, ...only] = process.argv.slice(2)
if (place !== 'postgres' && place !== 'fleet') {
  console.error('node tools/run.mjs tools/scenarios-on.ts postgres|fleet [name of a scenario …]')
  process.exit(64)
}
const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const apart = Object.entries(APART[place])
for (const [title, reason] of apart) console.log(`skipped: ${title}: ${reason}`)
const others = `^(?!.*(?:${apart.map(([title]) => title).join('|')}))`
const run = spawnSync(process.execPath, [vitest, 'run', '-t', others, ...filesOn(place, only)], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, GANTRY_SCENARIOS_ON: place },
})
process.exitCode = run.status ?? 1

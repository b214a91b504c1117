// Scenarios on PostgreSQL or on three instances: `node tools/run.mjs tools/scenarios-on.ts postgres`, `… fleet`, and names of files for some of them.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')
const SCENARIOS = path.join(ROOT, 'e2e', 'scenarios')

/** Scenarios that stay on a SQLite file, with the reason. Others choose their databases themselves, on either. */
const ON_FILE: Readonly<Record<string, string>> = {}

/** Scenarios about state that instances share. */
const SHARED: readonly string[] = []

const scenarios = (): readonly string[] =>
  readdirSync(SCENARIOS).flatMap((name) => (name.endsWith('.test.ts') ? [name.replace('.test.ts', '')] : []))

/** The file and the tests it reads: a name without a file is a mistake. */
function filesOn(place: 'postgres' | 'fleet', only: readonly string[] = []): readonly string[] {
  const all = place === 'fleet' ? SHARED : scenarios().filter((name) => !(name in ON_FILE))
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
const run = spawnSync(process.execPath, [vitest, 'run', ...filesOn(place, only)], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, GANTRY_SCENARIOS_ON: place },
})
process.exitCode = run.status ?? 1

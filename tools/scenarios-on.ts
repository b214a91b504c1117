// Scenarios on PostgreSQL or on three instances: `node tools/run.mjs tools/scenarios-on.ts postgres`, `… fleet`, and names of files for some of them.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')
const SCENARIOS = path.join(ROOT, 'e2e', 'scenarios')

type Place = 'postgres' | 'fleet'

const FILE = 'reads or changes the SQLite file'
const DUMP = 'PostgreSQL is copied by pg_dump'
const TABLES = 'the database of these runs has its tables before the first start'
const LAG = 'reads at once what another instance writes within a second'
const OWN = 'is counted or kept by each instance for itself'

type Table = Readonly<Record<string, string>>

/** By reason. Each scenario is in here or in `SHARED`. */
const FLEET_APART: readonly (readonly [reason: string, files: string])[] = [
  [
    'starts its own instances',
    `chaos chaos-postgres compose database-copy fleet-faults fleet-limits fleet-messages fleet-registry fleet-sessions postgres processes registry-sync rolling-restart second-instance upstream-identity-fleet`,
  ],
  [
    'is about one process: its start, its faults, its machine',
    `agents-cli approval-crash clock config-handoff data-plane-clients data-plane-faults data-plane-faults-abuse data-plane-faults-room data-plane-faults-wire doctor error-codes found-gateway fresh-boot gateway-in-process http key-service local-servers local-servers-attacks local-servers-conformance local-servers-container local-servers-kill local-servers-many local-service open-beyond-loopback operations overload path-spelling process registration-crash retention server-catalog settings shared-limits spelling start stdio upgrade`,
  ],
  [
    'editors are of the instance that has their project open',
    `pcg-author pcg-calls pcg-editor-processes pcg-editors pcg-graphs pcg-security pcg-transfers studio-gestures`,
  ],
  [
    OWN,
    `access-jwt alerts call-records feature-answers feature-guarding feature-shaping feature-socket-tools feature-sockets feature-targets large-answers mcp-cases monitor-approval monitors preflight schedules socket-counts subscription-limits trace-stages traces traffic`,
  ],
  [
    LAG,
    `access-forwarded audit audit-sink budgets composites consent control-plane credential-origins data-plane every-mutation find-calls identity install-links invitations kept-results last-admin nothing-leaks plane-guards plane-order plane-settings plane-tools plane-transport public-routes pushed-by-scope records relayed-guards scripts session-ends session-settings tenants transparent transparent-eras try-tool upstream-identity upstream-identity-clients upstream-identity-leaks`,
  ],
  [
    'is about what one request meets, at whichever instance',
    `bundle-size catalog-templates conformance conformance-clients conformance-oauth every-script every-script-generated every-script-places every-script-questions exact-numbers hostile-mcp hostile-rest large-lists large-messages malformed-messages model-arguments output-schema referenced-documents registration registration-corpora registration-credentials registration-curl registration-faithful registration-lifecycle registration-moved-name registration-network registration-openapi registration-protected registration-refusals registration-reported registration-wire upstream-identity-elicitation upstream-identity-exchange upstream-identity-misbehaviour`,
  ],
]

/** Files that do not apply there, with the reason. */
const FILES_APART: Readonly<Record<Place, Table>> = {
  postgres: {
    chaos: 'faults of the file and its journal; chaos-postgres has those of PostgreSQL',
    'chaos-postgres': 'starts its own databases',
    compose: 'starts its own databases',
    'database-copy': 'starts its own databases',
    'fleet-faults': 'starts its own databases',
    'fleet-limits': 'starts its own databases',
    'fleet-messages': 'starts its own databases',
    'fleet-registry': 'starts its own databases',
    'fleet-sessions': 'starts its own databases',
    postgres: 'starts its own databases',
    'registry-sync': 'starts its own databases',
    'rolling-restart': 'starts its own databases',
    'second-instance': 'starts its own databases',
    upgrade: 'upgrades an older SQLite file',
    'upstream-identity-fleet': 'starts its own databases',
  },
  fleet: Object.fromEntries(FLEET_APART.flatMap(([reason, files]) => files.split(' ').map((name) => [name, reason]))),
}

/** Tests that do not apply there, by a part of their title, with the reason. */
const APART: Readonly<Record<Place, Table>> = {
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
    'are in no audit detail and no line of the log': FILE,
    'returns token and address once, and keeps neither': FILE,
    'on SQLite.*is outlined, answers questions': FILE,
    'is well again after all of that keeps what it is given': FILE,
    'is what every stored secret is sealed under': FILE,
    'opens nothing: neither the link nor the backend': FILE,
    'is the only one the gateway starts with': FILE,
    'nothing stays in the database, the log, the metrics': FILE,
    'whose gateway is killed under way is removed': FILE,
    'comes to an editor that was added before it existed': FILE,
    'leaves a backend alone that has its name': FILE,
    'answers the record, seals the token, and is audited': FILE,
    'of no team is closed to teams; a team sees and keeps its own': FILE,
    'is what the end of its terminal is': FILE,
    'are replaced when they are killed, and no answered call is lost': FILE,
    'is all there or not there at all': FILE,
    'is never dialled at its new address by an editor': FILE,
    'that is reached by itself through another one ends the round': FILE,
    'calls, what was captured of them and their spans are kept': FILE,
    'on SQLite.*a session that ended answers 404': FILE,
    'end when idle, each use extending them': FILE,
    'end at their age, however much they are used': FILE,
    'holds no secret and nothing that is redacted, down to the bytes': FILE,
    'is off by default, and costs no call anything when it cannot be written': FILE,
    'all is well, thing by thing, and the exit code agrees': 'the doctor examines a file',
    'of copies: backups and exports': DUMP,
    'is written down once for each thing it does': DUMP,
    'looks after the gateway: verifies, copies, examines': DUMP,
    'no longer misses a backup once there is one': DUMP,
    'is a copy one can start from': DUMP,
    'a start that finds no signed head': TABLES,
    'are answered, each with its request id and none with a defect': TABLES,
    'drops lines below the level': TABLES,
  },
  fleet: {
    'by expiry closes its sessions': 'a changed key ends streams of other instances at once',
    'every call that is allowed is answered': LAG,
    'shows when it was last used': LAG,
    'is used by the calls that pass every gate': LAG,
    'counts every step of a composite': LAG,
    RATE_LIMIT_MAX_BUCKETS: OWN,
    'meets the guards of the shard, and the breaker': 'failures open a breaker where they were counted',
    'is each step of it, to the audit log': OWN,
    'a tool of an editor waits as well': 'an editor is connected to the instance that added it',
    'gives its events no ids': 'an editor of each instance',
  },
}

/** Scenarios about state that instances share. */
const SHARED = [
  'access-consumers',
  'access-detours',
  'access-key-ends',
  'access-keys',
  'access-matrix',
  'access-narrowed',
  'approvals',
  'bundle-changes',
  'bundles',
  'config-secrets',
  'config-weakening',
  'control-plane-keys',
  'control-plane-matrix',
  'dual-era',
  'limits',
  'list-pages',
  'revisions',
  'upstream-identity-matrix',
]

const scenarios = (): readonly string[] =>
  readdirSync(SCENARIOS).flatMap((name) => (name.endsWith('.test.ts') ? [name.replace('.test.ts', '')] : []))

function filesOn(place: Place, only: readonly string[] = []): readonly string[] {
  const all = (place === 'fleet' ? SHARED : scenarios()).filter((name) => FILES_APART[place][name] === undefined)
  const unnamed = scenarios().find((name) => !SHARED.includes(name) && FILES_APART.fleet[name] === undefined)
  if (unnamed !== undefined)
    throw new Error(`tools/scenarios-on.ts does not say whether e2e/scenarios/${unnamed}.test.ts applies to a fleet`)
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
for (const [what, reason] of [...Object.entries(FILES_APART[place]), ...apart])
  console.log(`skipped: ${what}: ${reason}`)
const others = `^(?!.*(?:${apart.map(([title]) => title).join('|')}))`
const run = spawnSync(process.execPath, [vitest, 'run', '-t', others, ...filesOn(place, only)], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, GANTRY_SCENARIOS_ON: place },
})
process.exitCode = run.status ?? 1

// Every command there is. Help, completions and docs/cli.md are made from this.
import { AGENTS_OF_THIS_COMPUTER } from './agents.ts'
import { CATALOG } from './catalog.ts'
import { type Command, type Option, takes } from './command.ts'
import { completion, SHELLS } from './completion.ts'
import { COMPOSITES } from './composites.ts'
import { CONFIG } from './config.ts'
import { CONNECTIONS } from './connections.ts'
import { CONTEXT } from './context.ts'
import { EXIT, UsageError } from './exit.ts'
import { OPERATE } from './operate.ts'
import { PCG } from './pcg.ts'
import { PCG_FILES } from './pcg-files.ts'
import { RESULTS } from './results.ts'
import { SCHEDULES } from './schedules.ts'
import { SERVERS } from './servers.ts'

/** Of every command. */
export const COMMON: Readonly<Record<string, Option>> = {
  url: takes('address', 'the gateway; default GANTRY_URL, else your gateway on this computer'),
  'key-file': takes('file', 'file with the admin key; default GANTRY_ADMIN_KEY'),
  json: { type: 'boolean', summary: 'print JSON' },
  help: { type: 'boolean', summary: 'show help' },
}

/** Run by another program of this one, with all that follows. */
export const PROGRAMS = {
  serve:
    'Run the headless gateway; settings are environment variables. --instances <number or auto>: as several processes on one port',
  database: 'Copy a database between a SQLite file and PostgreSQL: gantry database copy <from> <to>',
  stdio: 'Serve an endpoint over stdio to a client that only starts programs',
} as const

export const COMMANDS: readonly Command[] = [
  ...CATALOG,
  ...CONNECTIONS,
  ...COMPOSITES,
  ...SCHEDULES,
  ...SERVERS,
  ...PCG,
  ...PCG_FILES,
  ...CONFIG,
  ...CONTEXT,
  ...RESULTS,
  ...AGENTS_OF_THIS_COMPUTER,
  ...OPERATE,
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    args: [SHELLS.join('|')],
    run({ arg, tell }) {
      const shell = SHELLS.find((each) => each === arg(0))
      if (shell === undefined) throw new UsageError(`a shell is one of ${SHELLS.join(', ')}`)
      const text = completion(shell, words())
      tell(text, text.trimEnd())
      return EXIT.ok
    },
  },
]

/** What stands where: the first words, and behind each the second ones; the options of every command. */
export function words(): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {}
  for (const { name } of COMMANDS) {
    const [first = '', second] = name.split(' ')
    found[first] = [...(found[first] ?? []), ...(second === undefined ? [] : [second])]
  }
  for (const name of Object.keys(PROGRAMS)) found[name] = []
  return found
}

// One command line, from its words to its exit code.
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { ApiError, createClient } from '../../contract/client.ts'
import { GatewayError } from '../../contract/error.ts'
import { API } from '../../contract/index.ts'
import { announcementsIn } from '../../instance/announcement.ts'
import { AgentFault } from '../agents/fault.ts'
import { type Command, type Context, homeOf } from './command.ts'
import { COMMANDS, COMMON } from './commands.ts'
import { EXIT, type ExitCode, Trouble, Unreachable, UsageError } from './exit.ts'
import { findGateway } from './find-gateway.ts'
import { helpOf, helpText } from './help.ts'
import { type GatewayAddress, targetOf, transportTo } from './transport.ts'

export type CommandLine = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly readFile: (file: string) => string
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly signal: AbortSignal
  /** In tests: the person. */
  readonly ask?: Context['ask']
}

async function askAtTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('this asks a question: run it in a terminal')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}

function commandIn(args: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  const [first = '', second = ''] = args
  const two = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  if (two) return { command: two, rest: args.slice(2) }
  const one = COMMANDS.find(({ name }) => name === first)
  return one && { command: one, rest: args.slice(1) }
}

function nearby(word: string): string {
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${word} `)).map(({ name }) => name)
  return verbs.length > 0 ? `; did you mean one of: ${verbs.join(', ')}?` : '; gantry --help lists them all'
}

function parsed(command: Command, rest: readonly string[]) {
  const options = { ...command.options, ...COMMON }
  try {
    return parseArgs({
      args: [...rest],
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
      ),
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function keyOf({ env, readFile }: CommandLine, file: string | undefined): string | null {
  const key = (file === undefined ? (env['GANTRY_ADMIN_KEY'] ?? '') : readFile(file)).trim()
  if (/[^\x21-\x7e]/.test(key)) throw new UsageError('the key holds characters that no key has')
  return key === '' ? null : key
}

/** Once for a command, however many requests it makes. */
function targeting(
  given: CommandLine,
  announcements: string,
  text: (name: string) => string | undefined,
  warn: Context['warn'],
): () => Promise<GatewayAddress> {
  const key = keyOf(given, text('key-file'))
  let found: Promise<GatewayAddress> | undefined
  async function find(): Promise<GatewayAddress> {
    const named = text('url') ?? given.env['GANTRY_URL']
    const url = named ?? (await findGateway(announcements, warn))
    return targetOf(url, key)
  }
  return () => (found ??= find())
}

async function runCommand(given: CommandLine, command: Command, rest: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parsed(command, rest)
  const flag = (name: string): boolean => values[name] === true
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (flag('help')) {
    given.out(helpOf(command))
    return EXIT.ok
  }
  const { args = [] } = command
  const needed = args.filter((arg) => !arg.startsWith('['))
  if (positionals.length < needed.length) throw new UsageError(`${needed[positionals.length]} is missing`)
  if (positionals.length > args.length && !args.at(-1)?.endsWith('…]'))
    throw new UsageError(`"${positionals[args.length]}" is one word too many`)
  const warn = (line: string): void => given.error(`gantry: ${line}\n`)
  const announcements = announcementsIn(homeOf(given.env))
  const target = targeting(given, announcements, text, warn)
  const context: Context = {
    api: createClient(API, transportTo(target)),
    target,
    announcements,
    version: given.version,
    env: given.env,
    arg: (at) => positionals[at] ?? '',
    maybe: (at) => positionals[at],
    text,
    flag,
    tell(value, spoken) {
      // One line or one text is the same to a script as to a person.
      if (typeof value === 'string') given.out(`${value.trimEnd()}\n`)
      else if (flag('json')) given.out(`${JSON.stringify(value, null, 2)}\n`)
      else given.out(`${(spoken ?? stringify(value, { lineWidth: 0 })).trimEnd()}\n`)
    },
    warn,
    ask: given.ask ?? askAtTerminal,
    signal: given.signal,
  }
  return (await command.run(context)) ?? EXIT.ok
}

/** Never throws: a failure is printed, and becomes an exit code. */
export async function runCli(given: CommandLine): Promise<ExitCode> {
  const { args, version, out, error } = given
  const found = commandIn(args)
  if (found === undefined) {
    const [word] = args
    if (word === '--version' || word === '-v') out(`gantry ${version}\n`)
    else if (word === undefined || word === 'help' || word === '--help' || word === '-h') out(helpText(version))
    else {
      error(`gantry: there is no command "${word}"${nearby(word)}\n`)
      return EXIT.usage
    }
    return EXIT.ok
  }
  try {
    return await runCommand(given, found.command, found.rest)
  } catch (thrown) {
    return report(given, found.command, thrown)
  }
}

function report({ args, error, out }: CommandLine, command: Command, thrown: unknown): ExitCode {
  const [code, message, extra] = fault(command, thrown)
  if (args.includes('--json')) out(`${JSON.stringify({ error: { message, ...extra } }, null, 2)}\n`)
  const fields = extra.fields?.map(({ path, message: answer }) => `  ${path}: ${answer}\n`) ?? []
  error(`gantry: ${message}\n${fields.join('')}`)
  return code
}

type Extra = { code?: string; requestId?: string; fields?: readonly { path: string; message: string }[] }

function fault(command: Command, thrown: unknown): [ExitCode, string, Extra] {
  if (thrown instanceof UsageError) return [EXIT.usage, `${thrown.message}. Try: gantry ${command.name} --help`, {}]
  if (thrown instanceof Trouble) return [EXIT.trouble, thrown.message, {}]
  if (thrown instanceof Unreachable)
    return [EXIT.unreachable, `${thrown.message}. Is it running? Set --url or GANTRY_URL.`, {}]
  if (thrown instanceof ApiError) {
    const { status, code, requestId, message } = thrown
    const fields = [...thrown.fields, ...weakenedIn(thrown)]
    const denied = status === 401 || status === 403
    const confirmable = code === 'CONFIRMATION_REQUIRED' ? '. Add --confirm to apply them' : ''
    const hint = denied
      ? '. Set GANTRY_ADMIN_KEY or --key-file to a key that may do this.'
      : `${confirmable} (${code}, ${requestId})`
    return [denied ? EXIT.denied : EXIT.failed, `${message}${hint}`, { code, requestId, fields }]
  }
  if (thrown instanceof AgentFault) return [EXIT.failed, thrown.message, { code: thrown.code }]
  if (thrown instanceof GatewayError) return [EXIT.failed, thrown.message, { code: thrown.code, ...fieldsOf(thrown) }]
  return [EXIT.failed, thrown instanceof Error ? thrown.message : String(thrown), {}]
}

/** The settings that an import or a rollback would weaken, with the reason of each. */
function weakenedIn({ details: { weakened } }: ApiError): { path: string; message: string }[] {
  if (!Array.isArray(weakened)) return []
  return weakened.filter(isWeakening).map(({ path, reason }) => ({ path: String(path), message: String(reason) }))
}

const isWeakening = (each: unknown): each is { path: unknown; reason: unknown } =>
  typeof each === 'object' && each !== null && 'path' in each && 'reason' in each

const fieldsOf = ({ extras }: GatewayError): Pick<Extra, 'fields'> => (extras.fields ? { fields: extras.fields } : {})

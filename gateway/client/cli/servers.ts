// Local servers on the command line: the file is written here, by the person at the terminal who has read the whole command.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { commandLine, LocalServerEntry, readLocalServers } from '../../contract/local-servers.ts'
import { readServersFile } from '../../instance/local-servers-file.ts'
import { readAnnouncements } from '../../instance/read.ts'
import { writeServersFile } from '../../instance/write-local-servers-file.ts'
import { type Command, type Context, type Option, table } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'

const FILE: Record<string, Option> = {
  file: {
    type: 'string',
    value: 'file',
    summary: 'the file of local servers; default LOCAL_SERVERS_FILE, else that of your desktop on this computer',
  },
}
const DESKTOP_FILE = 'local-servers.json'

/** Of the gateway that runs here as a desktop, when the file is not named. */
function fileOf({ text, env, announcements }: Context): string {
  const named = text('file') ?? env['LOCAL_SERVERS_FILE']
  if (named !== undefined && named !== '') return path.resolve(named)
  const folders = readAnnouncements(announcements).running.flatMap(({ home, dataFolder }) =>
    home === 'desktop' && dataFolder !== null ? [dataFolder] : [],
  )
  const [only, other] = folders
  if (only === undefined || other !== undefined)
    throw new UsageError('which file? Name it with --file, or set LOCAL_SERVERS_FILE as the gateway has it')
  return path.join(only, DESKTOP_FILE)
}

type Written = Record<string, unknown> & { mcpServers: Record<string, unknown> }

/** As it stands, so that what others wrote beside an entry stays. */
async function documentIn(file: string): Promise<Written> {
  try {
    const text = await readServersFile(file)
    if (text === undefined) return { mcpServers: {} }
    readLocalServers(text)
    return JSON.parse(text) as Written // an object with servers, by the line before
  } catch (error) {
    throw new UsageError(`${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const put = (file: string, document: Written): Promise<void> =>
  writeServersFile(file, `${JSON.stringify(document, null, 2)}\n`)

function entryIn(text: string | undefined): unknown {
  if (text === undefined) throw new UsageError('--entry is missing: {"command": "…", "args": ["…"]}, or @file')
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8') : text)
  } catch {
    throw new UsageError('--entry must be a JSON object, or @file')
  }
}

/** Only a person at a terminal can answer. */
async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('this asks a question: run it in a terminal')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}

/** Every character of the command, so that nothing of it hides behind a control character. */
const shown = (entry: LocalServerEntry): string =>
  [
    `  command   ${JSON.stringify(entry.command)}`,
    `  arguments ${JSON.stringify(entry.args)}`,
    `  as typed  ${JSON.stringify(commandLine(entry)).slice(1, -1)}`,
    ...(Object.keys(entry.env).length > 0 ? [`  env       ${JSON.stringify(entry.env)}`] : []),
    ...(entry.secrets.length > 0 ? [`  secrets   ${entry.secrets.join(', ')}`] : []),
    `  sandbox   ${entry.sandbox} (it runs as you, with a small environment; files and network are not limited)`,
  ].join('\n')

async function add(context: Context): Promise<ExitCode | undefined> {
  const { arg, text, tell, warn } = context
  const name = arg(0)
  const file = fileOf(context)
  const given = entryIn(text('entry'))
  const { problems } = readLocalServers(JSON.stringify({ mcpServers: { [name]: given } }))
  const problem = problems.get(name)
  if (problem !== undefined) throw new UsageError(`${name}: ${problem}`)
  const document = await documentIn(file)
  warn(`${name in document.mcpServers ? 'Replaces' : 'Adds'} the local server ${name} in ${file}:`)
  warn(shown(LocalServerEntry.parse(given)))
  if (!(await agreed('Run this program on this computer? [y/N] '))) {
    tell({ added: null }, 'nothing was changed')
    return EXIT.failed
  }
  await put(file, { ...document, mcpServers: { ...document.mcpServers, [name]: given } })
  tell({ added: name, file }, `${name} is in ${file}; a running gateway has it within a second`)
  return undefined
}

async function remove(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  const document = await documentIn(file)
  const { [name]: gone, ...mcpServers } = document.mcpServers
  if (gone === undefined) {
    tell({ removed: null }, `there is no local server ${name} in ${file}`)
    return EXIT.failed
  }
  await put(file, { ...document, mcpServers })
  tell({ removed: name, file }, `${name} is removed from ${file}; its processes end within seconds`)
  return undefined
}

export const SERVERS: readonly Command[] = [
  {
    name: 'servers list',
    summary: 'List local servers: programs of this machine that are MCP servers',
    async run({ api, tell, warn }) {
      const listed = await api.localServers.list()
      for (const { name, message } of listed.problems) warn(`${name}: ${message}`)
      tell(listed, table(listed.items, ['name', 'state', 'command', 'reason']))
    },
  },
  {
    name: 'servers add',
    summary: 'Add a local server to the file, after showing its whole command and asking',
    args: ['name'],
    options: {
      entry: { type: 'string', value: 'json|@file', summary: 'as MCP clients have it: {"command":"…","args":["…"]}' },
      ...FILE,
    },
    run: add,
  },
  {
    name: 'servers remove',
    summary: 'Remove a local server from the file',
    args: ['name'],
    options: FILE,
    run: remove,
  },
  {
    name: 'servers logs',
    summary: 'Show the state of a local server and its last output',
    args: ['name'],
    async run({ api, tell, arg }) {
      const server = await api.localServers.get({ params: { name: arg(0) } })
      const { name, state, reason, lastOutput } = server
      tell(server, [`${name} is ${state}${reason === null ? '' : `: ${reason}`}`, ...lastOutput].join('\n'))
    },
  },
  {
    name: 'servers restart',
    summary: 'Restart a local server as the file has it',
    args: ['name'],
    async run({ api, tell, arg }) {
      const server = await api.localServers.restart({ params: { name: arg(0) } })
      const { name, state, reason } = server
      tell(server, `${name} is ${state}${reason === null ? '' : `: ${reason}`}`)
      return state === 'failed' ? EXIT.failed : EXIT.ok
    },
  },
  {
    name: 'servers stop',
    summary: 'Stop the processes of a local server; its next call starts one again',
    args: ['name'],
    async run({ api, tell, arg }) {
      const server = await api.localServers.stop({ params: { name: arg(0) } })
      tell(server, `${server.name} is ${server.state}`)
    },
  },
  {
    name: 'servers secret',
    summary: 'Set a secret that the file declares; it is sealed and given to the next start',
    args: ['name', 'variable'],
    options: { value: { type: 'string', value: '@file', summary: 'its value: @file, or @- for standard input' } },
    async run({ api, tell, arg, text }) {
      const from = text('value')
      // Never an argument: other users of the machine see those.
      if (!from?.startsWith('@')) throw new UsageError('--value must be @file, or @- for standard input')
      const value = readFileSync(from === '@-' ? 0 : from.slice(1), 'utf8').replace(/\r?\n$/, '')
      const params = { name: arg(0), key: arg(1) }
      await api.localServers.setSecret({ params, body: { value } })
      tell({ set: params }, `${params.key} of ${params.name} is set`)
    },
  },
]

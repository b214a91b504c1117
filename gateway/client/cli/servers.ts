// Local servers on the command line: the file is written here, by the person at the terminal who has read the whole command.
import { readFileSync } from 'node:fs'
import { type Command, table, takes } from './command.ts'
import { EXIT, UsageError } from './exit.ts'
import { add, remove } from './servers-add.ts'
import { exportServer } from './servers-bundle.ts'
import { search, show } from './servers-catalog.ts'
import { FILE } from './servers-file.ts'
import { importServers } from './servers-import.ts'
import { pin, rollback, update } from './servers-pin.ts'

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
    name: 'servers search',
    summary: 'Search the registry of MCP servers, through the gateway',
    args: ['[text]'],
    options: { cursor: takes('cursor', 'of the page before') },
    run: search,
  },
  {
    name: 'servers show',
    summary: 'Show an entry of the registry: publisher, age, install scripts, variables, and the command it would run',
    args: ['name'],
    run: show,
  },
  {
    name: 'servers add',
    summary: 'Add a local server to the file, after showing its whole command and asking',
    args: ['name', '[command…]'],
    options: {
      entry: takes('json|@file', 'as MCP clients have it: {"command":"…","args":["…"]}; or the command after --'),
      catalog: takes('name', 'an entry of the server catalog; words after -- are added to its command'),
      bundle: takes('file.mcpb', 'a bundle: it is unpacked beside the file, and runs in the sandbox'),
      config: takes(
        'json|@file',
        'with --bundle: its settings by name; secrets are set afterwards, with servers secret',
      ),
      hosts: takes('host,…', 'with --catalog or --bundle: hosts that it may reach; default none'),
      folders: takes('folder,…', 'with --catalog or --bundle: folders that it may use; default its own'),
      sandbox: takes('group', 'with --catalog or --bundle: run it without a sandbox, as on Windows, which has none'),
      'no-pin': { type: 'boolean', summary: 'let npx or uvx download the package at each start' },
      ...FILE,
    },
    run: add,
  },
  {
    name: 'servers import',
    summary: 'Add the programs that MCP clients of this computer start, after showing each command and asking',
    args: ['[agent]'],
    options: {
      'no-pin': { type: 'boolean', summary: 'let npx or uvx download the package at each start' },
      ...FILE,
    },
    run: importServers,
  },
  {
    name: 'servers export',
    summary: 'Write an installed local server as a bundle (.mcpb), without the values of its secrets and folders',
    args: ['name'],
    options: { out: takes('file.mcpb', 'the file to write; it must not exist'), ...FILE },
    run: exportServer,
  },
  {
    name: 'servers remove',
    summary: 'Remove a local server from the file',
    args: ['name'],
    options: FILE,
    run: remove,
  },
  {
    name: 'servers pin',
    summary:
      'Install the package of an npx or uvx command: exact version, without scripts, run without npx from then on',
    args: ['name'],
    options: FILE,
    run: pin,
  },
  {
    name: 'servers update',
    summary: 'Show what a newer package or image changes (version, packages, tools), and use it once you agree',
    args: ['name'],
    options: {
      to: takes(
        'version',
        'this version, or this tag of an image; default: the newest that the command allows, or the tag that was added',
      ),
      ...FILE,
    },
    run: update,
  },
  {
    name: 'servers rollback',
    summary: 'Return to the package or image that ran before the last update',
    args: ['name'],
    options: FILE,
    run: rollback,
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
    options: { value: takes('@file', 'its value: @file, or @- for standard input') },
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

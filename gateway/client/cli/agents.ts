// The agents of this computer on the command line: what they are connected to, and the change before it is made.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { AGENT_IDS, type AgentId } from '../../contract/agent-entry.ts'
import type { AgentChange, AgentPlan } from '../../contract/agent-records.ts'
import { type Connections, createConnections } from '../agents/connections.ts'
import { type Command, type Context, homeOf, table, takes } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'

/** Beside the built program; nothing to copy where the sources run. */
const BRIDGE = path.join(import.meta.dirname, '../..', 'stdio', 'gantry-stdio.mjs')

export async function connectionsOf({ api, target, env }: Context): Promise<Connections> {
  const home = homeOf(env)
  const { url } = await target()
  return createConnections({
    api,
    machine: { platform: process.platform, home, env },
    address: () => url.origin,
    folder: path.join(home, '.gantry', 'agents'),
    bridge: () => readFileSync(BRIDGE, 'utf8'),
  })
}

function agentIn(context: Context): AgentId {
  const agent = AGENT_IDS.find((id) => id === context.arg(0))
  if (agent === undefined) throw new UsageError(`an agent is one of ${AGENT_IDS.join(', ')}`)
  return agent
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const
const shown = ({ file, diff, command, notes }: AgentPlan): string =>
  [
    file,
    ...diff.map(({ kind, text }) => `${SIGNS[kind]} ${text}`),
    ...(command === null ? [] : [`It starts: ${command}`]),
    ...notes,
  ].join('\n')

/** Shown first; made with --yes only. */
async function carryOut(context: Context, change: AgentChange, done: string): Promise<ExitCode> {
  const connections = await connectionsOf(context)
  const plan = await connections.plan(change)
  if (!context.flag('yes')) {
    context.tell(plan, `${shown(plan)}\nNothing is changed yet: say --yes to do it.`)
    return EXIT.ok
  }
  const { backup, restart } = await connections.apply(change, plan.version)
  const kept = backup === null ? '' : `\nWhat stood there is kept in ${backup}`
  context.tell({ file: plan.file, backup, restart }, `${shown(plan)}\n${done} ${restart}${kept}`)
  return EXIT.ok
}

/** Each is planned on what the one before it has written. */
async function moveAll(context: Context): Promise<ExitCode> {
  const connections = await connectionsOf(context)
  const moved = (await connections.list()).flatMap(({ id, connections: found }) =>
    found.flatMap(({ name, state }) => (state === 'old-address' ? [{ agent: id, name }] : [])),
  )
  const received: { agent: AgentId; entry: string; file: string; backup: string | null }[] = []
  const lines: string[] = []
  for (const { agent, name } of moved) {
    const change: AgentChange = { do: 'move', agent, name }
    const plan = await connections.plan(change)
    const backup = context.flag('yes') ? (await connections.apply(change, plan.version)).backup : null
    received.push({ agent, entry: name, file: plan.file, backup })
    lines.push(shown(plan))
  }
  const end = context.flag('yes') ? `${moved.length} changed.` : 'Nothing is changed yet: say --yes to do it.'
  context.tell(received, moved.length === 0 ? 'none leads to an old address' : [...lines, end].join('\n'))
  return EXIT.ok
}

const yes = { type: 'boolean', summary: 'apply the shown change' } as const

const CONNECT: Command = {
  name: 'agent connect',
  summary: 'Connect an agent of this computer to a bundle, with its own key',
  args: ['agent', 'name'],
  options: {
    backend: { type: 'boolean', summary: 'the name is a backend' },
    as: takes('entry', 'name of the entry; default gantry-<name>'),
    yes,
  },
  run(context) {
    const name = context.arg(1)
    const scope = context.flag('backend') ? 'client' : 'bundle'
    const change: AgentChange = {
      do: 'connect',
      agent: agentIn(context),
      name: context.text('as') ?? `gantry-${name}`,
      target: { scope, name },
    }
    return carryOut(context, change, 'Connected.')
  },
}

export const AGENTS_OF_THIS_COMPUTER: readonly Command[] = [
  {
    name: 'agent list',
    summary: 'List the agents of this computer and what they are connected to',
    async run(context) {
      const agents = await (await connectionsOf(context)).list()
      const rows = agents.flatMap(({ id, installed, problem, connections }) => {
        const nothing = { name: null, state: problem, lastUsedAt: null }
        return (connections.length === 0 ? [nothing] : connections).map(({ name, state, lastUsedAt }) => ({
          agent: id,
          found: installed,
          entry: name,
          state,
          'last call': lastUsedAt,
        }))
      })
      context.tell(agents, table(rows, ['agent', 'found', 'entry', 'state', 'last call']))
    },
  },
  CONNECT,
  { ...CONNECT, name: 'connect', summary: 'Alias of agent connect' },
  {
    name: 'agent move',
    summary: 'Update the address in an entry of an agent; without a name, in every outdated entry',
    args: ['[agent]', '[entry]'],
    options: { yes },
    run(context) {
      if (context.maybe(0) === undefined) return moveAll(context)
      const name = context.maybe(1)
      if (name === undefined) throw new UsageError('entry is missing')
      return carryOut(context, { do: 'move', agent: agentIn(context), name }, 'The address is changed.')
    },
  },
  {
    name: 'agent disconnect',
    summary: 'Remove an entry of an agent and revoke its key',
    args: ['agent', 'entry'],
    options: { yes },
    run: (context) =>
      carryOut(context, { do: 'disconnect', agent: agentIn(context), name: context.arg(1) }, 'Disconnected.'),
  },
]

// Local servers out of the files of MCP clients: each command is shown and agreed to by itself, and secrets are left out.
import { AGENT_ENTRIES, AGENT_IDS } from '../../contract/agent-entry.ts'
import { isRecord } from '../../mcp/record.ts'
import { readAgentFile } from '../agents/agent-file.ts'
import { fileOf as agentFileOf, agentOf } from '../agents/agents.ts'
import { readEntries } from '../agents/entry-file.ts'
import { type Context, homeOf } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { addEntry } from './servers-add.ts'
import { documentIn, fileOf, judged } from './servers-file.ts'

type Found = {
  readonly name: string
  readonly value: { readonly secrets: readonly string[] } & Record<string, unknown>
}

/** Names of variables whose values are not copied from file to file. */
const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!OR)|(?:API|ACCESS|PRIVATE)_?KEY|_KEY$/i
/** Our own relay, which a client starts to reach this gateway. */
const RELAY = /gantry-stdio|^gantry(?:\.cmd|\.exe)?$/i

const nameOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 63)

/** The programs among the entries of a client; those with a URL are backends. */
export function programsIn(entries: Readonly<Record<string, unknown>>): readonly Found[] {
  return Object.entries(entries).flatMap(([name, given]) => {
    if (!isRecord(given)) return []
    // OpenCode has the whole command as a list, and calls the variables "environment".
    const words: readonly unknown[] = Array.isArray(given['command']) ? given['command'] : [given['command']]
    const [command, ...own] = words
    if (typeof command !== 'string') return []
    const args = [...own, ...(Array.isArray(given['args']) ? given['args'] : [])]
    if ([command, ...args].some((word) => typeof word === 'string' && RELAY.test(word))) return []
    const env = [given['env'], given['environment']].find(isRecord) ?? {}
    const names = Object.keys(env)
    const value = {
      command,
      args,
      env: Object.fromEntries(names.filter((key) => !SECRET.test(key)).map((key) => [key, env[key]])),
      ...(typeof given['cwd'] === 'string' ? { cwd: given['cwd'] } : {}),
      secrets: names.filter((key) => SECRET.test(key)),
    }
    return [{ name: nameOf(name), value }]
  })
}

export async function importServers(context: Context): Promise<ExitCode | undefined> {
  const { maybe, env, warn, tell } = context
  const only = maybe(0)
  const agents = AGENT_IDS.filter((id) => only === undefined || id === only)
  if (agents.length === 0) throw new UsageError(`an agent is one of ${AGENT_IDS.join(', ')}`)
  const machine = { platform: process.platform, home: homeOf(env), env }
  const file = fileOf(context)
  const added: string[] = []
  const left: string[] = []
  for (const id of agents) {
    const { text, path } = readAgentFile(agentFileOf(agentOf(id), machine))
    const { container } = AGENT_ENTRIES[id]
    for (const { name, value } of programsIn(readEntries(text, agentOf(id).format, container))) {
      const entry = judged(name, value)
      const { mcpServers } = await documentIn(file)
      const why = typeof entry === 'string' ? entry : Object.hasOwn(mcpServers, name) ? 'it exists already' : undefined
      if (why !== undefined) {
        warn(`${name} of ${path} is left out: ${why}`)
        left.push(name)
        continue
      }
      warn(`From ${path}:`)
      if (!(await addEntry(context, file, name, { value }))) left.push(name)
      else {
        added.push(name)
        for (const key of value.secrets) warn(`Set its secret: gantry servers secret ${name} ${key} --value @-`)
      }
    }
  }
  tell({ added, left }, added.length === 0 ? 'nothing was added' : `added: ${added.join(', ')}`)
  return added.length === 0 ? EXIT.failed : undefined
}

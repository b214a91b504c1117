// The servers of this computer for the desktop window: one of the catalogue is added or its tools listed, after its main process has shown the whole command and asked; the others are in servers-programs.ts.

import path from 'node:path'
import type { AddServer, AddServerAnswer, ServerToolsAnswer, ShownServer } from '../../contract/admin/server-catalog.ts'
import type { ProgramAnswer, ProgramAsk } from '../../contract/admin/server-programs.ts'
import type { API } from '../../contract/api.ts'
import { localName, offeredOf } from '../../contract/catalog-program.ts'
import type { Client } from '../../contract/client.ts'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { type PackageCommand, packageIn } from '../../contract/package-command.ts'
import { storeOf } from '../../instance/server-store.ts'
import { withPath } from '../packages/environment.ts'
import { homeOf } from './command.ts'
import { documentIn, dropUnused, judged, pinOf, putEntry, shown, withoutSandbox } from './servers-file.ts'
import { createPrograms, type ProgramParts, type Question } from './servers-programs.ts'
import { toolRows } from './servers-tools.ts'

/** To run it from now on, or once to list its tools; or one of those of its programs. */
export type ServerQuestion = Omit<Question, 'purpose'> & { readonly purpose: Question['purpose'] | 'add' | 'look' }

export type ServerAdding = Pick<ProgramParts, 'file' | 'env' | 'openFile' | 'saveFile'> & {
  readonly api: Client<typeof API>
  /** The person at this computer, in a dialog of the main process. */
  readonly confirm: (question: ServerQuestion) => Promise<boolean>
}

export type ComputerServers = {
  readonly add: (asked: AddServer) => Promise<AddServerAnswer>
  /** Installs it, starts it once in its sandbox, and removes it again. */
  readonly listTools: (asked: Pick<AddServer, 'name'>) => Promise<ServerToolsAnswer>
  readonly ask: (asked: ProgramAsk) => Promise<ProgramAnswer>
}

type Fault = { readonly answer: 'fault'; readonly message: string }

export function createServerAdding(parts: ServerAdding): ComputerServers {
  const { api, file, env, confirm } = parts
  const searched = async (): Promise<string> => (await api.localServers.list()).path
  const programs = createPrograms({ ...parts, searched })

  // Read by the main process itself: the page names an entry and hosts, never a command.
  async function offer({ name: wanted, hosts }: AddServer) {
    const { entry } = await api.serverCatalog.get({ query: { name: wanted } })
    const offered = offeredOf(entry)
    if (typeof offered === 'string') throw new Error(`${wanted} cannot be added: ${offered}`)
    if (offered.missingArgs.length > 0)
      throw new Error(`${wanted} needs arguments: add it with gantry servers add --catalog`)
    const name = localName(entry.name)
    const value = { ...offered.program, hosts }
    const server = judged(name, value)
    if (typeof server === 'string') throw new Error(`${name}: ${server}`)
    const fault = withoutSandbox(server.sandbox)
    if (fault !== undefined) throw new Error(fault)
    const named = packageIn(server)
    if (typeof named === 'string') throw new Error(named)
    return { entry, name, value, server, named }
  }

  async function install(named: PackageCommand) {
    const { installPackage } = await import('../packages/install.ts')
    const signal = AbortSignal.timeout(INSTALL_MS)
    const own = withPath(env, await searched())
    const packed = await installPackage(named, { store: storeOf(file), env: own, signal })
    return { packed, own, signal }
  }

  async function add(asked: AddServer): Promise<AddServerAnswer> {
    const { entry, name, value, server, named } = await offer(asked)
    const { mcpServers } = await documentIn(file)
    if (Object.hasOwn(mcpServers, name)) throw new Error(`There is a local server ${name} already: remove it first`)
    if (!(await confirm({ purpose: 'add', name, lines: linesOf(entry, server) }))) return { answer: 'declined' }
    const pin = named && pinOf((await install(named)).packed)
    await putEntry(file, name, pin ? { ...value, pin } : value)
    return { answer: 'added', name }
  }

  async function listTools({ name: wanted }: Pick<AddServer, 'name'>): Promise<ServerToolsAnswer> {
    const { entry, name, server, named } = await offer({ name: wanted, hosts: [] })
    if (named === undefined || server.sandbox !== 'os')
      throw new Error(`${wanted} is no package, and only packages are started to list their tools`)
    if (!(await confirm({ purpose: 'look', name, lines: linesOf(entry, server) }))) return { answer: 'declined' }
    const { packed, own, signal } = await install(named)
    try {
      const { dryTools } = await import('../packages/dry-start.ts')
      const tools = await dryTools({
        store: storeOf(file),
        entry: { ...server, pin: pinOf(packed) },
        home: homeOf(env),
        hidden: [path.dirname(file)],
        env: own,
        signal,
      })
      return { answer: 'listed', tools: toolRows(tools) }
    } finally {
      await dropUnused(file, packed.folder)
    }
  }

  /** One dialog at a time: a page cannot hide one behind others. */
  let isAsking = false
  const alone =
    <A, R>(work: (asked: A) => Promise<R>) =>
    async (asked: A): Promise<R | Fault> => {
      if (isAsking) return { answer: 'fault', message: 'Another dialog waits for an answer' }
      isAsking = true
      try {
        return await work(asked)
      } catch (error) {
        return { answer: 'fault', message: error instanceof Error ? error.message : String(error) }
      } finally {
        isAsking = false
      }
    }
  return { add: alone(add), listTools: alone(listTools), ask: alone(programs) }
}

const INSTALL_MS = 600_000
const linesOf = ({ name, version }: ShownServer['entry'], server: LocalServerEntry): string =>
  [`${name} ${version}`, shown(server)].join('\n\n')

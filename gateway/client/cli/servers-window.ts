// Adds a server of the catalogue for the desktop window, after its main process has shown the whole command and asked.

import type { AddServer, AddServerAnswer, ShownServer } from '../../contract/admin/server-catalog.ts'
import type { API } from '../../contract/api.ts'
import { localName, offeredOf } from '../../contract/catalog-program.ts'
import type { Client } from '../../contract/client.ts'
import { packageIn } from '../../contract/package-command.ts'
import { storeOf } from '../../instance/server-store.ts'
import { documentIn, judged, pinOf, putEntry, shown } from './servers-file.ts'

export type ServerAdding = {
  readonly api: Client<typeof API>
  /** The file of local servers of this desktop. */
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The person at this computer, in a dialog of the main process. */
  readonly confirm: (question: {
    readonly name: string
    readonly lines: string
    readonly entry: ShownServer['entry']
  }) => Promise<boolean>
}

export type AddCatalogServer = (asked: AddServer) => Promise<AddServerAnswer>

export function createServerAdding({ api, file, env, confirm }: ServerAdding): AddCatalogServer {
  async function add({ name: wanted, hosts }: AddServer): Promise<AddServerAnswer> {
    // Read by the main process itself: the page names an entry and hosts, never a command.
    const { entry } = await api.serverCatalog.get({ query: { name: wanted } })
    const offered = offeredOf(entry)
    if (typeof offered === 'string') return { answer: 'fault', message: `${wanted} cannot be added: ${offered}` }
    if (offered.missingArgs.length > 0)
      return { answer: 'fault', message: `${wanted} needs arguments: add it with gantry servers add --catalog` }
    const name = localName(entry.name)
    const value = { ...offered.program, hosts }
    const server = judged(name, value)
    if (typeof server === 'string') return { answer: 'fault', message: `${name}: ${server}` }
    const { mcpServers } = await documentIn(file)
    if (Object.hasOwn(mcpServers, name))
      return { answer: 'fault', message: `There is a local server ${name} already: remove it first` }
    if (!(await confirm({ name, lines: shown(server), entry }))) return { answer: 'declined' }
    const named = packageIn(server)
    if (typeof named === 'string') return { answer: 'fault', message: named }
    if (named === undefined) {
      await putEntry(file, name, value)
      return { answer: 'added', name }
    }
    const { path } = await api.localServers.list()
    const { installPackage } = await import('../packages/install.ts')
    const signal = AbortSignal.timeout(INSTALL_MS)
    const packed = await installPackage(named, { store: storeOf(file), env: { ...env, PATH: path }, signal })
    await putEntry(file, name, { ...value, pin: pinOf(packed) })
    return { answer: 'added', name }
  }

  /** One dialog at a time: a page cannot hide one behind others. */
  let isAsking = false
  return async (asked) => {
    if (isAsking) return { answer: 'fault', message: 'Another server is being added' }
    isAsking = true
    try {
      return await add(asked)
    } catch (error) {
      return { answer: 'fault', message: error instanceof Error ? error.message : String(error) }
    } finally {
      isAsking = false
    }
  }
}

const INSTALL_MS = 600_000

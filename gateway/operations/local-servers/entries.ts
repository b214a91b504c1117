// The entries of the file as backends: made, attached, read for their tools, and detached when the file no longer has them.

import { stat } from 'node:fs/promises'
import type { SearchPath } from '../../contract/admin/local-servers.ts'
import { GatewayError } from '../../contract/error.ts'
import { type LocalServerEntry, readLocalServers } from '../../contract/local-servers.ts'
import type { DiscoveryLimits } from '../../discovery/discover.ts'
import { readServersFile } from '../../instance/local-servers-file.ts'
import type { UpstreamInfo } from '../../mcp/connection.ts'
import type { Base } from '../../records/base.ts'
import { SYSTEM } from '../../records/changes.ts'
import { requireNoTarget } from '../../records/shared-names.ts'
import { discoveredMcp } from '../../registry/discovered-mcp.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { backendByName, insertBackend, updateBackend } from '../../storage/backends.ts'
import { jsonText } from '../../storage/json-text.ts'
import { knownServer, rememberServer } from '../../storage/local-servers.ts'
import { prepareTools, storeTools } from '../backends/discovered-tools.ts'
import type { ServerReport } from './report.ts'

/** What runs them; the only way to a process. */
export type ServerPrograms = {
  put(name: string, entry: LocalServerEntry, facts: UpstreamInfo | undefined): Promise<void>
  remove(name: string): Promise<void>
  stop(name: string): Promise<void>
  restart(name: string): Promise<void>
  report(name: string): ServerReport | undefined
  listTools(name: string): Promise<{ readonly tools: readonly unknown[]; readonly hasMore: boolean }>
  secretsOf(name: string): readonly string[]
  fingerprintOf(entry: LocalServerEntry): string
  path(): Promise<SearchPath>
  sweep(): Promise<void>
}

export type EntriesDeps = Pick<Base, 'database' | 'changes' | 'log' | 'clock' | 'newId'> & {
  readonly registry: LiveRegistry
  readonly programs: ServerPrograms
  readonly file: string | null
  readonly limits: DiscoveryLimits
  readonly discoveryMs: number
}

/** How soon a changed file is seen. */
const LOOK_MS = 1_000
const WHOLE_FILE = '(file)'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function createEntries(deps: EntriesDeps) {
  const { database, changes, registry, programs, file, limits, discoveryMs, log, clock, newId } = deps
  const live = new Map<string, LocalServerEntry>()
  let problems: ReadonlyMap<string, string> = new Map()
  let seen = ''
  let turn: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const at = (): string => new Date(clock.now()).toISOString()
  const by = () => ({ actor: SYSTEM, requestId: newId() })

  /** The tools that it lists now. A program that does not answer keeps those it had. */
  async function discover(name: string): Promise<void> {
    const entry = live.get(name)
    if (entry === undefined || closed) return
    try {
      const listed = await programs.listTools(name)
      const { tools } = await discoveredMcp(listed, programs.secretsOf(name), limits, discoveryMs)
      const prepared = await prepareTools(tools)
      await changes(by(), async (tx, audit) => {
        const row = await backendByName(tx, name)
        if (row === undefined) return
        const { diff } = await storeTools(tx, row.id, prepared, at())
        await rememberServer(database, name, { fingerprint: programs.fingerprintOf(entry) }, tx)
        if (diff.added.length + diff.removed.length + diff.changed.length === 0) return
        await updateBackend(tx, row.id, { discovered_at: at(), updated_at: at() })
        await audit('client.rediscover', name, {
          added: diff.added.length,
          removed: diff.removed.length,
          changed: diff.changed.length,
        })
      })
      await registry.reload(name, 'changed')
      registry.note(name, { status: 'healthy', lastError: null })
    } catch (error) {
      if (closed) return
      registry.note(name, { status: 'unreachable', lastError: messageOf(error) })
      log.warn('the tools of a local server could not be listed', { server: name, reason: messageOf(error) })
    }
  }

  /** Whether its backend is ours to attach. */
  async function backendFor(name: string): Promise<string | undefined> {
    const row = await backendByName(database.query, name)
    if (row !== undefined) return row.source === 'program' ? undefined : 'its name is taken by a registered backend'
    try {
      await requireNoTarget(database.query, name)
    } catch (error) {
      if (error instanceof GatewayError) return error.message
      throw error
    }
    await changes(by(), async (tx, audit) => {
      if (await backendByName(tx, name)) return
      const now = at()
      await insertBackend(tx, {
        name,
        kind: 'mcp',
        source: 'program',
        base_url: `gantry://${name}`,
        tags: jsonText([]),
        team_id: null,
        discovered_at: now,
        created_at: now,
        updated_at: now,
        created_by: SYSTEM.name,
        enabled: 1,
        revision: 1,
      })
      await audit('client.register', name, { source: 'local servers file' })
    })
    return undefined
  }

  async function attach(name: string, entry: LocalServerEntry): Promise<string | undefined> {
    const problem = await backendFor(name)
    if (problem !== undefined) return problem
    const known = await knownServer(database, name)
    const isSame = known?.fingerprint === programs.fingerprintOf(entry)
    live.set(name, entry)
    await programs.put(name, entry, isSame ? known?.facts : undefined)
    await registry.reload(name, 'registered')
    registry.attach(name)
    // The stored definitions are of another command, or there are none.
    if (!isSame) void discover(name)
    return undefined
  }

  async function detach(name: string): Promise<void> {
    live.delete(name)
    await registry.tearDown(name)
    await programs.remove(name)
  }

  async function apply(text: string | undefined): Promise<void> {
    const { entries, problems: found } =
      text === undefined ? { entries: new Map(), problems: new Map() } : readLocalServers(text)
    const left = new Map(found)
    for (const name of live.keys()) if (!entries.has(name)) await detach(name)
    for (const [name, entry] of entries) {
      if (JSON.stringify(live.get(name)) === JSON.stringify(entry)) continue
      const problem = await attach(name, entry)
      if (problem !== undefined) left.set(name, problem)
    }
    problems = left
    for (const [name, message] of left)
      log.warn('an entry of the file of local servers is not used', { server: name, message })
  }

  /** A file that cannot be read changes nothing that runs. */
  async function look(path: string): Promise<void> {
    const stats = await stat(path).catch(() => undefined)
    const now = stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode} ${stats.uid}`
    const before = problems.get(WHOLE_FILE)
    // What a person corrects may be elsewhere: on Windows the access list of the folder.
    if ((now === seen && before === undefined) || closed) return
    try {
      await apply(await readServersFile(path))
    } catch (error) {
      const reason = messageOf(error)
      problems = new Map([[WHOLE_FILE, reason]])
      if (now !== seen || reason !== before) log.error('the file of local servers is not used', { file: path, reason })
    }
    seen = now
  }

  function lookInTurn(): Promise<void> {
    turn = turn.then(() => (file === null ? undefined : look(file)))
    return turn
  }

  return {
    entryOf: (name: string): LocalServerEntry | undefined => live.get(name),
    has: (name: string): boolean => live.has(name),
    names: (): readonly string[] => [...live.keys()].sort(),
    problems: (): ReadonlyMap<string, string> => problems,
    discover,
    discoverNew(name: string): void {
      void discover(name)
    },
    async start(): Promise<void> {
      if (file === null) return
      await programs.sweep()
      await lookInTurn()
      timer = setInterval(() => void lookInTurn(), LOOK_MS).unref()
    },
    async close(): Promise<void> {
      closed = true
      clearInterval(timer)
      await turn
    },
  }
}

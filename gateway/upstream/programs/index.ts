// The local servers of this gateway, by name. What starts a program is in here; the file alone names what may start.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ServerState } from '../../contract/admin/local-servers.ts'
import { installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import { isGone, ownMarker } from '../../instance/marker.ts'
import type { Connection, ListKind, Self, UpstreamInfo } from '../../mcp/connection.ts'
import { ExchangeError } from '../../net/exchange.ts'
import type { Injected, UpstreamCredential } from '../../registry/backend.ts'
import { containerName } from '../../sandbox/container.ts'
import { createSandbox, expectOs, type SandboxParts } from '../../sandbox/index.ts'
import type { Clock } from '../../telemetry/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { spellings } from '../../text/spellings.ts'
import { listAllTools } from '../list-tools.ts'
import { endLeftContainers } from './containers.ts'
import { createPathOf, type HostEnvironment } from './environment.ts'
import { createGroups } from './groups.ts'
import { createJobs } from './jobs.ts'
import type { Machine } from './launch.ts'
import { outputOf, PATIENCE, type Patience } from './process.ts'
import { createServer, type ProgramServer, type ServerReport } from './server.ts'
import { createStore } from './store.ts'
import type { Trees } from './tree.ts'

export type ProgramsParts = {
  readonly host: HostEnvironment
  /** Ask the login shell for the PATH. */
  readonly isDesktop: boolean
  readonly home: string
  /** The folder of installed packages. */
  readonly store: string
  /** Stored by the gateway: hidden from sandboxed servers. */
  readonly hidden: readonly string[]
  readonly pin: SandboxParts['pin']
  readonly self: Self
  readonly maxLineBytes: number
  /** The processes of this gateway, each of which runs the entries for itself: its limits are divided among them. */
  readonly sharers?: number
  readonly log: Log
  readonly monotonic: () => number
  readonly clock: Clock
  readonly random: () => number
  readonly patience?: Patience
  /** The cgroup of this process, where it may make others; tests give one. */
  readonly cgroup?: () => Promise<string | undefined>
  /** How often the memory of what runs is measured; tests shorten it. */
  readonly memoryEveryMs?: number
  /** The value of a secret of a server; undefined where it is not set. */
  readonly secretOf: (name: string, variable: string) => Promise<string | undefined>
  readonly onListChanged: (name: string, kind: ListKind) => void
  readonly onFacts: (name: string, facts: UpstreamInfo) => void
}

type Follower = (name: string, state: ServerState, reason: string | null) => void
type Held = { readonly server: ProgramServer; readonly credential: UpstreamCredential; given: readonly string[] }

export type Programs = ReturnType<typeof createPrograms>

/** A package runner may have to download first. */
const LIST_MS = 180_000
const gone = (): ExchangeError =>
  new ExchangeError('network', 'it is not in the file of local servers of this instance')
const NOT_SENT = (): Injected | undefined => undefined

/** What the stored definitions of a server belong to. Secrets are not part of it. */
const fingerprintOf = (entry: LocalServerEntry): string => {
  const { command, args, env, cwd, sandbox, folders } = entry
  const installed = installedOf(entry)
  return createHash('sha256')
    .update(
      JSON.stringify([
        command,
        args,
        Object.keys(env)
          .sort()
          .map((key) => [key, env[key]]),
        cwd ?? null,
        ...(installed === undefined ? [] : [installed.folder]),
        ...(sandbox === 'os' || sandbox === 'container' ? [folders] : []),
      ]),
    )
    .digest('hex')
}

export function createPrograms(parts: ProgramsParts) {
  const servers = new Map<string, Held>()
  const ending = new Set<Promise<void>>()
  let lastNumber = 0
  let follower: Follower = () => undefined
  let trees: Promise<Trees> | undefined
  const store = createStore(parts.store)
  const sandbox = createSandbox({
    folders: join(parts.store, 'folders'),
    home: parts.home,
    hidden: parts.hidden,
    store: parts.store,
    pin: parts.pin,
    clock: parts.clock,
    run: outputOf,
  })
  const path = createPathOf(parts.host, parts.isDesktop)
  let marker: Promise<string> | undefined
  /** In the names of containers. */
  const markerOf = (): Promise<string> => (marker ??= ownMarker())
  const { patience = PATIENCE } = parts
  async function findTrees(): Promise<Trees> {
    const { memoryEveryMs, cgroup, host } = parts
    const containers = await markerOf()
    const isWindows = process.platform === 'win32'
    const found = isWindows
      ? createJobs(memoryEveryMs)
      : await createGroups({ patience, cgroup, memoryEveryMs, host, containers })
    parts.log.debug('how processes of local servers are held together', { held: found.held })
    return found
  }
  const treesOf = (): Promise<Trees> => (trees ??= findTrees())

  /** Asked of an engine only where an entry needs one. */
  let containersEnded: Promise<void> | undefined
  async function endContainers(): Promise<void> {
    const [{ text }, mine] = await Promise.all([path(), markerOf()])
    const count = await endLeftContainers({ ...parts.host, PATH: text }, (other) => isGone(mine, other))
    if (count > 0) parts.log.warn('containers of an earlier gateway were removed', { count })
  }

  async function machine(): Promise<Machine> {
    const mine = await markerOf()
    const { host, maxLineBytes, sharers = 1, self, monotonic, clock } = parts
    const nextNumber = (): number => (lastNumber += 1)
    return {
      host,
      path: async () => (await path()).text,
      store,
      sandbox,
      trees: await treesOf(),
      containerName: (number) => containerName(mine, number),
      patience,
      nextNumber,
      maxLineBytes,
      sharers,
      self,
      monotonic,
      clock,
    }
  }

  const timers = {
    monotonic: parts.monotonic,
    after(ms: number, act: () => void) {
      const timer = setTimeout(act, ms).unref()
      return () => clearTimeout(timer)
    },
  }

  function secretsOf(name: string, { secrets }: LocalServerEntry) {
    return async () => {
      const values: Record<string, string> = {}
      for (const variable of secrets) {
        const value = await parts.secretOf(name, variable)
        if (value === undefined) return { missing: variable }
        values[variable] = value
      }
      const held = servers.get(name)
      // Those of an earlier start may still come back in an answer.
      if (held) held.given = [...new Set([...held.given, ...spellings(...Object.values(values))])]
      return { values }
    }
  }

  function ended(work: Promise<void>): Promise<void> {
    ending.add(work)
    return work.finally(() => ending.delete(work))
  }

  return {
    has: (name: string): boolean => servers.has(name),
    connectionOf(name: string): Connection {
      const held = servers.get(name)
      if (!held) throw gone()
      return held.server.connection
    },
    /** Sent nowhere; its spellings are masked in answers. */
    credential: (name: string): UpstreamCredential | undefined => servers.get(name)?.credential,

    /** From now on by this entry; the processes of an earlier one end. */
    async put(name: string, entry: LocalServerEntry, facts: UpstreamInfo | undefined): Promise<void> {
      const before = servers.get(name)
      store.check(entry)
      if (entry.sandbox === 'os') expectOs(parts)
      if (entry.sandbox === 'container') containersEnded ??= endContainers()
      const made = await machine()
      const server = createServer({
        machine: made,
        name,
        timers,
        random: parts.random,
        entry,
        home: parts.home,
        secrets: secretsOf(name, entry),
        withheld: () => servers.get(name)?.given ?? [],
        facts,
        onFacts: (found) => parts.onFacts(name, found),
        onListChanged: (kind) => parts.onListChanged(name, kind),
        onState(state, reason) {
          follower(name, state, reason)
          if (state === 'failed') parts.log.warn('a local server failed', { server: name, reason: reason ?? '' })
        },
      })
      const held: Held = {
        server,
        given: before?.given ?? [],
        credential: {
          sentTo: NOT_SENT,
          get secrets() {
            return held.given
          },
        },
      }
      servers.set(name, held)
      if (before) await ended(before.server.connection.close())
    },
    async remove(name: string): Promise<void> {
      const held = servers.get(name)
      servers.delete(name)
      if (held) await ended(held.server.connection.close())
    },
    async stop(name: string): Promise<void> {
      await servers.get(name)?.server.stop()
    },
    async restart(name: string): Promise<void> {
      await servers.get(name)?.server.restart()
    },
    /** Why it failed last; null while it runs or is stopped. */
    whyDown: (name: string): string | null => servers.get(name)?.server.whyDown() ?? null,
    report: (name: string): ServerReport | undefined => servers.get(name)?.server.report(),
    path,
    /** Receives each change of state from now on. */
    follow(next: Follower): void {
      follower = next
    },
    async listTools(name: string): Promise<{ readonly tools: readonly unknown[]; readonly hasMore: boolean }> {
      const held = servers.get(name)
      if (!held) throw gone()
      return listAllTools(held.server.connection, {
        deadlineMs: LIST_MS,
        maxBytes: parts.maxLineBytes,
        monotonic: parts.monotonic,
      })
    },
    secretsOf: (name: string): readonly string[] => servers.get(name)?.given ?? [],
    fingerprintOf,
    /** Ends what gateways of this user left that died. */
    async sweep(): Promise<void> {
      const count = await (await treesOf()).endLeftovers()
      if (count > 0) parts.log.warn('processes of an earlier gateway were ended', { count })
    },
    leave(key: string): void {
      for (const { server } of servers.values()) server.connection.leave(key)
    },
    async closeAll(): Promise<void> {
      const all = [...servers.values()].map(({ server }) => server.connection.close())
      servers.clear()
      await Promise.all([...all, ...ending, containersEnded])
      await (await trees)?.close()
    },
  }
}

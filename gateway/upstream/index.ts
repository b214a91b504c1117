// The MCP upstreams of the gateway: one connection per backend, kept for as long as the backend stays what it was.
import { randomUUID } from 'node:crypto'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import type { McpSender } from '../pipeline/5-dispatch/index.ts'
import type { Backend, Registry } from '../registry/backend.ts'
import type { Log } from '../telemetry/log.ts'
import type { Connection, Self } from './connection.ts'
import { createLegacySse } from './legacy-sse.ts'
import { listAllTools } from './list-tools.ts'
import { createMcpSender, type SenderParts } from './send.ts'
import { createStreamable, isModern } from './streamable.ts'
import { watchLists } from './watch.ts'

export type UpstreamSettings = SenderParts['settings'] & { readonly MCP_UPSTREAM_POOL_MAX: number }

type Transport = 'streamable-http' | 'sse'
/** An upstream that need not be registered. */
export type ListTarget = {
  readonly url: string
  readonly transport: Transport
  readonly pin: Pin
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs: number
}

type Parts = Pick<SenderParts, 'credential' | 'onServerRequest' | 'onNotification'> & {
  readonly outbound: Outbound
  readonly refreshCredential: Registry['refreshCredential']
  readonly settings: UpstreamSettings
  readonly log: Log
  /** Monotonic. */
  readonly now: () => number
  readonly wallClock: () => number
  readonly random: () => number
  /** Our own version, told to upstreams. */
  readonly version: string
  /** What `onServerRequest` can answer, declared to legacy upstreams. */
  readonly capabilities?: Self['capabilities']
  readonly onListChanged: (name: string) => void
}

export type Upstreams = {
  /** Its raw entries, page after page. Rejects with `DISCOVERY_ERROR`, an `ExchangeError` or an `UpstreamStatus`. */
  listTools(target: ListTarget): Promise<readonly unknown[]>
  /** Rejects when the upstream does not answer. */
  ping(backend: Backend, timeoutMs: number): Promise<void>
  send: McpSender
  /** For what a transparent shard relays besides tools. */
  connection(backend: Backend): Connection
  /** Tells of changed lists from now on, through every change of the backend, until it is closed. */
  watch(backend: Backend): void
  close(name: string): Promise<void>
  closeAll(): Promise<void>
}

type Held = { readonly backend: Backend; readonly connection: Connection; readonly stopWatch: (() => void) | undefined }
type Address = Pick<ListTarget, 'url' | 'transport' | 'pin'>

const PING_MAX_BYTES = 1_048_576
const PING_DEPTH = 512
const RETIRE_MS = 60_000

const streamOwner = (owner: string): string => `${owner}#stream`
const transportOf = ({ registration }: Backend): Transport => registration?.mcp_transport ?? 'streamable-http'

function samePlace(a: Backend, b: Backend): boolean {
  const addresses = ({ pins }: Backend): string => pins?.base.addresses.join() ?? ''
  return a.baseUrl === b.baseUrl && transportOf(a) === transportOf(b) && addresses(a) === addresses(b)
}

export function createUpstreams(parts: Parts): Upstreams {
  const { outbound, credential, refreshCredential, settings, log, now, wallClock, random, onListChanged } = parts
  const held = new Map<string, Held>()
  const retiring = new Set<() => Promise<void>>()
  const self: Self = { version: parts.version, capabilities: parts.capabilities ?? {} }

  function connect(
    { url, transport, pin }: Address,
    owner: string,
    headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>,
    refresh: () => Promise<boolean>,
  ): Connection {
    const { pathname, search } = new URL(url)
    const door = { outbound, pin, owner, path: pathname + search, credential: headers, refresh }
    const options = {
      door,
      streamDoor: { ...door, owner: streamOwner(owner) },
      self,
      mostSessions: settings.MCP_UPSTREAM_POOL_MAX,
      now,
      wallClock,
    }
    return transport === 'sse'
      ? createLegacySse({ ...options, maxEventBytes: settings.MAX_RESPONSE_BYTES })
      : createStreamable(options)
  }

  function credentialHeaders(
    name: string,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const known = credential(name)
    return known instanceof Promise ? known.then((given) => given?.headers ?? {}) : (known?.headers ?? {})
  }

  const startWatch = (name: string, connection: Connection): (() => void) =>
    watchLists({ connection, now, random, onListChanged: () => onListChanged(name) })

  function connectionOf(backend: Backend): Connection {
    const known = held.get(backend.name)
    if (known?.backend === backend) return known.connection
    if (known && samePlace(known.backend, backend)) {
      held.set(backend.name, { ...known, backend })
      return known.connection
    }
    if (backend.pins === null) throw new Error(`"${backend.name}" has no address`)
    const address = { url: backend.baseUrl, transport: transportOf(backend), pin: backend.pins.base }
    const connection = connect(
      address,
      backend.name,
      () => credentialHeaders(backend.name),
      () => refreshCredential(backend.name),
    )
    known?.stopWatch?.()
    if (known) retire(backend.name, known.connection)
    held.set(backend.name, {
      backend,
      connection,
      stopWatch: known?.stopWatch ? startWatch(backend.name, connection) : undefined,
    })
    return connection
  }

  /** Calls in flight end on it; then it goes. */
  function retire(name: string, connection: Connection): void {
    const end = async (): Promise<void> => {
      clearTimeout(timer)
      retiring.delete(end)
      await connection.close()
      if (!held.has(name)) await drop(name)
    }
    const timer = setTimeout(() => void end(), RETIRE_MS).unref()
    retiring.add(end)
  }

  async function drop(owner: string): Promise<void> {
    await Promise.all([outbound.drop(owner), outbound.drop(streamOwner(owner))])
  }

  async function close(name: string): Promise<void> {
    const known = held.get(name)
    held.delete(name)
    known?.stopWatch?.()
    await known?.connection.close()
    // A backend of the same name may have been registered meanwhile; the pools are its own then.
    if (!held.has(name)) await drop(name)
  }

  return {
    async listTools({ deadlineMs, headers, ...address }) {
      const owner = `list:${randomUUID()}`
      const connection = connect(
        address,
        owner,
        () => headers,
        async () => false,
      )
      try {
        const { tools, left } = await listAllTools(connection, {
          deadlineMs,
          maxBytes: settings.MAX_RESPONSE_BYTES,
          now,
        })
        if (left.length > 0) log.warn('tools with an invalid x-mcp-header are left out', { tools: left })
        return tools
      } finally {
        await connection.close()
        await drop(owner)
      }
    },
    async ping(backend, timeoutMs) {
      const endsAt = now() + timeoutMs
      const connection = connectionOf(backend)
      const modern = isModern(await connection.facts(timeoutMs))
      const ask = (method: string) =>
        connection.request({
          method,
          params: {},
          timeoutMs: Math.max(1, endsAt - now()),
          maxBytes: PING_MAX_BYTES,
          maxDepth: PING_DEPTH,
        })
      const answer = await ask(modern ? 'server/discover' : 'ping')
      const lacking = 'error' in answer && answer.error.code === -32_601 && !modern
      const last = lacking ? await ask('tools/list') : answer
      if ('error' in last) throw new Error(`answered error ${last.error.code}`)
    },
    send: createMcpSender({ ...parts, connectionOf }),
    connection: connectionOf,
    watch(backend) {
      const connection = connectionOf(backend)
      const known = held.get(backend.name)
      if (known && !known.stopWatch)
        held.set(backend.name, { ...known, stopWatch: startWatch(backend.name, connection) })
    },
    close,
    async closeAll() {
      await Promise.all([...[...held.keys()].map(close), ...[...retiring].map((end) => end())])
    },
  }
}

// The MCP upstreams of the gateway: one connection per backend, kept for as long as the backend stays what it was.

import { randomUUID } from 'node:crypto'
import { type Acting, isPersonal } from '../identity/acting.ts'
import { credentialOf, type Identified } from '../identity/credential-of.ts'
import { type Connection, type ListKind, type Self, type UpstreamInfo, UpstreamStatus } from '../mcp/connection.ts'
import type { Era } from '../mcp/era.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import type { Base } from '../records/base.ts'
import type { Backend, Pins, Registry, UpstreamCredential } from '../registry/backend.ts'
import { foreignText } from '../text/foreign-text.ts'
import type { Redaction } from '../text/redact.ts'
import { headerSpellings } from '../text/spellings.ts'
import type { EraSetting } from './eras.ts'
import { listAllTools } from './list-tools.ts'
import { createPersonConnections } from './person-connections.ts'
import type { Programs } from './programs/index.ts'
import { createSseConnection } from './sse-connection.ts'
import { createStreamable, isModern } from './streamable.ts'
import { createThrottle } from './throttle.ts'
import { watchLists } from './watch.ts'
import { createSentSecrets, type WithheldNow } from './withheld.ts'

type Transport = 'streamable-http' | 'sse'
/** An upstream that need not be registered. */
export type ListTarget = {
  readonly url: string
  readonly transport: Transport
  readonly era?: EraSetting | undefined
  readonly pin: Pin
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs: number
}

type Parts = Pick<Base, 'outbound' | 'log' | 'monotonic' | 'clock' | 'random'> & {
  readonly credential: Registry['credential']
  readonly onListChanged: (client: string, kind: ListKind) => void
  /** With room for what may stay open for long; without one everything goes through the same door. */
  readonly patientOutbound?: Outbound
  readonly refreshCredential: Registry['refreshCredential']
  readonly settings: { readonly MAX_RESPONSE_BYTES: number }
  /** Monotonic. */
  /** Backends without an address. */
  readonly programs?: Pick<Programs, 'connectionOf' | 'credential' | 'stop' | 'leave' | 'closeAll'>
  /** Our own version, sent to upstreams. */
  readonly version: string
}

export type UpstreamConnections = {
  readonly connectionOf: (backend: Backend, acting?: Acting) => Connection
  /** What a call is sent with. Rejects where it may not be sent. */
  readonly credential: (call: Identified) => ReturnType<Registry['credential']>
  /** The credentials that answers to a call must not repeat. */
  readonly withheldOf: (call: Identified, redact?: Redaction) => WithheldNow
  /** Notifies at most once a second for each list. Some upstreams announce a change only on the connection that caused it. */
  readonly onListChanged: (client: string, kind: ListKind) => void
}

export type Upstreams = ReturnType<typeof createUpstreams>

type Held = { readonly backend: Backend; readonly connection: Connection; readonly stopWatch: (() => void) | undefined }
type Address = Pick<ListTarget, 'url' | 'transport' | 'era' | 'pin'>

const PING_MAX_BYTES = 1_048_576
const PING_DEPTH = 512
const RETIRE_MS = 60_000
const LEFT_NAME_MAX = 128
/** Of one upstream. Each client has one of its own; beyond this the idle ones are let go. */
const MOST_SESSIONS = 1_000
/** Of all backends: the one that was used longest ago is closed. */
const MOST_PERSONS = 2_000

type Headers = Readonly<Record<string, string>>

const placeOf = ({ backend, acting }: Identified): string => (acting ? `${backend.name}\n${acting.key}` : backend.name)
function headersOf(
  given: UpstreamCredential | undefined | Promise<UpstreamCredential | undefined>,
  { origin }: Pick<Pin, 'origin'>,
): Headers | Promise<Headers> {
  const sent = (known: UpstreamCredential | undefined): Headers => known?.sentTo(origin)?.headers ?? {}
  return given instanceof Promise ? given.then(sent) : sent(given)
}

const patientOwner = (owner: string): string => `${owner}#patient`
const transportOf = ({ registration }: Backend): Transport => registration?.mcp_transport ?? 'streamable-http'
const eraOf = ({ registration }: Backend): EraSetting => registration?.mcp_era ?? 'auto'

function samePlace(a: Backend, b: Backend): boolean {
  const addresses = ({ pins }: Backend): string => pins?.base.addresses.join() ?? ''
  const allowed = ({ pins }: Backend): string => (pins?.local ? `${pins.local.address} ${pins.local.port}` : '')
  const same = (of: (backend: Backend) => string): boolean => of(a) === of(b)
  return a.baseUrl === b.baseUrl && same(transportOf) && same(eraOf) && same(addresses) && same(allowed)
}

export function createUpstreams(parts: Parts) {
  const { outbound, refreshCredential, settings, log, monotonic, clock, random } = parts
  const { programs } = parts
  const sent = createSentSecrets()
  const credential: Registry['credential'] = (name) =>
    sent.note(name, programs?.credential(name) ?? parts.credential(name))
  const { patientOutbound = outbound } = parts
  const held = new Map<string, Held>()
  const persons = createPersonConnections(MOST_PERSONS, (connection) => void connection.close())
  const retiring = new Set<() => Promise<void>>()
  const throttle = createThrottle(monotonic)
  // A list is read again for each, at most once a second, however often an upstream announces it.
  const onListChanged: Parts['onListChanged'] = (client, kind) =>
    throttle.tell(`${kind} ${client}`, () => parts.onListChanged(client, kind))
  const self: Self = { version: parts.version }

  function connect(
    { url, transport, era = 'auto', pin }: Address,
    owner: string,
    headers: () => Headers | Promise<Headers>,
    refresh: () => Promise<boolean>,
  ): Connection {
    const { pathname, search } = new URL(url)
    const door = { outbound, pin, owner, path: pathname + search, credential: headers, refresh }
    const options = {
      door,
      patientDoor: { ...door, outbound: patientOutbound, owner: patientOwner(owner) },
      self,
      era,
      mostSessions: MOST_SESSIONS,
      monotonic,
      clock,
    }
    return transport === 'sse'
      ? createSseConnection({ ...options, maxEventBytes: settings.MAX_RESPONSE_BYTES })
      : createStreamable(options)
  }

  function credentialHeaders(name: string, { origin }: Pick<Pin, 'origin'>): Headers | Promise<Headers> {
    return headersOf(credential(name), { origin })
  }

  const startWatch = (name: string, connection: Connection): (() => void) =>
    watchLists({ connection, monotonic, random, onListChanged: (kind) => onListChanged(name, kind) })

  /** Of a person: no other one shares its sessions, and each request is sent with the token of then. */
  function personOf(backend: Backend, { base: pin }: Pins, acting: Acting): Connection {
    const address = { url: backend.baseUrl, transport: transportOf(backend), era: eraOf(backend), pin }
    const place = placeOf({ backend, acting })
    return persons.of(backend, acting, samePlace, (newest) =>
      connect(
        address,
        backend.name,
        () => headersOf(sent.note(place, newest().current()), pin),
        () => newest().renew(),
      ),
    )
  }

  function connectionOf(backend: Backend, acting?: Acting): Connection {
    if (backend.pins === null) return programOf(backend.name)
    if (acting) return personOf(backend, backend.pins, acting)
    const known = held.get(backend.name)
    if (known?.backend === backend) return known.connection
    if (known && samePlace(known.backend, backend)) {
      held.set(backend.name, { ...known, backend })
      return known.connection
    }
    const address = {
      url: backend.baseUrl,
      transport: transportOf(backend),
      era: eraOf(backend),
      pin: backend.pins.base,
    }
    const connection = connect(
      address,
      backend.name,
      () => credentialHeaders(backend.name, address.pin),
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

  function programOf(name: string): Connection {
    if (!programs) throw new Error(`"${name}" has no address`)
    return programs.connectionOf(name)
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
    await Promise.all([outbound.drop(owner), patientOutbound.drop(patientOwner(owner))])
  }

  async function close(name: string): Promise<void> {
    const known = held.get(name)
    held.delete(name)
    persons.endAll(name)
    await programs?.stop(name)
    known?.stopWatch?.()
    await known?.connection.close()
    // A backend of the same name may have been registered in the meantime; the pools are its own then.
    if (held.has(name)) return
    sent.forget(name)
    await drop(name)
  }

  async function ping(backend: Backend, timeoutMs: number): Promise<void> {
    const endsAt = monotonic() + timeoutMs
    const connection = connectionOf(backend)
    const modern = isModern(await connection.facts(timeoutMs))
    const ask = (method: string) =>
      connection.request({
        method,
        params: {},
        timeoutMs: Math.max(1, endsAt - monotonic()),
        maxBytes: PING_MAX_BYTES,
        maxDepth: PING_DEPTH,
      })
    const answer = await ask(modern ? 'server/discover' : 'ping')
    const lacking = 'error' in answer && answer.error.code === -32_601 && !modern
    const last = lacking ? await ask('tools/list') : answer
    if ('error' in last) throw new Error(`answered error ${last.error.code}`)
  }

  return {
    /** Its raw entries, page after page, and whether it has resources or prompts beside them. Rejects with `DISCOVERY_ERROR`, an `ExchangeError` or an `UpstreamStatus`. */
    async listTools({
      deadlineMs,
      headers,
      ...address
    }: ListTarget): Promise<{ readonly tools: readonly unknown[]; readonly hasMore: boolean }> {
      const owner = `list:${randomUUID()}`
      const connection = connect(
        address,
        owner,
        () => headers,
        async () => false,
      )
      try {
        const { left, ...listed } = await listAllTools(connection, {
          deadlineMs,
          maxBytes: settings.MAX_RESPONSE_BYTES,
          monotonic,
        })
        const withheld = { secrets: headerSpellings(headers) }
        const names = left.map((name) => foreignText(name, withheld, LEFT_NAME_MAX))
        if (left.length > 0) log.warn('tools with an invalid x-mcp-header are left out', { tools: names })
        return listed
      } finally {
        await connection.close()
        await drop(owner)
      }
    },
    /** Rejects when the upstream does not answer. */
    ping: (backend: Backend, timeoutMs: number): Promise<void> =>
      ping(backend, timeoutMs).catch((error: unknown) => {
        // It answers, and wants a person: a health check has none.
        const wantsPerson = error instanceof UpstreamStatus && (error.status === 401 || error.status === 403)
        if (!wantsPerson || !isPersonal(backend)) throw error
      }),
    /** For the dispatch of calls, and for nothing else. */
    connections: {
      connectionOf,
      credential: (call) => sent.note(placeOf(call), credentialOf(call, credential)),
      withheldOf: (call, redact) => sent.of(placeOf(call), redact),
      onListChanged,
    } satisfies UpstreamConnections,
    /** A connection of a person has ended, and what was open with it. */
    endPerson(key: string): void {
      for (const place of persons.end(key)) sent.forget(place)
    },
    /** The capabilities of an upstream after its handshake, as a client of this era finds them; sends nothing. */
    known: (backend: Backend, era?: Era): UpstreamInfo | undefined =>
      connectionOf(backend).known(era) ?? persons.known(backend.name, era),
    /** Reports changed lists from now on, through every change of the backend, until it is closed. */
    watch(backend: Backend): void {
      // A local server reports them by itself, and is not started for it.
      // A backend that is called as people has no shared connection.
      if (backend.pins === null || isPersonal(backend)) return
      const connection = connectionOf(backend)
      const known = held.get(backend.name)
      if (known && !known.stopWatch)
        held.set(backend.name, { ...known, stopWatch: startWatch(backend.name, connection) })
    },
    /** A client is gone, and its sessions with it. */
    leave(key: string): void {
      for (const { connection } of held.values()) connection.leave(key)
      persons.leave(key)
      programs?.leave(key)
    },
    close,
    async closeAll(): Promise<void> {
      throttle.close()
      await programs?.closeAll()
      await Promise.all([...[...held.keys()].map(close), ...[...retiring].map((end) => end())])
    },
  }
}

// How an upstream is met: asked for the modern era first, then greeted in the legacy one.

import { type Self, type UpstreamInfo, UpstreamStatus } from '../mcp/connection.ts'
import { isLegacyRevision, LEGACY, type LegacyRevision, META_SERVER, MODERN } from '../mcp/era.ts'
import { RPC } from '../mcp/json-rpc.ts'
import { isRecord, type JsonRecord, type RpcFault } from '../mcp/message.ts'
import { modernHeaders } from '../mcp/mirrored-headers.ts'
import { clientInfo, modernMeta } from '../mcp/request-meta.ts'
import { ExchangeError } from '../net/exchange.ts'
import type { Clock } from '../telemetry/clock.ts'
import { foreignText } from '../text/foreign-text.ts'
import { headerSpellings } from '../text/spellings.ts'
import { type Door, exchangeRpc, type Received } from './wire.ts'

/** A legacy session; without an id the upstream keeps none. */
export type UpstreamSession = {
  readonly id: string | undefined
  readonly revision: LegacyRevision
  readonly facts: UpstreamInfo
}

export type Greeting = {
  readonly door: Door
  readonly self: Self
  readonly nextId: () => number
  readonly clock: Clock
}

/** A silent upstream must leave time for the second way of greeting it. */
const DISCOVER_MS = 4_000
const INITIALIZE_MS = 10_000
const MOST_BYTES = 1_048_576
const MOST_DEPTH = 128
const MOST_REASON = 256
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

const sessionHeaders = new WeakMap<object, Readonly<Record<string, string>>>()

/** The same frozen record for each request of a session. */
export function legacyHeaders(session: Pick<UpstreamSession, 'id' | 'revision'>): Readonly<Record<string, string>> {
  const known = sessionHeaders.get(session)
  if (known) return known
  const headers = Object.freeze({
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': session.revision,
    ...(session.id === undefined ? {} : { 'mcp-session-id': session.id }),
  })
  sessionHeaders.set(session, headers)
  return headers
}

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

async function askToDiscover({ door, self, nextId }: Greeting): Promise<Received | undefined> {
  const id = nextId()
  const params = { _meta: modernMeta(self, {}) }
  try {
    return await exchangeRpc(door, {
      method: 'POST',
      headers: modernHeaders('server/discover', params),
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'server/discover', params }),
      expects: id,
      remainingMs: () => DISCOVER_MS,
      maxBytes: MOST_BYTES,
      maxDepth: MOST_DEPTH,
    })
  } catch (error) {
    // Old servers fail on it in different ways; one that does not run fails the next greeting too.
    if (error instanceof ExchangeError && error.kind !== 'blocked') return undefined
    throw error
  }
}

/** It refused the version, and names the same one as supported: it wants to be asked again. */
function wantsRetry({ answer }: Received): boolean {
  if (!answer || !('error' in answer) || answer.error.code !== RPC.unsupportedVersion) return false
  const { supported } = recordOf(answer.error.data)
  return Array.isArray(supported) && supported.includes(MODERN)
}

/** Undefined when the upstream does not speak the modern revision. */
export async function discover(parts: Greeting): Promise<UpstreamInfo | undefined> {
  const first = await askToDiscover(parts)
  const received = first && wantsRetry(first) ? await askToDiscover(parts) : first
  if (received === undefined) return undefined
  const result = received.answer && 'result' in received.answer ? received.answer.result : undefined
  if (!isRecord(result) || !Array.isArray(result.supportedVersions) || !result.supportedVersions.includes(MODERN))
    return undefined
  return {
    revision: MODERN,
    capabilities: recordOf(result.capabilities),
    serverInfo: recordOf(recordOf(result._meta)[META_SERVER]),
    instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
    learnedAtMs: parts.clock.now(),
  }
}

/** The parameters of `initialize`, the same on both legacy transports. */
export const initializeParams = (self: Self, capabilities: JsonRecord): JsonRecord => ({
  protocolVersion: LEGACY[0],
  capabilities,
  clientInfo: clientInfo(self),
})

/** Its message may repeat the credential that it was sent. */
export async function refusedHandshake({ code, message }: RpcFault, { credential }: Door): Promise<ExchangeError> {
  const reason = foreignText(message, { secrets: headerSpellings(await credential()) }, MOST_REASON)
  return new ExchangeError('bad_response', `it refused the handshake with error ${code}: ${reason}`)
}

export function readInitialized(
  result: unknown,
  clock: Clock,
): { readonly revision: LegacyRevision; readonly facts: UpstreamInfo } {
  const { protocolVersion: revision, capabilities, serverInfo, instructions } = recordOf(result)
  if (!isLegacyRevision(revision))
    throw new ExchangeError('bad_response', 'it speaks no revision of MCP that is known here')
  return {
    revision,
    facts: {
      revision,
      capabilities: recordOf(capabilities),
      serverInfo: recordOf(serverInfo),
      instructions: typeof instructions === 'string' ? instructions : undefined,
      learnedAtMs: clock.now(),
    },
  }
}

export async function initialize(
  { door, self, nextId, clock }: Greeting,
  capabilities: JsonRecord,
): Promise<UpstreamSession> {
  const id = nextId()
  const received = await exchangeRpc(door, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: initializeParams(self, capabilities) }),
    expects: id,
    remainingMs: () => INITIALIZE_MS,
    maxBytes: MOST_BYTES,
    maxDepth: MOST_DEPTH,
  })
  if (received.answer === undefined) throw new UpstreamStatus(received)
  if ('error' in received.answer) throw await refusedHandshake(received.answer.error, door)
  const given = received.headers['mcp-session-id']
  if (given !== undefined && (typeof given !== 'string' || !SESSION_ID.test(given)))
    throw new ExchangeError('bad_response', 'its session id is not printable text')
  const session = { id: given, ...readInitialized(received.answer.result, clock) }
  await exchangeRpc(door, {
    method: 'POST',
    headers: legacyHeaders(session),
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    remainingMs: () => INITIALIZE_MS,
    maxBytes: MOST_BYTES,
    maxDepth: MOST_DEPTH,
  })
  return session
}

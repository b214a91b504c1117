// A defect anywhere behind the endpoint: the caller receives it under the request id, and the next is served as before.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Front, openFront } from '../http/http.fixture.ts'
import { META_CAPABILITIES, META_VERSION, MODERN } from '../mcp/era.ts'
import { createMemoryBudget } from '../net/memory-budget.ts'
import { aCaller } from '../pipeline/pipeline.fixture.ts'
import { createEndedSessions } from './ended-sessions.ts'
import { type EndpointParts, registerSurface } from './endpoint.ts'
import type { Answerer } from './handlers.ts'
import { createSessionSeal } from './session-seal.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSurface } from './surface.ts'

/** Every place behind the endpoint where something may go wrong. */
const PLACES = [
  'authenticate',
  'surface',
  'find',
  'open',
  'spend',
  'noteClient',
  'initialize',
  'discover',
  'listTools',
  'callTool',
  'other',
  'listen',
  'hear',
  'end',
] as const
type Place = (typeof PLACES)[number]
/** Thrown at once, or by a promise where the place may answer with one. */
type Way = 'thrown' | 'rejected'

let broken: { readonly place: Place; readonly way: Way } | undefined
const DEEP = 'the pool of the database at /srv/secret is gone'

/** Thrown here: a defect of the place. */
function passing(place: Place): void {
  if (broken?.place === place) throw new TypeError(DEEP)
}
const promised = async (place: Place): Promise<void> => passing(place)
function answered<T>(place: Place, value: T): T | Promise<T> {
  if (broken?.way === 'rejected') return promised(place).then(() => value)
  passing(place)
  return value
}

let front: Front
let sessions: Sessions
beforeAll(async () => {
  const kept = createSessions({
    seal: createSessionSeal(Buffer.alloc(32, 1)),
    ended: createEndedSessions({ clock: Date }),
    max: 100,
    ttlMs: 60_000,
    clock: Date,
    monotonic: () => performance.now(),
  })
  sessions = kept
  const surface = createSurface({
    kind: 'shard',
    id: 'client:shop',
    members: [],
    gates: () => ({ sensitive: false, approval: false }),
    available: () => true,
    searchJson: undefined,
  })
  const answerer: Answerer = {
    initialize: () => answered('initialize', '{}'),
    discover: () => answered('discover', '{}'),
    listTools: () => {
      passing('listTools')
      return '{"tools":[]}'
    },
    callTool: async ({ onProgress }) => {
      onProgress?.(1)
      await promised('callTool')
      return '{"content":[]}'
    },
    other: () => answered('other', '{}'),
  }
  front = await openFront({}, {}, ({ direct, streams }) => {
    const parts: EndpointParts = {
      sessions: {
        ...kept,
        find: (...given) => {
          passing('find')
          return kept.find(...given)
        },
        open: (...given) => {
          passing('open')
          return kept.open(...given)
        },
        end: (session) => {
          passing('end')
          return kept.end(session)
        },
      },
      remoteCalls: { cancelled: () => undefined, answered: () => undefined, ended: () => undefined },
      answerer,
      room: createMemoryBudget({ mostBytes: 1_000, mostWorkBytes: 1_000 }),
      subscriptions: {
        listen: async ({ reply }) => {
          await promised('listen')
          reply.send('{}')
        },
        endWhere: () => undefined,
      },
      notificationStreams: {
        open: () => {
          passing('hear')
          return { refresh: () => undefined, close: () => undefined }
        },
        resources: async () => () => ({ refresh: () => undefined, close: () => undefined }),
        tell: () => undefined,
      },
      streams,
      log: { debug: () => undefined, error: (...given) => void errors.push(given) },
      sessionless: true,
      maxBodyBytes: 1_048_576,
      maxJsonDepth: 32,
      monotonic: () => performance.now(),
      authenticate: () => answered('authenticate', aCaller()),
      noteClient: () => passing('noteClient'),
      spend: () => passing('spend'),
      noteRefusal: () => undefined,
    }
    registerSurface(
      { direct },
      '/mcp/shop',
      () => {
        passing('surface')
        return surface
      },
      parts,
    )
  })
})
const errors: unknown[] = []
beforeEach(() => {
  broken = undefined
  errors.length = 0
})
afterAll(async () => {
  await sessions.close()
  await front.stop()
})

type Reply = { readonly status: number; readonly text: string; readonly session: string | null }
type Headers = Readonly<Record<string, string>>

async function ask(method: string, params: object, headers: Headers = {}, httpMethod = 'POST'): Promise<Reply> {
  // oxlint-disable-next-line no-restricted-globals -- this is the agent of the tests, outside the gateway
  const response = await fetch(`${front.url}/mcp/shop`, {
    method: httpMethod,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    ...(httpMethod === 'POST' ? { body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) } : {}),
  })
  // A healthy stream continues and is left alone. A broken one ends by itself.
  const streaming = httpMethod === 'GET' && response.status === 200 && broken === undefined
  const text = streaming ? '' : await response.text().catch(() => '')
  if (streaming) await response.body?.cancel()
  return { status: response.status, text, session: response.headers.get('mcp-session-id') }
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } }
const session = async (): Promise<Headers> => ({
  'mcp-session-id': (await ask('initialize', INITIALIZE)).session ?? '',
})
const asModern = (method: string): readonly [string, object, Headers] => [
  method,
  { _meta: { [META_VERSION]: MODERN, [META_CAPABILITIES]: {} } },
  { 'mcp-protocol-version': MODERN, 'mcp-method': method, accept: 'application/json, text/event-stream' },
]

/** The request that comes past each place. */
const REQUESTS: Readonly<Record<Place, (own: Headers) => Promise<Reply>>> = {
  authenticate: () => ask('ping', {}),
  surface: () => ask('ping', {}),
  spend: () => ask('ping', {}),
  find: (own) => ask('ping', {}, own),
  open: () => ask('initialize', INITIALIZE),
  noteClient: () => ask('initialize', INITIALIZE),
  initialize: () => ask('initialize', INITIALIZE),
  discover: () => ask(...asModern('server/discover')),
  listTools: () => ask('tools/list', {}),
  callTool: () => ask('tools/call', { name: 't' }),
  other: () => ask('prompts/list', {}),
  listen: () => ask(...asModern('subscriptions/listen')),
  hear: (own) => ask('', {}, { ...own, accept: 'text/event-stream' }, 'GET'),
  end: (own) => ask('', {}, own, 'DELETE'),
}
const EITHER: readonly Place[] = ['authenticate', 'initialize', 'discover', 'other']
const CASES = PLACES.flatMap((place): [Place, Way][] => [
  [place, 'thrown'],
  ...(EITHER.includes(place) ? ([[place, 'rejected']] as [Place, Way][]) : []),
])

type Body = {
  readonly id?: number
  readonly error?: { readonly code: unknown; readonly request_id?: string; readonly data?: Record<string, string> }
}

describe('a defect behind the endpoint', () => {
  it.each(CASES)(
    'in %s, %s, is answered 500 with its request id, and nothing stays half alive (security case NF-11) [ct.5.10.internal]',
    async (place, way) => {
      const own = await session()
      broken = { place, way }
      const { status, text } = await REQUESTS[place](own)
      broken = undefined
      if (place === 'hear') {
        // The stream was begun: it ends at once, and another can be opened.
        expect(status).toBe(200)
      } else {
        const { error } = JSON.parse(text) as Body // of contract 1.5 or JSON-RPC; the next line looks
        expect([status, error?.data?.code ?? error?.code]).toEqual([500, 'INTERNAL_ERROR'])
        expect(error?.request_id ?? error?.data?.request_id).toMatch(/./)
        if (error?.data) expect([error.code, (JSON.parse(text) as Body).id]).toEqual([-32_603, 7])
      }
      expect(text).not.toMatch(/database|secret|TypeError/)
      expect(errors).toHaveLength(1)
      const again = await ask('ping', {}, await session())
      expect([again.status, (await REQUESTS[place](place === 'end' ? await session() : own)).status]).toEqual([
        200, 200,
      ])
    },
  )

  it('in a call whose answer is a stream already is its last message, under 200 [ct.5.10.internal]', async () => {
    broken = { place: 'callTool', way: 'rejected' }
    const params = { name: 't', _meta: { progressToken: 1 } }
    const { status, text } = await ask('tools/call', params, { accept: 'text/event-stream' })
    const messages = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
    expect([status, messages[0], messages.at(-1)]).toMatchObject([
      200,
      { method: 'notifications/progress' },
      { id: 7, error: { code: -32_603, data: { code: 'INTERNAL_ERROR', request_id: expect.any(String) } } },
    ])
    expect(text).not.toContain(DEEP)
  })
})

// Raw clients of both eras over a shard of the conformance peer: what they send, and what they receive in between.
import { onTestFinished } from 'vitest'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { aShopGateway, aShopProcess } from './data-plane.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import type { GatewayProcess } from './gateway-process.fixture.ts'

export type Message = {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

export const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const BOTH = 'application/json, text/event-stream'

type Era = 'legacy' | 'modern' | 'both'
type Relayed<G extends Gateway> = { readonly gateway: G; readonly peer: ConformancePeer }

export const aRelayed = (era: Era, env: Env = {}): Promise<Relayed<Gateway>> => relayed(aShopGateway(env), era)
export const aRelayedProcess = (era: Era): Promise<Relayed<GatewayProcess>> => relayed(aShopProcess(), era)

async function relayed<G extends Gateway>(starting: Promise<G>, era: Era): Promise<Relayed<G>> {
  const [gateway, peer] = await Promise.all([starting, startConformancePeer(era)])
  onTestFinished(() => peer.close())
  await registerUpstream(gateway, 'up', peer.url)
  return { gateway, peer }
}

/** The messages of an answer as they come, whichever form it has. */
export async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text) as Message // what a test expects is what it then looks at
    return
  }
  if (response.body === null) return
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice('data: '.length))
        .join('\n')
      if (data !== '') yield JSON.parse(data) as Message // as above
    }
  }
}

export async function all(response: Response): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of messagesOf(response)) messages.push(message)
  return messages
}

export type Client = {
  readonly headers: Env
  post(message: object, signal?: AbortSignal): Promise<Response>
  /** The response to a request, and what came before it. */
  ask(method: string, params?: object): Promise<{ answer: Message; before: Message[] }>
  /** The stream of the session. */
  listen(): Promise<AsyncGenerator<Message>>
}

let lastId = 0

/** A client of the session revisions. */
export async function aSession(
  gateway: Gateway,
  capabilities: object = {},
  { path = '/mcp/up', headers = {}, revision = '2025-11-25' }: { path?: string; headers?: Env; revision?: string } = {},
): Promise<Client & { readonly initialized: Message }> {
  const url = gateway.url + path
  const own = { 'content-type': 'application/json', accept: BOTH, ...headers }
  const post = (message: object, more: Env = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...own, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal ? { signal } : {}),
    })
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } }
  const opened = await post({ id: (lastId += 1), method: 'initialize', params })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  const [initialized = {}] = await all(opened)
  await post({ method: 'notifications/initialized' }, session)
  return {
    initialized,
    headers: { ...own, ...session },
    post: (message, signal) => post(message, session, signal),
    async ask(method, given = {}) {
      const messages = await all(await post({ id: (lastId += 1), method, params: given }, session))
      return { answer: messages.at(-1) ?? {}, before: messages.slice(0, -1) }
    },
    async listen() {
      const abort = new AbortController()
      onTestFinished(() => abort.abort())
      const response = await fetch(url, {
        headers: { ...headers, ...session, accept: 'text/event-stream' },
        signal: abort.signal,
      })
      return messagesOf(response)
    },
  }
}

/** A client of the stateless revision. */
export function aStateless(
  gateway: Gateway,
  capabilities: object = {},
  { path = '/mcp/up', headers = {}, meta = {} }: { path?: string; headers?: Env; meta?: object } = {},
) {
  const send = (method: string, params: object = {}, signal?: AbortSignal): Promise<Response> => {
    const named = 'name' in params ? params.name : 'uri' in params ? params.uri : undefined
    const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: capabilities, ...meta }
    return fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: BOTH,
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params: { ...params, _meta } }),
      ...(signal ? { signal } : {}),
    })
  }
  return {
    send,
    async ask(method: string, params: object = {}): Promise<{ answer: Message; before: Message[]; status: number }> {
      const response = await send(method, params)
      const messages = await all(response)
      return { answer: messages.at(-1) ?? {}, before: messages.slice(0, -1), status: response.status }
    },
  }
}

/** The next message that matches; earlier ones are passed over. */
export async function until(messages: AsyncGenerator<Message>, fits: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const { value, done } = await messages.next()
    if (done) throw new Error('The stream ended')
    if (fits(value)) return value
  }
}

export const textOf = ({ result }: Message): string => {
  const content = result?.content
  const [first] = Array.isArray(content) ? (content as { text?: string }[]) : [] // a list of blocks
  return first?.text ?? ''
}

// Keys and their holders, on the shop of the data plane.
import { openSession, type Result, rpc } from './data-plane.fixture.ts'
import type { Answer, Env, Gateway } from './gateway.fixture.ts'

export type Minted = { readonly id: number; readonly key: string; readonly [field: string]: unknown }

export const bearer = (key: string): Env => ({ authorization: `Bearer ${key}` })

export async function mint(gateway: Gateway, body: object = {}): Promise<Minted> {
  const made = await gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'a key', ...body } })
  if (made.status !== 201) throw new Error(`Creating a key answered ${made.status}: ${made.text}`)
  return made.json as Minted // what the contract says a 201 is
}

export const change = (gateway: Gateway, { id }: Minted, body: object, headers: Env = {}): Promise<Answer> =>
  gateway.admin(`/admin-api/mcp-keys/${id}`, { method: 'PATCH', body, headers })

export const act = (gateway: Gateway, { id }: Minted, what: string, body: object = {}): Promise<Answer> =>
  gateway.admin(`/admin-api/mcp-keys/${id}/${what}`, { method: 'POST', body })

/** One call with a credential: its refusal code, `ok`, or the HTTP status and code when it came to no call. */
export async function outcome(
  gateway: Gateway,
  headers: Env,
  { path = '/mcp/petstore', name = 'ok', args = {} }: { path?: string; name?: string; args?: object } = {},
): Promise<string> {
  const { status, json } = await rpc(gateway, 'tools/call', { name, arguments: args }, { path, headers })
  const { result, error } = json as { result?: Result; error?: { code: string } } // one of the two, by the protocol
  if (result === undefined) return `${status} ${error?.code}`
  return String(result.structuredContent?.code ?? (result.isError ? 'failed' : 'ok'))
}

export async function listed(gateway: Gateway, headers: Env, path = '/mcp/petstore'): Promise<string[]> {
  const { json, text } = await rpc(gateway, 'tools/list', {}, { path, headers })
  const { result } = json as { result?: { tools: { name: string }[] } } // as above
  if (result === undefined) throw new Error(`No list: ${text}`)
  return result.tools.map(({ name }) => name)
}

export type Listening = { readonly status: number; readonly ended: Promise<void>; readonly text: () => string }

/** An open answer: a session's stream by GET, or what a POST keeps open. */
export async function listen(gateway: Gateway, path: string, headers: Env, body?: object): Promise<Listening> {
  const response = await fetch(gateway.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { accept: 'text/event-stream', ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk)
  }
  // However it ends: a gateway that goes takes its streams along.
  return { status: response.status, ended: read().catch(() => undefined), text: () => text }
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'modern-agent', version: '1' },
}

/** A stream of the modern era, which has no sessions. */
export const subscribe = (gateway: Gateway, headers: Env, path = '/mcp/petstore'): Promise<Listening> =>
  listen(
    gateway,
    path,
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen', ...headers },
    { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: MODERN_META } },
  )

export async function openSessionAs(gateway: Gateway, key: string, path = '/mcp/petstore'): Promise<Env> {
  return { ...bearer(key), ...(await openSession(gateway, '2025-11-25', path, bearer(key))) }
}

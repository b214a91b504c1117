// The typed admin client: the route tables, a transport, nothing else. The renderer and the desktop share it.
import type { ErrorEnvelope } from './error.ts'
import type { Answer, Route, RouteTable, Send } from './route.ts'

export type ClientRequest = {
  readonly method: Route['method']
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
export type ClientResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export type Transport = (request: ClientRequest) => Promise<ClientResponse>

/** An answer the gateway refused, with everything a person needs to report it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string
  readonly fields: readonly { path: string; message: string }[]
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterMs: number | undefined
  constructor(status: number, error: ErrorEnvelope['error']) {
    super(error.message)
    this.name = 'ApiError'
    this.status = status
    this.code = error.code
    this.requestId = error.request_id
    this.fields = error.fields ?? []
    this.details = error.details ?? {}
    this.retryAfterMs = error.retryAfterMs
  }
}

type Method<R extends Route> =
  {} extends Send<R> ? (send?: Send<R>) => Promise<Answer<R>> : (send: Send<R>) => Promise<Answer<R>>
export type Client<T extends Readonly<Record<string, RouteTable>>> = {
  readonly [Noun in keyof T]: { readonly [Verb in keyof T[Noun]]: Method<T[Noun][Verb]> }
}

type LooseSend = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  ifMatch?: number
}

/** `/admin-api/users/:username` + { username } → a path with each segment encoded once. */
export function fillPath(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => encodeURIComponent(String(params[name])))
}

function queryString(query: Record<string, unknown> | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()}`
}

async function send(transport: Transport, route: Route, input: LooseSend): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (input.ifMatch !== undefined) headers['if-match'] = `"${input.ifMatch}"`
  const response = await transport({
    method: route.method,
    path: fillPath(route.path, input.params) + queryString(input.query),
    headers,
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  })
  if (response.status >= 400) throw new ApiError(response.status, errorOf(response))
  if (response.status === 204) return undefined
  return route.produces ? response.body : JSON.parse(response.body)
}

function errorOf(response: ClientResponse): ErrorEnvelope['error'] {
  try {
    const parsed = JSON.parse(response.body) as Partial<ErrorEnvelope>
    if (parsed.error?.code) return parsed.error
  } catch {
    // Not our envelope: something between the browser and the gateway answered.
  }
  return {
    code: `HTTP_${response.status}`,
    message: `The gateway answered ${response.status}`,
    request_id: response.headers['x-request-id'] ?? '',
  }
}

export function createClient<const T extends Readonly<Record<string, RouteTable>>>(
  tables: T,
  transport: Transport,
): Client<T> {
  const nouns = Object.entries(tables).map(([noun, table]) => [
    noun,
    Object.fromEntries(
      Object.entries(table).map(([verb, route]) => [verb, (input: LooseSend = {}) => send(transport, route, input)]),
    ),
  ])
  // The shape is the mapped type by construction: one function per row of each table.
  return Object.fromEntries(nouns) as Client<T>
}

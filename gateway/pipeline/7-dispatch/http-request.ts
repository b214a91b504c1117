// The request of a call to a REST or GraphQL backend: where it goes, and what it says.

import type { Dispatcher } from 'undici'
import { isSendableMethod } from '../../discovery/headers.ts'
import { buildRequest, methodOf } from '../../discovery/request.ts'
import type { ExchangeRequest } from '../../net/exchange.ts'
import type { Account } from '../../net/memory-budget.ts'
import type { Pin } from '../../net/pin.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed } from '../../outcome/outcome.ts'
import type { Backend, Injected, Tool } from '../../registry/backend.ts'
import type { BackendServer } from '../../registry/targets.ts'
import type { ToolCall } from '../call.ts'
import { wireBody } from './multipart.ts'
import { firstPath } from './pages.ts'
import type { Prepared } from './prepared.ts'

type Context = {
  readonly shaping: Pick<Prepared, 'pagination'>
  readonly traceparent: string | undefined
  readonly account: Account
  readonly onStart: (cancel: () => void) => void
}

/** What a discovered tool may be called with: any method of HTTP but the one that opens a tunnel. */
// The wire takes any token; undici's type names the common ones.
const isMethod = (text: string): text is Dispatcher.HttpMethod => isSendableMethod(text)

/** Where a tool's requests go, worked out once: tools and backends are replaced when they change. */
export type Place = {
  readonly method: Dispatcher.HttpMethod
  readonly pin: Pin
  readonly here: boolean
  readonly prefix: string
  readonly whole: string
  readonly search: string
}
const places = new WeakMap<Tool, { readonly backend: Backend; readonly place: Place | undefined }>()

function placeOf({ backend, tool }: ToolCall): Place | undefined {
  const known = places.get(tool)
  if (known?.backend === backend) return known.place
  const pin = pinOf(backend, tool)
  const base = new URL(tool.definition.baseUrl ?? backend.baseUrl)
  const method = methodOf(tool.definition)
  const place =
    pin && isMethod(method)
      ? { method, pin, here: pin === backend.pins?.base, ...pathOf(base), search: base.search.slice(1) }
      : undefined
  places.set(tool, { backend, place })
  return place
}

const pathOf = ({ pathname }: URL) => ({ prefix: pathname.replace(/(?<!\/)\/+$/, ''), whole: pathname })

/** The same request to another server of the backend: with the same credential, and the same constant parameters. */
export function placeAt(call: ToolCall, target: BackendServer | undefined): Place | undefined {
  const own = placeOf(call)
  return target && own ? { ...own, pin: target.pin, ...pathOf(new URL(target.baseUrl)) } : own
}

const COMMON = {
  accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Gantry',
}

/** Servers that take a second slash for a host would be misled. */
const OTHER_HOST = /^\/[\t\r\n]*[/\\]/

export function requestOf(
  call: ToolCall,
  place: Place,
  sent: Injected | undefined,
  { traceparent, shaping: { pagination }, account, onStart }: Context,
  bounds: Pick<ExchangeRequest, 'deadlineMs' | 'maxBytes'>,
): ExchangeRequest | Failed {
  const { tool, args } = call
  const managed = sent ? new Set(Object.keys(sent.headers)) : undefined
  const built = buildRequest(tool.definition, args, managed ? { managedHeaders: managed } : {})
  if (!built.ok)
    return failed('invalid_arguments', `Invalid arguments: ${built.problem.path} ${built.problem.message}`, false)
  const { path, query, headers, cookies, body } = built.request
  const wire = body && wireBody(body)
  const full = joined(place, path, sent?.query ? withKey(query, sent.query) : query)
  // The last check before the wire: no argument may have moved the request elsewhere.
  if (OTHER_HOST.test(full)) return failed('invalid_arguments', 'Invalid arguments: they lead to another server', false)
  const added = Object.keys(headers).length > 0 || wire !== undefined || cookies.length > 0 || traceparent !== undefined
  // Most requests to read something add nothing to them.
  const named: Record<string, string> = added || sent ? { ...COMMON } : COMMON
  // In one spelling, so that what a tool brings replaces ours instead of standing beside it.
  for (const name of Object.keys(headers)) named[name.toLowerCase()] = headers[name] ?? ''
  if (wire) named['content-type'] = wire.contentType
  if (cookies.length > 0) named.cookie = cookies.map((pair) => pair.join('=')).join('; ')
  if (traceparent !== undefined) named.traceparent = traceparent
  return {
    method: place.method,
    path: pagination ? firstPath(pagination, full) : full,
    headers: sent ? Object.assign(named, sent.headers) : named,
    ...(wire ? { body: wire.content } : {}),
    deadlineMs: bounds.deadlineMs,
    maxBytes: bounds.maxBytes,
    account,
    onStart,
  }
}

/** The pinned place of the operation; one on a server of its own has a pin of its own. */
function pinOf({ pins }: Backend, { definition }: Tool): Pin | undefined {
  if (pins === null || definition.baseUrl === undefined) return pins?.base
  const { origin } = new URL(definition.baseUrl)
  return origin === pins.base.origin ? pins.base : pins.servers[origin]
}

/** A base path stays in front: an endpoint is below it, never beside it. */
function joined({ prefix, whole, search }: Place, path: string, pairs: readonly (readonly [string, string])[]): string {
  const pathname = path === '' ? whole : prefix + path
  let query = search
  for (const [name, value] of pairs) query += `${query === '' ? '' : '&'}${name}=${value}`
  return query === '' ? pathname : `${pathname}?${query}`
}

/** The key occurs once, even where an argument has its name. */
function withKey(
  pairs: readonly (readonly [string, string])[],
  { name, value }: NonNullable<Injected['query']>,
): readonly (readonly [string, string])[] {
  return [...pairs.filter(([other]) => decodeURIComponent(other) !== name), [name, encodeURIComponent(value)]]
}

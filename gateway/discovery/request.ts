// From validated arguments to the request they mean: the one place where an argument meets a URL, a header or a body.

import { type Arguments, argument, hasSampleValue, placesIn, undeclaredIn } from './arguments.ts'
import { readSelection, SELECT, withSelection } from './graphql-select.ts'
import { isCookieValue, isForbiddenHeader, isHeaderValue, isToken } from './headers.ts'
import { bodyOf, type RequestBody } from './request-body.ts'
import { type EncodedPair, encode, isPresent, pairs, pathValue, plain, simple } from './serialize.ts'
import type { DiscoveredTool, GraphqlCall, Template } from './tool.ts'

export type BuiltRequest = {
  readonly method: string
  /** Below the API base and already encoded; empty for GraphQL, where the base is the whole URL. */
  readonly path: string
  /** Encoded; joined with `=` and `&` they are the query. */
  readonly query: readonly EncodedPair[]
  readonly headers: Readonly<Record<string, string>>
  /** Values are checked, so `name=value; name=value` is the header. */
  readonly cookies: readonly (readonly [name: string, value: string])[]
  readonly body?: RequestBody
}

export type ArgumentProblem = { readonly path: string; readonly message: string }
export type Built =
  | { readonly ok: true; readonly request: BuiltRequest }
  | { readonly ok: false; readonly problem: ArgumentProblem }

export type RequestRules = {
  /** Lower-case names of the headers the upstream credential manages: an argument never sets them. */
  readonly managedHeaders?: ReadonlySet<string>
}

export function methodOf({ graphql, method }: DiscoveredTool): string {
  return graphql === undefined ? (method ?? 'POST') : 'POST'
}

export function buildRequest(tool: DiscoveredTool, args: Arguments, rules: RequestRules = {}): Built {
  if (tool.graphql !== undefined) return graphqlRequest(tool, tool.graphql, args)
  const path = fillPath(tool, args)
  if (typeof path !== 'string') return { ok: false, problem: path }
  const headers = headersOf(tool, args, rules)
  if (headers.problem !== undefined) return { ok: false, problem: headers.problem }
  const cookies = cookiesOf(tool, args)
  if (cookies.problem !== undefined) return { ok: false, problem: cookies.problem }
  const body = bodyOf(tool, args)
  const request: BuiltRequest = {
    method: methodOf(tool),
    path,
    query: queryOf(tool, args),
    headers: headers.values,
    cookies: cookies.values,
    ...(body === undefined ? {} : { body }),
  }
  return { ok: true, request }
}

// Arguments travel as variables; the document is a constant of the tool, or that with another selection in it.
function graphqlRequest(tool: DiscoveredTool, call: GraphqlCall, args: Arguments): Built {
  const { operationName, select } = call
  const wanted = select === undefined ? undefined : argument(args, SELECT)
  const selection = select === undefined || wanted === undefined ? undefined : readSelection(wanted, select.roots)
  if (selection?.ok === false) return { ok: false, problem: { path: SELECT, message: selection.message } }
  const document = selection === undefined ? call.document : withSelection(call, selection.text)
  const given = placesIn(tool, 'variable').filter(([name]) => argument(args, name) !== undefined)
  const variables = Object.fromEntries(given.map(([name, place]) => [place.name, argument(args, name)]))
  const content = JSON.stringify({ query: document, operationName, variables })
  const body = { mediaType: 'application/json', content }
  return { ok: true, request: { method: 'POST', path: '', query: [], headers: {}, cookies: [], body } }
}

function fillPath(tool: DiscoveredTool, args: Arguments): string | ArgumentProblem {
  const template = tool.path ?? ROOT
  let filled: string | undefined
  for (const part of template) {
    if (typeof part === 'string') continue
    if (isEmpty(argument(args, part.argument))) {
      return { path: part.argument, message: 'is part of the path and must not be empty' }
    }
    filled ??= part.argument
  }
  const path = fill(template, tool, args)
  if (filled !== undefined && DOT_SEGMENT.test(path)) {
    return { path: filled, message: 'must not be "." or ".." in the path' }
  }
  return path.startsWith('/') ? path : `/${path}`
}

function isEmpty(value: unknown): boolean {
  if (!isPresent(value) || value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const ROOT: Template = ['/']
// A URL parser also reads `%2e` as a dot, so the text is looked at as such a parser would.
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

function fill(template: Template, tool: DiscoveredTool, args: Arguments): string {
  let text = ''
  for (const part of template) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = argument(args, part.argument)
    const place = Object.hasOwn(tool.places, part.argument) ? tool.places[part.argument] : undefined
    text += place === undefined ? encode(plain(value)) : pathValue(place, value)
  }
  return text
}

const NO_PAIRS: readonly EncodedPair[] = []

function queryOf(tool: DiscoveredTool, args: Arguments): readonly EncodedPair[] {
  if (tool.fixedQuery === undefined && tool.sample === undefined && tool.undeclared !== 'query') {
    const places = placesIn(tool, 'query')
    return places.length === 0 ? NO_PAIRS : places.flatMap(([name, place]) => pairs(place, argument(args, name)))
  }
  const fixed = (tool.fixedQuery ?? []).flatMap(({ name, value }): EncodedPair[] => {
    const absent = value.some((part) => typeof part !== 'string' && !isPresent(argument(args, part.argument)))
    return absent ? [] : [[encode(name), fill(value, tool, args)]]
  })
  const declared = placesIn(tool, 'query')
  if (tool.sample?.query !== undefined && declared.every(([name]) => hasSampleValue(tool, args, name))) {
    return [...fixed, ...samplePairs(tool.sample.query)]
  }
  const more = tool.undeclared === 'query' ? undeclaredIn(tool, args) : []
  return [
    ...fixed,
    ...declared.flatMap(([name, place]) => pairs(place, argument(args, name))),
    ...more.flatMap(([name, value]) => pairs({ in: 'query', name }, value)),
  ]
}

function samplePairs(query: string): readonly EncodedPair[] {
  return query
    .split('&')
    .filter((text) => text !== '')
    .map((text): EncodedPair => {
      const at = text.indexOf('=')
      return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
    })
}

type Checked<T> = { readonly values: T; readonly problem?: ArgumentProblem }

function headersOf(tool: DiscoveredTool, args: Arguments, rules: RequestRules): Checked<Record<string, string>> {
  const values: Record<string, string> = { ...tool.staticHeaders }
  const set = new Map<string, string>()
  for (const [name, place] of placesIn(tool, 'header')) {
    const value = argument(args, name)
    if (!isPresent(value) || isForbiddenHeader(place.name)) continue
    if (rules.managedHeaders?.has(place.name.toLowerCase()) === true) continue
    const text = place.contentType === undefined ? simple(value, place.explode ?? false, String) : plain(value)
    if (!isHeaderValue(text)) {
      return { values, problem: { path: name, message: 'has characters, or a length, that a header cannot carry' } }
    }
    const lower = place.name.toLowerCase()
    const before = set.get(lower)
    for (const given of Object.keys(values)) if (given.toLowerCase() === lower) delete values[given]
    // Two arguments of one header are one list; a fixed header is replaced.
    values[place.name] = before === undefined ? text : `${before}, ${text}`
    set.set(lower, values[place.name] ?? '')
  }
  return { values }
}

function cookiesOf(tool: DiscoveredTool, args: Arguments): Checked<readonly (readonly [string, string])[]> {
  const values: (readonly [string, string])[] = []
  for (const [name, place] of placesIn(tool, 'cookie')) {
    for (const [key, value] of pairs(place, argument(args, name))) {
      // A list in one cookie is joined by commas of ours; the values between them are checked one by one.
      const raw = value.split(',').map(decodeURIComponent)
      if (!isToken(decodeURIComponent(key)) || !raw.every(isCookieValue)) {
        return { values, problem: { path: name, message: 'has characters that a cookie cannot carry' } }
      }
      values.push([decodeURIComponent(key), raw.join(',')])
    }
  }
  return { values }
}

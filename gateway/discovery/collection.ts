// A collection export, format v2.1 → one tool per request, named by its folders.

import { cleanLabel, cleanMetadata, cut } from '../text/clean.ts'
import { collectionBody, withoutDefault } from './collection-body.ts'
import { collectionUrl, keyValues, textOfDescription } from './collection-url.ts'
import { fill, isOpen, type Variables, withVariables } from './collection-variables.ts'
import { chooseCredential, type HeaderPair, separateCredentials } from './credentials.ts'
import { bounded, discoveryError, leftOut } from './failure.ts'
import { isCredentialHeader, isHeaderValue, isSendableMethod, isToken, joinedHeaders } from './headers.ts'
import { flatName, pathName, uniqueNames } from './names.ts'
import { get, isRecord, listOf, textOf } from './record.ts'
import { sampleArgument, samplePairs } from './sample.ts'
import {
  type Argument,
  type DiscoveredTool,
  type Discovery,
  type FoundCredential,
  type Place,
  type Skipped,
  schemaOfArguments,
} from './tool.ts'

const MAX_FOLDERS = 32
const FRAMING = /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i

type Level = { readonly folders: readonly string[]; readonly variables: Variables; readonly auth: unknown }
type Entry = Level & { readonly name: string; readonly item: unknown; readonly request: unknown }
type Found = {
  readonly skipped: Skipped[]
  readonly credentials: FoundCredential[]
  readonly warnings: Set<string>
}

export function discoverCollection(source: unknown, maxTools: number): Discovery {
  const collection = collectionOf(source)
  const top: Level = { folders: [], variables: withVariables(new Map(), collection.variable), auth: collection.auth }
  const found: Found = { skipped: [], credentials: [], warnings: new Set() }
  const entries = [...entriesIn(collection.item, top, found)]
  const takeName = uniqueNames()
  const made = entries.flatMap((entry) => toolOf(entry, found, takeName))
  const baseUrl = made.find(({ origin }) => origin !== undefined)?.origin
  const tools = made.map(({ tool, origin }) =>
    origin === undefined || origin === baseUrl ? tool : { ...tool, baseUrl: origin },
  )
  if (tools.some((tool) => tool.baseUrl !== undefined))
    found.warnings.add('Some requests live on another server than the first one.')
  noteScripts(collection, found)
  const { credential, warnings } = chooseCredential(found.credentials)
  return bounded(
    {
      tools,
      skipped: found.skipped,
      warnings: [...found.warnings, ...leftOut('request', found.skipped), ...warnings],
      ...(baseUrl === undefined ? {} : { baseUrl, basePath: '' }),
      ...(credential === undefined ? {} : { credential }),
    },
    maxTools,
    'The collection has no request.',
  )
}

function collectionOf(source: unknown) {
  const value = typeof source === 'string' ? parsed(source) : source
  const collection = isRecord(value) && isRecord(value.collection) ? value.collection : value
  if (isRecord(collection) && Array.isArray(collection.item)) return collection
  if (isRecord(collection) && Array.isArray(collection.requests)) {
    throw discoveryError('convert', 'This collection has the format v1: export it as v2.1.')
  }
  if (isRecord(collection) && (collection.openapi !== undefined || collection.swagger !== undefined)) {
    throw discoveryError('convert', 'This is an OpenAPI document: register it as openapi_url.')
  }
  throw discoveryError('convert', 'This is not a collection: an export in the format v2.1 has a list named "item".')
}

/** Of the collection, a folder or a request: what a script would have set up is missing from the calls. */
function noteScripts(owner: unknown, found: Found): void {
  const hasScript = listOf(get(owner, 'event')).some((event) => {
    const script = get(event, 'script')
    return (
      textOf(script) !== undefined ||
      listOf(get(script, 'exec')).length > 0 ||
      textOf(get(script, 'exec')) !== undefined
    )
  })
  if (hasScript) found.warnings.add('Scripts of the collection are not run.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw discoveryError('parse', 'The collection is not valid JSON. Was it cut off?')
  }
}

function* entriesIn(items: unknown, level: Level, found: Found): Generator<Entry> {
  for (const item of listOf(items)) {
    const name = cleanLabel(textOf(get(item, 'name')) ?? '')
    const auth = isRecord(get(item, 'auth')) ? get(item, 'auth') : level.auth
    const inner: Level = {
      folders: level.folders,
      variables: withVariables(level.variables, get(item, 'variable')),
      auth,
    }
    noteScripts(item, found)
    const children = get(item, 'item')
    const request = get(item, 'request')
    const label = cut([...level.folders, name].join('/'), 300)
    if (Array.isArray(children)) {
      if (level.folders.length >= MAX_FOLDERS) found.skipped.push({ operation: label, reason: 'folders nest too deep' })
      else yield* entriesIn(children, { ...inner, folders: [...level.folders, name] }, found)
    } else if (typeof request === 'string' || isRecord(request)) yield { ...inner, name, item, request }
    else found.skipped.push({ operation: label, reason: 'has no request' })
  }
}

function toolOf(
  entry: Entry,
  found: Found,
  takeName: (wanted: string) => string,
): { tool: DiscoveredTool; origin?: string }[] {
  const { request, variables } = entry
  const label = cut([...entry.folders, entry.name].join('/'), 256)
  const skip = (reason: string) => {
    found.skipped.push({ operation: label, reason })
    return []
  }
  const method = (textOf(get(request, 'method')) ?? 'GET').trim()
  if (!isSendableMethod(method)) return skip('its method cannot be sent')
  const url = collectionUrl(typeof request === 'string' ? request : get(request, 'url'), variables)
  if (url === undefined) return skip('its address is not an http or https URL')
  if (url.disputed === 'host') return skip('its address and the pieces of it name different hosts')
  if (url.disputed === 'path')
    found.warnings.add('Some requests have an address whose pieces say another path: the address was taken.')
  const taken = new Set<string>()
  const inPath = url.inPath.map(({ name, sample, description }): Argument => {
    const place: Place = { in: 'path', name, style: 'simple', explode: false }
    const argument = sampleArgument(name, sample ?? '', place, taken)
    const schema =
      description === undefined ? argument.schema : { ...argument.schema, description: cleanMetadata(description) }
    return sample === undefined
      ? { ...argument, schema: withoutDefault(schema), required: true }
      : { ...argument, schema }
  })
  const query = queryArguments(url.query, taken)
  const headers = headersOf(entry, found, taken)
  const contentType = headers.fixed.find(([name]) => /^content-type$/i.test(name))?.[1]
  const body = collectionBody(get(request, 'body'), contentType, variables, taken)
  const all = [...inPath, ...query, ...headers.arguments, ...(body?.arguments ?? [])]
  const fixed = headers.fixed.filter(([name]) => body === undefined || !/^content-type$/i.test(name))
  const written = cleanMetadata(
    textOfDescription(get(request, 'description')) ?? textOfDescription(get(entry.item, 'description')) ?? '',
  ).trim()
  const verb = /^[a-z]+$/i.test(method) ? method.toUpperCase() : method
  const tool: DiscoveredTool = {
    name: takeName(flatName([...entry.folders, entry.name]) || pathName(verb, url.endpoint)),
    sourceName: label,
    description: written === '' ? cut(cleanLabel(`${verb} ${url.endpoint}`), 1024) : cut(written, 1024),
    method: verb,
    endpoint: cut(cleanLabel(url.endpoint), 2048),
    path: url.path,
    inputSchema: schemaOfArguments(all),
    places: Object.fromEntries(all.map(({ name, place }): [string, Place] => [name, place])),
    ...(body === undefined ? {} : { body: body.body }),
    ...(fixed.length > 0 ? { staticHeaders: joinedHeaders(fixed) } : {}),
    ...(body?.text === undefined ? {} : { sample: { body: body.text } }),
    ...(entry.folders[0] === undefined ? {} : { tags: [cleanMetadata(entry.folders[0], 128)] }),
  }
  return [{ tool, ...(url.origin === undefined ? {} : { origin: url.origin }) }]
}

function queryArguments(
  query: readonly { readonly name: string; readonly value: string; readonly description?: string }[],
  taken: Set<string>,
): readonly Argument[] {
  const pairs = query.map(({ name, value }): [string, string] => [name, value])
  return samplePairs(pairs, 'query', taken).map((argument) => {
    const text = query.find(({ name }) => name === argument.place.name)?.description
    const schema = text === undefined ? argument.schema : { ...argument.schema, description: cleanMetadata(text) }
    return { ...argument, schema: isOpen(JSON.stringify(schema.default)) ? withoutDefault(schema) : schema }
  })
}

/** A header whose variable is unresolved is an argument; a credential never is. */
function headersOf(
  entry: Entry,
  found: Found,
  taken: Set<string>,
): { fixed: readonly HeaderPair[]; arguments: readonly Argument[] } {
  const list = keyValues(get(entry.request, 'header'), entry.variables).map(
    ({ key, value }): HeaderPair => [key.trim(), value],
  )
  const { plain, found: credentials } = separateCredentials(list)
  found.credentials.push(...authOf(entry, found), ...credentials)
  if (list.some(([name, value]) => isCredentialHeader(name) && isOpen(value))) {
    found.warnings.add('Credentials of the collection are variables without a value: set the upstream credential.')
  }
  const sendable = plain.filter(
    ([name, value]) => isToken(name) && !FRAMING.test(name) && (isOpen(value) || isHeaderValue(value)),
  )
  const open = sendable.filter(([, value]) => isOpen(value))
  const made = open.map(([name]) => {
    const argument = sampleArgument(name, '', { in: 'header', name, style: 'simple', explode: false }, taken)
    return { ...argument, schema: withoutDefault(argument.schema) }
  })
  return { fixed: sendable.filter(([, value]) => !isOpen(value)), arguments: made }
}

function authOf({ auth, request, variables }: Entry, found: Found): readonly FoundCredential[] {
  const own = get(request, 'auth')
  const effective = isRecord(own) ? own : auth
  const type = textOf(get(effective, 'type')) ?? 'noauth'
  const values = new Map(keyValues(get(effective, type), variables).map(({ key, value }) => [key, value]))
  const value = (key: string) => {
    const text = values.get(key) ?? ''
    return isOpen(fill(text, variables)) ? '' : text
  }
  if (type === 'noauth') return []
  if (type === 'bearer' && value('token') !== '') return [{ type: 'bearer', token: value('token') }]
  if (type === 'oauth2' && value('accessToken') !== '') return [{ type: 'bearer', token: value('accessToken') }]
  if (type === 'basic' && value('username') !== '')
    return [{ type: 'basic', username: value('username'), password: value('password') }]
  if (type === 'apikey' && value('in') !== 'query' && value('value') !== '' && isToken(value('key'))) {
    return [{ type: 'header', headerName: value('key'), value: value('value') }]
  }
  found.warnings.add(
    `Authentication of type ${cleanLabel(type).slice(0, 32)} was left out: set the upstream credential.`,
  )
  return []
}

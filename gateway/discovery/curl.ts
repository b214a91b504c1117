// One pasted curl command → one tool that, called with nothing, repeats it.

import { cleanLabel, cut } from '../text/clean.ts'
import {
  basicOf,
  type Chosen,
  chooseCredential,
  type HeaderPair,
  isCookie,
  separateCredentials,
} from './credentials.ts'
import { type Command, readFlags, refuse } from './curl-command.ts'
import { discoveryError } from './failure.ts'
import { isHeaderValue, isSendableMethod, isToken, joinedHeaders } from './headers.ts'
import { pathName, uniqueNames } from './names.ts'
import { type SampleBody, sampleBody, samplePairs } from './sample.ts'
import { decode } from './serialize.ts'
import { shellWords } from './shell-words.ts'
import { templateOf } from './template.ts'
import {
  type DiscoveredTool,
  type Discovery,
  type FoundCredential,
  type Place,
  schemaOfArguments,
  textInPath,
} from './tool.ts'

const FORM = 'application/x-www-form-urlencoded'
/** Headers of the message's own frame, which the gateway writes. */
const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer|keep-alive|http2-settings|proxy-.*)$/i
// A placeholder of a documentation page, or a shell variable, once the URL parser has escaped it.
const PLACEHOLDER = /\$?%7B([\w-]+)%7D/gi

export function discoverCurl(input: string): Discovery {
  const { words, variables, warnings } = shellWords(input)
  const [program, ...rest] = words
  if (program === undefined) throw discoveryError('parse', 'There is no command: paste one that begins with curl.')
  if (!/^(?:.*[\\/])?curl(?:\.exe)?$/i.test(program)) {
    throw discoveryError('parse', 'Only a curl command can be read: paste one that begins with curl.')
  }
  const command = readFlags(rest)
  return toolOf(command, variables, [...warnings, ...command.warnings])
}

function addressOf(command: Command): URL {
  const [text, ...others] = command.urls
  if (text === undefined) throw refuse('has no address.')
  if (others.length > 0) throw refuse('has more than one address. Paste one command for one request.')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw refuse(`uses ${scheme}:, and only http and https can be called.`)
  const whole = scheme === undefined ? `http://${text.replace(/^\/+/, '')}` : text
  const authority = /^\w+:\/\/([^/?#]*)/.exec(whole)?.[1] ?? ''
  if (authority.includes('{')) throw refuse('leaves its host open. Write the address out.')
  if (!command.literal && isSeveral(whole.slice(whole.indexOf(authority) + authority.length)))
    throw refuse('makes several requests from one address ({a,b} or [1-9]).')
  const meant = command.literal ? whole : whole.replace(ESCAPED, (escaped) => escaped.slice(1))
  if (!URL.canParse(meant)) throw refuse('has an address that is not a URL.')
  return new URL(meant)
}

/** `{a,b}` and `[1-9]` in a path; in a query they are what APIs are asked with. */
function isSeveral(afterHost: string): boolean {
  const path = afterHost.replace(/\?.*$/s, '').replace(ESCAPED, '')
  return [...path.matchAll(/[{[]([^{}[\]]*)[}\]]/g)].some(([, inner = '']) => /,|\d-\d|[a-z]-[a-z]/.test(inner))
}

// Browsers copy these escaped, because they would otherwise mean several requests.
const ESCAPED = /\\[[\]{}]/g

function methodOf(command: Command, hasBody: boolean): string {
  const method = command.method ?? (command.head ? 'HEAD' : hasBody ? 'POST' : 'GET')
  if (!isSendableMethod(method)) throw refuse('has a method that cannot be sent.')
  return /^(?:get|head|post|put|patch|delete|options)$/i.test(method) ? method.toUpperCase() : method
}

function toolOf(command: Command, variables: readonly string[], more: readonly string[]): Discovery {
  if (command.data.length > 0 && command.form.length > 0) throw refuse('sends both -d and -F.')
  const url = addressOf(command)
  if (url.username !== '') {
    command.credentials.push(basicOf(`${decode(url.username)}:${decode(url.password)}`))
  }
  const extra = [...(command.get ? command.data : []), ...command.urlQuery]
  if (command.get) command.data = []
  if (extra.length > 0) url.search = [url.search.slice(1), ...extra].filter((text) => text !== '').join('&')
  const method = methodOf(command, command.data.length > 0 || command.form.length > 0)
  const headers = headersOf(command)
  const { plain, found } = separateCredentials(headers)
  const warnings: string[] = [...more]
  const template = templateOf(url.pathname, PLACEHOLDER)
  const taken = new Set(template.names)
  const inPath = [...template.names].map(textInPath)
  const search = url.search.slice(1)
  const query = samplePairs([...new URLSearchParams(search)], 'query', taken)
  const body = bodyOf(command, plain, taken)
  const all = [...inPath, ...query, ...(body?.arguments ?? [])]
  const fixed = staticHeaders(plain, body !== undefined, warnings)
  const credential: Chosen =
    command.scheme === undefined ? withCookies([...command.credentials.filter(complete), ...found]) : { warnings: [] }
  if (command.scheme !== undefined)
    warnings.push(`--${command.scheme} authentication is not supported: the call is sent without it.`)
  if (variables.length > 0)
    warnings.push(
      `Shell variables are not known here (${variables.slice(0, 5).join(', ')}): replace them with values, or set the upstream credential.`,
    )
  for (const { place } of all) {
    if (/api-?_?key|token|secret|password|passwd/i.test(place.name))
      warnings.push(
        `The argument ${cut(cleanLabel(place.name), 64)} looks like a credential and stays in the tool's schema.`,
      )
  }
  const sourceName = pathName(method, decode(url.pathname))
  const sample = {
    ...(search === '' ? {} : { query: search }),
    ...(body?.text === undefined ? {} : { body: body.text }),
  }
  const tool: DiscoveredTool = {
    name: uniqueNames()(sourceName),
    sourceName,
    description: cut(cleanLabel(`${method} ${decode(url.pathname)}`), 1024),
    method,
    endpoint: cut(url.pathname.replace(PLACEHOLDER, '{$1}'), 2048),
    path: template.path(new Map()),
    inputSchema: schemaOfArguments(all),
    places: Object.fromEntries(all.map(({ name, place }): [string, Place] => [name, place])),
    ...(body === undefined ? {} : { body: body.body }),
    ...(Object.keys(fixed).length > 0 ? { staticHeaders: fixed } : {}),
    ...(Object.keys(sample).length > 0 ? { sample } : {}),
  }
  return {
    tools: [tool],
    skipped: [],
    warnings: [...warnings, ...credential.warnings],
    baseUrl: url.origin,
    basePath: '',
    ...(credential.credential === undefined ? {} : { credential: credential.credential }),
  }
}

/** A command may log in and send cookies: one request has both. */
function withCookies(found: readonly FoundCredential[]): Chosen {
  const cookies = found.filter(isCookie)
  const others = found.filter((each) => !isCookie(each))
  const chosen = chooseCredential(others.length > 0 ? others : cookies)
  if (chosen.credential === undefined || others.length === 0 || cookies.length === 0) return chosen
  const cookie = cookies.map((each) => (each.type === 'header' ? each.value : '')).join('; ')
  return {
    credential: { ...chosen.credential, cookie },
    warnings: [...chosen.warnings, 'Its cookies are kept with it.'],
  }
}

function complete(credential: FoundCredential): boolean {
  return !JSON.stringify(credential).includes('${')
}

function headersOf(command: Command): readonly HeaderPair[] {
  const given = new Set(command.headers.map(([name]) => name.toLowerCase()))
  const json: readonly HeaderPair[] = command.json
    ? [
        ['Content-Type', 'application/json'],
        ['Accept', 'application/json'],
      ]
    : []
  const cookies: readonly HeaderPair[] = command.cookies.length === 0 ? [] : [['Cookie', command.cookies.join(';')]]
  const added = json.filter(([name]) => !given.has(name.toLowerCase()))
  return [...command.headers, ...added, ...cookies].filter(([name]) => !command.removed.includes(name.toLowerCase()))
}

function bodyOf(command: Command, headers: readonly HeaderPair[], taken: Set<string>): SampleBody | undefined {
  const declared = headers.find(([name]) => /^content-type$/i.test(name))?.[1]
  if (command.form.length > 0) {
    const list = command.form.flatMap(({ name, value, ...part }) =>
      samplePairs([[name, value]], 'body', taken).map((argument) => ({
        ...argument,
        place: { in: 'body' as const, name, ...part },
      })),
    )
    return { body: { encoding: 'multipart', mediaType: 'multipart/form-data', merged: true }, arguments: list }
  }
  const text = command.data[0]
  return text === undefined ? undefined : sampleBody(text, declared ?? FORM, taken)
}

function staticHeaders(headers: readonly HeaderPair[], hasBody: boolean, warnings: string[]) {
  const sendable = headers.filter(([name, value]) => {
    if (hasBody && /^content-type$/i.test(name)) return false
    if (isToken(name) && !FRAMING.test(name) && isHeaderValue(value) && !value.includes('${')) return true
    warnings.push(`The header ${cut(cleanLabel(name), 64)} is left out: the gateway cannot send it as it stands.`)
    return false
  })
  return joinedHeaders(sendable)
}

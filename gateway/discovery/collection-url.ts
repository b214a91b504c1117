// The address of a collection's request: a string, or an object that repeats it in pieces.
import { fill, isOpen, type Variables } from './collection-variables.ts'
import { entriesOf, get, isRecord, type JsonRecord, listOf, scalarOf, textOf } from './record.ts'
import { decode } from './serialize.ts'
import { templateOf } from './template.ts'
import type { Template } from './tool.ts'

export type CollectionUrl = {
  /** Absent while the host is an unresolved variable. */
  readonly origin?: string
  readonly endpoint: string
  readonly path: Template
  /** The arguments of the path with their sample values, where there is one. */
  readonly inPath: readonly { readonly name: string; readonly sample?: string; readonly description?: string }[]
  readonly query: readonly QueryItem[]
  /** What the pieces say otherwise than the address they repeat. */
  readonly disputed?: 'host' | 'path'
}
export type QueryItem = { readonly name: string; readonly value: string; readonly description?: string }

/** Both notations at once: `{{x}}` anywhere, and a whole segment `:x`. */
const PLACEHOLDER = /\{\{([^{}]+)\}\}|(?<=\/):([^/?#]+)/g
const MARKED = /\{([^{}/]+)\}/g

export function collectionUrl(url: unknown, variables: Variables): CollectionUrl | undefined {
  const whole = fill(rawOf(url), variables).trim()
  const bare = whole.replace(/#.*$/s, '')
  const at = bare.indexOf('?')
  const address = at < 0 ? bare : bare.slice(0, at)
  const located = /^(?:(https?):\/\/)?([^/]*)(.*)$/is.exec(address)
  const host = located?.[2] ?? ''
  if (located === null || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) !== (located[1] !== undefined)) return undefined
  const origin = originOf(located[1], host)
  if (host !== '' && !isOpen(host) && origin === undefined) return undefined
  const text = (located[3] ?? '') === '' ? '/' : (located[3] ?? '/')
  const endpoint = text.replace(
    PLACEHOLDER,
    (_, variable?: string, segment?: string) => `{${(variable ?? segment ?? '').trim()}}`,
  )
  const template = templateOf(endpoint.replace(/[?#]/g, encodeURIComponent), MARKED)
  const samples = new Map(
    listOf(get(url, 'variable')).map((item) => [textOf(get(item, 'key')) ?? textOf(get(item, 'id')), item]),
  )
  const disputed = disputedIn(url, address, variables)
  return {
    ...(origin === undefined ? {} : { origin }),
    ...(disputed === undefined ? {} : { disputed }),
    endpoint,
    path: template.path(new Map()),
    inPath: [...template.names].map((name) => pathArgument(name, samples.get(name), variables)),
    query: queryOf(url, at < 0 ? '' : bare.slice(at + 1), variables),
  }
}

function rawOf(url: unknown): string {
  if (typeof url === 'string') return url
  if (!isRecord(url)) return ''
  return textOf(url.raw) ?? joined(url)
}

function joined(url: JsonRecord): string {
  const join = (part: unknown, mark: string) =>
    typeof part === 'string'
      ? part
      : listOf(part)
          .map((item) => (typeof item === 'string' ? item : scalarOf(get(item, 'value'))))
          .join(mark)
  const protocol = textOf(url.protocol)
  const port = textOf(url.port)
  return `${protocol === undefined ? '' : `${protocol.replace(/(?<![:/]):?\/*$/, '')}://`}${join(url.host, '.')}${port === undefined ? '' : `:${port}`}/${join(url.path, '/').replace(/^\//, '')}`
}

/** A reader of the pieces in an editor would see another request than the one that is sent. */
function disputedIn(url: unknown, address: string, variables: Variables): CollectionUrl['disputed'] {
  if (!isRecord(url) || textOf(url.raw) === undefined || url.host === undefined) return undefined
  const [ours, theirs] = [placeOf(address), placeOf(fill(joined(url), variables))]
  if (ours.host !== theirs.host) return 'host'
  return ours.path === theirs.path ? undefined : 'path'
}

function placeOf(address: string): { readonly host: string; readonly path: string } {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/?#]*)([^?#]*)/is.exec(address.trim()) ?? []
  return { host: host.toLowerCase().replace(/:(?:80|443)$/, ''), path: path.replace(/(?<!\/)\/+$/, '') }
}

function originOf(scheme: string | undefined, host: string): string | undefined {
  if (host === '' || isOpen(host)) return undefined
  const text = `${scheme ?? 'http'}://${host}`
  return URL.canParse(text) ? new URL(text).origin : undefined
}

function pathArgument(name: string, sample: unknown, variables: Variables) {
  const value = textOf(get(sample, 'value'))
  const filled = value === undefined ? undefined : fill(value, variables)
  const description = textOfDescription(get(sample, 'description'))
  return {
    name,
    ...(filled === undefined || isOpen(filled) || /^<.*>$|^:/.test(filled) ? {} : { sample: decode(filled) }),
    ...(description === undefined ? {} : { description }),
  }
}

export function textOfDescription(description: unknown): string | undefined {
  return textOf(description) ?? textOf(get(description, 'content'))
}

/** The pieces are written as in the address: a value that is escaped there is not escaped again. */
function queryOf(url: unknown, search: string, variables: Variables): readonly QueryItem[] {
  const pieces = get(url, 'query')
  const items = Array.isArray(pieces)
    ? pieces.filter((item) => get(item, 'disabled') !== true).map((item) => ({ item, read: decode }))
    : search
        .split('&')
        .filter((text) => text !== '')
        .map((text) => ({ item: pairOf(text), read: String }))
  return items.flatMap(({ item, read }): QueryItem[] => {
    const name = read(fill(scalarOf(get(item, 'key')), variables))
    const value = get(item, 'value')
    const description = textOfDescription(get(item, 'description'))
    if (name === '' || name === '__proto__' || isOpen(name)) return []
    return [
      {
        name,
        value: read(fill(scalarOf(value), variables)),
        ...(description === undefined ? {} : { description }),
      },
    ]
  })
}

function pairOf(text: string) {
  const at = text.indexOf('=')
  const read = (part: string) => [...new URLSearchParams(`x=${part}`)][0]?.[1] ?? ''
  return { key: read(at < 0 ? text : text.slice(0, at)), value: at < 0 ? '' : read(text.slice(at + 1)) }
}

/** `{ key, value, disabled }[]`, the object of older exports, or header text. */
export function keyValues(
  list: unknown,
  variables: Variables,
): readonly { readonly key: string; readonly value: string; readonly item: unknown }[] {
  const items = isRecord(list)
    ? entriesOf(list).map(([key, value]) => ({ key, value }))
    : typeof list === 'string'
      ? list
          .split('\n')
          .map((line) => ({ key: line.split(':')[0]?.trim(), value: line.slice(line.indexOf(':') + 1).trim() }))
      : listOf(list)
  return items.flatMap((item) => {
    const key = fill(scalarOf(get(item, 'key')), variables)
    const value = get(item, 'value')
    if (key.trim() === '' || get(item, 'disabled') === true) return []
    return [
      {
        key,
        value: fill(
          typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value),
          variables,
        ),
        item,
      },
    ]
  })
}

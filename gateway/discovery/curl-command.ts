// The words of a curl command as the request they describe. Anything that would read a file, the disk or a second address is refused.

import { cleanLabel } from '../text/clean.ts'
import { basicOf, type HeaderPair } from './credentials.ts'
import { type Flag, longFlag, shortFlag } from './curl-flags.ts'
import { discoveryError } from './failure.ts'
import { encode } from './serialize.ts'
import type { FoundCredential, Place } from './tool.ts'

export type FormPart = Pick<Place, 'contentType' | 'filename'> & { readonly name: string; readonly value: string }
export type Command = {
  method?: string
  urls: string[]
  headers: HeaderPair[]
  removed: string[]
  data: string[]
  form: FormPart[]
  cookies: string[]
  urlQuery: string[]
  json: boolean
  get: boolean
  head: boolean
  /** `[`, `]`, `{` and `}` of the address are characters like any other. */
  literal: boolean
  scheme?: string
  credentials: FoundCredential[]
  warnings: string[]
}

export function refuse(reason: string) {
  return discoveryError('parse', `The curl command ${reason}`)
}

export function readFlags(words: readonly string[]): Command {
  const command: Command = {
    urls: [],
    headers: [],
    removed: [],
    data: [],
    form: [],
    cookies: [],
    urlQuery: [],
    json: false,
    get: false,
    head: false,
    literal: false,
    credentials: [],
    warnings: [],
  }
  let at = 0
  const value = (flag: Flag): string => {
    at += 1
    const word = words[at]
    if (word === undefined) throw refuse(`ends after --${flag.name}, which needs a value.`)
    return word
  }
  for (; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') continue
    if (word.startsWith('--')) {
      const flag = longFlag(word.slice(2))
      if (flag === undefined) throw refuse(`has an option this gateway does not know: ${cleanLabel(word).slice(0, 40)}`)
      apply(command, flag, flag.takesValue ? value(flag) : '')
    } else if (word.startsWith('-') && word !== '-') readShort(command, word.slice(1), value)
    else command.urls.push(word)
  }
  return command
}

// `-sXPOST` is `-s -X POST`.
function readShort(command: Command, letters: string, value: (flag: Flag) => string): void {
  for (let at = 0; at < letters.length; at += 1) {
    const flag = shortFlag(letters[at] ?? '')
    if (flag === undefined)
      throw refuse(`has an option this gateway does not know: -${cleanLabel(letters).slice(at, at + 1)}`)
    if (!flag.takesValue) apply(command, flag, '')
    else {
      const inline = letters.slice(at + 1)
      apply(command, flag, inline === '' ? value(flag) : inline)
      return
    }
  }
}

function apply(command: Command, flag: Flag, value: string): void {
  switch (flag.effect) {
    case 'request':
      command.method = value
      return
    case 'header':
      readHeader(command, value)
      return
    case 'data':
    case 'json':
      if (value.startsWith('@')) throw refuse(`reads a file (--${flag.name} @…). Paste the content itself.`)
      if (flag.effect === 'json') command.json = true
      addData(command, value, flag.effect === 'json')
      return
    case 'data-raw':
      addData(command, value, false)
      return
    case 'data-urlencode':
      addData(command, urlEncoded(value), false)
      return
    case 'form':
    case 'form-string':
      command.form.push(formPart(value, flag.effect === 'form-string'))
      return
    case 'get':
      command.get = true
      return
    case 'head':
      command.head = true
      return
    case 'globoff':
      command.literal = true
      return
    case 'user':
      command.credentials.push(basicOf(value))
      return
    case 'bearer':
      command.credentials.push({ type: 'bearer', token: value })
      return
    case 'cookie':
      if (!value.includes('=')) throw refuse('reads cookies from a file. Paste them as -b "name=value".')
      command.cookies.push(value)
      return
    case 'agent':
      setHeader(command, 'User-Agent', value)
      return
    case 'referer':
      setHeader(command, 'Referer', value.replace(/;auto$/, ''))
      return
    case 'range':
      setHeader(command, 'Range', `bytes=${value}${value.includes('-') ? '' : '-'}`)
      return
    case 'url':
      command.urls.push(value)
      return
    case 'url-query':
      command.urlQuery.push(value.startsWith('+') ? value.slice(1) : urlEncoded(value))
      return
    case 'scheme':
      command.scheme = flag.name
      return
    case 'ignore':
      return
    case 'warn':
      command.warnings.push(`--${flag.name} is left out: the gateway decides that itself.`)
      return
    case 'refuse':
      throw refuse(`uses --${flag.name}, which a tool cannot do.`)
  }
}

function addData(command: Command, text: string, joined: boolean): void {
  const last = command.data.pop()
  command.data.push(last === undefined ? text : `${last}${joined ? '' : '&'}${text}`)
}

function urlEncoded(value: string): string {
  const at = value.search(/[=@]/)
  if (at >= 0 && value[at] === '@') throw refuse('reads a file (--data-urlencode @…). Paste the content itself.')
  if (at < 0) return encode(value)
  return `${value.slice(0, at)}${at === 0 ? '' : '='}${encode(value.slice(at + 1))}`
}

function formPart(text: string, literal: boolean): FormPart {
  const at = text.indexOf('=')
  if (at < 0) throw refuse('has a form field without "=".')
  const name = text.slice(0, at)
  const value = text.slice(at + 1)
  if (literal) return { name, value }
  if (/^[@<]/.test(value))
    throw refuse(`uploads a file (-F ${cleanLabel(name).slice(0, 40)}=@…), which a tool cannot do.`)
  const [content, options] = partOptions(value.trimStart())
  const strange = Object.keys(options).find((key) => key !== 'type' && key !== 'filename')
  if (strange !== undefined) throw refuse(`gives a form field ";${strange}=", which a tool cannot do.`)
  const { filename } = options
  const contentType = options.type ?? (filename === undefined ? undefined : typeOfFile(filename))
  return {
    name,
    value: content,
    ...(contentType !== undefined && PART_TYPE.test(contentType) ? { contentType } : {}),
    ...(filename === undefined ? {} : { filename }),
  }
}

const PART_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/
const QUOTED = /^"((?:[^"\\]|\\.)*)"/s
// What curl reads after a semicolon.
const PART_OPTION = /;\s*(type|filename|headers|encoder)=("(?:[^"\\]|\\.)*"|[^;]*)/g

/** A value that is not in quotes ends at its first semicolon, also where its author did not mean it to. */
function partOptions(text: string): readonly [string, Readonly<Record<string, string>>] {
  const content = QUOTED.exec(text)?.[0] ?? text.replace(/;.*$/s, '')
  const options = [...text.slice(content.length).matchAll(PART_OPTION)].map(([, key = '', value = '']) => [
    key,
    unquoted(value.trim()),
  ])
  return [unquoted(content), Object.fromEntries(options)]
}

function unquoted(text: string): string {
  return QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text
}

/** What curl itself takes a file of that name for. */
function typeOfFile(filename: string): string {
  const known: Readonly<Record<string, string>> = {
    gif: 'image/gif',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    svg: 'image/svg+xml',
    txt: 'text/plain',
    htm: 'text/html',
    html: 'text/html',
    pdf: 'application/pdf',
    xml: 'application/xml',
  }
  const extension = /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  return (Object.hasOwn(known, extension) ? known[extension] : undefined) ?? 'application/octet-stream'
}

function readHeader(command: Command, line: string): void {
  if (line.startsWith('@')) throw refuse('reads headers from a file.')
  const at = line.search(/[:;]/)
  // Browsers copy the pseudo-headers of HTTP/2 too.
  if (at <= 0) return
  const name = line.slice(0, at).trim()
  const value = line.slice(at + 1).trim()
  if (line[at] === ';') {
    if (value === '') setHeader(command, name, '')
  } else if (value === '') command.removed.push(name.toLowerCase())
  else command.headers.push([name, value])
}

function setHeader(command: Command, name: string, value: string): void {
  command.headers = [...command.headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase()), [name, value]]
}

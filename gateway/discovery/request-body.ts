// The body of a request: JSON, form, multipart, or text as it is.
import { type Arguments, argument, hasSampleValue, placesIn, undeclaredIn } from './arguments.ts'
import { encode, isPresent, pairs, plain } from './serialize.ts'
import type { Body, DiscoveredTool, Place } from './tool.ts'

export type Part = {
  readonly name: string
  readonly content: string | Uint8Array
  readonly contentType?: string
  readonly filename?: string
}

export type RequestBody =
  | { readonly mediaType: string; readonly content: string | Uint8Array }
  | { readonly mediaType: string; readonly parts: readonly Part[] }

type Field = { readonly place: Place; readonly value: unknown }

export function bodyOf(tool: DiscoveredTool, args: Arguments): RequestBody | undefined {
  const { body } = tool
  if (body === undefined) return undefined
  const declared = placesIn(tool, 'body')
  if (tool.sample?.body !== undefined && declared.every(([name]) => hasSampleValue(tool, args, name))) {
    return { mediaType: body.mediaType, content: tool.sample.body }
  }
  if (!body.merged) {
    const whole = declared.find(([, place]) => place.whole === true)
    const value = whole === undefined ? undefined : argument(args, whole[0])
    return whole === undefined || value === undefined ? undefined : wholeBody(body, whole[1], value)
  }
  const given = declared.filter(([name]) => argument(args, name) !== undefined)
  const fields = given.map(([name, place]): Field => ({ place, value: argument(args, name) }))
  const more = tool.undeclared === 'body' ? undeclaredIn(tool, args) : []
  const all = [...fields, ...more.map(([name, value]): Field => ({ place: { in: 'body', name }, value }))]
  if (all.length === 0 && body.required !== true) return undefined
  return write(body, all)
}

function wholeBody(body: Body, place: Place, value: unknown): RequestBody {
  if (body.encoding === 'json') return { mediaType: body.mediaType, content: JSON.stringify(value) }
  if (body.encoding === 'raw') {
    const file = typeof value === 'string' && place.binary === true ? fromDataUri(value) : undefined
    return { mediaType: body.mediaType, content: file?.bytes ?? plain(value) }
  }
  // A form may be given as the text it is; parts need a boundary, so what is no object becomes parts of one name.
  const scalar = typeof value !== 'object' || value === null
  if (scalar && body.encoding === 'form') return { mediaType: body.mediaType, content: plain(value) }
  if (scalar || Array.isArray(value)) return write(body, [{ place, value }])
  return write(
    body,
    Object.entries(value).map(([name, item]): Field => ({ place: { in: 'body', name }, value: item })),
  )
}

function write(body: Body, fields: readonly Field[]): RequestBody {
  const { mediaType } = body
  if (body.encoding === 'form') {
    const text = fields.flatMap(formPairs).map(([name, value]) => `${name}=${value}`)
    return { mediaType, content: text.join('&') }
  }
  if (body.encoding === 'multipart') return { mediaType, parts: fields.flatMap(partsOf) }
  return {
    mediaType,
    content: JSON.stringify(Object.fromEntries(fields.map(({ place, value }) => [place.name, value]))),
  }
}

// Without a declared style an object is one JSON field, as the encoding rules of OpenAPI have it.
function formPairs({ place, value }: Field) {
  const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (place.style === undefined && nested) return [[encode(place.name), encode(JSON.stringify(value))] as const]
  return pairs(place, value)
}

function partsOf({ place, value }: Field): readonly Part[] {
  if (!isPresent(value)) return []
  if (place.style !== undefined) {
    return pairs(place, value).map(([name, text]) => ({
      name: decodeURIComponent(name),
      content: decodeURIComponent(text),
    }))
  }
  return Array.isArray(value) ? value.filter(isPresent).map((item) => part(place, item)) : [part(place, value)]
}

function part(place: Place, value: unknown): Part {
  const { name } = place
  if (typeof value === 'object') {
    return { name, content: JSON.stringify(value), contentType: place.contentType ?? 'application/json' }
  }
  const text = plain(value)
  if (place.binary !== true) {
    const { contentType, filename } = place
    return { name, content: text, ...(contentType && { contentType }), ...(filename && { filename }) }
  }
  const file = fromDataUri(text)
  const contentType = place.contentType ?? file?.mediaType ?? 'application/octet-stream'
  return { name, content: file?.bytes ?? text, contentType, filename: file?.filename ?? name }
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w-]+=[^;,]*)*);base64,([A-Za-z0-9+/=\s]*)$/

function fromDataUri(text: string) {
  const match = text.startsWith('data:') ? DATA_URI.exec(text) : null
  if (match === null) return undefined
  const filename = /;(?:file)?name=([^;,]+)/.exec(match[2] ?? '')?.[1]
  return { bytes: Buffer.from(match[3] ?? '', 'base64'), mediaType: match[1], filename }
}

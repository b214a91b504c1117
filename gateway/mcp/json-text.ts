// JSON text on its way out. Of a large answer that another thread wrote it is bytes, with some text before and after.
export type Json = string | Bytes
type Bytes = { readonly before: string; readonly bytes: Uint8Array; readonly after: string }

export const around = (before: string, json: Json, after: string): Json =>
  typeof json === 'string'
    ? `${before}${json}${after}`
    : { ...json, before: before + json.before, after: json.after + after }

/** Of all of it, in bytes or, where it is text, in characters. */
export const sizeOf = (json: Json): number =>
  typeof json === 'string' ? json.length : json.before.length + json.bytes.length + json.after.length

export function textOf(json: Json): string {
  if (typeof json === 'string') return json
  const { before, bytes, after } = json
  return `${before}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()}${after}`
}

export const bytesOf = (json: Json): Buffer =>
  typeof json === 'string'
    ? Buffer.from(json)
    : Buffer.concat([Buffer.from(json.before), json.bytes, Buffer.from(json.after)])

// Outgoing JSON: text, or for a large answer from a worker thread, bytes between two texts.
export type Json = string | Bytes
type Bytes = { readonly before: string; readonly bytes: Uint8Array; readonly after: string }

export const around = (before: string, json: Json, after: string): Json =>
  typeof json === 'string'
    ? `${before}${json}${after}`
    : { ...json, before: before + json.before, after: json.after + after }

/** Total size in bytes, or in characters for text. */
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

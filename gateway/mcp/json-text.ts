// Outgoing JSON: text, or for a large answer, bytes between two texts.
import type { PackedBytes } from './packed-bytes.ts'

export type Json = string | Bytes
type Bytes = {
  readonly before: string
  readonly bytes: Uint8Array
  readonly after: string
  /** The bytes compressed, where they are sent many times. */
  readonly packed?: PackedBytes
}

export const around = (before: string, json: Json, after: string): Json =>
  typeof json === 'string'
    ? `${before}${json}${after}`
    : { ...json, before: before + json.before, after: json.after + after }

export function textOf(json: Json): string {
  if (typeof json === 'string') return json
  const { before, bytes, after } = json
  return `${before}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()}${after}`
}

export const bytesOf = (json: Json): Buffer =>
  typeof json === 'string'
    ? Buffer.from(json)
    : Buffer.concat([Buffer.from(json.before), json.bytes, Buffer.from(json.after)])

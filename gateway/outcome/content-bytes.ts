// How much a result holds: text, and what is no text as the Base64 it travels in; of a resource, what is in it. Contract 10.12.

import type { CallToolResult } from './outcome.ts'
import { writtenOf } from './written.ts'

const bytesIn = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0)

export function contentBytes(result: CallToolResult): number {
  const known = writtenOf(result)
  if (known) return known.contentBytes
  let sum = 0
  for (const { text, data, resource } of result.content) {
    sum += bytesIn(text) + bytesIn(data)
    if (typeof resource !== 'object' || resource === null) continue
    if ('text' in resource) sum += bytesIn(resource.text)
    if ('blob' in resource) sum += bytesIn(resource.blob)
  }
  return sum
}

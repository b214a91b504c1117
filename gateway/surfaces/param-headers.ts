// Arguments that a modern client repeats in headers must be the same there: a router that uses the header would be fooled otherwise.

import { argumentKeysOf } from '../discovery/argument-keys.ts'
import type { JsonSchema } from '../discovery/tool.ts'
import { type Headers, headerValue, mismatch } from '../mcp/era.ts'
import { mirroredArguments } from '../mcp/mirrored-headers.ts'

export function checkParamHeaders(
  headers: Headers,
  inputSchema: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): void {
  const args = argumentKeysOf(inputSchema)?.restored(given, []) ?? given
  for (const [name, value] of mirroredArguments(inputSchema, args)) {
    const header = headers[name]
    const mirrored = typeof header === 'string' ? headerValue(header.trim()) : undefined
    if (mirrored !== value) throw mismatch(`${name} must equal the argument of the body that it repeats`)
  }
}

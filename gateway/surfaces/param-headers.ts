// Arguments that a modern client repeats in headers must be the same there: whoever routed by the header would else be fooled.

import { type Headers, headerValue, mismatch } from '../mcp/era.ts'
import { mirroredArguments } from '../mcp/mirrored-headers.ts'

export function checkParamHeaders(
  headers: Headers,
  inputSchema: unknown,
  args: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of mirroredArguments(inputSchema, args)) {
    const given = headers[name]
    const mirrored = typeof given === 'string' ? headerValue(given.trim()) : undefined
    if (mirrored !== value) throw mismatch(`${name} must equal the argument of the body that it repeats`)
  }
}

// Redaction of the arguments of a tool: a value is found under the listed and under the original key. Amendment 11.
import { argumentKeysOf } from '../discovery/argument-keys.ts'
import { redaction } from '../text/redact.ts'
import type { Tool } from './backend.ts'

type Arguments = Readonly<Record<string, unknown>>
/** Returns the same object if no path matches, null for an argument that was sent under both keys. */
export type ArgumentRedaction = (args: Arguments) => unknown

export function argumentRedaction({
  config,
  definition,
}: Pick<Tool, 'config' | 'definition'>): ArgumentRedaction | undefined {
  const { redactPaths } = config
  if (redactPaths === undefined || redactPaths.length === 0) return undefined
  const keys = argumentKeysOf(definition.inputSchema)
  const redact = redaction(keys ? keys.originalPaths(redactPaths) : redactPaths)
  if (keys === undefined || redact === undefined) return redact
  return (args) => {
    const problems: string[] = []
    const original = keys.restored(args, problems)
    if (problems.length > 0) return null
    const redacted = redact(original)
    return redacted === original ? args : redacted
  }
}

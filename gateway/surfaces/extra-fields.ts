// Fields of an upstream's tool that we do not interpret: its shard shows them as they are, cleaned. Contract 0.2.

import { safeIcons } from '../mcp/icons.ts'
import type { Tool } from '../registry/backend.ts'
import { foreignLabels } from '../text/foreign-text.ts'

/** How a tool runs as a task says something about what is not carried. */
const LEFT_OUT: ReadonlySet<string> = new Set(['execution'])

export function extraFields({ definition }: Tool): Readonly<Record<string, unknown>> {
  const extra = definition.mcp?.extra
  if (extra === undefined) return {}
  const shown = Object.entries(extra)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => [key, key === 'icons' ? safeIcons(value) : foreignLabels(value)] as const)
  return Object.fromEntries(shown)
}

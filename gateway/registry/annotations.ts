// Tool annotations: from method, upstream declaration, administrator's override and gates. Contract 5.11.
import type { Annotations, Kind } from '../contract/registration.ts'
import type { Tool } from './backend.ts'

type Hints = Omit<Annotations, 'title'>
/** The fields of a tool that determine its hints. */
type Named = Pick<Tool, 'name' | 'definition' | 'config'>

const BY_METHOD: Readonly<Record<string, Hints>> = {
  GET: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  HEAD: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  POST: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
  PUT: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  PATCH: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
}
/** An unknown method may do anything. */
const OTHER: Hints = { readOnlyHint: false, idempotentHint: false, openWorldHint: true }
const QUERY: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
const MUTATION: Hints = { readOnlyHint: false, idempotentHint: false, openWorldHint: true }
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Ignores values that are not booleans. */
function booleans(hints: Readonly<Record<string, unknown>>): Hints {
  return Object.fromEntries(HINTS.flatMap((name) => (typeof hints[name] === 'boolean' ? [[name, hints[name]]] : [])))
}

function declaredHints(kind: Kind, { definition, config }: Named): Hints {
  // The effect of a WebSocket frame is unknown, for every method of the operation.
  if (config.ws?.enabled) return OTHER
  if (definition.graphql) return definition.graphql.operation === 'query' ? QUERY : MUTATION
  if (kind === 'mcp') return { openWorldHint: true, ...booleans(definition.annotations ?? {}) }
  if (kind === 'pcg') return booleans(definition.annotations ?? {})
  return BY_METHOD[definition.method ?? 'POST'] ?? OTHER
}

/** `get_pet` becomes "Get pet". */
export const readable = (name: string): string => {
  const text = name.replace(/[_-]+/g, ' ').trim()
  return text === '' ? name : text.charAt(0).toUpperCase() + text.slice(1)
}

export function titleOf({ name, definition, config }: Named): string {
  return config.overrides?.title ?? definition.title ?? definition.annotations?.title ?? readable(name)
}

/** `gated`: sensitive or with approval, which no declaration can override. */
export function annotationsOf(kind: Kind, tool: Named, gated: boolean): Annotations {
  const hints = { ...declaredHints(kind, tool), ...booleans(tool.config.overrides?.annotations ?? {}) }
  return { title: titleOf(tool), ...hints, ...(gated ? { readOnlyHint: false, destructiveHint: true } : {}) }
}

/** Whether calls are read-only, so that answers may be shared. `gated` as above. Contract 8.5. */
export function isReading(kind: Kind, tool: Named, gated: boolean): boolean {
  const { graphql, method } = tool.definition
  if (graphql) return graphql.operation === 'query'
  if (kind === 'rest') return (method === 'GET' || method === 'HEAD') && !tool.config.ws?.enabled
  return annotationsOf(kind, tool, gated).readOnlyHint === true
}

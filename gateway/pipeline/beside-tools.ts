// Resources, prompts and everything else a backend has beside its tools, as the guard stack sees it: one tool without a name.

import type { Guardrails, Guards } from '../contract/admin/tool-guards.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { ToolConfig } from '../storage/stored.ts'

/** No tool is called so, and no scope of single tools holds it. */
const NAME = ''

const made = new WeakMap<Backend, Tool>()

export const isBesideTools = ({ name }: Pick<Tool, 'name'>): boolean => name === NAME

export function besideTools(backend: Backend): Tool {
  const known = made.get(backend)
  if (known) return known
  const { name, updatedAt, revision } = backend
  const tool: Tool = {
    id: 0,
    client: name,
    name: NAME,
    sourceName: NAME,
    definition: { name: NAME, sourceName: NAME, description: '', inputSchema: {}, places: {} },
    config: configOf([...backend.tools.values()].filter(({ missingSince }) => missingSince === null)),
    tags: [],
    schemaHash: '',
    missingSince: null,
    revision,
    updatedAt,
  }
  made.set(backend, tool)
  return tool
}

/**
 * A backend has no guards of its own beside its breaker (contract 9.5), so they come from its tools: what must not be
 * sent to one of them is not sent here, and a credential that all of them refuse is refused.
 */
function configOf(tools: readonly Tool[]): ToolConfig {
  const guardrails = guardrailsOf(tools)
  const guards = guardsOf(tools)
  return { ...(guardrails && { guardrails }), ...(guards && { guards }) }
}

function guardrailsOf(tools: readonly Tool[]): Guardrails | undefined {
  const rules = tools.flatMap(({ config }) => config.guardrails ?? [])
  if (rules.length === 0) return undefined
  return {
    denyPatterns: [...new Set(rules.flatMap(({ denyPatterns }) => denyPatterns))],
    blockSecrets: rules.some(({ blockSecrets }) => blockSecrets),
    // Markers would change what amendment 10 keeps as it is.
    scanResponses: false,
  }
}

function guardsOf(tools: readonly Tool[]): Guards | undefined {
  const guards = tools.map(({ config }) => config.guards)
  const hashes = guards.flatMap((each) => each?.allowedKeyHashes ?? [])
  const ids = guards.flatMap((each) => each?.allowedKeyIds ?? [])
  const open = guards.some((each) => !each || each.allowedKeyHashes.length + each.allowedKeyIds.length === 0)
  if (open || tools.length === 0) return undefined
  const limits = { rateLimitPerMin: null, rateLimitScope: 'tool', timeoutMs: null } as const
  return { ...limits, allowedKeyHashes: [...new Set(hashes)], allowedKeyIds: [...new Set(ids)] }
}

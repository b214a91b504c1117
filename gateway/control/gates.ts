// The gates of a control-plane call, in the order of contract 6.2: tier, arguments, tenancy and scope, step-up.
import { GatewayError } from '../contract/error.ts'
import { mayTouch, mayUse } from '../contract/role.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import { findTool } from '../operations/tools/tools.ts'
import { consent, question } from '../pipeline/3-policy/consent.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { reachesClient, type SystemCaller } from './caller.ts'
import { reachesKey } from './key-reach.ts'
import type { SysRequest } from './plane.ts'
import type { SysError } from './result.ts'
import { type Prepared, type SysTool, TIER_ROLE, type ToolScope } from './tool.ts'

export type Passed = { readonly tool: SysTool; readonly prepared: Prepared }
export type Verdict = Passed | { readonly refused: SysError }

export type Gates = (request: SysRequest) => Promise<Verdict>

type GatesDeps = {
  readonly tools: ReadonlyMap<string, SysTool>
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly keys: Pick<McpKeys, 'get'>
  readonly bundles: Pick<Bundles, 'get'>
}

const CLIENT_NOT_FOUND: SysError = { code: 'CLIENT_NOT_FOUND', message: 'Client not found' }
const TOOL_NOT_FOUND: SysError = { code: 'TOOL_NOT_FOUND', message: 'Tool not found' }
const KEY_NOT_FOUND: SysError = { code: 'MCP_KEY_NOT_FOUND', message: 'There is no such key' }
const MOST_TOLD = 5

/** Tools above the caller's tier are also hidden from the list. */
export function mayUseTool({ actor }: SystemCaller, { tier }: SysTool): boolean {
  return mayUse(actor, TIER_ROLE[tier])
}

export function createGates({ tools, registry, keys, bundles }: GatesDeps): Gates {
  // Missing and forbidden records take the same path and get the same answer.
  function backendOf(caller: SystemCaller, client: string): Backend | undefined {
    const backend = registry.known(client)
    return backend !== undefined && mayTouch(caller.actor, backend) ? backend : undefined
  }

  function toolOf(caller: SystemCaller, client: string, name: string): Tool | undefined {
    const backend = backendOf(caller, client)
    const tool = backend && findTool(backend, name)
    return tool && caller.mayReach(client, tool.name) ? tool : undefined
  }

  async function knowsKey(caller: SystemCaller, id: number): Promise<boolean> {
    try {
      return reachesKey(caller, bundles, await keys.get(caller.actor, String(id)))
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'MCP_KEY_NOT_FOUND') return false
      throw error
    }
  }

  async function missing(caller: SystemCaller, target: ToolScope): Promise<SysError | undefined> {
    switch (target.kind) {
      case 'client':
        return reachesClient(caller, target.client) && backendOf(caller, target.client) ? undefined : CLIENT_NOT_FOUND
      case 'tool':
        return toolOf(caller, target.client, target.tool) ? undefined : TOOL_NOT_FOUND
      case 'new-client':
        return caller.mayName(target.client) ? undefined : CLIENT_NOT_FOUND
      case 'key':
        return (await knowsKey(caller, target.id)) ? undefined : KEY_NOT_FOUND
      case 'members': {
        const unknown = target.members.filter(({ client, tool }) => toolOf(caller, client, tool)?.missingSince !== null)
        const text = unknown.slice(0, MOST_TOLD).map(({ client, tool }) => `${client}__${tool}`)
        return unknown.length === 0
          ? undefined
          : { code: 'UNKNOWN_TOOL', message: `There is no such tool: ${text.join(', ')}` }
      }
    }
  }

  return async (request) => {
    const { caller, name, given } = request
    const tool = tools.get(name)
    if (tool === undefined)
      return { refused: { code: 'unknown_tool', message: `Unknown tool: ${name}`, gate: 'resolution' } }
    if (!mayUseTool(caller, tool))
      return {
        refused: { code: 'role_required', message: `Tool '${name}' requires the '${tool.tier}' tier`, gate: 'role' },
      }
    const prepared = tool.prepare(given)
    if ('problems' in prepared)
      return { refused: { code: 'invalid_arguments', message: `Invalid arguments: ${prepared.problems.join('; ')}` } }
    for (const target of prepared.targets) {
      const refused = await missing(caller, target)
      if (refused) return { refused }
    }
    const refused = await stepUp(request, tool)
    return refused ? { refused } : { tool, prepared }
  }
}

async function stepUp(request: SysRequest, { name, stepUp }: SysTool): Promise<SysError | undefined> {
  const { caller, reserved, given } = request
  if (stepUp === 'none') return undefined
  if (stepUp === 'env' && !caller.envBearer)
    return {
      code: 'env_bearer_required',
      message: `Tool '${name}' needs an admin key of the environment itself: no managed key can make another.`,
      gate: 'env_bearer',
    }
  if (reserved.confirm || (caller.elevated && stepUp === 'confirm')) return undefined
  // Minting requires the argument itself, even after elicitation.
  const answer = stepUp === 'env' ? 'unasked' : await consent(request, question(`Run ${name} on this gateway?`, given))
  switch (answer) {
    case 'given':
      return undefined
    case 'declined':
      return refusal(`Tool '${name}' was not run: the user declined the confirmation.`)
    case 'unasked':
      return refusal(
        `Tool '${name}' is sensitive: repeat the call with {"__confirm": true}${stepUp === 'env' ? '' : ' or use an elevated key'}.`,
      )
  }
}

const refusal = (message: string): SysError => ({ code: 'confirm_required', message, gate: 'confirmation' })

// The keys of agents, through the admin API: one for each connection, for what it is connected to and nothing else.
import type { AgentTarget } from '../../contract/agent-records.ts'
import { ApiError, type Client } from '../../contract/client.ts'
import type { API } from '../../contract/index.ts'
import { AgentFault } from './fault.ts'

type Api = Pick<Client<typeof API>, 'mcpKeys' | 'clients' | 'bundles'>
export type KeyUse = {
  readonly id: number
  readonly active: boolean
  readonly lastUsedAt: string | null
  readonly lastUsedClient: string | null
}

/** As much of a key as its record shows. */
const PREFIX_LENGTH = 12
const MANAGED = /^mcp_[\w-]{20,}$/

export function createKeys(api: Api) {
  async function find(key: string): Promise<KeyUse | undefined> {
    if (!MANAGED.test(key)) return undefined
    const keyPrefix = key.slice(0, PREFIX_LENGTH)
    const { items } = await api.mcpKeys.list({ query: { q: keyPrefix, limit: '50' } })
    return items.find((record) => record.keyPrefix === keyPrefix)
  }

  async function revokeById(id: number): Promise<void> {
    try {
      await api.mcpKeys.revoke({ params: { id: String(id) }, body: {} })
    } catch (error) {
      if (error instanceof ApiError && (error.code === 'ALREADY_REVOKED' || error.code === 'MCP_KEY_NOT_FOUND')) return
      throw new AgentFault(
        'KEY_NOT_REVOKED',
        'The entry is gone, but its key could not be revoked. Revoke it on the page Keys.',
      )
    }
  }

  return {
    find,
    /** Throws the refusal of the gateway for a target that does not exist. */
    async check({ scope, name }: AgentTarget): Promise<void> {
      if (scope === 'bundle') await api.bundles.get({ params: { name } })
      else await api.clients.get({ params: { name } })
    },
    async mint(agent: string, entry: string, { scope, name }: AgentTarget): Promise<{ id: number; key: string }> {
      const scopes = scope === 'bundle' ? { bundles: [name] } : { clients: [name] }
      const { id, key } = await api.mcpKeys.create({ body: { label: `${agent}: ${entry}`, scopes } })
      return { id, key }
    },
    async revoke(key: string): Promise<void> {
      const found = await find(key)
      if (found) await revokeById(found.id)
    },
    /** A key that was never shown leaves no trace but its audit rows. */
    drop: (id: number): Promise<void> => revokeById(id),
  }
}

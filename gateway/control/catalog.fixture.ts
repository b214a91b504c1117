// The table of contract 6.3 with arguments for each tool; suites over all tools are generated from it.
import type { Role } from '../contract/role.ts'
import type { StepUp, Tier } from './tool.ts'

type Row = {
  readonly tier: Tier
  readonly stepUp: StepUp
  readonly idempotent: boolean
  /** What its arguments name, and the error for a missing one. */
  readonly names?: 'client' | 'tool' | 'key' | 'members' | 'new-client'
  readonly notFound?: string
  /** Valid arguments for this backend. */
  readonly about: (client: string, keyId: number) => object
}

export const source = (name: string) => ({
  name,
  base_url: 'http://127.0.0.1:18099',
  tools: [{ name: 'read', method: 'GET', endpoint: '/r', description: 'Reads' }],
})

const CLIENT = { names: 'client', notFound: 'CLIENT_NOT_FOUND' } as const
const TOOL = { names: 'tool', notFound: 'TOOL_NOT_FOUND' } as const
const nothing = () => ({})

/** Columns T, C and I of contract 6.3. */
export const CATALOG: Readonly<Record<string, Row>> = {
  sys_audit_tail: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_create_bundle: {
    tier: 'admin',
    stepUp: 'confirm',
    idempotent: false,
    names: 'members',
    notFound: 'UNKNOWN_TOOL',
    about: (client) => ({ name: `of-${client}`, tools: [{ client, tool: 'read' }] }),
  },
  sys_delete_client: { tier: 'operate', stepUp: 'confirm', idempotent: false, ...CLIENT, about: (name) => ({ name }) },
  sys_diagnose: {
    tier: 'operate',
    stepUp: 'none',
    idempotent: true,
    ...TOOL,
    about: (client) => ({ client, tool: 'read' }),
  },
  sys_get_client: { tier: 'read', stepUp: 'none', idempotent: true, ...CLIENT, about: (name) => ({ name }) },
  sys_list_bundles: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_list_clients: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_list_keys: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_list_tools: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_metrics: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },
  sys_mint_key: { tier: 'admin', stepUp: 'env', idempotent: false, about: () => ({ label: 'a key' }) },
  sys_register_client: {
    tier: 'operate',
    stepUp: 'confirm',
    idempotent: true,
    names: 'new-client',
    notFound: 'CLIENT_NOT_FOUND',
    about: source,
  },
  sys_reset_circuit_breaker: {
    tier: 'operate',
    stepUp: 'none',
    idempotent: true,
    ...CLIENT,
    about: (name) => ({ name }),
  },
  sys_revoke_key: {
    tier: 'admin',
    stepUp: 'confirm',
    idempotent: false,
    names: 'key',
    notFound: 'MCP_KEY_NOT_FOUND',
    about: (_client, id) => ({ id }),
  },
  sys_set_client_enabled: {
    tier: 'operate',
    stepUp: 'none',
    idempotent: true,
    ...CLIENT,
    about: (name) => ({ name, enabled: false }),
  },
  sys_set_guard: {
    tier: 'operate',
    stepUp: 'none',
    idempotent: true,
    ...TOOL,
    about: (client) => ({ client, tool: 'read', guards: { rateLimitPerMin: 5 } }),
  },
  sys_set_tool_enabled: {
    tier: 'operate',
    stepUp: 'none',
    idempotent: true,
    ...TOOL,
    about: (client) => ({ client, tool: 'read', enabled: false }),
  },
}
export const NAMES = Object.keys(CATALOG)

export const LEAST: Readonly<Record<Tier, Role>> = { read: 'viewer', operate: 'operator', admin: 'admin' }

export function rowOf(name: string): Row {
  const row = CATALOG[name]
  if (row === undefined) throw new Error(`${name} is not in the table`)
  return row
}

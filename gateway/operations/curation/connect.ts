// What to paste into a client for any endpoint of the gateway, before there is a key to paste. Contract 7.5.
import { type ConnectClient, connectClients } from '../../contract/connect.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'

type ConnectDeps = {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Pick<Curated, 'bundle'>
  readonly publicUrl: string | null
  readonly deepLinks: boolean
}
export type Scope = 'client' | 'bundle' | 'system'
export type Connect = ReturnType<typeof createConnect>

export function createConnect({ registry, curated, publicUrl, deepLinks }: ConnectDeps) {
  function pathOf(actor: Actor, scope: Scope, name: string | undefined): string {
    if (scope === 'system') return '/mcp'
    if (name === undefined)
      throw new GatewayError('VALIDATION_ERROR', 'name is required with this scope', {
        fields: [{ path: 'name', message: 'is required with this scope' }],
      })
    if (scope === 'client') {
      const backend = registry.known(name)
      if (backend && mayTouch(actor, backend)) return `/mcp/${backend.name}`
      throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
    }
    const bundle = curated.bundle(name)
    if (bundle && mayTouch(actor, bundle)) return `/mcp-custom/${bundle.name}`
    throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
  }

  return {
    gatewayUrl: (baseUrl: string) => ({ publicUrl, effectiveUrl: baseUrl }),

    snippets(
      actor: Actor,
      { scope, name }: { readonly scope: Scope; readonly name?: string | undefined },
      baseUrl: string,
    ): { url: string; clients: ConnectClient[] } {
      const url = baseUrl + pathOf(actor, scope, name)
      const called = scope === 'system' ? 'gantry' : `gantry-${name}`
      return { url, clients: connectClients({ name: called, url, key: null, deepLinks }) }
    },
  }
}

// Backends and WebSocket targets share one namespace. Contract 1.2.
import { GatewayError } from '../contract/error.ts'
import { backendByName } from '../storage/backends.ts'
import type { Query } from '../storage/schema.ts'
import { wsTargetRows } from '../storage/ws-targets.ts'

/** Does not reveal the owner. */
const taken = (name: string): GatewayError => new GatewayError('NAME_COLLISION', `The name "${name}" is taken`)

export async function requireNoTarget(query: Query, name: string): Promise<void> {
  if (await wsTargetRows.byName(query, name)) throw taken(name)
}

export async function requireNoBackend(query: Query, name: string): Promise<void> {
  if (await backendByName(query, name)) throw taken(name)
}

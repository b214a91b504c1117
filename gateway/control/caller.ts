// Authenticates callers of the control plane: an admin key of the environment, or a managed key with a role. Never open. Contract 2.1.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { DataPlaneCaller } from '../auth/credential.ts'
import type { DataPlane } from '../auth/data-plane.ts'
import { everything } from '../auth/key-scope.ts'
import type { KeyRecord } from '../contract/admin/mcp-keys.ts'
import { GatewayError } from '../contract/error.ts'
import type { Actor, Role } from '../contract/role.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Settings } from '../settings/table.ts'

export type SystemCaller = Caller & {
  /** The actor of operations and audit entries. */
  readonly actor: Actor
  /** An admin key of the environment, the only credential that may mint others. */
  readonly envBearer: boolean
  /** Its key has a scope, which hides records beyond its team's limits. */
  readonly scoped: boolean
  /** Whether its scope covers a backend name, existing or not. */
  readonly mayName: (client: string) => boolean
}

type Needs = {
  readonly settings: Pick<Settings, 'ADMIN_API_KEYS' | 'AUTH_DISABLED'>
  readonly dataPlane: Pick<DataPlane, 'authenticate'>
  readonly keyOf: (actor: Actor, id: string) => Promise<Scope>
}

const BEARER = /^bearer +([\x21-\x7e]{1,16384})$/i
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const unauthorized = (): GatewayError =>
  new GatewayError('UNAUTHORIZED', 'Send an admin key, or a managed key with an adminRole, as Authorization: Bearer')
const forbidden = (): GatewayError =>
  new GatewayError('FORBIDDEN', 'This credential has no system role: the control plane is not for it')

export function isSystem(caller: Caller): caller is SystemCaller {
  return 'actor' in caller && 'envBearer' in caller
}

/** No tool has this name, so only a scope for the whole backend matches it. */
const ANY_TOOL = '*'

export function reachesClient({ mayReach }: Caller, name: string): boolean {
  return mayReach(name, ANY_TOOL)
}

/** Rejects two headers: a proxy may have read the other one. */
function bearerOf(raw: IncomingMessage): string | undefined {
  const count = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length
  if (count > 1) throw unauthorized()
  return BEARER.exec(raw.headers.authorization ?? '')?.[1]
}

/** The actor without a managed key. */
export function admin(name: string, kind: Actor['kind'], keyHash: string | null, envBearer: boolean): SystemCaller {
  return {
    name,
    kind: 'admin',
    keyHash,
    keyId: null,
    elevated: true,
    consumerId: null,
    teamId: null,
    adminRole: 'admin',
    bundles: null,
    mayReach: everything,
    person: null,
    namesPeople: false,
    onEnd: null,
    actor: { name, kind, role: 'admin', teamId: null },
    envBearer,
    scoped: false,
    mayName: everything,
  }
}

type Scope = Pick<KeyRecord, 'scopes' | 'allowedTools'>

/** A list of tools limits a key to pairs, despite its backends. */
export function scopeOf({ scopes, allowedTools }: Scope): Pick<SystemCaller, 'scoped' | 'mayName'> {
  const clients = new Set(scopes?.clients)
  return {
    scoped: scopes !== null || allowedTools !== null,
    mayName: (client) => allowedTools === null && (scopes === null || clients.has(client)),
  }
}

export function createSystemCallers({
  settings,
  dataPlane,
  keyOf,
}: Needs): (raw: IncomingMessage) => Promise<SystemCaller> {
  // Looked up by digest: the time of a lookup says nothing about how much of a key was right.
  const keys = new Set(settings.ADMIN_API_KEYS.map(sha256))

  async function byKey(caller: DataPlaneCaller, id: number, role: Role): Promise<SystemCaller> {
    const { name, teamId } = caller
    const actor: Actor = { name, kind: 'key', role, teamId }
    return { ...caller, actor, envBearer: false, ...scopeOf(await keyOf(actor, String(id))) }
  }

  return async (raw) => {
    const token = bearerOf(raw)
    const hash = token === undefined ? null : sha256(token)
    const envBearer = hash !== null && keys.has(hash)
    if (settings.AUTH_DISABLED) return admin('auth-disabled', 'disabled', hash, envBearer)
    if (hash === null) throw unauthorized()
    if (envBearer) return admin(`bearer:${hash.slice(0, 8)}`, 'bearer', hash, true)
    const caller = await dataPlane.authenticate(raw)
    // An open data plane treats unknown credentials as anonymous; here they are rejected.
    if (caller.kind === 'anonymous') throw unauthorized()
    if (caller.kind !== 'key' || caller.keyId === null || caller.adminRole === null) throw forbidden()
    if (caller.bundles !== null)
      throw new GatewayError('KEY_SCOPE', 'This key belongs to another surface; use the one it was made for')
    return byKey(caller, caller.keyId, caller.adminRole)
  }
}

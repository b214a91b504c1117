// How a registration is stored: prepared without the database, then written with its tools and audit entries in one transaction.

import { GatewayError } from '../../contract/error.ts'
import type { ToolDiff } from '../../contract/registration.ts'
import { type Actor, mayTouch, mayUse } from '../../contract/role.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import { requireNoTarget } from '../../records/shared-names.ts'
import type { Payload, Plan, SourceAuth } from '../../registry/plan.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { localIn, storePins, withLocal } from '../../registry/snapshot.ts'
import { type BackendRow, backendByName, insertBackend, updateBackend } from '../../storage/backends.ts'
import { type JsonText, jsonText } from '../../storage/json-text.ts'
import type { Tx } from '../../storage/schema.ts'
import type { AllowedService, StoredPins } from '../../storage/stored.ts'
import { boundAgain } from './credential-binding.ts'
import { prepareTools, storeTools } from './discovered-tools.ts'
import { auditEnd } from './local-services.ts'
import { withoutSecrets } from './registration-payload.ts'
import { type Revetted, revetted } from './target-pins.ts'
import { type SealedAuth, sealAuth } from './upstream-auth.ts'

export type RegistrationStoreDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'box' | 'clock'> & {
  readonly registry: LiveRegistry
}

export type Who = By & { readonly actor: Actor }

/** What comes with a registration beside its payload. */
export type Along = {
  readonly warnings?: readonly string[]
  /** A credential given with it: sealed before anything is stored, sent to the source from the start. */
  readonly auth?: { readonly source: SourceAuth; readonly sealed: SealedAuth }
  /** Allowed with this registration. */
  readonly local?: AllowedService | undefined
  /** An admin sends the credential that is stored to the address of this registration. */
  readonly keepCredential?: boolean | undefined
  /** Written in the same transaction. */
  readonly audit?: (audit: Audit) => Promise<void>
}

/** What a registration came to, or would come to. */
export type Stored = {
  readonly tools: readonly DiscoveredTool[]
  readonly diff: ToolDiff | undefined
  readonly warnings: readonly string[]
}

/** Ready to be written, in whichever transaction. */
type Prepared = {
  readonly name: string
  readonly description: string | undefined
  readonly row: { readonly pins: JsonText<StoredPins> } & Omit<
    BackendRow,
    'id' | 'pins' | keyof ReturnType<typeof fresh> | Unset
  > &
    Partial<SealedAuth>
  readonly planned: Plan
  readonly warnings: string[]
  readonly keepCredential: boolean
  readonly local: AllowedService | undefined
  readonly others: Revetted
  readonly tools: Awaited<ReturnType<typeof prepareTools>>
}
type Unset =
  | 'description'
  | 'guards'
  | 'upstream_auth'
  | 'upstream_auth_info'
  | 'oauth_secret'
  | 'oauth_info'
  | 'identity'
  | 'identity_secret'
  | 'canary'
  | 'lb'
  | 'last_seen_at'

const collision = (message: string): GatewayError => new GatewayError('NAME_COLLISION', message)

/** Names of another kind, and other teams' backends, are taken. */
export function checkFree(
  actor: Actor,
  known:
    | { readonly name: string; readonly kind: string; readonly teamId: number | null; readonly pins: unknown }
    | undefined,
  kind: Plan['kind'],
): void {
  if (known === undefined) return
  if (!mayTouch(actor, known)) throw collision(`The name "${known.name}" is taken`)
  if (known.kind === 'mcp' && known.pins === null)
    throw collision(`"${known.name}" is a local server of this gateway; choose another name`)
  if (known.kind !== kind)
    throw collision(
      `"${known.name}" is a backend of kind "${known.kind}" already; choose another name or delete it first`,
    )
}

/** Stored sealed when there is a key to seal it with; dropped otherwise. A warning says which. */
async function sealFound(
  { box, clock }: Pick<RegistrationStoreDeps, 'box' | 'clock'>,
  name: string,
  { credential }: Plan,
  warnings: string[],
): Promise<SealedAuth | undefined> {
  if (credential === undefined) return undefined
  if (!box.configured) {
    warnings.push(
      'A credential was found and dropped, because no encryption key is configured: set SECRET_ENCRYPTION_KEY and then the upstream credential of this backend.',
    )
    return undefined
  }
  const sealed = await sealAuth(box, name, credential, new Date(clock.now()).toISOString())
  warnings.push(
    'A credential was found and stored as the upstream credential of this backend; it is not part of any tool.',
  )
  return sealed
}

export function createRegistrationStore({ database, changes, registry, outbound, box, clock }: RegistrationStoreDeps) {
  /** All that takes the network or the key service, before anything is written. */
  async function prepare(
    name: string,
    payload: Payload,
    planned: Plan,
    { warnings: extra = [], auth, local, keepCredential = false }: Along = {},
  ): Promise<Prepared> {
    const others = await revetted(database.query, outbound, name)
    const warnings = [...extra, ...planned.warnings, ...others.warnings]
    const sealed = auth?.sealed ?? (await sealFound({ box, clock }, name, planned, warnings))
    const at = new Date(clock.now()).toISOString()
    const row = {
      kind: planned.kind,
      source: planned.source,
      input: planned.input,
      registration: jsonText({ ...withoutSecrets(payload, planned), name }),
      base_url: planned.baseUrl,
      health_url: planned.healthUrl,
      pins: storePins(planned.pins),
      pinned_at: at,
      discovered_at: at,
      updated_at: at,
      // A registration states that the backend exists: an eviction ends, and the health loop judges again.
      evicted_at: null,
      last_error: null,
      ...sealed,
    }
    const { description } = payload
    const tools = await prepareTools(planned.discovery.tools)
    return { name, description, row, planned, warnings, keepCredential, local, others, tools }
  }

  async function write(
    tx: Tx,
    audit: Audit,
    by: Who,
    { name, row: found, planned, warnings, keepCredential, local, others, tools: prepared, ...given }: Prepared,
    action: 'client.register' | 'client.rediscover',
  ): Promise<Stored> {
    const known = await backendByName(tx, name)
    // Asked before the discovery as well; another request may have been faster in the meantime.
    await requireNoTarget(tx, name)
    checkFree(by.actor, known && { ...known, teamId: known.team_id }, planned.kind)
    // Whether it was given or found in the source: a stored credential is an admin's.
    if (known?.upstream_auth && found.upstream_auth && !mayUse(by.actor, 'admin'))
      throw new GatewayError('FORBIDDEN', `Only an admin may replace the credential of "${name}"`)
    const description = given.description ?? known?.description ?? null
    const binding = boundAgain(found, known, keepCredential)
    // The stored permission as it is now: one that was revoked in the meantime does not come back.
    const pins = withLocal(found.pins, local ?? localIn(known?.pins))
    const row = { ...found, ...binding.columns, pins }
    warnings.push(...binding.warnings)
    if (known) await updateBackend(tx, known.id, { ...row, ...(await others.write(tx, known)), description })
    const id = known?.id ?? (await insertBackend(tx, { ...row, ...fresh(by, name, row.updated_at), description }))
    const stored = await storeTools(tx, id, prepared, row.updated_at)
    for (const { tool, alias } of stored.clashes)
      warnings.push(`The alias "${alias}" of "${tool}" is now the name of another tool too: change the alias.`)
    if (known) await auditEnd(audit, name, known.pins, pins)
    await audit(action, name, { ...countsOf(planned, stored.diff), ...binding.detail })
    if ('upstream_auth' in row) await audit('client.upstream_auth.set', name, { value: '[set]' })
    return { tools: stored.tools, diff: known ? stored.diff : undefined, warnings }
  }

  async function store(
    by: Who,
    name: string,
    payload: Payload,
    planned: Plan,
    action: 'client.register' | 'client.rediscover',
    along: Along = {},
  ): Promise<Stored> {
    const prepared = await prepare(name, payload, planned, along)
    const stored = await changes(by, async (tx, audit) => {
      const written = await write(tx, audit, by, prepared, action)
      await along.audit?.(audit)
      return written
    })
    await registry.reload(name, 'registered')
    return stored
  }

  return { prepare, write, store }
}

export const countsOf = ({ input, kind }: Plan, { added, removed, changed }: ToolDiff) => ({
  input,
  kind,
  added: added.length,
  removed: removed.length,
  changed: changed.length,
})

const fresh = (by: Who, name: string, at: string) =>
  ({
    name,
    enabled: 1,
    tags: jsonText([]),
    team_id: by.actor.teamId,
    revision: 1,
    created_at: at,
    created_by: by.actor.name,
  }) satisfies Partial<BackendRow>

// Managed keys of MCP clients: minted, changed, revoked, rotated; the value leaves this file once. Contract 7.6, 10.4.

import { createHash, randomBytes } from 'node:crypto'
import { type LastUse, type ManagedKeys, retiredOf } from '../../auth/managed-keys.ts'
import type { KeyChange, KeyInput, KeyRecord } from '../../contract/admin/mcp-keys.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, isSuperadmin, mayTouch, ROLES } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { type Audit, difference, type Revision, requireRevision } from '../../records/changes.ts'
import { consumerRows } from '../../storage/consumers.ts'
import { fromText, type JsonText, jsonText } from '../../storage/json-text.ts'
import { deleteKey, insertKey, type KeyRow, keyById, keysBefore, updateKey } from '../../storage/mcp-keys.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { Query, Tx } from '../../storage/schema.ts'
import { userByName } from '../../storage/users.ts'

type McpKeysDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly live: Pick<ManagedKeys, 'refresh' | 'lastUse' | 'callerOf'>
  /** What ends the connections of a person to backends; absent where there are none. */
  readonly ending?: (of: { readonly username: string }) => Promise<(by: By) => Promise<void>>
}
export type KeyFilter = {
  readonly q?: string | undefined
  readonly consumerId?: number | undefined
  readonly active?: boolean | undefined
}
/** What a key is made from, beside what an administrator may say. */
export type Minting = KeyInput & {
  readonly teamId?: number | null
  readonly installLinkId?: number | null
  /** Made beforehand by who had to seal it first. */
  readonly value?: FreshValue
}
type FreshValue = { readonly key: string; readonly key_hash: string; readonly key_prefix: string }
export type Minted = { readonly id: number; readonly key: string }
export type McpKeys = ReturnType<typeof createMcpKeys>

const PREFIX_LENGTH = 12

const notFound = (): GatewayError => new GatewayError('MCP_KEY_NOT_FOUND', 'There is no such key')
const alreadyRevoked = (): GatewayError =>
  new GatewayError('ALREADY_REVOKED', 'This key is revoked for good; create another one')

export function freshValue(): FreshValue {
  const key = `mcp_${randomBytes(32).toString('base64url')}`
  return { key, key_hash: createHash('sha256').update(key).digest('hex'), key_prefix: key.slice(0, PREFIX_LENGTH) }
}

/** A key with rights over the gateway itself equals an administrator: no lower role makes one. */
function requireRight(actor: Actor, { adminRole, elevated }: Partial<Pick<KeyInput, 'adminRole' | 'elevated'>>): void {
  if ((adminRole == null && elevated !== true) || isSuperadmin(actor)) return
  throw new GatewayError('FORBIDDEN', 'adminRole and elevated are given by an admin without a team only')
}

function requireFuture(expiresAt: string | null | undefined, nowMs: number): void {
  if (expiresAt == null || Date.parse(expiresAt) > nowMs) return
  const message = 'must be in the future'
  throw new GatewayError('VALIDATION_ERROR', `expiresAt ${message}`, { fields: [{ path: 'expiresAt', message }] })
}

async function requireConsumer(query: Query, actor: Actor, id: number | null | undefined): Promise<void> {
  if (id == null) return
  const consumer = await consumerRows.byId(query, id)
  if (consumer === undefined || !mayTouch(actor, { teamId: consumer.team_id }))
    throw new GatewayError('CONSUMER_NOT_FOUND', 'There is no such consumer')
}

/** A key that acts as a person is theirs: an admin of a team gives one to people of the team only. */
async function requirePerson(
  query: Query,
  actor: Actor,
  { person, namesPeople }: Partial<Pick<KeyInput, 'person' | 'namesPeople'>>,
): Promise<void> {
  if (namesPeople === true && !isSuperadmin(actor))
    throw new GatewayError('FORBIDDEN', 'namesPeople is given by an admin without a team only')
  if (person == null) return
  const user = await userByName(query, person)
  if (user === undefined || !mayTouch(actor, { teamId: user.team_id }))
    throw new GatewayError('USER_NOT_FOUND', 'There is no such user')
}

const listed = <T>(value: T | null | undefined): JsonText<T> | null => (value == null ? null : jsonText(value))

function recordOf(row: KeyRow, use: LastUse | undefined, nowMs: number): KeyRecord {
  const ended = row.expires_at !== null && Date.parse(row.expires_at) <= nowMs
  return {
    id: row.id,
    label: row.label,
    keyPrefix: row.key_prefix,
    scopes: fromText(row.scopes),
    allowedTools: fromText(row.allowed_tools),
    consumerId: row.consumer_id,
    elevated: row.elevated === 1,
    adminRole: ROLES.find((role) => role === row.admin_role) ?? null,
    person: row.person,
    namesPeople: row.names_people === 1,
    enabled: row.enabled === 1,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: use?.at ?? row.last_used_at,
    lastUsedClient: use?.client ?? row.last_used_client,
    teamId: row.team_id,
    installLinkId: row.install_link_id,
    active: row.enabled === 1 && row.revoked_at === null && !ended,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  }
}

/** The settings of a key: what audit rows tell of it. */
function settingsOf({
  label,
  scopes,
  expiresAt,
  consumerId,
  elevated,
  adminRole,
  allowedTools,
  person,
  namesPeople,
  enabled,
}: KeyRecord) {
  return { label, scopes, expiresAt, consumerId, elevated, adminRole, allowedTools, person, namesPeople, enabled }
}

/** Whether who is under way may no longer be where it is. */
const NARROWS: readonly string[] = ['scopes', 'allowedTools', 'enabled', 'adminRole', 'person', 'namesPeople']

export function createMcpKeys({ database, changes, live, clock, ending }: McpKeysDeps) {
  const at = (): string => new Date(clock.now()).toISOString()
  const present = (row: KeyRow): KeyRecord => recordOf(row, live.lastUse(row.id), clock.now())

  async function required(query: Query, actor: Actor, given: string): Promise<KeyRow> {
    const id = idIn(given)
    const row = id === undefined ? undefined : await keyById(query, id)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
    return row
  }

  const read = async (id: number): Promise<KeyRecord> => {
    const row = await keyById(database.query, id)
    if (row === undefined) throw notFound()
    return present(row)
  }

  /** In a transaction of the caller's, which calls `committed` afterwards. */
  async function mint(tx: Tx, audit: Audit, by: By, input: Minting): Promise<Minted> {
    requireRight(by.actor, input)
    requireFuture(input.expiresAt, clock.now())
    await requireConsumer(tx, by.actor, input.consumerId)
    await requirePerson(tx, by.actor, input)
    const { key, ...hashed } = input.value ?? freshValue()
    const created = at()
    const id = await insertKey(tx, {
      ...hashed,
      label: input.label,
      retired: null,
      scopes: listed(input.scopes),
      allowed_tools: listed(input.allowedTools),
      consumer_id: input.consumerId,
      elevated: input.elevated ? 1 : 0,
      admin_role: input.adminRole,
      person: input.person,
      names_people: input.namesPeople ? 1 : 0,
      enabled: 1,
      expires_at: input.expiresAt,
      revoked_at: null,
      last_used_at: null,
      last_used_client: null,
      install_link_id: input.installLinkId ?? null,
      team_id: input.teamId === undefined ? by.actor.teamId : input.teamId,
      revision: 1,
      created_at: created,
      updated_at: created,
      created_by: by.actor.name,
    })
    const { teamId: _team, installLinkId: _link, value: _value, ...after } = input
    await audit('mcp_key.create', String(id), { after: { ...after, keyPrefix: hashed.key_prefix } })
    return { id, key }
  }

  /** The same for an end: a link that is withdrawn takes its key along. */
  async function revokeIn(tx: Tx, audit: Audit, id: number, reason?: string): Promise<boolean> {
    const row = await keyById(tx, id)
    if (row === undefined || row.revoked_at !== null) return false
    await updateKey(tx, id, { revoked_at: at(), retired: null, updated_at: at() })
    await audit('mcp_key.revoke', String(id), reason === undefined ? {} : { reason })
    return true
  }

  /** With the key of a person end their connections: who had the key could use them. */
  const endingWith = async ({ person, revoked_at }: Pick<KeyRow, 'person' | 'revoked_at'>) =>
    person === null || revoked_at !== null ? undefined : ending?.({ username: person })

  return {
    mint,
    revokeIn,
    /** After the transaction that changed these keys: from now on they are what it made of them. */
    async committed(...ids: readonly number[]): Promise<void> {
      for (const id of ids) await live.refresh(id, true)
    },

    async list(actor: Actor, { limit, cursor, q, consumerId, active }: KeyFilter & Paging): Promise<Page<KeyRecord>> {
      const rows = await keysBefore(database.query, {
        teamId: actor.teamId ?? undefined,
        q,
        consumerId,
        active,
        at: at(),
        before: beforeId(cursor),
        limit: limit + 1,
      })
      return pageById(rows.map(present), limit)
    },

    get: async (actor: Actor, id: string): Promise<KeyRecord> => present(await required(database.query, actor, id)),

    /** The caller that a key stands for, for an administrator who looks through its eyes; undefined for an invalid key. */
    async callerOf(actor: Actor, id: number): ReturnType<ManagedKeys['callerOf']> {
      await required(database.query, actor, String(id))
      return live.callerOf(id)
    },

    async create(by: By, input: KeyInput): Promise<KeyRecord & { key: string }> {
      const { id, key } = await changes(by, (tx, audit) => mint(tx, audit, by, input))
      await live.refresh(id, false)
      return { ...(await read(id)), key }
    },

    async update(by: By, given: string, change: KeyChange, expected: readonly Revision[]): Promise<KeyRecord> {
      requireRight(by.actor, change)
      const { id, changed } = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const before = settingsOf(present(row))
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const moved = difference(before, { ...before, ...wanted })
        if (!moved) return { id: row.id, changed: [] }
        if ('expiresAt' in moved.after) requireFuture(change.expiresAt, clock.now())
        if ('consumerId' in moved.after) await requireConsumer(tx, by.actor, change.consumerId)
        if ('person' in moved.after || 'namesPeople' in moved.after) await requirePerson(tx, by.actor, change)
        const after = { ...before, ...wanted }
        await updateKey(tx, row.id, {
          label: after.label,
          scopes: listed(after.scopes),
          allowed_tools: listed(after.allowedTools),
          consumer_id: after.consumerId,
          elevated: after.elevated ? 1 : 0,
          admin_role: after.adminRole,
          person: after.person,
          names_people: after.namesPeople ? 1 : 0,
          enabled: after.enabled ? 1 : 0,
          expires_at: after.expiresAt,
          updated_at: at(),
        })
        await audit('mcp_key.update', String(row.id), moved)
        return { id: row.id, changed: Object.keys(moved.after) }
      })
      if (changed.length > 0)
        await live.refresh(
          id,
          changed.some((name) => NARROWS.includes(name)),
        )
      return read(id)
    },

    async delete(by: By, given: string, expected: readonly Revision[]): Promise<void> {
      const endConnections = await endingWith(await required(database.query, by.actor, given))
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        await deleteKey(tx, row.id)
        await audit('mcp_key.delete', String(row.id), { before: { label: row.label, keyPrefix: row.key_prefix } })
        return row.id
      })
      await live.refresh(id, true)
      await endConnections?.(by)
    },

    async revoke(by: By, given: string, { reason }: { readonly reason?: string | undefined }): Promise<KeyRecord> {
      const endConnections = await endingWith(await required(database.query, by.actor, given))
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        if (!(await revokeIn(tx, audit, row.id, reason))) throw alreadyRevoked()
        return row.id
      })
      await live.refresh(id, true)
      await endConnections?.(by)
      return read(id)
    },

    async rotate(
      by: By,
      given: string,
      { graceMs }: { readonly graceMs: number },
    ): Promise<KeyRecord & { key: string }> {
      const { key, ...hashed } = freshValue()
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        if (row.revoked_at !== null) throw alreadyRevoked()
        const until = new Date(clock.now() + graceMs).toISOString()
        const still = retiredOf(row.retired).filter((one) => one.until > at())
        const retired = graceMs === 0 ? [] : [...still, { hash: row.key_hash, until }]
        await updateKey(tx, row.id, {
          ...hashed,
          retired: retired.length === 0 ? null : jsonText(retired),
          updated_at: at(),
        })
        await audit('mcp_key.rotate', String(row.id), {
          before: { keyPrefix: row.key_prefix },
          after: { keyPrefix: hashed.key_prefix, graceMs },
        })
        return row.id
      })
      await live.refresh(id, false)
      return { ...(await read(id)), key }
    },
  }
}

// Owned records: list, get, create, update and delete, with audit entries, revisions, teams and unique names.

import type { Insertable } from 'kysely'
import type { GatewayError } from '../contract/error.ts'
import type { OwnedNoun } from '../contract/owned-routes.ts'
import { idIn, type Page } from '../contract/page.ts'
import { type Actor, mayTouch } from '../contract/role.ts'
import type { Database } from '../storage/database.ts'
import type { OwnedRow, OwnedRows, OwnedTable } from '../storage/owned.ts'
import { afterName, beforeId, type Paging, pageById, pageByName } from '../storage/page.ts'
import type { Query, Schema, Tx } from '../storage/schema.ts'
import type { Clock } from '../telemetry/clock.ts'
import { type Audit, type By, type Changes, difference, type Revision, requireRevision } from './changes.ts'

export type RecordBase = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly clock: Clock
}

/** The columns that every owned record has. */
type Common = 'id' | 'name' | 'team_id' | 'revision' | 'created_at' | 'updated_at' | 'created_by'
type Columns<T extends OwnedTable> = Partial<Omit<Insertable<Schema[T]>, Common | 'slug'>>

/** What one noun adds to the operations all of them share. */
export type OwnedRules<T extends OwnedTable, Row extends OwnedRow<T>, Settings extends object, Shown, Prepared> = {
  readonly rows: OwnedRows<T, Row>
  /** The first word of its audit actions. */
  readonly noun: OwnedNoun
  /** How a path names a record, and how its list is ordered. */
  readonly key: 'id' | 'name'
  readonly idOf?: (key: string) => number | undefined
  /** The setting that is unique and names the record in audit entries, and its column. */
  readonly nameField?: 'slug'
  readonly order: 'name' | 'newest'
  readonly notFound: () => GatewayError
  /** The fields that an administrator sets; with `name`, where records have one. */
  readonly settingsOf: (row: Row) => Settings
  readonly columnsOf: (settings: Settings, made: { readonly row?: Row; readonly prepared?: Prepared }) => Columns<T>
  readonly present: (row: Row, actor: Actor) => Shown
  /** The settings as audit entries state them. */
  readonly audited?: (settings: Settings) => Readonly<Record<string, unknown>>
  /** More for every audit entry of a record. */
  readonly auditMore?: (id: number) => Readonly<Record<string, unknown>>
  /** Rejects settings, or returns them with what is derived. `before` is absent for a new record. */
  readonly check?: (
    after: Settings,
    actor: Actor,
    before?: { readonly row: Row; readonly settings: Settings },
  ) => Settings
  /** Work that may take time, such as resolving an address; runs before the transaction. */
  readonly prepare?: (settings: Partial<Settings>) => Promise<Prepared | undefined>
  /** The error for a name in use. Names are unique in the whole gateway: a team finds out that one is taken, not by whom. */
  readonly taken?: (name: string) => GatewayError
  /** More than a record of the same noun may hold a name. */
  readonly requireFree?: (query: Query, name: string) => Promise<void>
  /** Called before a record is deleted. Returns more detail for the audit entry, and the work after the commit. */
  readonly detach?: (tx: Tx, row: Row, audit: Audit) => Promise<Detached>
  /** After the commit of a creation or a change. */
  readonly saved?: (row: Row) => Promise<void> | void
}
type Detached = {
  readonly detail?: Readonly<Record<string, unknown>>
  readonly committed: () => Promise<void> | void
}

/** The fields that every owned record shows. */
export const ownerOf = (row: Pick<OwnedRow<'schedules'>, Exclude<Common, 'id' | 'name'>>) => ({
  teamId: row.team_id,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  createdBy: row.created_by,
})

type CommonRow = {
  readonly id: number
  readonly team_id: number | null
  readonly revision: number
}

export function createOwned<
  T extends OwnedTable,
  Row extends OwnedRow<T> & CommonRow,
  Settings extends object,
  Shown extends { readonly id?: number | string; readonly name?: string },
  Prepared,
>(rules: OwnedRules<T, Row, Settings, Shown, Prepared>, { database, changes, clock }: RecordBase) {
  const { rows, noun, notFound, settingsOf, columnsOf, present } = rules
  const { nameField = 'name', idOf = idIn, auditMore = () => ({}) } = rules
  const { query } = database
  const at = (): string => new Date(clock.now()).toISOString()
  const nameOf = (settings: Settings): string | undefined => {
    const name = (settings as Readonly<Record<string, unknown>>)[nameField] // settings are plain records
    return typeof name === 'string' ? name : undefined
  }
  const named = (name: string | undefined) => (name === undefined ? {} : { [nameField]: name })
  const audited = rules.audited ?? ((settings: Settings) => settings as Readonly<Record<string, unknown>>) // plain records
  /** The name is the target of an audit entry, not part of its detail. */
  function detailOf(key: 'before' | 'after', settings: Settings, more: object = {}) {
    const { [nameField]: _target, ...detail } = { ...audited(settings), ...more } as Record<string, unknown>
    return Object.keys(detail).length === 0 ? {} : { [key]: detail }
  }

  async function required(from: Query, actor: Pick<Actor, 'teamId'>, key: string): Promise<Row> {
    const found = rules.key === 'name' ? await rows.byName(from, key) : undefined
    const id = rules.key === 'id' ? idOf(key) : (found as CommonRow | undefined)?.id // every table has these columns
    const row = id === undefined ? undefined : await rows.byId(from, id)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
    return row
  }

  async function requireFree(tx: Tx, name: string): Promise<void> {
    await rules.requireFree?.(tx, name)
    if (rules.taken && (await rows.byName(tx, name))) throw rules.taken(name)
  }

  async function settled(id: number, actor: Actor): Promise<Shown> {
    const row = await rows.byId(query, id)
    if (row === undefined) throw notFound()
    await rules.saved?.(row)
    return present(row, actor)
  }

  /** Creates a record of settings that were checked; `more` is added to its audit entry. */
  async function insert(
    by: By,
    settings: Settings,
    { teamId = by.actor.teamId, more = {} }: { readonly teamId?: number | null; readonly more?: object } = {},
  ): Promise<Shown> {
    const prepared = await rules.prepare?.(settings)
    const id = await changes(by, async (tx, audit) => {
      const name = nameOf(settings)
      if (name !== undefined) await requireFree(tx, name)
      const created = at()
      const row = {
        ...named(name),
        ...columnsOf(settings, { ...(prepared !== undefined && { prepared }) }),
        team_id: teamId,
        revision: 1,
        created_at: created,
        updated_at: created,
        created_by: by.actor.name,
      }
      const made = await rows.insert(tx, row as unknown as Insertable<Schema[T]>) // the columns of the noun and the common ones
      await audit(`${noun}.create`, name ?? String(made), {
        ...auditMore(made),
        ...detailOf('after', settings),
        ...more,
      })
      return made
    })
    return settled(id, by.actor)
  }

  return {
    /** For the operations that a noun has beside these. */
    required,
    settled,
    insert,

    async list(actor: Actor, { limit, cursor }: Paging, where?: Partial<OwnedRow<T>>): Promise<Page<Shown>> {
      const byName = rules.order === 'name'
      const from = byName ? { afterName: afterName(cursor) } : { beforeId: beforeId(cursor) }
      const found = await rows.page(query, { from, teamId: actor.teamId, limit: limit + 1, where })
      const shown = found.map((row) => present(row, actor))
      return byName
        ? pageByName(shown, limit, ({ name = '' }) => name)
        : pageById(shown as (Shown & { readonly id: number })[], limit) // lists that are newest first show ids
    },

    get: async (actor: Actor, key: string): Promise<Shown> => present(await required(query, actor, key), actor),

    create: async (by: By, input: Settings): Promise<Shown> => insert(by, rules.check?.(input, by.actor) ?? input),

    async update(
      by: By,
      key: string,
      change: { readonly [Field in keyof Settings]?: Settings[Field] | undefined },
      expected: readonly Revision[],
    ): Promise<Shown> {
      // First, so that no request has an address resolved for the record of another team.
      await required(query, by.actor, key)
      const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const prepared = await rules.prepare?.(wanted as Partial<Settings>) // the fields of `change` that have a value
      const changed = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, key)
        requireRevision(row.revision, expected)
        const before = settingsOf(row)
        const asked: Settings = { ...before, ...wanted }
        const after = rules.check?.(asked, by.actor, { row, settings: before }) ?? asked
        const name = nameOf(after)
        if (name !== undefined && name !== nameOf(before)) await requireFree(tx, name)
        const columns = columnsOf(after, { row, ...(prepared !== undefined && { prepared }) })
        const moved = difference(audited(before), audited(after))
        // The address may lead elsewhere, though the settings are the same.
        if (!moved && !difference(row, columns)) return { id: row.id, row }
        await rows.update(tx, row.id, { ...named(name), ...columns, updated_at: at() } as never) // as for `insert`
        await audit(`${noun}.update`, name ?? String(row.id), {
          ...auditMore(row.id),
          ...(moved ?? { repinned: true }),
        })
        return { id: row.id }
      })
      return changed.row ? present(changed.row, by.actor) : settled(changed.id, by.actor)
    },

    async delete(by: By, key: string, expected: readonly Revision[]): Promise<void> {
      const detached = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, key)
        requireRevision(row.revision, expected)
        const settings = settingsOf(row)
        const done = await rules.detach?.(tx, row, audit)
        const detail = { ...auditMore(row.id), ...detailOf('before', settings, done?.detail) }
        // Before the deletion, while the team of the record can be read.
        await audit(`${noun}.delete`, nameOf(settings) ?? String(row.id), detail)
        await rows.delete(tx, row.id)
        return done
      })
      await detached?.committed()
    },
  }
}

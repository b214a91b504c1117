// The install catalog: the built-in templates and an administrator's own, installed through registration. Contract 7.4, 10.9.
import type { CatalogEntry, CatalogInput } from '../contract/admin/catalog.ts'
import type { UpstreamAuthInput } from '../contract/admin/clients.ts'
import { GatewayError } from '../contract/error.ts'
import { NAME } from '../contract/names.ts'
import type { Page } from '../contract/page.ts'
import { type RegisterResult, RegistrationPayload } from '../contract/registration.ts'
import type { Actor } from '../contract/role.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import {
  type CatalogRow,
  catalogBySlug,
  catalogRows,
  deleteCatalogEntry,
  insertCatalogEntry,
  updateCatalogEntry,
} from '../storage/catalog.ts'
import type { Database } from '../storage/database.ts'
import { afterName, pageByName } from '../storage/page.ts'
import type { ByActor } from './backends.ts'
import { TEMPLATES } from './catalog-templates.ts'
import { type Changes, type Revision, requireRevision } from './changes.ts'
import type { Registration } from './registration.ts'
import type { UpstreamAuth } from './upstream-auth.ts'

type Parts = {
  readonly database: Database
  readonly changes: Changes
  readonly registry: LiveRegistry
  readonly registration: Registration
  readonly upstreamAuth: UpstreamAuth
  readonly startedAt: string
  readonly clock: { now(): number }
}
export type CatalogFilter = {
  readonly q?: string | undefined
  readonly kind?: string | undefined
  readonly category?: string | undefined
  readonly source?: string | undefined
}
export type Installing = {
  readonly name?: string | undefined
  readonly baseUrl?: string | undefined
  readonly healthUrl?: string | undefined
  readonly upstreamAuth?: UpstreamAuthInput | undefined
}
export type Catalog = ReturnType<typeof createCatalog>

const notFound = (): GatewayError => new GatewayError('CATALOG_ENTRY_NOT_FOUND', 'There is no such template')
const immutable = (): GatewayError =>
  new GatewayError('IMMUTABLE_ENTRY', 'Built-in templates cannot be changed; add one of your own')

export function createCatalog({ database, changes, registry, registration, upstreamAuth, startedAt, clock }: Parts) {
  /** Backends that come from a template are told by the address they were registered with. */
  const installed = ({ openapiUrl, graphqlUrl, mcpUrl }: CatalogInput): string[] => {
    const source = openapiUrl ?? graphqlUrl ?? mcpUrl
    return registry
      .list()
      .filter(
        ({ registration: given }) =>
          source !== undefined && [given?.openapi_url, given?.graphql_url, given?.mcp_url].includes(source),
      )
      .map(({ name }) => name)
  }

  const builtin = (template: CatalogInput): CatalogEntry => ({
    ...template,
    id: `builtin:${template.slug}`,
    source: 'builtin',
    installed: installed(template),
    revision: 1,
    createdAt: startedAt,
    updatedAt: startedAt,
    createdBy: null,
  })
  const custom = (row: CatalogRow): CatalogEntry => {
    // Stored from this very type.
    const entry = JSON.parse(row.entry) as CatalogInput
    return {
      ...entry,
      id: `custom:${row.id}`,
      source: 'custom',
      installed: installed(entry),
      revision: row.revision,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      createdBy: row.created_by,
    }
  }
  const mine = (actor: Actor, row: CatalogRow): boolean => actor.teamId === null || row.team_id === actor.teamId

  async function customRow(actor: Actor, id: string): Promise<CatalogRow> {
    const number = /^custom:([1-9]\d{0,14})$/.exec(id)?.[1]
    const row =
      number === undefined ? undefined : (await catalogRows(database.query)).find((each) => each.id === Number(number))
    if (row === undefined || !mine(actor, row)) throw notFound()
    return row
  }

  async function get(actor: Actor, id: string): Promise<CatalogEntry> {
    const template = TEMPLATES.find(({ slug }) => id === `builtin:${slug}`)
    return template ? builtin(template) : custom(await customRow(actor, id))
  }

  async function free(slug: string, except?: number): Promise<void> {
    const known = await catalogBySlug(database.query, slug)
    if (TEMPLATES.some((template) => template.slug === slug) || (known && known.id !== except))
      throw new GatewayError('ALREADY_EXISTS', `There is a template "${slug}" already`)
  }

  const order = ({ featured, name, id }: CatalogEntry): string => `${featured ? 0 : 1}${name.toLowerCase()}\u0001${id}`

  return {
    get,

    async list(
      actor: Actor,
      filter: CatalogFilter,
      { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
    ): Promise<Page<CatalogEntry>> {
      const rows = (await catalogRows(database.query)).filter((row) => mine(actor, row)).map(custom)
      const after = afterName(cursor) ?? ''
      const wanted = filter.q?.toLowerCase()
      const found = [...TEMPLATES.map(builtin), ...rows]
        .filter(
          (entry) =>
            order(entry) > after &&
            (wanted === undefined ||
              [entry.name, entry.slug, entry.description ?? ''].some((text) => text.toLowerCase().includes(wanted))) &&
            (filter.kind === undefined || entry.kind === filter.kind) &&
            (filter.category === undefined || entry.category === filter.category) &&
            (filter.source === undefined || entry.source === filter.source),
        )
        .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      return pageByName(found.slice(0, limit + 1), limit, order)
    },

    async create(by: ByActor, input: CatalogInput): Promise<CatalogEntry> {
      await free(input.slug)
      const at = new Date(clock.now()).toISOString()
      const id = await changes(by, async (tx, audit) => {
        const made = await insertCatalogEntry(tx, {
          slug: input.slug,
          entry: JSON.stringify(input),
          team_id: by.actor.teamId,
          revision: 1,
          created_at: at,
          updated_at: at,
          created_by: by.actor.name,
        })
        await audit('catalog.create', input.slug, { kind: input.kind })
        return made
      })
      return get(by.actor, `custom:${id}`)
    },

    async update(
      by: ByActor,
      id: string,
      change: Partial<CatalogInput>,
      expected: readonly Revision[],
    ): Promise<CatalogEntry> {
      if (id.startsWith('builtin:')) throw (await get(by.actor, id)) && immutable()
      const row = await customRow(by.actor, id)
      requireRevision(row.revision, expected)
      const entry = { ...(JSON.parse(row.entry) as CatalogInput), ...change }
      await free(entry.slug, row.id)
      await changes(by, async (tx, audit) => {
        await updateCatalogEntry(tx, row.id, {
          slug: entry.slug,
          entry: JSON.stringify(entry),
          updated_at: new Date(clock.now()).toISOString(),
        })
        await audit('catalog.update', entry.slug, { fields: Object.keys(change) })
      })
      return get(by.actor, id)
    },

    async delete(by: ByActor, id: string): Promise<void> {
      if (id.startsWith('builtin:')) throw (await get(by.actor, id)) && immutable()
      const row = await customRow(by.actor, id)
      await changes(by, async (tx, audit) => {
        await deleteCatalogEntry(tx, row.id)
        await audit('catalog.delete', row.slug)
      })
    },

    async install(by: ByActor, id: string, given: Installing): Promise<RegisterResult> {
      const entry = await get(by.actor, id)
      const name = given.name ?? entry.slug
      if (!NAME.test(name))
        throw new GatewayError('INVALID_NAME', 'Give the backend a name', {
          fields: [{ path: 'name', message: 'is required' }],
        })
      const result = await registration.register(by, payloadOf(entry, name, given), [], given.upstreamAuth)
      if (given.upstreamAuth) await upstreamAuth.setAuth(by, name, given.upstreamAuth)
      await changes(by, (_tx, audit) => audit('catalog.install', entry.slug, { client: name }))
      return result
    },
  }
}

function payloadOf(entry: CatalogEntry, name: string, { baseUrl, healthUrl }: Installing): RegistrationPayload {
  const base = baseUrl ?? entry.baseUrl
  const health = healthUrl ?? entry.healthUrl
  return RegistrationPayload.parse({
    name,
    kind: entry.kind,
    ...(entry.description ? { description: entry.description } : {}),
    ...(base ? { base_url: base } : {}),
    ...(health ? { health_url: health } : {}),
    ...(entry.kind === 'rest' && entry.openapiUrl ? { openapi_url: entry.openapiUrl } : {}),
    ...(entry.kind === 'rest' && entry.includeTags ? { include_tags: entry.includeTags } : {}),
    ...(entry.kind === 'rest' && entry.excludeOperations ? { exclude_operations: entry.excludeOperations } : {}),
    ...(entry.kind === 'graphql'
      ? { graphql_url: entry.graphqlUrl, include_mutations: entry.includeMutations ?? true }
      : {}),
    ...(entry.kind === 'mcp' ? { mcp_url: entry.mcpUrl, mcp_transport: entry.mcpTransport ?? 'streamable-http' } : {}),
  })
}

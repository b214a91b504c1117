// The install catalog: the built-in templates and an administrator's own, installed through registration. Contract 7.4, 10.9.

import { type CatalogChange, type CatalogEntry, type CatalogInput, SLUG } from '../../contract/admin/catalog.ts'
import type { UpstreamAuthInput } from '../../contract/admin/clients.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type RegisterResult, RegistrationPayload } from '../../contract/registration.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { By, Revision } from '../../records/changes.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import { credentialOf } from '../../registry/credentials.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type CatalogRow, catalogRows } from '../../storage/catalog.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Registration } from '../backends/registration.ts'
import type { UpstreamAuth } from '../backends/upstream-auth.ts'
import { TEMPLATES } from './catalog-templates.ts'

type CatalogDeps = RecordBase & {
  readonly registry: LiveRegistry
  readonly registration: Registration
  readonly upstreamAuth: UpstreamAuth
  readonly startedAt: string
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
const alreadyThere = (slug: string): GatewayError =>
  new GatewayError('ALREADY_EXISTS', `There is a template "${slug}" already`)
const immutable = (): GatewayError =>
  new GatewayError('IMMUTABLE_ENTRY', 'Built-in templates cannot be changed; add one of your own')

export function createCatalog({ registry, registration, upstreamAuth, startedAt, ...base }: CatalogDeps) {
  /** A backend comes from a template when it was registered with its address. */
  const installed = (actor: Actor, { openapiUrl, graphqlUrl, mcpUrl }: CatalogInput): string[] => {
    const source = openapiUrl ?? graphqlUrl ?? mcpUrl
    return registry
      .all()
      .filter(
        (backend) =>
          source !== undefined &&
          mayTouch(actor, backend) &&
          [
            backend.registration?.openapi_url,
            backend.registration?.graphql_url,
            backend.registration?.mcp_url,
          ].includes(source),
      )
      .map(({ name }) => name)
  }

  const builtin = (actor: Actor, template: CatalogInput): CatalogEntry => ({
    ...filled(template),
    id: `builtin:${template.slug}`,
    source: 'builtin',
    installed: installed(actor, template),
    revision: 1,
    createdAt: startedAt,
    updatedAt: startedAt,
    createdBy: null,
  })
  const custom = (row: CatalogRow, actor: Actor): CatalogEntry => {
    const entry = inputOf(row)
    const { teamId: _own, ...owner } = ownerOf(row)
    return {
      ...filled(entry),
      id: `custom:${row.id}`,
      source: 'custom',
      installed: installed(actor, entry),
      ...owner,
    }
  }

  /** Vetted again when it is installed; a template that could never be is refused now. */
  async function checkUrls(entry: CatalogChange): Promise<void> {
    for (const field of DIALLED) {
      const url = entry[field]
      // A document's address may be relative to the API's.
      if (url !== undefined && (field !== 'openapiUrl' || URL.canParse(url))) await registration.vet(url, field)
    }
  }

  const templateOf = (id: string): CatalogInput | undefined => TEMPLATES.find(({ slug }) => id === `builtin:${slug}`)

  const owned = createOwned(
    {
      rows: catalogRows,
      noun: 'catalog',
      key: 'id',
      idOf: (id) => idIn(/^custom:(.*)$/s.exec(id)?.[1] ?? ''),
      nameField: 'slug',
      order: 'name',
      notFound,
      taken: alreadyThere,
      requireFree: async (_query, slug) => {
        if (TEMPLATES.some((template) => template.slug === slug)) throw alreadyThere(slug)
      },
      settingsOf: inputOf,
      columnsOf: (entry) => ({ entry: jsonText(entry) }),
      present: custom,
      check(after) {
        checkSlug(after.slug)
        return after
      },
      prepare: checkUrls,
    },
    base,
  )

  const order = ({ featured, name, id }: CatalogEntry): string => `${featured ? 0 : 1}${name.toLowerCase()}\u0001${id}`

  return {
    get: async (actor: Actor, id: string): Promise<CatalogEntry> => {
      const template = templateOf(id)
      return template ? builtin(actor, template) : owned.get(actor, id)
    },

    async list(actor: Actor, { limit, cursor, ...filter }: CatalogFilter & Paging): Promise<Page<CatalogEntry>> {
      const rows = (await catalogRows.all(base.database.query))
        .filter((row) => mayTouch(actor, { teamId: row.team_id }))
        .map((row) => custom(row, actor))
      const after = afterName(cursor) ?? ''
      const wanted = filter.q?.toLowerCase()
      const found = [...TEMPLATES.map((template) => builtin(actor, template)), ...rows]
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

    create: owned.create,

    async update(by: By, id: string, change: CatalogChange, expected: readonly Revision[]): Promise<CatalogEntry> {
      if (templateOf(id)) throw immutable()
      return owned.update(by, id, change, expected)
    },

    async delete(by: By, id: string, expected: readonly Revision[]): Promise<void> {
      if (templateOf(id)) throw immutable()
      return owned.delete(by, id, expected)
    },

    async install(by: By, id: string, given: Installing): Promise<RegisterResult> {
      const entry = templateOf(id) ?? inputOf(await owned.required(base.database.query, by.actor, id))
      // Every slug is a name a backend may have.
      const name = given.name ?? entry.slug
      const payload = payloadOf(entry, name, given)
      const { upstreamAuth: auth } = given
      return registration.register(by, payload, {
        ...(auth && {
          auth: {
            source: { headers: credentialOf(auth).headers },
            sealed: await upstreamAuth.seal(name, auth),
          },
        }),
        audit: (audit) => audit('catalog.install', entry.slug, { client: name }),
      })
    },
  }
}

const DIALLED = ['openapiUrl', 'healthUrl', 'baseUrl', 'mcpUrl', 'graphqlUrl'] as const

// Stored from this very type.
const inputOf = ({ entry }: CatalogRow): CatalogInput => fromText(entry)

/** A record shows every field: what was not given is null. */
function filled(input: CatalogInput) {
  return {
    slug: input.slug,
    name: input.name,
    kind: input.kind,
    description: input.description ?? null,
    category: input.category ?? null,
    tags: input.tags ?? [],
    icon: input.icon ?? null,
    openapiUrl: input.openapiUrl ?? null,
    healthUrl: input.healthUrl ?? null,
    baseUrl: input.baseUrl ?? null,
    includeTags: input.includeTags ?? null,
    excludeOperations: input.excludeOperations ?? null,
    mcpUrl: input.mcpUrl ?? null,
    mcpTransport: input.mcpTransport ?? null,
    graphqlUrl: input.graphqlUrl ?? null,
    includeMutations: input.includeMutations ?? null,
    featured: input.featured,
    authHint: input.authHint ?? null,
    docsUrl: input.docsUrl ?? null,
  }
}

function checkSlug(slug: string): void {
  if (SLUG.test(slug)) return
  const message = `must match ${SLUG.source}`
  throw new GatewayError('INVALID_SLUG', `slug ${message}`, { fields: [{ path: 'slug', message }] })
}

function payloadOf(entry: CatalogInput, name: string, { baseUrl, healthUrl }: Installing): RegistrationPayload {
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

// Teams, consumers, guard policies and catalog entries of a document into their tables.

import type { ManagedKeys } from '../../auth/managed-keys.ts'
import type { ConfigDoc } from '../../contract/config-document.ts'
import type { Quota } from '../../pipeline/3-policy/quota.ts'
import { difference } from '../../records/changes.ts'
import {
  catalogBySlug,
  catalogRows,
  deleteCatalogEntry,
  insertCatalogEntry,
  updateCatalogEntry,
} from '../../storage/catalog.ts'
import { consumerRows, detachKeys } from '../../storage/consumers.ts'
import { policyRows } from '../../storage/policies.ts'
import { allTeams, belongingsOf, deleteTeam, insertTeam, teamByName } from '../../storage/teams.ts'
import { TEMPLATES } from '../curation/catalog-templates.ts'
import { type Applying, fresh, isPresent } from './applying.ts'

/** What of the running gateway has to hear of it. */
export type AccessLive = { readonly quota: Pick<Quota, 'set'>; readonly keys: Pick<ManagedKeys, 'refresh'> }

export async function putTeams({ tx, at, by }: Applying, teams: ConfigDoc['teams'] = []): Promise<void> {
  for (const { name } of teams) {
    if (await teamByName(tx, name)) continue
    await insertTeam(tx, { name, revision: 1, created_at: at, updated_at: at, created_by: by.actor.name })
  }
}

/** Last of all, when nothing that the document moved is theirs any more. */
export async function dropTeams({ tx, skip }: Applying, teams: NonNullable<ConfigDoc['teams']>): Promise<void> {
  const kept = new Set(teams.map(({ name }) => name))
  for (const { id, name } of await allTeams(tx)) {
    if (kept.has(name)) continue
    const { clients, users, other } = await belongingsOf(tx, id)
    // Whoever lost the team by this would become a superadmin, and its records everybody's.
    if (clients + users + other > 0) skip('teams', name, 'it is in use; a team that has members or records is kept')
    else await deleteTeam(tx, id)
  }
}

export async function putConsumers(
  applying: Applying,
  live: AccessLive,
  consumers: ConfigDoc['consumers'] = [],
): Promise<void> {
  const { tx, at, later } = applying
  for (const { name, monthlyQuota, endUserRateLimitPerMin } of consumers) {
    const row = await consumerRows.byName(tx, name)
    const limits = { monthly_quota: monthlyQuota, end_user_rate: endUserRateLimitPerMin }
    if (row && !difference(row, limits)) continue
    const id = row?.id ?? (await consumerRows.insert(tx, { ...fresh(applying), name, ...limits }))
    if (row) await consumerRows.update(tx, id, { ...limits, updated_at: at })
    later(() => live.quota.set(id, { id, monthlyQuota, endUserRateLimitPerMin }))
  }
}

export async function dropConsumers(
  { tx, later }: Applying,
  live: AccessLive,
  consumers: NonNullable<ConfigDoc['consumers']>,
): Promise<void> {
  const kept = new Set(consumers.map(({ name }) => name))
  for (const { id, name } of await consumerRows.all(tx)) {
    if (kept.has(name)) continue
    const freed = await detachKeys(tx, id)
    await consumerRows.delete(tx, id)
    later(async () => {
      live.quota.set(id, null)
      for (const key of freed) await live.keys.refresh(key, false)
    })
  }
}

export async function putPolicies(applying: Applying, policies: ConfigDoc['guardPolicies'] = []): Promise<void> {
  const { tx, at } = applying
  for (const { name, rateLimitPerMin, timeoutMs } of policies) {
    const row = await policyRows.byName(tx, name)
    const limits = { rate_limit_per_min: rateLimitPerMin, timeout_ms: timeoutMs }
    if (row === undefined) await policyRows.insert(tx, { ...fresh(applying), name, ...limits })
    else if (difference(row, limits)) await policyRows.update(tx, row.id, { ...limits, updated_at: at })
  }
}

export async function dropPolicies({ tx }: Applying, policies: NonNullable<ConfigDoc['guardPolicies']>): Promise<void> {
  const kept = new Set(policies.map(({ name }) => name))
  for (const { id, name } of await policyRows.all(tx)) if (!kept.has(name)) await policyRows.delete(tx, id)
}

export async function putCatalog(applying: Applying, entries: ConfigDoc['catalogEntries'] = []): Promise<void> {
  const { tx, at, skip } = applying
  for (const given of entries) {
    const { slug } = given
    if (TEMPLATES.some((template) => template.slug === slug)) {
      skip('catalogEntries', slug, 'a built-in template has this slug')
      continue
    }
    const row = await catalogBySlug(tx, slug)
    if (isPresent(applying, 'catalogEntries', given)) continue
    const entry = JSON.stringify(given)
    if (row) await updateCatalogEntry(tx, row.id, { entry, updated_at: at })
    else await insertCatalogEntry(tx, { ...fresh(applying), slug, entry })
  }
}

export async function dropCatalog({ tx }: Applying, entries: NonNullable<ConfigDoc['catalogEntries']>): Promise<void> {
  const kept = new Set(entries.map(({ slug }) => slug))
  for (const { id, slug } of await catalogRows(tx)) if (!kept.has(slug)) await deleteCatalogEntry(tx, id)
}

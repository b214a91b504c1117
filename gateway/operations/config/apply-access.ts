// Teams, consumers, guard policies and catalog entries of a document into their tables.

import type { ManagedKeys } from '../../auth/managed-keys.ts'
import type { ConfigDoc } from '../../contract/config-document.ts'
import type { Budgets } from '../../pipeline/3-policy/budgets.ts'
import type { Quota } from '../../pipeline/3-policy/quota.ts'
import { budgetRows } from '../../storage/budgets.ts'
import { catalogRows } from '../../storage/catalog.ts'
import { consumerRows, detachKeys } from '../../storage/consumers.ts'
import { jsonText } from '../../storage/json-text.ts'
import { policyRows } from '../../storage/policies.ts'
import { belongingsOf, teamRows } from '../../storage/teams.ts'
import { budgetColumns } from '../access/budgets.ts'
import { consumerColumns } from '../access/consumers.ts'
import { policyColumns } from '../access/policies.ts'
import { TEMPLATES } from '../curation/catalog-templates.ts'
import { type Applying, dropOthers, isPresent, namesOf, put } from './applying.ts'

/** The parts of the running gateway that an import changes. */
export type AccessLive = {
  readonly quota: Pick<Quota, 'set'>
  readonly budgets: Pick<Budgets, 'reload'>
  readonly keys: Pick<ManagedKeys, 'refresh'>
}

export async function putTeams(applying: Applying, teams: ConfigDoc['teams'] = []): Promise<void> {
  for (const { name } of teams) await put(applying, teamRows, { name }, {})
}

/** Last, after the document moved records to other teams. */
export const dropTeams = (applying: Applying, teams: NonNullable<ConfigDoc['teams']>): Promise<void> =>
  dropOthers(applying, teamRows, namesOf(teams), async ({ id, name }) => {
    const { clients, users, other } = await belongingsOf(applying.tx, id)
    if (clients + users + other === 0) return true
    // Members of a deleted team would become superadmins, and every user would see its records.
    applying.skip('teams', name, 'it is in use; a team that has members or records is kept')
    return false
  })

export async function putConsumers(
  applying: Applying,
  live: AccessLive,
  consumers: ConfigDoc['consumers'] = [],
): Promise<void> {
  for (const { name, ...limits } of consumers) {
    const id = await put(applying, consumerRows, { name }, consumerColumns(limits))
    if (id !== undefined) applying.later(() => live.quota.set(id, { id, ...limits }))
  }
}

export const dropConsumers = (
  applying: Applying,
  live: AccessLive,
  consumers: NonNullable<ConfigDoc['consumers']>,
): Promise<void> =>
  dropOthers(applying, consumerRows, namesOf(consumers), async ({ id }) => {
    const freed = await detachKeys(applying.tx, id)
    applying.later(async () => {
      live.quota.set(id, null)
      for (const key of freed) await live.keys.refresh(key, false)
    })
  })

export async function putPolicies(applying: Applying, policies: ConfigDoc['guardPolicies'] = []): Promise<void> {
  for (const { name, ...limits } of policies) await put(applying, policyRows, { name }, policyColumns(limits))
}

export async function putBudgets(
  applying: Applying,
  { budgets: live }: Pick<AccessLive, 'budgets'>,
  budgets: ConfigDoc['budgets'],
): Promise<void> {
  if (budgets === undefined) return
  for (const { name, ...settings } of budgets) await put(applying, budgetRows, { name }, budgetColumns(settings))
  if (applying.mode === 'replace') await dropOthers(applying, budgetRows, namesOf(budgets))
  applying.later(live.reload)
}

export async function putCatalog(applying: Applying, entries: ConfigDoc['catalogEntries'] = []): Promise<void> {
  for (const given of entries) {
    const { slug } = given
    if (TEMPLATES.some((template) => template.slug === slug))
      applying.skip('catalogEntries', slug, 'a built-in template has this slug')
    else if (!isPresent(applying, 'catalogEntries', given))
      await put(applying, catalogRows, { slug }, { entry: jsonText(given) })
  }
}

// Guard policies: limits under a name, written into many tools at once or previewed. Contract 7.6, 10.4.
import type {
  GuardPolicy,
  PolicyApplied,
  PolicyChange,
  PolicyInput,
  PolicyTarget,
} from '../../contract/admin/policies.ts'
import { GatewayError } from '../../contract/error.ts'
import type { ToolRef } from '../../contract/names.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { Curated } from '../../registry/curated.ts'
import type { Database } from '../../storage/database.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import {
  deletePolicy,
  insertPolicy,
  type PolicyRow,
  policiesAfter,
  policyById,
  policyByName,
  updatePolicy,
} from '../../storage/policies.ts'
import type { Query } from '../../storage/schema.ts'
import type { ByActor } from '../backends/backends.ts'
import type { Tools } from '../tools/tools.ts'

type Parts = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly curated: Pick<Curated, 'bundle'>
  readonly tools: Pick<Tools, 'setGuards'>
  readonly clock: { now(): number }
}
export type Policies = ReturnType<typeof createPolicies>

const notFound = (): GatewayError => new GatewayError('POLICY_NOT_FOUND', 'There is no such policy')

const policyOf = (row: PolicyRow): GuardPolicy => ({
  id: row.id,
  name: row.name,
  rateLimitPerMin: row.rate_limit_per_min,
  timeoutMs: row.timeout_ms,
  teamId: row.team_id,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  createdBy: row.created_by,
})

async function required(query: Query, actor: Actor, given: string): Promise<PolicyRow> {
  const id = idIn(given)
  const row = id === undefined ? undefined : await policyById(query, id)
  if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
  return row
}

/** Names are of the whole gateway: a team learns that one is taken, and not by whom. */
async function requireFree(query: Query, name: string): Promise<void> {
  if (await policyByName(query, name)) throw new GatewayError('POLICY_EXISTS', `There is a policy "${name}" already`)
}

type Skipped = PolicyApplied['skipped']

export function createPolicies({ database, changes, curated, tools, clock }: Parts) {
  const at = (): string => new Date(clock.now()).toISOString()

  const read = async (id: number): Promise<GuardPolicy> => {
    const row = await policyById(database.query, id)
    if (row === undefined) throw notFound()
    return policyOf(row)
  }

  /** The tools a target names, once each; composites have no guards of their own. */
  function targets(actor: Actor, { bundle, tools: named }: PolicyTarget): { refs: ToolRef[]; skipped: Skipped } {
    const found = bundle === undefined ? undefined : curated.bundle(bundle)
    if (bundle !== undefined && (found === undefined || !mayTouch(actor, found)))
      throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
    const refs = new Map((found?.tools ?? named ?? []).map((ref) => [`${ref.client}__${ref.tool}`, ref]))
    const skipped = (found?.composites ?? []).map((tool) => ({ tool, reason: 'composite' as const }))
    return { refs: [...refs.values()], skipped }
  }

  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<Page<GuardPolicy>> {
      const rows = await policiesAfter(database.query, { after: afterName(cursor), teamId, limit: limit + 1 })
      return pageByName(rows.map(policyOf), limit, ({ name }) => name)
    },

    get: async (actor: Actor, id: string): Promise<GuardPolicy> => policyOf(await required(database.query, actor, id)),

    async create(by: ByActor, { name, rateLimitPerMin, timeoutMs }: PolicyInput): Promise<GuardPolicy> {
      const id = await changes(by, async (tx, audit) => {
        await requireFree(tx, name)
        const created = at()
        const made = await insertPolicy(tx, {
          name,
          rate_limit_per_min: rateLimitPerMin,
          timeout_ms: timeoutMs,
          team_id: by.actor.teamId,
          revision: 1,
          created_at: created,
          updated_at: created,
          created_by: by.actor.name,
        })
        await audit('policy.create', name, { after: { rateLimitPerMin, timeoutMs } })
        return made
      })
      return read(id)
    },

    async update(
      by: ByActor,
      given: string,
      change: PolicyChange,
      expected: readonly Revision[],
    ): Promise<GuardPolicy> {
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const { name, rateLimitPerMin, timeoutMs } = policyOf(row)
        const before = { name, rateLimitPerMin, timeoutMs }
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const after = { ...before, ...wanted }
        const moved = difference(before, after)
        if (!moved) return row.id
        if (after.name !== name) await requireFree(tx, after.name)
        await updatePolicy(tx, row.id, {
          name: after.name,
          rate_limit_per_min: after.rateLimitPerMin,
          timeout_ms: after.timeoutMs,
          updated_at: at(),
        })
        await audit('policy.update', after.name, moved)
        return row.id
      })
      return read(id)
    },

    async delete(by: ByActor, given: string, expected: readonly Revision[]): Promise<void> {
      await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        await deletePolicy(tx, row.id)
        const { rateLimitPerMin, timeoutMs } = policyOf(row)
        await audit('policy.delete', row.name, { before: { rateLimitPerMin, timeoutMs } })
      })
    },

    /** All of it in one transaction, or nothing. A limit the policy does not have leaves the tool its own. */
    async apply(by: ByActor, given: string, target: PolicyTarget): Promise<PolicyApplied> {
      const policy = policyOf(await required(database.query, by.actor, given))
      const { refs, skipped } = targets(by.actor, target)
      const limits = {
        ...(policy.rateLimitPerMin === null ? {} : { rateLimitPerMin: policy.rateLimitPerMin }),
        ...(policy.timeoutMs === null ? {} : { timeoutMs: policy.timeoutMs }),
      }
      const done = await tools.setGuards(by, refs, limits, target.dryRun, async (changed, audit) => {
        await audit('policy.apply', policy.name, {
          ...(target.bundle === undefined ? {} : { bundle: target.bundle }),
          after: limits,
          tools: changed.map(({ client, tool }) => `${client}__${tool}`),
        })
      })
      const changed = done.filter((one) => one.kind === 'changed')
      return {
        applied: target.dryRun ? 0 : changed.length,
        skipped: [
          ...skipped,
          ...done.flatMap((one) =>
            one.kind === 'changed' ? [] : [{ tool: `${one.client}__${one.tool}`, reason: one.kind }],
          ),
        ],
        changes: changed.map(({ client, tool, before, after }) => ({ client, tool, before, after })),
      }
    },
  }
}

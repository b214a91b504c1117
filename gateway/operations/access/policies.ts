// Guard policies: limits under a name, written into many tools at once or previewed. Contract 7.6, 10.4.
import type { GuardPolicy, PolicyApplied, PolicyInput, PolicyTarget } from '../../contract/admin/policies.ts'
import { GatewayError } from '../../contract/error.ts'
import type { ToolRef } from '../../contract/names.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { By } from '../../records/changes.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import type { Curated } from '../../registry/curated.ts'
import { type PolicyRow, policyRows } from '../../storage/policies.ts'
import type { Tools } from '../tools/tools.ts'

type PoliciesDeps = RecordBase & {
  readonly curated: Pick<Curated, 'bundle'>
  readonly tools: Pick<Tools, 'setGuards'>
}

const settingsOf = (row: PolicyRow): PolicyInput => ({
  name: row.name,
  rateLimitPerMin: row.rate_limit_per_min,
  timeoutMs: row.timeout_ms,
})
export const policyColumns = ({ rateLimitPerMin, timeoutMs }: Omit<PolicyInput, 'name'>) => ({
  rate_limit_per_min: rateLimitPerMin,
  timeout_ms: timeoutMs,
})
const policyOf = (row: PolicyRow): GuardPolicy => ({ id: row.id, ...settingsOf(row), ...ownerOf(row) })

type Skipped = PolicyApplied['skipped']

export function createPolicies({ curated, tools, ...base }: PoliciesDeps) {
  const owned = createOwned(
    {
      rows: policyRows,
      noun: 'policy',
      key: 'id',
      order: 'name',
      notFound: () => new GatewayError('POLICY_NOT_FOUND', 'There is no such policy'),
      taken: (name) => new GatewayError('POLICY_EXISTS', `There is a policy "${name}" already`),
      settingsOf,
      columnsOf: policyColumns,
      present: policyOf,
    },
    base,
  )

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
    ...owned,

    /** All of it in one transaction, or nothing. A limit the policy does not have leaves the tool its own. */
    async apply(by: By, given: string, target: PolicyTarget): Promise<PolicyApplied> {
      const policy = policyOf(await owned.required(base.database.query, by.actor, given))
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

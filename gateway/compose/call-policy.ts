// What decides on a call before its backend is asked: quotas, quarantines, approvals, monitors, the cache, the layers.
import type { Limits } from '../http/limits.ts'
import type { Actings } from '../identity/acting.ts'
import { createNeedOf, type NeedOf } from '../live/monitor-need.ts'
import { createMonitorStates, type MonitorStates } from '../live/monitor-states.ts'
import { createQuarantines, type LiveQuarantines } from '../live/quarantines.ts'
import { settingsOf as budgetOf } from '../operations/access/budgets.ts'
import { beginMonitor } from '../operations/monitors/monitor-baseline.ts'
import { type Budgets, createBudgets } from '../pipeline/3-policy/budgets.ts'
import { createIdentityStages } from '../pipeline/3-policy/identity.ts'
import { createQuota, type Quota } from '../pipeline/3-policy/quota.ts'
import { createQuotaShare, type QuotaShare } from '../pipeline/3-policy/quota-share.ts'
import { rateTakerOf } from '../pipeline/3-policy/rate-taker.ts'
import { createBudgets as createContextBudgets } from '../pipeline/4-answers/context-budget.ts'
import { createKeptResults, type KeptResults } from '../pipeline/4-answers/kept-results.ts'
import { createLayers } from '../pipeline/4-answers/layers.ts'
import type { ResponseCache } from '../pipeline/4-answers/response-cache.ts'
import { createSummarize } from '../pipeline/4-answers/summarize.ts'
import { after } from '../pipeline/after.ts'
import { createChains } from '../pipeline/chain.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { budgetNames, budgetRows, usedSince } from '../storage/budgets.ts'
import { keptResultsOf } from '../storage/kept-results.ts'
import { returnQuota, takeQuota } from '../storage/quota-taken.ts'
import { type ApprovalQueue, createApprovalQueue } from './approvals.ts'
import type { Foundation } from './foundation.ts'
import { responseCacheOf } from './response-cache.ts'

/** How long a call waits for its person to connect: as long as a link works. */
const CONNECT_WAIT_MS = 600_000

export type CallPolicy = {
  readonly quota: Quota
  readonly budgets: Budgets
  readonly quarantines: LiveQuarantines
  /** Why a monitor of a tool waits for a person. */
  readonly monitorNeed: NeedOf
  readonly monitorStates: MonitorStates
  readonly approvals: ApprovalQueue
  /** Undefined where no answer is kept. */
  readonly kept: ResponseCache | undefined
  readonly keptResults: KeptResults
  readonly chainOf: ReturnType<typeof createChains>
}

/** Instances of one database count the quotas of consumers together. */
function quotaShareOf(base: Foundation): QuotaShare | undefined {
  const { settings, database, log } = base
  if (!settings.ALLOW_SECOND_INSTANCE || database.path === ':memory:') return undefined
  return createQuotaShare({
    ...base,
    onFailed: (error) => log.warn('unused calls of a quota could not be returned', { error }),
    store: {
      take: (consumerId, period, wish) => takeQuota(database, { consumerId, period }, wish),
      giveBack: (consumerId, period, count) => returnQuota(database, { consumerId, period }, count),
    },
  })
}

function budgetsOf(base: Foundation, registry: LiveRegistry): Budgets {
  const { settings, database, log } = base
  const { query } = database
  return createBudgets({
    ...base,
    async load() {
      const rows = await budgetRows.all(query)
      const rules = rows.map((row) => ({ ...budgetOf(row), id: row.id, teamId: row.team_id }))
      return { rules, names: await budgetNames(query) }
    },
    usedSince: (of, window) => usedSince(query, of, window),
    toolOf: (client, name) => registry.known(client)?.tools.get(name),
    shared: settings.ALLOW_SECOND_INSTANCE,
    onFailed: (error) => log.warn('what was used of budgets cannot be read now', { error }),
  })
}

export function createCallPolicy(
  base: Foundation,
  {
    registry,
    limits,
    identity,
  }: { readonly registry: LiveRegistry; readonly limits: Limits; readonly identity: Actings },
): CallPolicy {
  const { settings, metrics, clock, monotonic } = base
  const rates = limits.window('tool', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const endUserRates = limits.window('end_user', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const quota = createQuota({
    clock,
    endUsers: rateTakerOf(endUserRates, 'end_user', metrics),
    share: quotaShareOf(base),
  })
  const budgets = budgetsOf(base, registry)
  const quarantines = createQuarantines({ ...base, onChange: registry.announce })
  const monitorNeed = createNeedOf(quarantines.forcesApproval, settings.AUTO_GATE_WRITE_METHODS)
  const monitorStates = createMonitorStates({ ...base, registry, needOf: monitorNeed, begin: beginMonitor })
  const approvals = createApprovalQueue(base, registry, quarantines)
  const kept = responseCacheOf(base, registry)
  const keptResults = createKeptResults({ ...base, store: keptResultsOf(base.database) })
  const chainOf = createChains({
    registry,
    quota: (call) => after(quota.guard(call), (refused) => refused ?? budgets.guard(call)),
    rates: rateTakerOf(rates, 'tool', metrics),
    quarantines,
    approvals: approvals.gate,
    clock,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
    identity: createIdentityStages(identity, { monotonic, waitMs: CONNECT_WAIT_MS }),
    layersOf: createLayers({
      kept,
      metrics,
      structured: settings.STRUCTURED_OUTPUT,
      budget: createContextBudgets({
        summarize: createSummarize(base),
        monotonic,
      }),
    }),
  })
  return { quota, budgets, quarantines, monitorNeed, monitorStates, approvals, kept, keptResults, chainOf }
}

// Everything a tool call meets: the registry, the guard stack, the dispatch, the surfaces' directory and their sessions.

import type { DataPlane } from '../auth/data-plane.ts'
import type { ManagedKeys } from '../auth/managed-keys.ts'
import type { Limits } from '../http/limits.ts'
import { createNeedOf, type NeedOf } from '../live/monitor-need.ts'
import { createMonitorStates, type MonitorStates } from '../live/monitor-states.ts'
import { createQuarantines, type LiveQuarantines } from '../live/quarantines.ts'
import type { Json } from '../mcp/json-text.ts'
import { loadConsumers } from '../operations/access/consumers.ts'
import { beginMonitor } from '../operations/monitors/monitor-baseline.ts'
import { callOf } from '../operations/observation/usage.ts'
import { createAdmitAgain } from '../pipeline/0-admission/again.ts'
import { createQuota, type Quota } from '../pipeline/3-policy/quota.ts'
import { rateTakerOf } from '../pipeline/3-policy/rate-taker.ts'
import { createBudgets } from '../pipeline/4-answers/context-budget.ts'
import { createLayers } from '../pipeline/4-answers/layers.ts'
import type { ResponseCache } from '../pipeline/4-answers/response-cache.ts'
import { createSummarize } from '../pipeline/4-answers/summarize.ts'
import { type Breakers, createBreakers } from '../pipeline/5-breaker/breakers.ts'
import { createTargets, type Targets } from '../pipeline/6-targets/index.ts'
import { createDispatch } from '../pipeline/7-dispatch/index.ts'
import { createMcpSender } from '../pipeline/7-dispatch/mcp/index.ts'
import { createCallAudit } from '../pipeline/8-audit/call-audit.ts'
import { type CallLog, type CallRow, createCallLog } from '../pipeline/8-audit/call-log.ts'
import { JOURNAL } from '../pipeline/8-audit/call-rows.ts'
import type { Capturing } from '../pipeline/8-audit/captured.ts'
import type { OnEnd } from '../pipeline/8-audit/ended.ts'
import { noteRejected } from '../pipeline/8-audit/replay.ts'
import { createUnknownNote } from '../pipeline/8-audit/unknown.ts'
import { createChains } from '../pipeline/chain.ts'
import { createCompositeNote } from '../pipeline/composite/note.ts'
import { createRunComposite, type RunComposite } from '../pipeline/composite/run-composite.ts'
import { createRun, type Run } from '../pipeline/run.ts'
import { type Credentials, createCredentials } from '../registry/credentials.ts'
import { type Curated, createCurated } from '../registry/curated.ts'
import type { HealthLoop } from '../registry/health.ts'
import { createRegistry, type LiveRegistry } from '../registry/registry.ts'
import { createWsTargets, type WsTargets } from '../registry/ws-targets.ts'
import { openJournal } from '../storage/journal.ts'
import { createListChanges, type ListChanges } from '../surfaces/list-changes.ts'
import type { ListCursors } from '../surfaces/list-cursors.ts'
import type { Sessions } from '../surfaces/sessions.ts'
import type { SuspendedCalls } from '../surfaces/suspended-calls.ts'
import type { Upstreams } from '../upstream/index.ts'
import { createAccess } from './access.ts'
import { type ApprovalQueue, createApprovalQueue } from './approvals.ts'
import type { Foundation } from './foundation.ts'
import { createHealth } from './health.ts'
import { responseCacheOf } from './response-cache.ts'
import { createSealedSessions } from './sessions.ts'
import { createTracing } from './tracing.ts'
import { createTrafficCapture } from './traffic.ts'
import { createUpstreamDoors } from './upstream-doors.ts'

export type Calls = {
  readonly registry: LiveRegistry
  readonly curated: Curated
  readonly wsTargets: WsTargets
  readonly credentials: Credentials
  readonly upstreams: Upstreams
  readonly breakers: Breakers
  readonly targets: Targets
  /** Undefined where no answer is kept. */
  readonly kept: ResponseCache | undefined
  readonly health: HealthLoop
  readonly run: Run
  readonly runComposite: RunComposite
  readonly noteUnknown: ReturnType<typeof createUnknownNote>
  readonly callLog: CallLog
  /** What is kept of calls. */
  readonly capturing: Capturing
  readonly sessions: Sessions
  readonly listChanges: ListChanges
  readonly managedKeys: ManagedKeys
  readonly quota: Quota
  readonly approvals: ApprovalQueue
  readonly quarantines: LiveQuarantines
  readonly monitorStates: MonitorStates
  /** Why a monitor of a tool waits for a person. */
  readonly monitorNeed: NeedOf
  readonly parking: SuspendedCalls<Json>
  readonly listCursors: ListCursors
  readonly dataPlane: DataPlane
  close(): Promise<void>
}

/** What only the composer can do, because it knows the operations. */
export type Hooks = { readonly onListChanged: (client: string) => void }

export async function createCalls(
  base: Foundation,
  limits: Limits,
  newId: () => string,
  version: string,
  { onListChanged }: Hooks,
): Promise<Calls> {
  const { settings, log, metrics, clock, monotonic, database, owner, outbound, box, events, append } = base
  const credentials = createCredentials({
    query: database.query,
    box,
    outbound,
    tokenTimeoutMs: settings.OAUTH_TOKEN_TIMEOUT_MS,
    now: monotonic,
  })
  const registry = createRegistry({ query: database.query, outbound, credentials, log })
  const teamOf = (client: string): number | null => registry.known(client)?.teamId ?? null
  const { upstreams, closeDoors } = createUpstreamDoors(base, registry, version, (client, kind) => {
    if (kind === 'tools') onListChanged(client)
    else listChanges.changed([`client:${client}`], kind)
  })
  const breakers = createBreakers({
    settings,
    now: monotonic,
    onTransition(client, from, to) {
      metrics.inc('mcp_breaker_state_transitions_total', { client, from_state: from, to_state: to })
      events.emit('clients', 'breaker', { client, from, to }, teamOf(client))
    },
  })
  const rates = limits.window('tool', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const endUserRates = limits.window('end_user', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const quota = createQuota({ now: clock.now, endUsers: rateTakerOf(endUserRates, 'end_user', metrics) })
  const quarantines = createQuarantines({ ...base, onChange: registry.announce })
  const monitorNeed = createNeedOf(quarantines.forcesApproval, settings.AUTO_GATE_WRITE_METHODS)
  const monitorStates = createMonitorStates({ ...base, registry, needOf: monitorNeed, begin: beginMonitor })
  const approvals = createApprovalQueue(base, registry, quarantines)
  const kept = responseCacheOf(base, registry)
  const chainOf = createChains({
    registry,
    quota: quota.guard,
    rates: rateTakerOf(rates, 'tool', metrics),
    quarantines,
    approvals: approvals.gate,
    now: clock.now,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
    layersOf: createLayers({
      kept,
      metrics,
      structured: settings.STRUCTURED_OUTPUT,
      budget: createBudgets({
        summarize: createSummarize({ ...base, now: monotonic }),
        now: monotonic,
      }),
    }),
  })
  const admitAgain = createAdmitAgain(registry, chainOf)
  const callLog = createCallLog({
    database,
    journal:
      owner && database.file !== null ? openJournal(database.file, owner, JOURNAL, settings.JOURNAL_FSYNC) : undefined,
    notes: {
      failing(error, rows) {
        metrics.inc('mcp_db_errors_total', { op: 'calls' })
        log.error('call rows cannot be written now; they are kept and tried again', { rows, error })
      },
      recovered: () => log.info('call rows are written again'),
      rejected: (error) => noteRejected(base, error),
      lost(error, rows) {
        metrics.inc('mcp_db_errors_total', { op: 'calls' })
        log.error('call rows could not be written', { rows, error })
      },
      inserted: (row, id) => tellCall(base, row, id, row.client == null ? null : teamOf(row.client)),
    },
  })
  const audit = createCallAudit({
    mode: settings.AUDIT_TOOL_CALLS,
    append: (entries, mark) => append('tool.call', entries, mark),
    onError(error, entries, lost) {
      metrics.inc('mcp_db_errors_total', { op: 'audit' })
      if (lost) log.error('audit entries of calls could not be written', { entries, error })
      else log.warn('audit entries of calls cannot be written now; they are kept and tried again', { entries, error })
    },
  })
  const targets = createTargets({ settings, now: monotonic, random: Math.random, metrics })
  const tracing = createTracing(base, version)
  const traced = tracing.onEnd !== undefined
  const dispatch = createDispatch({
    ...base,
    registry,
    sendMcp: createMcpSender({ connections: upstreams.connections, settings, traced }),
    admitAgain,
    targets,
    now: clock.now,
    random: Math.random,
    traced,
  })
  const { capturing, trafficLog } = createTrafficCapture(base, registry)
  const onEnd: OnEnd = (ended) => {
    const { row } = ended
    const { client, outcome } = row
    tracing.onEnd?.(ended)
    if (client && outcome && registry.local(client)) metrics.inc('mcp_pcg_calls_total', { editor: client, outcome })
    trafficLog.note(ended)
  }
  const run = createRun({
    ...base,
    chainOf,
    admitAgain,
    quota,
    breakers,
    dispatch,
    targets,
    callLog,
    audit: settings.AUDIT_TOOL_CALLS === 'off' ? undefined : audit,
    now: monotonic,
    wallClock: clock.now,
    traced,
    onEnd,
  })
  const noteUnknown = createUnknownNote({ callLog, audit, metrics, now: monotonic, wallClock: clock.now, onEnd })
  const runComposite = createRunComposite({
    run,
    registry,
    noteUnknown,
    noteComposite: createCompositeNote({ callLog, metrics, wallClock: clock.now, onEnd }),
    settings,
    log,
    now: monotonic,
  })

  const health = createHealth(base, registry, upstreams, newId)
  const follow = (name: string): void => {
    const backend = registry.get(name)
    if (backend?.kind === 'mcp' && backend.enabled) upstreams.watch(backend)
  }
  registry.subscribe(({ type, client }) => {
    if (type === 'registered' || type === 'changed') follow(client)
    if (type === 'registered') adoptMonitors(base, registry, monitorStates, client)
    if (type === 'removed') targets.forget(client)
    if (type === 'removed' || type === 'torn_down') void upstreams.close(client)
  })
  const curated = createCurated(database.query)
  const wsTargets = createWsTargets({ ...base, query: database.query })
  await Promise.all([
    registry.load(),
    curated.load(),
    wsTargets.load(),
    loadConsumers(database.query, quota),
    quarantines.refresh(),
    monitorStates.refresh(),
  ])
  await monitorStates.adopt(registry.all())
  const following = followOthers(base, quarantines, monitorStates)
  for (const { name } of registry.list()) follow(name)

  const { sessions, parking, listCursors } = await createSealedSessions(base, ({ conversation }) =>
    upstreams.leave(conversation.key),
  )
  const listChanges = createListChanges(sessions, monotonic)
  const { managedKeys, dataPlane } = await createAccess(base, { registry, wsTargets, sessions })

  return {
    registry,
    curated,
    wsTargets,
    credentials,
    upstreams,
    breakers,
    targets,
    kept,
    health,
    run,
    runComposite,
    noteUnknown,
    callLog,
    capturing,
    sessions,
    listChanges,
    managedKeys,
    quota,
    approvals,
    quarantines,
    monitorStates,
    monitorNeed,
    parking,
    listCursors,
    dataPlane,
    async close() {
      clearInterval(following)
      await approvals.close()
      parking.close()
      await health.stop()
      listChanges.close()
      await sessions.close()
      await upstreams.closeAll()
      await closeDoors()
      await callLog.close()
      await trafficLog.close()
      await audit.close()
      await tracing.close()
      await managedKeys.close()
    },
  }
}

const OTHERS_EVERY_MS = 5_000

/** What other processes of this database put into quarantine or found to have drifted is so here as well, and what is over ends though nobody calls. */
const followOthers = (
  { log }: Foundation,
  quarantines: Pick<LiveQuarantines, 'refresh'>,
  monitors: Pick<MonitorStates, 'refresh'>,
): NodeJS.Timeout =>
  setInterval(() => {
    quarantines.refresh().catch((error: unknown) => log.warn('the quarantines could not be read again', { error }))
    monitors.refresh().catch((error: unknown) => log.warn('the monitors could not be read again', { error }))
  }, OTHERS_EVERY_MS).unref()

/** A tool that was renamed brought its monitor along. */
function adoptMonitors(
  { log }: Foundation,
  registry: Pick<LiveRegistry, 'known'>,
  monitors: Pick<MonitorStates, 'adopt'>,
  client: string,
): void {
  const backend = registry.known(client)
  if (backend)
    monitors.adopt([backend]).catch((error: unknown) => log.warn('monitors could not begin', { client, error }))
}

/** The live tail; the event is built only when somebody listens. It shows calls of tools, not those of the control plane. */
function tellCall({ events }: Foundation, row: CallRow, id: number | undefined, teamId: number | null): void {
  if (row.surface === 'control' || !events.heard()) return
  events.emit('calls', 'call', { ...callOf(row), id: id ?? null }, teamId)
}

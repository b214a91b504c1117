// What was called, how it ended and how long it took, as far as the actor may know it. Contract 7.7.

import {
  BUCKET_LEAST_MS,
  type CALL_KINDS,
  type CallRow,
  OUTCOMES,
  type PRINCIPAL_KINDS,
  type RefusalCount,
  SERIES_MAX,
  type TOOL_ORDERS,
  type UsageOfClient,
  type UsageOfConsumer,
  type UsageOfKey,
  type UsageOfTool,
  type UsagePoint,
  type UsageSummary,
} from '../../contract/admin/usage.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import type { Actor } from '../../contract/role.ts'
import type { CallRow as Logged } from '../../pipeline/8-audit/call-log.ts'
import type { Base } from '../../records/base.ts'
import type { Slices, Totals } from '../../storage/call-sums.ts'
import { beforeId, pageById } from '../../storage/page.ts'
import type { ReadWorker } from '../../storage/read-worker.ts'
import type { Query } from '../../storage/schema.ts'
import type { CallFilters } from '../../storage/usage-rows.ts'
import { readVerdict } from './verdict.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const USUAL_MS = 7 * DAY_MS
/** The longest window with hourly points. */
const BY_HOUR_MS = 26 * HOUR_MS

type Window = { readonly from?: string | undefined; readonly to?: string | undefined }
export type UsageFilters = Window & {
  readonly client?: string | undefined
  readonly tool?: string | undefined
  readonly keyId?: number | undefined
  readonly consumerId?: number | undefined
}
type Limited = UsageFilters & { readonly limit: number }
type CallsQuery = Window &
  Omit<CallFilters, 'fromMs' | 'toMs' | 'teamId' | 'principal' | 'kind'> & {
    readonly caller?: string | undefined
    readonly kind?: (typeof CALL_KINDS)[number] | undefined
    readonly limit: number
    readonly cursor?: string | undefined
  }

export type Usages = ReturnType<typeof createUsages>

type UsagesDeps = Pick<Base, 'clock'> & {
  readonly query: Query
  readonly readWorker: Pick<ReadWorker, 'ask'>
}

const refused = (path: string, message: string): GatewayError =>
  new GatewayError('VALIDATION_ERROR', `${path} ${message}`, { fields: [{ path, message }] })

const iso = (ms: number): string => new Date(ms).toISOString()
const countsOf = ({ calls, errors, refused: kept }: Totals) => ({ calls, errors, refused: kept })

/** Of the calls that were let through and not cancelled. */
function errorRate({ calls, errors, refused: kept, cancelled }: Totals): number {
  const made = calls - kept - cancelled
  return made <= 0 ? 0 : errors / made
}

const NO_CALLS: Totals = {
  calls: 0,
  errors: 0,
  refused: 0,
  cancelled: 0,
  avg_ms: 0,
  p50_ms: 0,
  p95_ms: 0,
  max_ms: 0,
}

const KINDS: readonly (readonly [RegExp, UsageOfKey['principalKind']])[] = [
  [/^mcp-key:|^install-link:/, 'key'],
  [/^mcp-env:/, 'env'],
  [/^jwt:/, 'jwt'],
  [/^anonymous$/, 'anonymous'],
  [/^system$/, 'system'],
]

/** A caller that is not of the data plane is an administrator who tried a tool. */
const kindOf = (principal: string): (typeof PRINCIPAL_KINDS)[number] =>
  KINDS.find(([shape]) => shape.test(principal))?.[1] ?? 'admin'

export function createUsages({ query, readWorker, clock }: UsagesDeps) {
  const span = ({ from, to }: Window): { readonly fromMs: number; readonly toMs: number } => {
    const toMs = to === undefined ? clock.now() : Date.parse(to)
    const fromMs = from === undefined ? toMs - USUAL_MS : Date.parse(from)
    if (fromMs > toMs) throw refused('from', 'must not be after to')
    return { fromMs, toMs }
  }
  const within = <F extends UsageFilters>({ teamId }: Actor, { from, to, ...filters }: F) => ({
    ...filters,
    ...span({ from, to }),
    teamId,
  })

  /** None has the id 0: PostgreSQL takes no empty list. */
  const orNone = (ids: readonly number[]): readonly number[] => (ids.length === 0 ? [0] : ids)
  /** The names of keys and consumers; those of others are shown without names. */
  async function namesOf<T extends { readonly id: number; readonly name: string; readonly team_id: number | null }>(
    { teamId }: Actor,
    rows: Promise<readonly T[]>,
  ): Promise<ReadonlyMap<number, string>> {
    const mine = (await rows).filter(({ team_id }) => teamId === null || team_id === teamId)
    return new Map(mine.map(({ id, name }) => [id, name]))
  }
  const labelsOf = (actor: Actor, ids: readonly number[]) =>
    namesOf(
      actor,
      query.selectFrom('mcp_keys').select(['id', 'label as name', 'team_id']).where('id', 'in', orNone(ids)).execute(),
    )

  const consumersOf = (actor: Actor, ids: readonly number[]) =>
    namesOf(
      actor,
      query.selectFrom('consumers').select(['id', 'name', 'team_id']).where('id', 'in', orNone(ids)).execute(),
    )

  return {
    async summary(actor: Actor, filters: UsageFilters): Promise<UsageSummary> {
      const about = within(actor, filters)
      const sums = await readWorker.ask('summary', about)
      return {
        from: iso(about.fromMs),
        to: iso(about.toMs),
        ...countsOf(sums),
        cancelled: sums.cancelled,
        errorRate: errorRate(sums),
        avgMs: Math.round(sums.avg_ms),
        p50Ms: sums.p50_ms,
        p95Ms: sums.p95_ms,
        maxMs: sums.max_ms,
        tools: sums.tools,
        keys: sums.keys,
        cacheHits: sums.cache_hits,
        bytesOut: sums.bytes_out,
      }
    },

    async timeseries(
      actor: Actor,
      { bucketMs: given, ...filters }: UsageFilters & { readonly bucketMs?: number | undefined },
    ): Promise<{ bucketMs: number; points: UsagePoint[] }> {
      const about = within(actor, filters)
      const length = about.toMs - about.fromMs
      const bucketMs = given ?? (length <= BY_HOUR_MS ? HOUR_MS : DAY_MS)
      const first = about.fromMs - (about.fromMs % bucketMs)
      const count = Math.floor((about.toMs - first) / bucketMs) + 1
      if (count > SERIES_MAX) {
        const least = Math.max(BUCKET_LEAST_MS, Math.ceil(length / (SERIES_MAX - 1)))
        throw refused('bucketMs', `must be at least ${least} for this time: a series has ${SERIES_MAX} points at most`)
      }
      const slices = { fromMs: 0, widthMs: bucketMs }
      const found = new Map((await readWorker.ask('series', { ...about, slices })).map((row) => [row.slice, row]))
      const points = Array.from({ length: count }, (_, at): UsagePoint => {
        const t = first + at * bucketMs
        const row = found.get(t) ?? NO_CALLS
        return { t, ...countsOf(row), avgMs: Math.round(row.avg_ms), p95Ms: row.p95_ms }
      })
      return { bucketMs, points }
    },

    async topTools(
      actor: Actor,
      filters: Limited & { readonly order?: (typeof TOOL_ORDERS)[number] | undefined },
    ): Promise<{ items: UsageOfTool[] }> {
      const rows = await readWorker.ask('topTools', within(actor, filters))
      return {
        items: rows.map((row) => ({
          client: row.client ?? '',
          tool: row.tool,
          ...countsOf(row),
          errorRate: errorRate(row),
          avgMs: Math.round(row.avg_ms),
          p95Ms: row.p95_ms,
          maxMs: row.max_ms,
        })),
      }
    },

    async byKey(actor: Actor, filters: Limited): Promise<{ items: UsageOfKey[] }> {
      const rows = await readWorker.ask('byKey', within(actor, filters))
      const labels = await labelsOf(
        actor,
        rows.flatMap(({ key_id: id }) => id ?? []),
      )
      return {
        items: rows.map((row) => ({
          keyId: row.key_id,
          label: (row.key_id === null ? undefined : labels.get(row.key_id)) ?? row.principal,
          principalKind: kindOf(row.principal),
          ...countsOf(row),
        })),
      }
    },

    async byClient(
      actor: Actor,
      { points, ...filters }: Limited & { readonly points?: number | undefined },
    ): Promise<{ items: UsageOfClient[] }> {
      const about = within(actor, filters)
      const slices = points === undefined ? undefined : slicesOf(about, points)
      const rows = await readWorker.ask('byClient', { ...about, slices })
      return {
        items: rows.map((row) => ({
          client: row.client ?? '',
          ...countsOf(row),
          ...(slices && points
            ? {
                p95Ms: row.p95_ms,
                series: seriesOf(row.series, slices, points),
                lastError: row.failed
                  ? { at: iso(row.failed.at_ms), kind: row.failed.failure_kind, tool: row.failed.tool }
                  : null,
              }
            : {}),
        })),
      }
    },

    async byConsumer(actor: Actor, filters: Limited): Promise<{ items: UsageOfConsumer[] }> {
      const rows = await readWorker.ask('byConsumer', within(actor, filters))
      const names = await consumersOf(
        actor,
        rows.flatMap(({ consumer_id: id }) => id ?? []),
      )
      return {
        items: rows.flatMap((row) =>
          row.consumer_id === null
            ? []
            : {
                consumerId: row.consumer_id,
                name: names.get(row.consumer_id) ?? `consumer:${row.consumer_id}`,
                ...countsOf(row),
              },
        ),
      }
    },

    async refusals(
      actor: Actor,
      { groupBy, ...filters }: UsageFilters & { readonly groupBy: 'code' | 'tool' | 'key' },
    ): Promise<{ items: RefusalCount[] }> {
      const rows = await readWorker.ask('refusals', { ...within(actor, filters), groupBy })
      return {
        items: rows.map((row) => ({
          code: row.deny_code,
          gate: row.gate,
          count: row.count,
          lastAt: iso(row.last_ms),
          ...(groupBy === 'tool' ? { tool: row.client ? `${row.client}__${row.tool}` : (row.tool ?? '') } : {}),
          ...(groupBy === 'key' ? { keyId: row.key_id ?? null } : {}),
        })),
      }
    },

    async calls(
      actor: Actor,
      { from, to, limit, cursor, caller, kind, ...filters }: CallsQuery,
    ): Promise<Page<CallRow>> {
      const rows = await readWorker.ask('calls', {
        ...filters,
        principal: caller,
        kind: kind === 'all' ? undefined : kind,
        all: kind === 'all',
        fromMs: from === undefined ? undefined : Date.parse(from),
        toMs: to === undefined ? undefined : Date.parse(to),
        limit,
        before: beforeId(cursor),
        teamId: actor.teamId,
      })
      const page = pageById(rows, limit)
      const ids = (column: 'key_id' | 'consumer_id'): number[] => [
        ...new Set(page.items.flatMap(({ [column]: id }) => id ?? [])),
      ]
      const [labels, consumers] = await Promise.all([
        labelsOf(actor, ids('key_id')),
        consumersOf(actor, ids('consumer_id')),
      ])
      return {
        ...page,
        items: page.items.map((row) => ({
          id: row.id,
          ...callOf(row),
          ...named('keyLabel', labels.get(row.key_id ?? 0)),
          ...named('consumerName', consumers.get(row.consumer_id ?? 0)),
        })),
      }
    },
  }
}

/** Omitted where the record was deleted or belongs to another team. */
const named = <K extends string>(key: K, name: string | undefined): { readonly [P in K]?: string } =>
  name === undefined ? {} : ({ [key]: name } as { readonly [P in K]?: string }) // a computed key widens

const slicesOf = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }, points: number): Slices => ({
  fromMs,
  widthMs: Math.max(1, Math.ceil((toMs - fromMs) / points)),
})

function seriesOf(
  found: readonly { readonly slice: number; readonly calls: number }[],
  { fromMs, widthMs }: Slices,
  points: number,
): number[] {
  const calls = new Map(found.map((part) => [part.slice, part.calls]))
  return Array.from({ length: points }, (_, at) => calls.get(fromMs + at * widthMs) ?? 0)
}

/** A row of the call log, as it is read and as it is returned. */
export function callOf(row: Logged): Omit<CallRow, 'id'> {
  return {
    requestId: row.request_id,
    at: iso(row.at_ms),
    principal: row.principal,
    keyId: row.key_id ?? null,
    consumerId: row.consumer_id ?? null,
    surface: row.surface,
    bundle: row.bundle ?? null,
    sessionId: row.session ?? null,
    client: row.client ?? null,
    tool: row.tool,
    method: row.method ?? null,
    calledAs: row.called_as,
    // A word of a later program is reported as the nearest of this one.
    outcome: OUTCOMES.find((known) => known === row.outcome) ?? 'error',
    denyCode: row.deny_code ?? null,
    gate: row.gate ?? null,
    failureKind: row.failure_kind ?? null,
    statusClass: row.status_class,
    durationMs: row.duration_ms,
    attempts: row.attempts,
    cache: row.cache ?? null,
    target: row.target ?? null,
    requestBytes: row.request_bytes,
    responseBytes: row.response_bytes,
    traceId: row.trace_id ?? null,
    program: row.program ?? null,
    verdict: row.verdict == null ? null : readVerdict(row.verdict, row.deny_code ?? ''),
  }
}

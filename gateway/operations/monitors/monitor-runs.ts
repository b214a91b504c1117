// One run of a monitor: a call through the whole guard stack as the gateway itself, and a look at the definition of its tool. Contract 8.12.

import type { Monitor } from '../../contract/admin/monitor-feature.ts'
import { GatewayError } from '../../contract/error.ts'
import type { DiscoveredTool, JsonSchema } from '../../discovery/tool.ts'
import { isApproved, type NeedOf } from '../../live/monitor-need.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import { excerpted, resultHas } from '../../outcome/excerpt.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { argumentsWithoutReserved } from '../../pipeline/0-admission/reserved.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { Run } from '../../pipeline/run.ts'
import type { Base } from '../../records/base.ts'
import { diffValues } from '../../records/value-diff.ts'
import { schemaHash } from '../../registry/tool-diff.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { lockedMonitor, type MonitorRow, monitorOf, updateMonitor } from '../../storage/monitors.ts'
import { exampleById } from '../../storage/tool-examples.ts'
import { startSpan } from '../../telemetry/trace.ts'
import { milliseconds } from '../../text/amounts.ts'
import { cut } from '../../text/clean.ts'
import type { FoundTool } from '../tools/tools.ts'
import { notApproved } from './monitor-approval.ts'
import { nextRunAt } from './monitor-baseline.ts'
import type { Reread } from './monitor-readings.ts'

const MOST_CHARACTERS = 500

/** What a failed call says, as its caller would read it. */
async function failureText(given: Outcome): Promise<string> {
  const outcome = await excerpted(given)
  const texts = outcome.kind === 'refused' ? [] : (outcome.result?.content ?? []).map(({ text }) => text)
  const own = outcome.kind === 'ok' ? undefined : outcome.text
  return texts.find((text) => typeof text === 'string') ?? own ?? 'It answered with an error.'
}

/** What is wrong with it; null when nothing is. */
async function wrongWith(
  { maxLatencyMs, expectPath }: Pick<Monitor, 'maxLatencyMs' | 'expectPath'>,
  outcome: Outcome,
  durationMs: number,
): Promise<string | null> {
  if (outcome.kind !== 'ok' || outcome.result.isError) return cut(await failureText(outcome), MOST_CHARACTERS)
  if (maxLatencyMs !== undefined && durationMs > maxLatencyMs)
    return `It took ${milliseconds(durationMs)}, more than the ${milliseconds(maxLatencyMs)} it may take.`
  if (expectPath !== undefined && !(await resultHas(outcome.result, expectPath)))
    return `The answer has nothing at ${expectPath}.`
  return null
}

/** Undefined: not looked at; null: its source has no such tool. */
type Seen = JsonSchema | null | undefined
type Ended = Pick<MonitorRow, 'last_error' | 'last_latency_ms'>

export type MonitorRuns = ReturnType<typeof createMonitorRuns>

type MonitorRunsDeps = Pick<Base, 'database' | 'log' | 'clock' | 'random' | 'newId'> & {
  readonly run: Run
  readonly states: Pick<MonitorStates, 'refresh'>
  readonly needOf: NeedOf
  /** `drifted`: it did not before this run. */
  readonly onRun: (found: FoundTool, row: MonitorRow, drifted: boolean) => void
}

const SYSTEM_CALLER: Caller = {
  name: 'system',
  kind: 'system',
  keyHash: null,
  keyId: null,
  elevated: true,
  consumerId: null,
  teamId: null,
  adminRole: null,
  bundles: null,
  mayReach: () => true,
  person: null,
  namesPeople: false,
  onEnd: null,
}

/** What a source states about one tool; without a source, the registration is all there is. */
export const schemaIn = (tools: readonly DiscoveredTool[] | undefined, { tool }: FoundTool): JsonSchema | null =>
  tools === undefined
    ? tool.definition.inputSchema
    : (tools.find(({ name }) => name === tool.name)?.inputSchema ?? null)

export function createMonitorRuns(parts: MonitorRunsDeps) {
  const { database, run, states, needOf, log, clock, random, newId, onRun } = parts
  const running = new Map<number, Promise<void>>()

  async function argsOf({ tool }: FoundTool): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { monitor } = tool.config
    if (monitor?.exampleId === undefined) return monitor && 'args' in monitor ? monitor.args : {}
    const example = await exampleById(database.query, tool.id, monitor.exampleId)
    return example && fromText(example.args)
  }

  async function call(found: FoundTool, row: MonitorRow): Promise<Ended> {
    const { backend, tool } = found
    const args = await argsOf(found)
    if (args === undefined)
      return { last_error: 'Its example is gone: set the monitor with another one.', last_latency_ms: null }
    const need = needOf(tool)
    if (!isApproved(need, found, row, args)) {
      const { code, message } = notApproved(need)
      return { last_error: `${code}: ${message}`, last_latency_ms: null }
    }
    const { outcome, durationMs } = await run({
      requestId: newId(),
      span: startSpan(null),
      surface: 'monitor',
      bundle: null,
      sessionHash: null,
      caller: SYSTEM_CALLER,
      calledAs: `${backend.name}__${tool.name}`,
      backend,
      tool,
      args: argumentsWithoutReserved(args),
      reserved: { confirm: false, approvalId: null, endUser: null },
      requestBytes: Buffer.byteLength(JSON.stringify(args)),
      meta: undefined,
      onCancel: () => undefined,
      onProgress: undefined,
    })
    return {
      last_error: await wrongWith(tool.config.monitor ?? {}, outcome, durationMs),
      last_latency_ms: Math.round(durationMs),
    }
  }

  /** A source that cannot be read says nothing about the tool, and the call has shown whether it works. */
  async function seen(found: FoundTool, look: Reread): Promise<Seen> {
    try {
      return schemaIn(await look(found.backend.name), found)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      log.warn('the definition of a monitored tool could not be read again', { client: found.backend.name, error })
      return undefined
    }
  }

  async function once(found: FoundTool, look: Reread): Promise<void> {
    const { tool } = found
    const { monitor } = tool.config
    const before = await monitorOf(database.query, tool.id)
    if (monitor === undefined || before === undefined) return
    const startedMs = clock.now()
    const ended = await call(found, before)
    const reply = await seen(found, look)
    const stored = await database.write(async (tx) => {
      const row = await lockedMonitor(tx, tool.id)
      // Set again while it ran: this run was another monitor's.
      if (row === undefined || row.set_at !== before.set_at) return undefined
      const next: MonitorRow = {
        ...row,
        ...ended,
        ...(reply === undefined ? {} : compared(row, reply, new Date(clock.now()).toISOString())),
        last_status: ended.last_error === null ? 'ok' : 'fail',
        last_run_at: new Date(startedMs).toISOString(),
        failures: ended.last_error === null ? 0 : row.failures + 1,
        next_run_at: nextRunAt(monitor, startedMs, random),
      }
      await updateMonitor(tx, tool.id, next)
      return { row: next, drifted: row.drift_since === null && next.drift_since !== null }
    })
    await states.refresh()
    if (stored) onRun(found, stored.row, stored.drifted)
  }

  return {
    /** A run that is under way already is the one. */
    run(found: FoundTool, look: Reread): Promise<void> {
      const { id } = found.tool
      const known = running.get(id)
      if (known) return known
      const begun = once(found, look).finally(() => running.delete(id))
      running.set(id, begun)
      return begun
    },
    /** What it is called with; undefined where the example is gone. */
    argsOf,
    underWay: (toolId: number): boolean => running.has(toolId),
    /** How many. */
    busy: (): number => running.size,
    async settled(): Promise<void> {
      await Promise.allSettled(running.values())
    },
  }
}

/** What a look at the definition makes of a row. */
function compared(
  row: MonitorRow,
  reply: JsonSchema | null,
  at: string,
): Pick<MonitorRow, 'seen' | 'seen_at' | 'drift' | 'drift_since'> {
  const looked = { seen: jsonText(reply), seen_at: at }
  if (reply !== null && schemaHash(reply) === row.baseline_hash) return { ...looked, drift: null, drift_since: null }
  const diff = diffValues(fromText(row.baseline), reply ?? undefined)
  return { ...looked, drift: jsonText(diff), drift_since: row.drift_since ?? at }
}

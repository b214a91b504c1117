// Captured calls as an administrator meets them: found, read, made again, removed. Contract 7.7.

import { OUTCOMES } from '../../contract/admin/call-result.ts'
import type { Replayed, TrafficRow } from '../../contract/admin/traffic.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Capturing } from '../../pipeline/8-audit/captured.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { diffValues } from '../../records/value-diff.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { fromText } from '../../storage/json-text.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { ReadWorker } from '../../storage/read-worker.ts'
import { extentOf, removeTraffic, type TrafficFilters, type TrafficRecord, trafficById } from '../../storage/traffic.ts'
import type { FoundTool } from '../tools/tools.ts'
import type { TryTool } from '../tools/try-tool.ts'

export type TrafficDeps = Pick<Base, 'database' | 'changes'> & {
  readonly readWorker: Pick<ReadWorker, 'ask'>
  readonly registry: Pick<LiveRegistry, 'known' | 'isLive'>
  readonly capturing: Pick<Capturing, 'previewed'>
  readonly tryTool: Pick<TryTool, 'attempt'>
}
type TrafficFilter = Omit<TrafficFilters, 'fromMs' | 'toMs' | 'teamId'> & {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** No call waits for the removal of many. */
const PORTION = 2_000

const msOf = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso))

export function createTraffic({ database, readWorker, changes, registry, capturing, tryTool }: TrafficDeps) {
  async function required({ teamId }: Actor, given: string): Promise<TrafficRecord> {
    const id = idIn(given)
    const row = id === undefined ? undefined : await trafficById(database.query, id)
    if (row === undefined || (teamId !== null && row.team_id !== teamId))
      throw new GatewayError('TRAFFIC_NOT_FOUND', 'Captured call not found')
    return row
  }

  function liveTool(actor: Actor, { client, tool: name }: TrafficRecord): FoundTool {
    const backend = client === null || !registry.isLive(client) ? undefined : registry.known(client)
    const tool = name === null || backend === undefined ? undefined : backend.tools.get(name)
    if (backend === undefined || tool === undefined || tool.missingSince !== null || !mayTouch(actor, backend))
      throw new GatewayError(
        'TOOL_NOT_LIVE',
        client === null
          ? 'Only calls of one tool can be replayed: try a composite on its own page'
          : 'The tool is gone: register its backend again, then replay',
      )
    return { backend, tool }
  }

  return {
    async list(
      { teamId }: Actor,
      { limit, cursor, from, to, ...filters }: TrafficFilter & Paging,
    ): Promise<Page<TrafficRow>> {
      const rows = await readWorker.ask('traffic', {
        ...filters,
        fromMs: msOf(from),
        toMs: msOf(to),
        teamId,
        limit,
        before: beforeId(cursor),
      })
      return pageById(rows.map(shown), limit)
    },

    get: async (actor: Actor, id: string): Promise<TrafficRow> => shown(await required(actor, id)),

    async replay(
      by: By,
      id: string,
      { confirm, dryRun }: { readonly confirm: boolean; readonly dryRun: boolean },
    ): Promise<Replayed> {
      const row = await required(by.actor, id)
      const { backend, tool } = liveTool(by.actor, row)
      const args = row.args_redacted ? null : fromText(row.args)
      if (args === null)
        throw new GatewayError(
          'ARGS_REDACTED',
          'Its arguments were not kept as they were sent: call the tool in the runner, with arguments of your own',
        )
      const ran = await tryTool.attempt(by, backend.name, tool.name, {
        args: confirm ? { ...args, __confirm: true } : args,
        dryRun,
        // With no person at the other end who has thought about this call.
        elevated: false,
      })
      const { outcome, code } = ran
      await changes(by, (_tx, audit) =>
        audit('traffic.replay', String(row.id), { tool: `${backend.name}__${tool.name}`, dryRun, outcome, code }),
      )
      const preview = dryRun ? undefined : capturing.previewed(tool, ran.result.content)
      return { ...ran, replayOf: row.id, diff: preview === undefined ? null : differenceOf(row, preview) }
    },

    async purge(
      by: By,
      { before, ...only }: Pick<TrafficFilter, 'client' | 'tool'> & { readonly before?: string | undefined },
    ): Promise<{ removed: number }> {
      const filters = { ...only, ...(before === undefined ? {} : { toMs: Date.parse(before) - 1 }) }
      const asked: TrafficFilters = { ...filters, teamId: by.actor.teamId }
      const { count, newest } = await changes(by, async (tx, audit) => {
        const extent = await extentOf(tx, asked)
        await audit('traffic.purge', only.client ?? 'all', { ...only, before: before ?? null, removed: extent.count })
        await removeTraffic(tx, asked, extent.newest, PORTION)
        return extent
      })
      // What was promised with the first portion: nothing that was captured since.
      if (count > PORTION)
        while ((await database.write((tx) => removeTraffic(tx, asked, newest, PORTION))) === PORTION);
      return { removed: count }
    },
  }
}

const shown = (row: TrafficRecord): TrafficRow => ({
  id: row.id,
  requestId: row.request_id,
  createdAt: new Date(row.at_ms).toISOString(),
  mcpToolName: row.called_as,
  clientName: row.client,
  toolName: row.tool,
  keyId: row.key_id,
  principal: row.principal,
  argsJson: row.args,
  args: fromText(row.args),
  argsRedacted: row.args_redacted === 1,
  preview: row.preview ?? '',
  previewTruncated: row.preview_truncated === 1,
  isError: row.is_error === 1,
  // A word of a later program is reported as the nearest of this one.
  outcome: OUTCOMES.find((known) => known === row.outcome) ?? 'error',
  denyCode: row.deny_code,
  gate: row.gate,
  failureKind: row.failure_kind,
  durationMs: row.duration_ms,
  traceId: row.trace_id,
})

/** Place by place where both are JSON, else as two texts; null where one of them is not whole. */
function differenceOf(
  { preview: before, preview_truncated: cut }: TrafficRecord,
  { text: after, truncated }: { readonly text: string; readonly truncated: boolean },
): Replayed['diff'] {
  if (before === null || cut || truncated) return null
  const [was, is] = [jsonIn(before), jsonIn(after)]
  const entries = was && is ? diffValues(was.value, is.value) : diffValues(before, after)
  return entries.map(({ path, before: had, after: has }) => ({ path, before: had, after: has }))
}

function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

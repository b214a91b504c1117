// Tools of all backends and their per-tool configuration: everything checked first, then applied in one transaction. Contract 7.3, 8.

import type { Guards, GuardsPatch } from '../../contract/admin/tool-guards.ts'
import type { ToolDetail, ToolPatch, ToolRow } from '../../contract/admin/tools.ts'
import { GatewayError } from '../../contract/error.ts'
import type { ToolRef } from '../../contract/names.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { snakeCase } from '../../discovery/names.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import type { LiveQuarantines } from '../../live/quarantines.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { type Audit, difference, type Revision, requireRevision, SYSTEM } from '../../records/changes.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { toolById, updateTool } from '../../storage/backends.ts'
import { jsonText } from '../../storage/json-text.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import type { Presenter } from '../backends/present.ts'
import { setMonitor } from '../monitors/monitor-baseline.ts'
import { requireAdminForModel, type World } from './context-budget.ts'
import { ACTIONS, checkAlias, configOf, mergeGuards, patched, type ToolWanted } from './tool-config.ts'
import { auditedFeature, isFeature, readyFeatures, unfitFor } from './tool-features.ts'

type ToolsDeps = Pick<Base, 'changes' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly quarantines: Pick<LiveQuarantines, 'clear'>
  readonly monitors: Pick<MonitorStates, 'refresh'>
  readonly present: Presenter
  /** Forgets the answers of a tool; how many there were. */
  readonly purge: (client: string, tool: string) => number
  readonly world: World
}
export type ToolFilter = {
  readonly client?: string | undefined
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly method?: string | undefined
  readonly kind?: string | undefined
  readonly enabled?: boolean | undefined
  readonly sensitive?: boolean | undefined
  readonly missing?: boolean | undefined
  /** Asked before a row is built. */
  readonly within?: ((client: string, tool: string) => boolean) | undefined
}
/** The body of a route takes either spelling. */
type ToolSwitch = {
  readonly toolNames?: readonly string[] | undefined
  readonly tool_names?: readonly string[] | undefined
  readonly enabled: boolean
}
export type Tools = ReturnType<typeof createTools>

type GuardsChange = { readonly client: string; readonly tool: string; readonly before: Guards; readonly after: Guards }
type GuardsOutcome =
  | ({ readonly kind: 'changed' } & GuardsChange)
  | { readonly kind: 'unchanged' | 'not_found'; readonly client: string; readonly tool: string }

const NO_GUARDS: Guards = {
  rateLimitPerMin: null,
  rateLimitScope: 'tool',
  timeoutMs: null,
  allowedKeyHashes: [],
  allowedKeyIds: [],
}

const notFound = (): GatewayError => new GatewayError('TOOL_NOT_FOUND', 'Tool not found')
const keyOf = ({ client, tool }: { readonly client: string; readonly tool: string }): string => `${client}\u0001${tool}`

export type FoundTool = { readonly backend: Backend; readonly tool: Tool }

/** As far as this actor may see it; one that is torn down or gone from its source is known still. */
export function requireTool(
  registry: Pick<LiveRegistry, 'known'>,
  actor: Actor,
  client: string,
  name: string,
): FoundTool {
  const backend = registry.known(client)
  const tool = backend && mayTouch(actor, backend) ? findTool(backend, name) : undefined
  if (backend === undefined || tool === undefined) throw notFound()
  return { backend, tool }
}

/** By bare name, else by the source's own name or its snake_case form when exactly one tool has it. Contract 4.4. */
export function findTool(backend: Backend, name: string): Tool | undefined {
  const exact = backend.tools.get(name)
  if (exact) return exact
  const alike = [...backend.tools.values()].filter(
    ({ sourceName }) => sourceName === name || snakeCase(sourceName) === name,
  )
  return alike.length === 1 ? alike[0] : undefined
}

function forAudit(key: keyof ToolConfig, config: ToolConfig): unknown {
  if (isFeature(key)) return auditedFeature(key, config) ?? null
  // Hashes of keys are no secret, and no use in a log either.
  if (key === 'guards' && config.guards)
    return { ...config.guards, allowedKeyHashes: config.guards.allowedKeyHashes.length }
  return config[key] ?? null
}

export function createTools({ changes, registry, quarantines, monitors, present, purge, clock, world }: ToolsDeps) {
  const at = (): string => new Date(clock.now()).toISOString()

  const required = (actor: Actor, client: string, name: string): FoundTool => requireTool(registry, actor, client, name)

  /** Read, judged and written in one transaction: two people who change one tool lose nothing of each other. */
  async function apply(
    tx: Tx,
    audit: Audit,
    { backend, tool }: FoundTool,
    patch: ToolWanted,
    expected: readonly Revision[] = [],
    setBy = SYSTEM.name,
  ): Promise<boolean> {
    const row = await toolById(tx, tool.id)
    if (row === undefined) throw notFound()
    requireRevision(row.revision, expected)
    const config = configOf(row.config)
    const next = patched(config, patch, { kind: backend.kind, definition: () => tool.definition })
    const alias = next.overrides?.displayName
    if (alias != null && alias !== config.overrides?.displayName) await checkAlias(tx, row, alias)
    const moved = ACTIONS.flatMap(([key, action]) => {
      if (!difference({ [key]: config[key] ?? null }, { [key]: next[key] ?? null })) return []
      const [before, after] = [forAudit(key, config), forAudit(key, next)]
      return [{ action, detail: { before: { [key]: before }, after: { [key]: after } } }]
    })
    const flips = (config.enabled ?? true) !== (next.enabled ?? true)
    const target = `${tool.client}__${tool.name}`
    if (patch.monitor !== undefined) {
      await setMonitor(tx, row, backend.discoveredAt, next.monitor, clock.now(), setBy)
      // Set as it was, it has a new baseline all the same.
      if (next.monitor && !moved.some(({ action }) => action === 'tool.monitor.update'))
        await audit('tool.monitor.rebaseline', target)
    }
    if (moved.length === 0 && !flips) return false
    await updateTool(tx, row.id, { config: jsonText(next), updated_at: at() })
    if (flips) await audit(next.enabled === false ? 'tool.disable' : 'tool.enable', target)
    for (const { action, detail } of moved) await audit(action, target, detail)
    return true
  }

  /** In the order of the list, each row built only when it is reached: a page of fifty thousand tools costs a page. */
  function* rows(actor: Actor, after: string, { client, within }: ToolFilter = {}): Generator<ToolRow> {
    for (const backend of registry.all()) {
      if (!mayTouch(actor, backend) || (client !== undefined && backend.name !== client)) continue
      for (const tool of backend.tools.values())
        if (
          keyOf({ client: backend.name, tool: tool.name }) > after &&
          (within === undefined || within(backend.name, tool.name))
        )
          yield present.toolRow(backend, tool)
    }
  }

  /** One more than the page, so that its reader can see whether there is another. */
  function page(found: Iterator<ToolRow> & Iterable<ToolRow>, limit: number): ToolRow[] {
    const rows: ToolRow[] = []
    for (const row of found) if (rows.push(row) > limit) break
    return rows
  }

  return {
    list(actor: Actor, { limit, cursor, ...filter }: ToolFilter & Paging): Page<ToolRow> {
      const wanted = filter.q?.toLowerCase()
      const fits = (row: ToolRow): boolean =>
        (wanted === undefined ||
          [row.tool, row.title, row.description, row.client].some((text) => text.toLowerCase().includes(wanted))) &&
        (filter.tag === undefined || row.tags.includes(filter.tag)) &&
        (filter.method === undefined || row.method === filter.method.toUpperCase()) &&
        (filter.kind === undefined || row.kind === filter.kind) &&
        (filter.enabled === undefined || row.enabled === filter.enabled) &&
        (filter.sensitive === undefined || row.sensitive === filter.sensitive) &&
        (filter.missing === undefined || row.missing === filter.missing)
      const found = rows(actor, afterName(cursor) ?? '', filter).filter(fits)
      return pageByName(page(found, limit), limit, keyOf)
    },

    get(actor: Actor, client: string, name: string): ToolDetail {
      const { backend, tool } = required(actor, client, name)
      const unfit = unfitFor({ kind: backend.kind, definition: () => tool.definition, config: tool.config })
      return { ...present.toolDetail(backend, tool), unfit }
    },

    async update(
      by: By,
      client: string,
      name: string,
      patch: ToolPatch,
      expected: readonly Revision[],
    ): Promise<ToolDetail> {
      const found = required(by.actor, client, name)
      requireAdminForModel(by.actor, found.tool.config.contextBudget, patch.contextBudget)
      // What is stored of a WebSocket is what was vetted of it.
      const { ws: _given, ...rest } = patch
      const wanted = { ...rest, ...(await readyFeatures(patch, { client, tool: found.tool.name }, world)) }
      if (await changes(by, (tx, audit) => apply(tx, audit, found, wanted, expected, by.actor.name)))
        await registry.reload(client, 'changed')
      if (patch.monitor !== undefined) await monitors.refresh()
      const now = required(by.actor, client, found.tool.name)
      return present.toolDetail(now.backend, now.tool)
    },

    async setEnabled(
      by: By,
      client: string,
      { toolNames, tool_names, enabled }: ToolSwitch,
    ): Promise<{ results: Record<string, boolean> }> {
      const backend = registry.known(client)
      if (backend === undefined || !mayTouch(by.actor, backend))
        throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
      const found = [...new Set(toolNames ?? tool_names)].map((name) => [name, findTool(backend, name)] as const)
      const tools = new Set(found.flatMap(([, tool]) => (tool ? [tool] : [])))
      const moved = await changes(by, async (tx, audit) => {
        let any = false
        for (const tool of tools) any = (await apply(tx, audit, { backend, tool }, { enabled })) || any
        return any
      })
      if (moved) await registry.reload(client, 'changed')
      return { results: Object.fromEntries(found.map(([name, tool]) => [name, tool !== undefined])) }
    },

    /** In the transaction of the caller, which reads the backend again once it is committed: as `switchIn` of backends. */
    async switchIn(
      tx: Tx,
      audit: Audit,
      owner: Pick<Actor, 'teamId'>,
      { client, tool: name }: ToolRef,
      enabled: boolean,
    ): Promise<boolean | undefined> {
      const backend = registry.known(client)
      const tool = backend && mayTouch(owner, backend) ? findTool(backend, name) : undefined
      if (!backend || !tool || !(await toolById(tx, tool.id))) return undefined
      return apply(tx, audit, { backend, tool }, { enabled })
    },

    /** The same limits into many tools, all or none; with `dryRun` only what would change. Allow-lists stay as they are. */
    async setGuards(
      by: By,
      refs: readonly ToolRef[],
      limits: GuardsPatch,
      dryRun: boolean,
      also: (changed: readonly GuardsChange[], audit: Audit) => Promise<void>,
    ): Promise<readonly GuardsOutcome[]> {
      const outcomes = refs.map(({ client, tool: name }): GuardsOutcome & { readonly found?: FoundTool } => {
        const backend = registry.known(client)
        const tool = backend && mayTouch(by.actor, backend) ? findTool(backend, name) : undefined
        if (backend === undefined || tool === undefined) return { kind: 'not_found', client, tool: name }
        const before = tool.config.guards ?? NO_GUARDS
        const after = mergeGuards(tool.config.guards, limits) ?? NO_GUARDS
        const same = registry.local(client) || JSON.stringify(before) === JSON.stringify(after)
        if (same) return { kind: 'unchanged', client, tool: tool.name }
        return { kind: 'changed', client, tool: tool.name, before, after, found: { backend, tool } }
      })
      const changed = outcomes.filter((one) => one.kind === 'changed')
      if (!dryRun && changed.length > 0) {
        await changes(by, async (tx, audit) => {
          for (const { found } of changed) if (found) await apply(tx, audit, found, { guards: limits })
          await also(changed, audit)
        })
        for (const client of new Set(changed.map((one) => one.client))) await registry.reload(client, 'changed')
      }
      return outcomes
    },

    async purgeCache(by: By, client: string, name: string): Promise<{ purged: number }> {
      const { backend, tool } = required(by.actor, client, name)
      return changes(by, async (_tx, audit) => {
        const purged = purge(backend.name, tool.name)
        await audit('tool.cache.purge', `${backend.name}__${tool.name}`, { purged })
        return { purged }
      })
    },

    async setTags(
      by: By,
      client: string,
      name: string,
      { tags }: { readonly tags: readonly string[] },
    ): Promise<{ name: string; tool: string; tags: string[] }> {
      const { backend, tool } = required(by.actor, client, name)
      const sorted = [...new Set(tags)].sort()
      const changed = difference({ tags: tool.tags }, { tags: sorted })
      if (changed) {
        await changes(by, async (tx, audit) => {
          await updateTool(tx, tool.id, { tags: jsonText(sorted), updated_at: at() })
          await audit('tool.tags.set', `${backend.name}__${tool.name}`, changed)
        })
        await registry.reload(client, 'changed')
      }
      return { name: client, tool: tool.name, tags: sorted }
    },

    async clearQuarantine(by: By, client: string, name: string): Promise<{ status: 'cleared'; wasActive: boolean }> {
      const { tool } = required(by.actor, client, name)
      return { status: 'cleared', wasActive: await quarantines.clear(by, tool) }
    },

    tags(actor: Actor, { limit, cursor }: Paging): Page<{ tag: string; count: number }> {
      const counts = new Map<string, number>()
      const count = (tag: string): void => void counts.set(tag, (counts.get(tag) ?? 0) + 1)
      for (const backend of registry.all()) {
        if (!mayTouch(actor, backend)) continue
        backend.tags.forEach(count)
        for (const tool of backend.tools.values()) tool.tags.forEach(count)
      }
      const after = afterName(cursor) ?? ''
      const list = [...counts]
        .map(([tag, number]) => ({ tag, count: number }))
        .filter(({ tag }) => tag > after)
        .sort((a, b) => (a.tag < b.tag ? -1 : 1))
      return pageByName(list.slice(0, limit + 1), limit, ({ tag }) => tag)
    },

    tagged(actor: Actor, tag: string, { limit, cursor }: Paging): Page<{ client: string; tool: string }> {
      const found = rows(actor, afterName(cursor) ?? '').filter((row) => row.tags.includes(tag))
      const list = page(found, limit).map(({ client, tool }) => ({ client, tool }))
      return pageByName(list, limit, keyOf)
    },
  }
}

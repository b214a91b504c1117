// Managing bundles: created and changed whole or not at all, live at once. Contract 7.4, 10.3.
import { NOBODY } from '../../auth/unknown-user.ts'
import type {
  BundleChange,
  BundleDetail,
  BundleInput,
  BundlePreview,
  BundleSummary,
} from '../../contract/admin/bundles.ts'
import { GatewayError } from '../../contract/error.ts'
import { NAME, type ToolRef } from '../../contract/names.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { ByActor } from '../../records/changes.ts'
import { type Audit, type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import { type Bundle, bundleOf, type Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { bundleRow, deleteBundle, insertBundle, updateBundle } from '../../storage/bundles.ts'
import { type Paging } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Shown } from '../../surfaces/show-bundle.ts'
import { findTool } from '../tools/tools.ts'
import { type CuratedFilter, curatedPage } from './curated-page.ts'

export type BundleParts = {
  readonly changes: Changes
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Curated
  readonly show: (name: string, caller: Caller) => Shown
  /** Whoever holds a key that this actor may see. */
  readonly callerOfKey: (actor: Actor, keyId: number) => Promise<Caller | undefined>
  /** What ends with a bundle, in its transaction; called again with the result once it is committed. */
  readonly withdraw: (tx: Tx, audit: Audit, bundle: { readonly id: number; readonly name: string }) => Promise<number[]>
  readonly withdrawn: (keys: readonly number[]) => Promise<void>
  readonly clock: { now(): number }
}
export type Bundles = ReturnType<typeof createBundles>
type Wanted = Pick<BundleInput, 'tools' | 'composites'>

const ANYBODY: Caller = { ...NOBODY, name: 'anonymous', kind: 'anonymous' }

const notFound = (): GatewayError => new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
const keyOf = ({ client, tool }: ToolRef): string => `${client}__${tool}`

function checkName(name: string): void {
  if (!NAME.test(name))
    throw new GatewayError(
      'INVALID_NAME',
      `"${name.slice(0, 80)}" is no name of a bundle: it must match ${NAME.source}`,
    )
}

export function createBundles({
  changes,
  registry,
  curated,
  show,
  callerOfKey,
  withdraw,
  withdrawn,
  clock,
}: BundleParts) {
  const at = (): string => new Date(clock.now()).toISOString()

  function required(actor: Actor, name: string): Bundle {
    const bundle = curated.bundle(name)
    if (bundle === undefined || !mayTouch(actor, bundle)) throw notFound()
    return bundle
  }

  const isMissing = ({ client, tool }: ToolRef): boolean => {
    const found = registry.known(client)?.tools.get(tool)
    return found === undefined || found.missingSince !== null
  }

  /** The stored name of each member, as far as the actor and the bundle's team reach it; what is not reached does not exist. */
  function resolved(actor: Actor, teamId: number | null, { tools }: Wanted, kept: readonly ToolRef[]): ToolRef[] {
    const keeps = new Set(kept.map(keyOf))
    const missing: ToolRef[] = []
    const members = new Map<string, ToolRef>()
    for (const given of tools) {
      const backend = registry.known(given.client)
      const reached = backend && mayTouch(actor, backend) && mayTouch({ teamId }, backend)
      const tool = reached ? findTool(backend, given.tool) : undefined
      const member = tool && tool.missingSince === null ? { client: given.client, tool: tool.name } : given
      if (member === given && (tool === undefined || tool.missingSince !== null) && !keeps.has(keyOf(given)))
        missing.push(given)
      members.set(keyOf(member), member)
    }
    if (missing.length === 0) return [...members.values()]
    const told = missing.slice(0, 5).map(keyOf).join(', ')
    throw new GatewayError('UNKNOWN_TOOL', `There is no such tool: ${told}`, { details: { missing } })
  }

  function checkComposites(actor: Actor, teamId: number | null, { composites }: Wanted, kept: readonly string[]): void {
    const missing = composites.filter((name) => {
      const found = curated.composite(name)
      const reached = found && mayTouch(actor, found) && mayTouch({ teamId }, found)
      return !reached && !kept.includes(name)
    })
    if (missing.length === 0) return
    throw new GatewayError('UNKNOWN_COMPOSITE', `There is no such composite: ${missing.slice(0, 5).join(', ')}`, {
      details: { missing },
    })
  }

  function summary(bundle: Bundle): BundleSummary {
    return {
      name: bundle.name,
      description: bundle.description,
      enabled: bundle.enabled,
      toolsCount: bundle.tools.length,
      compositesCount: bundle.composites.length,
      missingCount: bundle.tools.filter(isMissing).length,
      teamId: bundle.teamId,
      mcpPath: `/mcp-custom/${bundle.name}`,
    }
  }

  const detail = (bundle: Bundle): BundleDetail => ({
    ...summary(bundle),
    tools: bundle.tools.map((member) => (isMissing(member) ? { ...member, missing: true } : member)),
    composites: [...bundle.composites],
    revision: bundle.revision,
    createdAt: bundle.createdAt,
    updatedAt: bundle.updatedAt,
    createdBy: bundle.createdBy,
  })

  async function store(tx: Tx, by: ByActor, input: BundleInput, teamId: number | null): Promise<void> {
    if (await bundleRow(tx, input.name))
      throw new GatewayError('ALREADY_EXISTS', `There is a bundle "${input.name}" already`)
    await insertBundle(tx, {
      name: input.name,
      description: input.description ?? null,
      enabled: input.enabled ? 1 : 0,
      tools: JSON.stringify(input.tools),
      composites: JSON.stringify(input.composites),
      team_id: teamId,
      revision: 1,
      created_at: at(),
      updated_at: at(),
      created_by: by.actor.name,
    })
  }

  return {
    list: (actor: Actor, filter: CuratedFilter, paging: Paging): Page<BundleSummary> =>
      curatedPage(curated.bundles(), actor, filter, paging, summary),

    get: (actor: Actor, name: string): BundleDetail => detail(required(actor, name)),

    async create(by: ByActor, input: BundleInput): Promise<BundleDetail> {
      checkName(input.name)
      const tools = resolved(by.actor, by.actor.teamId, input, [])
      checkComposites(by.actor, by.actor.teamId, input, [])
      await changes(by, async (tx, audit) => {
        await store(tx, by, { ...input, tools }, by.actor.teamId)
        await audit('bundle.create', input.name, { tools: tools.map(keyOf), composites: input.composites })
      })
      await curated.reloadBundle(input.name)
      return detail(required(by.actor, input.name))
    },

    async update(
      by: ByActor,
      name: string,
      change: BundleChange,
      expected: readonly Revision[],
    ): Promise<BundleDetail> {
      required(by.actor, name)
      const written = await changes(by, async (tx, audit) => {
        const row = await bundleRow(tx, name)
        const before = row && bundleOf(row)
        if (before === undefined || !mayTouch(by.actor, before)) throw notFound()
        requireRevision(before.revision, expected)
        const wanted = {
          tools: change.tools ?? [...before.tools],
          composites: change.composites ?? [...before.composites],
        }
        // What is missing already may stay; what is new must be there.
        const tools =
          change.tools === undefined ? before.tools : resolved(by.actor, before.teamId, wanted, before.tools)
        checkComposites(by.actor, before.teamId, wanted, before.composites)
        const after = {
          description: change.description === undefined ? before.description : change.description,
          enabled: change.enabled ?? before.enabled,
          tools: tools.map(keyOf),
          composites: wanted.composites,
        }
        const changed = difference({ ...before, tools: before.tools.map(keyOf) }, after)
        if (!changed) return false
        await updateBundle(tx, before.id, {
          description: after.description,
          enabled: after.enabled ? 1 : 0,
          tools: JSON.stringify(tools),
          composites: JSON.stringify(after.composites),
          updated_at: at(),
        })
        await audit('bundle.update', name, changed)
        return true
      })
      if (written) await curated.reloadBundle(name)
      return detail(required(by.actor, name))
    },

    async delete(by: ByActor, name: string, expected: readonly Revision[]): Promise<void> {
      required(by.actor, name)
      const keys = await changes(by, async (tx, audit) => {
        const row = await bundleRow(tx, name)
        if (row === undefined || !mayTouch(by.actor, bundleOf(row))) throw notFound()
        requireRevision(row.revision, expected)
        const ended = await withdraw(tx, audit, row)
        await deleteBundle(tx, row.id)
        await audit('bundle.delete', name)
        return ended
      })
      await withdrawn(keys)
      await curated.reloadBundle(name)
    },

    async clone(
      by: ByActor,
      name: string,
      given: { readonly name: string; readonly description?: string | null | undefined },
    ): Promise<BundleDetail> {
      const { description, enabled, tools, composites, teamId } = required(by.actor, name)
      checkName(given.name)
      const input = {
        name: given.name,
        description: given.description === undefined ? description : given.description,
        enabled,
        tools: [...tools],
        composites: [...composites],
      }
      await changes(by, async (tx, audit) => {
        // The members are those of its team, whoever copies them.
        await store(tx, by, input, teamId)
        await audit('bundle.create', given.name, { clonedFrom: name, tools: tools.map(keyOf), composites })
      })
      await curated.reloadBundle(given.name)
      return detail(required(by.actor, given.name))
    },

    async preview(actor: Actor, name: string, keyId: number | undefined): Promise<BundlePreview> {
      const { tools } = required(actor, name)
      const caller = keyId === undefined ? ANYBODY : await callerOfKey(actor, keyId)
      if (caller === undefined) throw new GatewayError('MCP_KEY_NOT_FOUND', 'There is no such key')
      // A key that belongs to another bundle opens this one not at all.
      const shown = caller.bundles?.has(name) === false ? { tools: [], clashes: [] } : show(name, caller)
      return {
        ...shown,
        estTokens: shown.tools.reduce((sum, { estTokens }) => sum + estTokens, 0),
        missing: tools.filter(isMissing).map(({ client, tool }) => ({ client, tool })),
      }
    },
  }
}

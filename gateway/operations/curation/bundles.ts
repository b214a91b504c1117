// Managing bundles: created and changed whole or not at all, live at once. Contract 7.4, 10.3.

import { NO_USER } from '../../auth/unknown-user.ts'
import type { BundleDetail, BundleInput, BundlePreview, BundleSummary } from '../../contract/admin/bundles.ts'
import { GatewayError } from '../../contract/error.ts'
import { NAME, type ToolRef } from '../../contract/names.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { Audit, By } from '../../records/changes.ts'
import { createOwned, type RecordBase } from '../../records/owned.ts'
import { type Bundle, bundleOf, type Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type BundleRow, bundleRows } from '../../storage/bundles.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Paging } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import { countedTokens, NOTHING_SHOWN, type Shown } from '../../surfaces/show-bundle.ts'
import type { CountTokens } from '../../surfaces/token-counts.ts'
import { findTool } from '../tools/tools.ts'
import { type CuratedFilter, curatedPage } from './curated-page.ts'

export type BundleDeps = RecordBase & {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Curated
  readonly show: (name: string, caller: Caller) => Shown
  readonly countTokens: CountTokens
  /** The holder of a key that this actor may see. */
  readonly callerOfKey: (actor: Actor, keyId: number) => Promise<Caller | undefined>
  /** What ends with a bundle, in its transaction; called again with the result once it is committed. */
  readonly withdraw: (tx: Tx, audit: Audit, bundle: { readonly id: number; readonly name: string }) => Promise<number[]>
  readonly withdrawn: (keys: readonly number[]) => Promise<void>
  readonly maxTools: number
}
export type Bundles = ReturnType<typeof createBundles>
type Members = Pick<BundleInput, 'tools' | 'composites'>

const ANONYMOUS: Caller = { ...NO_USER, name: 'anonymous', kind: 'anonymous' }

const notFound = (): GatewayError => new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
const keyOf = ({ client, tool }: ToolRef): string => `${client}__${tool}`

export function requireBundleSize({ length }: readonly ToolRef[], most: number): void {
  if (length <= most) return
  const message = `A bundle holds at most ${most} tools, and this one has ${length}. Remove some, or raise MAX_TOOLS_PER_BUNDLE.`
  throw new GatewayError('VALIDATION_ERROR', message, { fields: [{ path: 'tools', message }] })
}

function checkName(name: string): void {
  if (!NAME.test(name))
    throw new GatewayError(
      'INVALID_NAME',
      `"${name.slice(0, 80)}" is no name of a bundle: it must match ${NAME.source}`,
    )
}

/** What an administrator sets, as it is stored. */
type Settings = Omit<BundleInput, 'description' | 'listMode'> & Pick<Bundle, 'description' | 'listMode'>

const settingsOf = (row: BundleRow): Settings => {
  const { name, description, enabled, listMode, tools, composites } = bundleOf(row)
  return { name, description, enabled, listMode, tools: [...tools], composites: [...composites] }
}

type Stored = Pick<Bundle, 'description' | 'enabled' | 'listMode' | 'tools' | 'composites'>
export const bundleColumns = ({ description, enabled, listMode, tools, composites }: Stored) =>
  ({
    description,
    enabled: enabled ? 1 : 0,
    list_mode: listMode,
    tools: jsonText(tools),
    composites: jsonText(composites),
  }) as const

export function createBundles({ registry, curated, show, countTokens, callerOfKey, ...parts }: BundleDeps) {
  const { withdraw, withdrawn, maxTools, ...base } = parts
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
  function resolved(actor: Actor, teamId: number | null, { tools }: Members, kept: readonly ToolRef[]): ToolRef[] {
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
    const names = missing.slice(0, 5).map(keyOf).join(', ')
    throw new GatewayError('UNKNOWN_TOOL', `There is no such tool: ${names}`, { details: { missing } })
  }

  function checkComposites(
    actor: Actor,
    teamId: number | null,
    { composites }: Members,
    kept: readonly string[],
  ): void {
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
      listMode: bundle.listMode,
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

  const owned = createOwned(
    {
      rows: bundleRows,
      noun: 'bundle',
      key: 'name',
      order: 'name',
      notFound,
      taken: (name) => new GatewayError('ALREADY_EXISTS', `There is a bundle "${name}" already`),
      settingsOf,
      audited: (settings: Settings) => ({ ...settings, tools: settings.tools.map(keyOf) }),
      columnsOf: bundleColumns,
      present: (row) => detail(bundleOf(row)),
      check(after, actor, before) {
        const teamId = before ? before.row.team_id : actor.teamId
        // What is missing already may stay; what is new must be there.
        const kept = before?.settings
        if (after.tools !== kept?.tools) requireBundleSize(after.tools, maxTools)
        const tools = after.tools === kept?.tools ? kept.tools : resolved(actor, teamId, after, kept?.tools ?? [])
        checkComposites(actor, teamId, after, kept?.composites ?? [])
        return { ...after, tools }
      },
      async detach(tx, row, audit) {
        const keys = await withdraw(tx, audit, row)
        return {
          async committed() {
            await withdrawn(keys)
            await curated.reloadBundle(row.name)
          },
        }
      },
      saved: ({ name }) => curated.reloadBundle(name),
    },
    base,
  )

  return {
    ...owned,

    list: (actor: Actor, filter: CuratedFilter & Paging): Page<BundleSummary> =>
      curatedPage(curated.bundles(), actor, filter, summary),

    get: (actor: Actor, name: string): BundleDetail => detail(required(actor, name)),

    async create(by: By, { description = null, listMode = 'full', ...input }: BundleInput): Promise<BundleDetail> {
      checkName(input.name)
      return owned.create(by, { ...input, listMode, description })
    },

    async clone(
      by: By,
      name: string,
      given: { readonly name: string; readonly description?: string | null | undefined },
    ): Promise<BundleDetail> {
      const row = await owned.required(base.database.query, by.actor, name)
      checkName(given.name)
      const { description, ...source } = settingsOf(row)
      const settings = { ...source, description: given.description === undefined ? description : given.description }
      // The members are those of its team, for every copying user.
      return owned.insert(by, { ...settings, name: given.name }, { teamId: row.team_id, more: { clonedFrom: name } })
    },

    async preview(
      actor: Actor,
      name: string,
      { keyId }: { readonly keyId?: number | undefined },
    ): Promise<BundlePreview> {
      const { tools } = required(actor, name)
      const caller = keyId === undefined ? ANONYMOUS : await callerOfKey(actor, keyId)
      if (caller === undefined) throw new GatewayError('MCP_KEY_NOT_FOUND', 'There is no such key')
      // A key that belongs to another bundle opens this one not at all.
      const found = caller.bundles?.has(name) === false ? NOTHING_SHOWN : show(name, caller)
      const shown = await countedTokens(found, countTokens)
      return {
        ...shown,
        estTokens: shown.tools.reduce((sum, { estTokens }) => sum + estTokens, 0),
        missing: tools.filter(isMissing).map(({ client, tool }) => ({ client, tool })),
      }
    },
  }
}

// Bundles and composites in memory: immutable records, replaced on change.

import type { Step } from '../contract/admin/composites.ts'
import { LIST_MODES, type ListMode, type ToolRef } from '../contract/names.ts'
import { type BundleRow, bundleRows } from '../storage/bundles.ts'
import { type CompositeRow, compositeRows } from '../storage/composites.ts'
import { fromText } from '../storage/json-text.ts'
import type { Query } from '../storage/schema.ts'
import type { StoredScript } from '../storage/stored.ts'

type Record = {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly enabled: boolean
  readonly teamId: number | null
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy: string | null
}

export type Bundle = Record & {
  readonly listMode: ListMode
  readonly tools: readonly ToolRef[]
  readonly composites: readonly string[]
}

export type CompositeStep = Readonly<Step>

export type Composite = Record & {
  readonly inputSchema: Readonly<{ [keyword: string]: unknown }>
  readonly steps: readonly CompositeStep[]
  /** A template; null if the last step's result is returned. */
  readonly output: unknown
  /** Null for a composite of steps. A script calls the tools of the steps in its own order. */
  readonly script: StoredScript | null
  /** A person approved exactly this script. True for a composite of steps. */
  readonly approved: boolean
  readonly approvedBy: string | null
  readonly approvedAt: string | null
}

export type CuratedEvent = { readonly bundle: string; readonly gone: boolean }

export type Curated = ReturnType<typeof createCurated>

const recordOf = (row: BundleRow | CompositeRow): Record => ({
  id: row.id,
  name: row.name,
  description: row.description,
  enabled: row.enabled === 1,
  teamId: row.team_id,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  createdBy: row.created_by,
})

export function bundleOf(row: BundleRow): Bundle {
  return {
    ...recordOf(row),
    listMode: LIST_MODES.find((mode) => mode === row.list_mode) ?? 'full',
    tools: fromText(row.tools),
    composites: fromText(row.composites),
  }
}

export function compositeOf(row: CompositeRow): Composite {
  const script = fromText(row.script)
  const approved = script === null || script.hash === row.approved_hash
  return {
    ...recordOf(row),
    inputSchema: fromText(row.input_schema),
    steps: fromText(row.steps),
    output: fromText(row.output),
    script,
    approved,
    approvedBy: script && approved ? row.approved_by : null,
    approvedAt: script && approved ? row.approved_at : null,
  }
}

const byName = <T extends Record>(records: ReadonlyMap<string, T>): readonly T[] =>
  [...records.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

export function createCurated(query: Query) {
  const bundles = new Map<string, Bundle>()
  const composites = new Map<string, Composite>()
  const listeners = new Set<(event: CuratedEvent) => void>()
  let kept:
    | {
        readonly bundles: readonly Bundle[]
        readonly composites: readonly Composite[]
        readonly byClient: ReadonlyMap<string, readonly string[]>
      }
    | undefined
  /** Reads are sequential, so that an older one never replaces a newer one. */
  let turn: Promise<unknown> = Promise.resolve()

  function indexed(): ReadonlyMap<string, readonly string[]> {
    const index = new Map<string, string[]>()
    for (const bundle of bundles.values()) {
      const steps = bundle.composites.flatMap((name) => composites.get(name)?.steps ?? [])
      const clients = [...bundle.tools.map(({ client }) => client), ...steps.map(({ targetClient }) => targetClient)]
      for (const client of new Set(clients)) {
        const names = index.get(client)
        if (names) names.push(bundle.name)
        else index.set(client, [bundle.name])
      }
    }
    return index
  }

  const views = () => (kept ??= { bundles: byName(bundles), composites: byName(composites), byClient: indexed() })

  async function reloadBundle(name: string): Promise<void> {
    const row = await bundleRows.byName(query, name)
    if (row) bundles.set(name, bundleOf(row))
    else bundles.delete(name)
    kept = undefined
    for (const listener of listeners) listener({ bundle: name, gone: row === undefined })
  }

  const bundlesListing = (composite: string): readonly string[] =>
    views()
      .bundles.filter((bundle) => bundle.composites.includes(composite))
      .map(({ name }) => name)

  async function reloadComposite(name: string): Promise<void> {
    const listing = bundlesListing(name)
    const row = await compositeRows.byName(query, name)
    if (row) composites.set(name, compositeOf(row))
    else composites.delete(name)
    kept = undefined
    for (const bundle of listing) await reloadBundle(bundle)
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  return {
    /** Reads everything at the start. */
    async load(): Promise<void> {
      for (const row of await bundleRows.all(query)) bundles.set(row.name, bundleOf(row))
      for (const row of await compositeRows.all(query)) composites.set(row.name, compositeOf(row))
      kept = undefined
    },
    bundle: (name: string): Bundle | undefined => bundles.get(name),
    composite: (name: string): Composite | undefined => composites.get(name),
    /** Sorted by name. */
    bundles: (): readonly Bundle[] => views().bundles,
    composites: (): readonly Composite[] => views().composites,
    /** Bundles that contain a tool of this backend, as a member or a composite's step. */
    bundlesWith: (client: string): readonly string[] => views().byClient.get(client) ?? [],
    /** Bundles that contain a composite. */
    bundlesListing,
    /** Reloads a bundle after a committed change. */
    reloadBundle: (name: string): Promise<void> => inTurn(() => reloadBundle(name)),
    /** Reloads a composite and the bundles that contain it. */
    reloadComposite: (name: string): Promise<void> => inTurn(() => reloadComposite(name)),
    subscribe(listener: (event: CuratedEvent) => void): void {
      listeners.add(listener)
    },
  }
}

// The bundles as the running gateway holds them: immutable records, replaced when an administrator changes one.
import type { ToolRef } from '../contract/names.ts'
import { type BundleRow, bundleRow, bundleRows } from '../storage/bundles.ts'
import type { Query } from '../storage/schema.ts'

export type Bundle = {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly enabled: boolean
  readonly tools: readonly ToolRef[]
  readonly composites: readonly string[]
  readonly teamId: number | null
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy: string | null
}

export type CuratedEvent = { readonly bundle: string; readonly gone: boolean }

export type Curated = {
  /** Reads everything, at start. */
  load(): Promise<void>
  bundle(name: string): Bundle | undefined
  /** In name order. */
  bundles(): readonly Bundle[]
  /** Names of the bundles that hold a tool of this backend. */
  bundlesWith(client: string): readonly string[]
  /** Reads one bundle again after its change was committed. */
  reloadBundle(name: string): Promise<void>
  subscribe(listener: (event: CuratedEvent) => void): void
}

export function bundleOf(row: BundleRow): Bundle {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    enabled: row.enabled === 1,
    // Our own writes, in these very shapes.
    tools: JSON.parse(row.tools) as ToolRef[],
    composites: JSON.parse(row.composites) as string[],
    teamId: row.team_id,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  }
}

export function createCurated(query: Query): Curated {
  const bundles = new Map<string, Bundle>()
  const listeners = new Set<(event: CuratedEvent) => void>()
  let sorted: readonly Bundle[] | undefined
  let byClient: ReadonlyMap<string, readonly string[]> | undefined
  /** Readings take turns, so that an older one never replaces a newer one. */
  let turn: Promise<unknown> = Promise.resolve()

  const changed = (): void => {
    sorted = undefined
    byClient = undefined
  }

  function indexed(): ReadonlyMap<string, readonly string[]> {
    const index = new Map<string, string[]>()
    for (const { name, tools } of bundles.values())
      for (const client of new Set(tools.map((tool) => tool.client))) {
        const names = index.get(client)
        if (names) names.push(name)
        else index.set(client, [name])
      }
    return index
  }

  async function reload(name: string): Promise<void> {
    const row = await bundleRow(query, name)
    if (row) bundles.set(name, bundleOf(row))
    else bundles.delete(name)
    changed()
    for (const listener of listeners) listener({ bundle: name, gone: row === undefined })
  }

  return {
    async load() {
      for (const row of await bundleRows(query)) bundles.set(row.name, bundleOf(row))
      changed()
    },
    bundle: (name) => bundles.get(name),
    bundles: () => (sorted ??= [...bundles.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
    bundlesWith: (client) => (byClient ??= indexed()).get(client) ?? [],
    reloadBundle(name) {
      const mine = turn.then(() => reload(name))
      turn = mine.catch(() => undefined)
      return mine
    },
    subscribe(listener) {
      listeners.add(listener)
    },
  }
}

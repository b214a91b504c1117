// A surface answers two questions: which tools, for whom. Built once per configuration, not per call.
import { SEARCH_TOOL } from '../contract/names.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import { type Entry, entryOf, type SurfaceKind } from './listed.ts'

export type Found = { readonly entry: Entry } | { readonly candidates: readonly string[] }

export type Surface = {
  readonly kind: SurfaceKind
  /** `client:<name>` or `bundle:<name>`: what a session is bound to. */
  readonly id: string
  readonly bundle: string | null
  /** In listed order. */
  readonly entries: readonly Entry[]
  visible(caller: Caller): readonly Entry[]
  /** The tool a name means for this caller; several are candidates, none is an empty list. */
  find(name: string, caller: Caller): Found
  /** `tools/list` pages as JSON text, kept while the surface is. */
  page(caller: Caller, from: number, size: number): { readonly toolsJson: string; readonly next: number | undefined }
}

type Options = {
  readonly kind: SurfaceKind
  readonly id: string
  readonly bundle?: string
  readonly members: readonly { readonly backend: Backend; readonly tool: Tool }[]
  readonly sensitive: (tool: Tool) => boolean
  /** Enabled, live and discovered: whether it is listed. It may be found all the same, so that the refusal can say why. */
  readonly available: (backend: Backend, tool: Tool) => boolean
  readonly searchJson: string | undefined
}

const byName = (a: Entry, b: Entry): number =>
  a.listed.name < b.listed.name ? -1 : a.listed.name > b.listed.name ? 1 : 0

export function createSurface({ kind, id, bundle, members, sensitive, available, searchJson }: Options): Surface {
  const aliases = new Map<string, number>()
  for (const { tool } of members) {
    const alias = tool.config.overrides?.displayName
    if (alias) aliases.set(alias, (aliases.get(alias) ?? 0) + 1)
  }
  const entries = members
    .filter(({ tool }) => tool.missingSince === null)
    .map(({ backend, tool }) =>
      entryOf(kind, backend, tool, sensitive(tool), (alias) => (aliases.get(alias) ?? 0) > 1 || alias === SEARCH_TOOL),
    )
    .sort(byName)
  const index = indexed(entries)
  const pages = new Map<string, string>()

  const visible = (caller: Caller): readonly Entry[] =>
    entries.filter(({ backend, tool }) => available(backend, tool) && caller.mayReach(backend.name, tool.name))

  return {
    kind,
    id,
    bundle: bundle ?? null,
    entries,
    visible,
    find(name, caller) {
      for (const level of index) {
        const found = (level.get(name) ?? []).filter(
          ({ backend, tool }) => kind === 'shard' || caller.mayReach(backend.name, tool.name),
        )
        const [first] = found
        if (found.length === 1 && first) return { entry: first }
        if (found.length > 1) return { candidates: found.map(({ listed }) => listed.name) }
      }
      return { candidates: [] }
    },
    page(caller, from, size) {
      const shown = visible(caller)
      const slice = shown.slice(from, from + size)
      const next = from + size < shown.length ? from + size : undefined
      // Same tools, same bytes: callers of one scope share them.
      const key = `${from}:${size}:${shown.length}:${slice.map(({ tool }) => tool.id).join()}`
      const known = pages.get(key)
      if (known !== undefined) return { toolsJson: known, next }
      const last = next === undefined && shown.length > 0 && searchJson !== undefined
      const toolsJson = `[${[...slice.map(({ json }) => json), ...(last ? [searchJson] : [])].join(',')}]`
      if (pages.size > 50) pages.clear()
      pages.set(key, toolsJson)
      return { toolsJson, next }
    },
  }
}

/** One map per level of exactness. */
function indexed(entries: readonly Entry[]): readonly ReadonlyMap<string, readonly Entry[]>[] {
  const levels: Map<string, Entry[]>[] = []
  for (const entry of entries) {
    entry.names.forEach((names, level) => {
      levels[level] ??= new Map()
      for (const name of new Set(names)) {
        const list = levels[level]?.get(name)
        if (list) list.push(entry)
        else levels[level]?.set(name, [entry])
      }
    })
  }
  return levels
}

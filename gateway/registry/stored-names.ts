// Keeps operations under their stored names: otherwise numbers of colliding names would shift, and their guards with them.
import type { DiscoveredTool } from '../discovery/tool.ts'

/** A stored tool, with its definition loaded lazily, because most are never needed. */
export type Known = { readonly name: string; readonly definition: () => DiscoveredTool | undefined }

const MUTATION = 'mutation_'
/** Numbered names are cut before their number, so they share a prefix. */
const STEM = 120

/** The common prefix of names that could collide. */
function stemOf(name: string): string {
  const bare = name.startsWith(MUTATION) ? name.slice(MUTATION.length) : name
  return bare.replace(/(?:_\d+)+$/, '').slice(0, STEM)
}

/** The identity of an operation: its source name and target, independent of others. */
function identityOf({ sourceName, method, endpoint, baseUrl, graphql, mcp }: DiscoveredTool): string {
  if (graphql) return JSON.stringify([graphql.operation, graphql.operationName])
  if (mcp) return JSON.stringify([mcp.name])
  return JSON.stringify([sourceName, method, endpoint, baseUrl])
}

function contentOf(tool: DiscoveredTool): string {
  return JSON.stringify({ ...tool, name: '', sourceName: '' })
}

/** The tools with their final names. Unchanged ones keep their identity. */
export function withKeptNames(known: Iterable<Known>, tools: readonly DiscoveredTool[]): readonly DiscoveredTool[] {
  const before = Map.groupBy(known, ({ name }) => stemOf(name))
  const after = Map.groupBy(tools, ({ name }) => stemOf(name))
  const named = new Map<DiscoveredTool, DiscoveredTool>()
  for (const [stem, group] of after) {
    const had = before.get(stem) ?? []
    const names = new Set([...had, ...group].map(({ name }) => name))
    // A single name cannot collide.
    if (names.size > 1 && had.length > 0) settle(had, group, named)
  }
  return named.size === 0 ? tools : tools.map((tool) => named.get(tool) ?? tool)
}

function settle(
  had: readonly Known[],
  group: readonly DiscoveredTool[],
  named: Map<DiscoveredTool, DiscoveredTool>,
): void {
  const stored = had.flatMap(({ name, definition }) => {
    const tool = definition()
    return tool === undefined ? [] : [{ ...tool, name }]
  })
  const owner = owners(stored, group)
  const owned = new Set([...owner.values()].map(({ name }) => name))
  // The name of a removed operation is not given to an unrelated one.
  const asleep = new Map(stored.filter(({ name }) => !owned.has(name)).map((tool) => [tool.name, tool]))
  const taken = new Set([...owned, ...asleep.keys()])
  const wanted = new Set(group.map(({ name }) => name))
  for (const tool of group) {
    const own = owner.get(tool)
    if (own) {
      if (own.name !== tool.name) named.set(tool, { ...tool, name: own.name, sourceName: own.sourceName })
      continue
    }
    const left = asleep.get(tool.name)
    if (left === undefined ? taken.has(tool.name) : !isLikely(left, tool))
      named.set(tool, { ...tool, name: nextFree(tool.name, taken, wanted) })
    else taken.add(tool.name)
    if (left) asleep.delete(tool.name)
  }
}

/** It was moved or renamed, but not both. */
function isLikely(before: DiscoveredTool, after: DiscoveredTool): boolean {
  const isSamePlace =
    before.endpoint !== undefined && before.endpoint === after.endpoint && before.method === after.method
  return before.sourceName === after.sourceName || isSamePlace
}

/** Matches discovered tools to stored ones. Twins are distinguished by content, then by order. */
function owners(
  stored: readonly DiscoveredTool[],
  group: readonly DiscoveredTool[],
): ReadonlyMap<DiscoveredTool, DiscoveredTool> {
  const owner = new Map<DiscoveredTool, DiscoveredTool>()
  const left = Map.groupBy(stored, identityOf)
  const claim = (fits: (own: DiscoveredTool, tool: DiscoveredTool) => boolean): void => {
    for (const tool of group) {
      if (owner.has(tool)) continue
      const twins = left.get(identityOf(tool)) ?? []
      const at = twins.findIndex((own) => fits(own, tool))
      const own = twins[at]
      if (own === undefined) continue
      owner.set(tool, own)
      twins.splice(at, 1)
    }
  }
  claim((own, tool) => contentOf(own) === contentOf(tool))
  claim((own, tool) => own.name === tool.name)
  claim(() => true)
  return owner
}

const LONGEST = 128

/** Numbers names as discovery does, starting from the desired one. */
function nextFree(name: string, taken: Set<string>, wanted: ReadonlySet<string>): string {
  const [, stem = '', number] = /^(.*)_(\d+)$/.exec(name) ?? []
  const base = number !== undefined && wanted.has(stem) ? stem : name
  for (let n = 2; ; n += 1) {
    const suffix = `_${n}`
    const free = base.slice(0, LONGEST - suffix.length) + suffix
    if (taken.has(free)) continue
    taken.add(free)
    return free
  }
}

// An operation keeps the name it was stored under: when one that collided with it comes or goes, numbers would shift, and a guard with them.
import type { DiscoveredTool } from '../discovery/tool.ts'

/** A tool as stored: its definition only when it is asked for, because most of them never are. */
export type Known = { readonly name: string; readonly definition: () => DiscoveredTool | undefined }

const MUTATION = 'mutation_'
/** Numbered names are cut before their number, so the beginning is what they share. */
const STEM = 120

/** What names that could be mistaken for one another have in common. */
function stemOf(name: string): string {
  const bare = name.startsWith(MUTATION) ? name.slice(MUTATION.length) : name
  return bare.replace(/(?:_\d+)+$/, '').slice(0, STEM)
}

/** What its source calls it and where it leads: the same tomorrow, whatever stands beside it. */
function identityOf({ sourceName, method, endpoint, baseUrl, graphql, mcp }: DiscoveredTool): string {
  if (graphql) return JSON.stringify([graphql.operation, graphql.operationName])
  if (mcp) return JSON.stringify([mcp.name])
  return JSON.stringify([sourceName, method, endpoint, baseUrl])
}

function contentOf(tool: DiscoveredTool): string {
  return JSON.stringify({ ...tool, name: '', sourceName: '' })
}

/** The tools under the names they are going to have. Those that keep theirs are the very same values. */
export function withKeptNames(known: Iterable<Known>, tools: readonly DiscoveredTool[]): readonly DiscoveredTool[] {
  const before = Map.groupBy(known, ({ name }) => stemOf(name))
  const after = Map.groupBy(tools, ({ name }) => stemOf(name))
  const named = new Map<DiscoveredTool, DiscoveredTool>()
  for (const [stem, group] of after) {
    const had = before.get(stem) ?? []
    const names = new Set([...had, ...group].map(({ name }) => name))
    // Where only one name is concerned, there is nothing to mistake it for.
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
  // What belongs to an operation that went away is not given to one that has nothing to do with it.
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

/** It moved, or was renamed, but not both. */
function isLikely(before: DiscoveredTool, after: DiscoveredTool): boolean {
  const isSamePlace =
    before.endpoint !== undefined && before.endpoint === after.endpoint && before.method === after.method
  return before.sourceName === after.sourceName || isSamePlace
}

/** Which stored tool each discovered one is. Twins of one identity are told apart by their content, then by their order. */
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

/** As discovery numbers names: from the one everybody wanted. */
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

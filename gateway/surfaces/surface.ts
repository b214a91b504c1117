// A surface answers two questions: which tools, for whom. Built once per configuration, not per call.
import { SEARCH_TOOL } from '../contract/names.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { Composite } from '../registry/curated.ts'
import {
  type CompositeEntry,
  compositeEntryOf,
  type Entry,
  entryOf,
  type SurfaceKind,
  type ToolGates,
} from './listed.ts'

export type Found =
  | { readonly entry: Entry }
  | { readonly composite: CompositeEntry }
  | { readonly candidates: readonly string[] }
/** What a list holds: tools, then composites. */
export type Visible = Entry | CompositeEntry

export type Surface = {
  readonly kind: SurfaceKind
  /** `client:<name>`, `bundle:<name>` or `system`: what a session is bound to. */
  readonly id: string
  /** The one backend of a shard. */
  readonly client: string | null
  readonly bundle: string | null
  visible(caller: Caller): readonly Visible[]
  /** The tool a name means for this caller; several are candidates, none is an empty list. */
  find(name: string, caller: Caller): Found
  /** `tools/list` pages as JSON text, kept while the surface is. */
  page(caller: Caller, from: number, size: number): Page
  /** Aliases that are nobody's name, because several have them. */
  clashes(): readonly { readonly name: string; readonly entries: readonly Entry[] }[]
}

type Member = { readonly backend: Backend; readonly tool: Tool }

type Options = {
  readonly kind: SurfaceKind
  readonly id: string
  readonly bundle?: string
  readonly members: readonly Member[]
  /** The enabled ones, each with the tools of its steps as far as they are there. */
  readonly composites?: readonly { readonly composite: Composite; readonly steps: readonly (Member | undefined)[] }[]
  readonly gates: (tool: Tool) => ToolGates
  /** Enabled, live and discovered: whether it is listed, as of now. It may be found all the same, so that the refusal can say why. */
  readonly available: (backend: Backend, tool: Tool) => boolean
  readonly searchJson: string | undefined
}

const byName = (a: Visible, b: Visible): number =>
  a.listed.name < b.listed.name ? -1 : a.listed.name > b.listed.name ? 1 : 0

export function createSurface(options: Options): Surface {
  const { kind, id, bundle, members, composites = [], gates, available, searchJson } = options
  const present = members.filter(({ tool }) => tool.missingSince === null)
  const aliases = new Map<string, number>()
  for (const { tool } of present) {
    const alias = tool.config.overrides?.displayName
    if (alias) aliases.set(alias, (aliases.get(alias) ?? 0) + 1)
  }
  const compositeEntries = new Map(
    composites.map(({ composite, steps }) => [
      composite.name,
      compositeEntryOf(
        composite,
        steps.map((step) => step && { kind: step.backend.kind, tool: step.tool, gates: gates(step.tool) }),
      ),
    ]),
  )
  const taken = (alias: string): boolean =>
    (aliases.get(alias) ?? 0) > 1 || alias === SEARCH_TOOL || compositeEntries.has(alias)
  const entries = present.map(({ backend, tool }) => entryOf(kind, backend, tool, gates(tool), taken)).sort(byName)
  const index = indexed(entries)
  const listed = new Set(entries.filter(({ backend, tool }) => available(backend, tool)))
  const everything = createView([...listed, ...[...compositeEntries.values()].sort(byName)], searchJson)
  // Whoever may reach all of it shares its bytes; a narrower scope has its own, for as long as the caller is known.
  const views = new WeakMap<Caller['mayReach'], View>()

  function viewOf({ mayReach }: Caller): View {
    const known = views.get(mayReach)
    if (known) return known
    const reached = everything.entries.filter((entry) =>
      'composite' in entry ? reachesSteps(mayReach, entry) : mayReach(entry.backend.name, entry.tool.name),
    )
    const view = reached.length === everything.entries.length ? everything : createView(reached, searchJson)
    views.set(mayReach, view)
    return view
  }

  /** What is not reached is found by nobody: the answer must not depend on whether it is there. */
  const reaches = (caller: Caller, { backend, tool }: Entry): boolean => caller.mayReach(backend.name, tool.name)

  return {
    kind,
    id,
    client: kind === 'shard' ? id.slice('client:'.length) : null,
    bundle: bundle ?? null,
    visible: (caller) => viewOf(caller).entries,
    page: (caller, from, size) => viewOf(caller).page(from, size),
    clashes: () =>
      [...aliases.keys()].filter(taken).map((name) => ({
        name,
        entries: entries.filter(({ tool }) => tool.config.overrides?.displayName === name),
      })),
    find(name, caller) {
      const composite = compositeEntries.get(name)
      if (composite && reachesSteps(caller.mayReach, composite)) return { composite }
      for (const level of index) {
        const found = level.get(name)?.filter((entry) => reaches(caller, entry))
        if (found === undefined || found.length === 0) continue
        const shown = found.length === 1 ? found : found.filter((entry) => listed.has(entry))
        const [first = found[0]] = shown
        if (first && shown.length <= 1) return { entry: first }
        return { candidates: shown.map((entry) => entry.listed.name) }
      }
      return { candidates: [] }
    },
  }
}

/** Whoever may not call a step cannot call what runs it. */
const reachesSteps = (mayReach: Caller['mayReach'], { composite }: CompositeEntry): boolean =>
  composite.steps.every(({ targetClient, targetTool }) => mayReach(targetClient, targetTool))

type View = { readonly entries: readonly Visible[]; readonly page: (from: number, size: number) => Page }
type Page = { readonly toolsJson: string; readonly next: number | undefined }

/** What one scope sees: its pages are written when first asked for. */
function createView(entries: readonly Visible[], searchJson: string | undefined): View {
  const pages = new Map<number, Page>()
  return {
    entries,
    page(from, size) {
      const known = pages.get(from)
      if (known) return known
      const next = from + size < entries.length ? from + size : undefined
      const last = next === undefined && entries.length > 0 && searchJson !== undefined
      const tools = entries.slice(from, from + size).map(({ json }) => json)
      const page = { toolsJson: `[${(last ? [...tools, searchJson] : tools).join(',')}]`, next }
      // A cursor that no page named begins nothing that is worth keeping.
      if (from % size === 0) pages.set(from, page)
      return page
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

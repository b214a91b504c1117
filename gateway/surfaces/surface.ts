// A surface answers two questions: which tools, for whom. Built once per configuration, not per call.
import type { ListCost } from '../contract/admin/bundles.ts'
import { type ListMode, SEARCH_TOOL } from '../contract/names.ts'
import { inTurns } from '../discovery/in-turns.ts'
import type { Json } from '../mcp/json-text.ts'
import { packedBytes } from '../mcp/packed-bytes.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { Composite } from '../registry/curated.ts'
import { compactJson, estimatedCost, type ListForm, type ListTexts, listTexts, routerTools } from './list-form.ts'
import {
  type CompositeEntry,
  compositeEntryOf,
  type Entry,
  entryOf,
  type SurfaceKind,
  type ToolGates,
} from './listed.ts'
import { keepsResults, RESULT_JSON } from './result-query.ts'
import { searchesItself } from './searching-clients.ts'

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
  /** The page of `tools/list` after a position, or the first, as JSON that is kept while the surface is. */
  page(caller: Caller, after: string | undefined, size: number, form?: ListForm): Page | Promise<Page>
  /** The form of the list for a client, by the name it gives itself. */
  formFor(caller: Caller, program: string | null): ListForm
  /** Whether some clients see `call_tool` instead of the tools. */
  readonly routes: boolean
  /** What each form of the list costs a model, estimated. */
  cost(caller: Caller): ListCost
  texts(caller: Caller): ListTexts
  /** Whether a tool that this caller sees keeps large answers, so that questions about them are answered here. */
  keepsResults(caller: Caller): boolean
  /** Ambiguous aliases, because several tools have them. */
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
  readonly gates: (tool: Tool, backend: Backend) => ToolGates
  /** Enabled, live and discovered: whether it is listed, as of now. It may be found all the same, so that the refusal can say why. */
  readonly available: (backend: Backend, tool: Tool) => boolean
  readonly searchJson: string | undefined
  readonly listMode?: ListMode
}

/** Where an entry is in a list: tools by name, then composites by name. Positions stay comparable when entries come or go. */
const positionOf = (entry: Visible): string =>
  'composite' in entry
    ? `1${entry.listed.name}`
    : `0${[entry.listed.name, entry.backend.name, entry.tool.name].join('\0')}`
const inOrder = <E extends Visible>(entries: readonly E[]): E[] =>
  entries
    .map((entry) => ({ entry, position: positionOf(entry) }))
    .sort((a, b) => (a.position < b.position ? -1 : 1))
    .map(({ entry }) => entry)

export function createSurface(options: Options): Surface {
  const { kind, id, bundle, members, composites = [], gates, available, searchJson, listMode = 'full' } = options
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
        steps.map(
          (step) => step && { kind: step.backend.kind, tool: step.tool, gates: gates(step.tool, step.backend) },
        ),
      ),
    ]),
  )
  const taken = (alias: string): boolean =>
    (aliases.get(alias) ?? 0) > 1 || alias === SEARCH_TOOL || compositeEntries.has(alias)
  const entries = inOrder(present.map(({ backend, tool }) => entryOf(kind, backend, tool, gates(tool, backend), taken)))
  const index = indexed(entries)
  const listed = new Set(entries.filter(({ backend, tool }) => available(backend, tool)))
  const everything = createView([...listed, ...inOrder([...compositeEntries.values()])], searchJson)
  // All callers that may reach all of it share its bytes; a narrower scope has its own, for as long as its caller is known.
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

  /** What a caller may not reach is not found: the answer must not depend on whether it exists. */
  const reaches = (caller: Caller, { backend, tool }: Entry): boolean => caller.mayReach(backend.name, tool.name)

  return {
    kind,
    id,
    client: kind === 'shard' ? id.slice('client:'.length) : null,
    bundle: bundle ?? null,
    visible: (caller) => viewOf(caller).entries,
    page: (caller, after, size, form = 'full') => viewOf(caller).page(after, size, form),
    formFor(caller, program) {
      if (listMode === 'full' || searchesItself(program)) return 'full'
      const form = listMode === 'auto' ? viewOf(caller).cost().best : listMode
      // Without the search no client would find what to call.
      return form === 'router' && searchJson === undefined ? 'compact' : form
    },
    routes: searchJson !== undefined && (listMode === 'router' || listMode === 'auto'),
    cost: (caller) => viewOf(caller).cost(),
    texts: (caller) => viewOf(caller).texts(),
    keepsResults: (caller) => viewOf(caller).keepsResults,
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

/** A caller that may not call a step cannot call what runs it. */
const reachesSteps = (mayReach: Caller['mayReach'], { composite }: CompositeEntry): boolean =>
  composite.steps.every(({ targetClient, targetTool }) => mayReach(targetClient, targetTool))

type View = {
  readonly entries: readonly Visible[]
  readonly keepsResults: boolean
  readonly page: (after: string | undefined, size: number, form: ListForm) => Page | Promise<Page>
  readonly cost: () => ListCost
  readonly texts: () => ListTexts
}
/** `next`: the position of its last entry, when more follow. */
type Page = { readonly toolsJson: Json; readonly next: string | undefined }

/** A longer list is kept as bytes, and compressed for clients that accept it: schemas repeat their words. */
const LONG_LIST = 16 * 1024

function listText(text: string): Json {
  if (text.length < LONG_LIST) return text
  const bytes = Buffer.from(text)
  return { before: '', bytes, after: '', packed: packedBytes(bytes) }
}

/** A longer page is written in turns of the event loop. */
const LONG_PAGE = 100

/** What one scope sees: its pages are written when first asked for. */
function createView(entries: readonly Visible[], searchJson: string | undefined): View {
  const pages: Readonly<Record<Exclude<ListForm, 'router'>, Map<number, Page | Promise<Page>>>> = {
    full: new Map(),
    compact: new Map(),
  }
  let cost: ListCost | undefined
  const keeps = keepsResults(entries)
  const ours = [...(keeps ? [RESULT_JSON] : []), ...(searchJson === undefined ? [] : [searchJson])]

  function written(from: number, size: number, form: 'full' | 'compact'): Page | Promise<Page> {
    const shown = entries.slice(from, from + size)
    const last = from + size < entries.length ? shown.at(-1) : undefined
    const joined = (tools: readonly string[]): Page => {
      const all = last === undefined && entries.length > 0 ? [...tools, ...ours] : tools
      return { toolsJson: listText(`[${all.join(',')}]`), next: last && positionOf(last) }
    }
    const json = form === 'full' ? (entry: Visible): string => entry.json : ({ listed }: Visible) => compactJson(listed)
    return shown.length > LONG_PAGE ? inTurns(shown, json).then(joined) : joined(shown.map(json))
  }

  return {
    entries,
    keepsResults: keeps,
    cost: () => (cost ??= estimatedCost(listTexts(entries, keeps, ours))),
    texts: () => listTexts(entries, keeps, ours),
    page(after, size, form) {
      if (form === 'router')
        return { toolsJson: `[${entries.length === 0 ? '' : routerTools(keeps).join(',')}]`, next: undefined }
      const kept = pages[form]
      const from = after === undefined ? 0 : firstAfter(entries, after)
      const known = kept.get(from)
      if (known) return known
      const page = written(from, size, form)
      // Cursors of an earlier list begin anywhere; only the pages of this one are kept.
      if (from % size !== 0) return page
      kept.set(from, page)
      if (page instanceof Promise) void page.then((done) => kept.set(from, done))
      return page
    },
  }
}

/** The index of the first entry after a position, which need not be there any more. */
function firstAfter(entries: readonly Visible[], position: string): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = entries[middle]
    if (entry !== undefined && positionOf(entry) <= position) low = middle + 1
    else high = middle
  }
  return low
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

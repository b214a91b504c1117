// Who may write to a graph: an agent can hold it for a while, and a person can take it over.
import { AUTHORING, type AuthoringName, CATALOG, type PcgTool, type ToolName } from '../catalog/index.ts'
import type { CallContext, GraphLease } from '../contract/index.ts'
import { assetKey } from '../editor/content-path.ts'
import { PcgError } from '../editor/editor.ts'

/** As long as a turn may pause, so that a lease covers a turn. */
export const AGENT_LEASE_MS = 120_000
const PERSON_LEASE_MS = 900_000
const MOST_LEASES = 1000
const QUIET_MS = 10_000

/** Each toolset is an endpoint with sessions of its own: one agent may have a session at each. */
export type Surface = 'tools' | 'authoring'
type Held = GraphLease & {
  readonly owner: string
  readonly sessions: ReadonlyMap<Surface, string | null>
  readonly untilMs: number
  readonly announcedMs: number
}
/** The time of day for what is shown; a lease lasts as long when that is set. */
type Times = { readonly clock: { now(): number }; readonly monotonic: () => number }
export type Leases = ReturnType<typeof createLeases>

const ownerOf = ({ actor, program, source }: CallContext): string =>
  source === 'ui' ? `ui\n${actor}` : [actor, program].join('\n')
/** Of two sessions at one endpoint, the other is another agent of that name. */
function owns(held: Held | undefined, context: CallContext, surface: Surface): boolean {
  if (held?.owner !== ownerOf(context)) return false
  const known = held.sessions.get(surface)
  return held.person || known === undefined || known === (context.session ?? null)
}
const shownOf = ({
  owner: _owner,
  sessions: _sessions,
  untilMs: _until,
  announcedMs: _at,
  ...lease
}: Held): GraphLease => lease
const nameOf = ({ actor, program }: CallContext): string => program ?? actor
/** `/Game/PCG/Wood.Wood` is `/Game/PCG/Wood`. */
const bare = (graph: string): string => graph.trim().replace(/\.[^./]*$/, '')

const TOOLS: Readonly<Record<string, PcgTool>> = { ...CATALOG, ...AUTHORING }
/** They name a graph and leave it as it is. */
const NOT_WRITING: ReadonlySet<string> = new Set<ToolName | AuthoringName>([
  'create_pcg_graph',
  'add_pcg_component',
  'spawn_pcg_volume',
  'test_pcg_graph',
  'lease_pcg_graph',
  'release_pcg_graph',
])
/** The graph that a call writes to; null: none. */
export function writtenGraph(tool: string, args: unknown): string | null {
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined
  if (!known || known.effect === 'read' || NOT_WRITING.has(tool)) return null
  if (typeof args !== 'object' || args === null || ('dry_run' in args && args.dry_run === true)) return null
  return 'pcg_graph_path' in args && typeof args.pcg_graph_path === 'string' ? args.pcg_graph_path : null
}

/** The leases of all graphs, ended by a timer. */
function createHeld({ clock, monotonic }: Times, changed: (leases: GraphLease[]) => void) {
  const held = new Map<string, Held>()
  const waiting = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined

  const list = (): GraphLease[] => [...held.values()].filter(({ untilMs }) => untilMs > monotonic()).map(shownOf)
  function announce(): void {
    changed(list())
    for (const wake of waiting) wake()
    clearTimeout(timer)
    const next = Math.min(...[...held.values()].map(({ untilMs }) => untilMs))
    if (next === Number.POSITIVE_INFINITY) return
    timer = setTimeout(
      () => {
        for (const [key, { untilMs }] of held) if (untilMs <= monotonic()) held.delete(key)
        announce()
      },
      Math.max(0, next - monotonic()) + 1,
    )
    timer.unref()
  }
  function current(graph: string): Held | undefined {
    const found = held.get(assetKey(bare(graph)))
    return found && found.untilMs > monotonic() ? found : undefined
  }
  function put(graph: string, context: CallContext, ms: number, surface: Surface): GraphLease {
    const known = current(graph)
    const kept = owns(known, context, surface) ? known : undefined
    // An agent that writes often renews often: who looks on needs no event for each.
    const quiet = kept !== undefined && monotonic() - kept.announcedMs < QUIET_MS
    const untilMs = Math.max(kept?.untilMs ?? 0, monotonic() + ms)
    const lease: Held = {
      graph: bare(graph),
      holder: nameOf(context),
      person: context.source === 'ui',
      since: kept?.since ?? new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + untilMs - monotonic()).toISOString(),
      owner: ownerOf(context),
      sessions: new Map([...(kept?.sessions ?? []), [surface, context.session ?? null]]),
      untilMs,
      announcedMs: quiet ? kept.announcedMs : monotonic(),
    }
    held.delete(assetKey(bare(graph)))
    held.set(assetKey(bare(graph)), lease)
    const [oldest] = held.keys()
    if (held.size > MOST_LEASES && oldest !== undefined) held.delete(oldest)
    if (!quiet) announce()
    return shownOf(lease)
  }
  function other(graph: string, context: CallContext, surface: Surface): Held | undefined {
    const found = current(graph)
    return found && !owns(found, context, surface) ? found : undefined
  }
  return {
    list,
    current,
    put,
    other,
    remove(graph: string): void {
      held.delete(assetKey(bare(graph)))
      announce()
    },
    /** Resolves at the next change, when the time is over, or when the signal aborts. */
    async changed(ms: number, signal: AbortSignal | undefined): Promise<void> {
      const woken = Promise.withResolvers<void>()
      const wake = (): void => woken.resolve()
      const late = setTimeout(wake, ms)
      waiting.add(wake)
      signal?.addEventListener('abort', wake, { once: true })
      await woken.promise
      clearTimeout(late)
      waiting.delete(wake)
      signal?.removeEventListener('abort', wake)
    },
    close(): void {
      clearTimeout(timer)
      held.clear()
      for (const wake of waiting) wake()
    },
  }
}

const refusal = ({ graph, holder, person, expiresAt }: Held): PcgError =>
  new PcgError(
    'EDITOR_BUSY',
    `${graph} is held by ${holder}${person ? ', a person,' : ''} until ${expiresAt}. Wait for it with lease_pcg_graph and wait_ms, or work on another graph. A person can take it over in the studio`,
  )

export function createLeases(times: Times, changed: (leases: GraphLease[]) => void) {
  const { monotonic } = times
  const held = createHeld(times, changed)
  const { current, put, other } = held

  return {
    list: held.list,
    /** A write renews the lease of its caller. That of another refuses an agent, and never a person. */
    enter(graph: string, context: CallContext, surface: Surface): void {
      const isAgent = context.source === 'mcp'
      const holder = isAgent ? other(graph, context, surface) : undefined
      if (holder) throw refusal(holder)
      if (owns(current(graph), context, surface))
        put(graph, context, isAgent ? AGENT_LEASE_MS : PERSON_LEASE_MS, surface)
    },
    take: (graph: string, context: CallContext): GraphLease => put(graph, context, PERSON_LEASE_MS, 'tools'),
    /** Waits until no other caller holds it; throws who does when the time is over. */
    async acquire(graph: string, context: CallContext, ms: number, waitMs: number): Promise<GraphLease> {
      const until = monotonic() + waitMs
      for (;;) {
        const holder = other(graph, context, 'authoring')
        if (!holder) return put(graph, context, ms, 'authoring')
        context.signal?.throwIfAborted()
        const rest = until - monotonic()
        if (rest <= 0) throw refusal(holder)
        await held.changed(rest, context.signal)
      }
    },
    /** Without a caller: that of any holder. */
    release(graph: string, context: CallContext | null, surface: Surface = 'authoring'): boolean {
      const found = current(graph)
      if (!found || (context !== null && !owns(found, context, surface))) return false
      held.remove(graph)
      return true
    },
    close: held.close,
  }
}

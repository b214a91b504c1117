// What lists and answers cost models: by list, tool, client and run, and what each measure would save.

import { NO_USER } from '../../auth/unknown-user.ts'
import type { ContextUse, ListUse, ProgramUse, Run, RunReport, ToolUse } from '../../contract/admin/context.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { estimatedTokens } from '../../contract/tokens.ts'
import { costOf } from '../../pipeline/3-policy/budgets.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { KeptResultStore } from '../../storage/kept-results.ts'
import type { ReadWorker } from '../../storage/read-worker.ts'
import type { Directory } from '../../surfaces/directory.ts'
import { listCost } from '../../surfaces/list-form.ts'
import { searchesItself } from '../../surfaces/searching-clients.ts'
import type { Surface } from '../../surfaces/surface.ts'
import type { CountTokens } from '../../surfaces/token-counts.ts'
import type { Clock } from '../../telemetry/clock.ts'

const DAY_MS = 86_400_000
/** A session may last that long; older calls of it are not in its report. */
const RUN_MS = 7 * DAY_MS
const MOST_TOOLS = 200
/** What an outline with a handle takes: `docs/context.md` has the measurement. */
const OUTLINE_TOKENS = 500
const ANONYMOUS: Caller = { ...NO_USER, name: 'anonymous', kind: 'anonymous' }

type Window = { readonly from?: string | undefined; readonly to?: string | undefined }
type Deps = {
  readonly clock: Clock
  readonly readWorker: Pick<ReadWorker, 'ask'>
  readonly registry: Pick<LiveRegistry, 'known' | 'list'>
  readonly curated: Pick<Curated, 'bundles' | 'bundle'>
  readonly directory: Pick<Directory, 'draft' | 'shard'>
  readonly keptInSession: KeptResultStore['ofSession']
  readonly countTokens: CountTokens
}
type Amounts = { calls: number; bytes: number; tokens: number; cost: number }

const nothing = (): Amounts => ({ calls: 0, bytes: 0, tokens: 0, cost: 0 })
const iso = (ms: number): string => new Date(ms).toISOString()
const rounded = <A extends { readonly cost: number }>(of: A): A => ({ ...of, cost: Math.round(of.cost * 1e6) / 1e6 })

export function createContextUse(deps: Deps) {
  const { clock, readWorker, registry, curated, directory, keptInSession, countTokens } = deps

  const windowOf = ({ from, to }: Window, usualMs: number) => {
    const toMs = to === undefined ? clock.now() : Date.parse(to)
    return { fromMs: from === undefined ? toMs - usualMs : Date.parse(from), toMs }
  }

  function add(sum: Amounts, row: { client: string | null; tool: string; calls: number; bytes: number }): void {
    const tokens = estimatedTokens(row.bytes)
    const tool = row.client === null ? undefined : registry.known(row.client)?.tools.get(row.tool)
    sum.calls += row.calls
    sum.bytes += row.bytes
    sum.tokens += tokens
    sum.cost += tool === undefined ? 0 : costOf(tool, row.calls, tokens)
  }

  async function countedCost(surface: Surface) {
    const { full, compact, router, search } = surface.texts(ANONYMOUS)
    const [inFull = 0, inShort = 0, routed = 0, searched = 0] = await countTokens([full, compact, router, search])
    return listCost({ full: inFull, compact: inShort, router: routed, search: searched })
  }

  function shardOf(client: string): Surface | undefined {
    try {
      return directory.shard(client, ANONYMOUS)
    } catch (error) {
      if (error instanceof GatewayError) return undefined
      throw error
    }
  }

  async function listUse(
    surface: Surface,
    name: { readonly bundle: string | null; readonly client: string | null },
    sessions: readonly { readonly program: string | null }[],
  ): Promise<ListUse> {
    const listMode = (name.bundle === null ? undefined : curated.bundle(name.bundle)?.listMode) ?? 'full'
    const cost = await countedCost(surface)
    const listed = cost[surface.formFor(ANONYMOUS, null)]
    const short = sessions.filter(({ program }) => !searchesItself(program)).length
    const saves = short * Math.max(0, listed - cost[cost.best])
    return { ...name, listMode, cost, listed, sessions: sessions.length, saves }
  }

  type Sessions = Awaited<ReturnType<typeof sessionsIn>>
  const sessionsIn = (window: { fromMs: number; toMs: number }, { teamId }: Actor) =>
    readWorker.ask('contextSessions', { ...window, teamId })

  async function lists(actor: Actor, sessions: Sessions): Promise<ListUse[]> {
    const found: ListUse[] = []
    for (const { name } of curated.bundles().filter((bundle) => mayTouch(actor, bundle))) {
      const surface = directory.draft(name)
      const own = sessions.filter(({ bundle }) => bundle === name)
      if (surface) found.push(await listUse(surface, { bundle: name, client: null }, own))
    }
    const shards = new Set(sessions.flatMap(({ surface, client }) => (surface === 'shard' && client ? [client] : [])))
    for (const client of shards) {
      const surface = shardOf(client)
      const own = sessions.filter((each) => each.surface === 'shard' && each.client === client)
      if (surface) found.push(await listUse(surface, { bundle: null, client }, own))
    }
    return found.sort((a, b) => b.saves - a.saves || b.cost.full - a.cost.full)
  }

  type Row = { client: string | null; tool: string; program: string | null; calls: number; bytes: number }

  function tools(rows: readonly Row[]): ToolUse[] {
    return [...Map.groupBy(rows, ({ client, tool }) => `${client ?? ''}\u0001${tool}`).values()]
      .flatMap((own) => {
        const [first] = own
        if (first === undefined) return []
        const sum = nothing()
        for (const row of own) add(sum, row)
        const tokensPerCall = Math.round(sum.tokens / Math.max(1, sum.calls))
        const backend = first.client === null ? undefined : registry.known(first.client)
        const budget = backend?.tools.get(first.tool)?.config.contextBudget
        const saves =
          backend !== undefined && budget === undefined ? sum.calls * Math.max(0, tokensPerCall - OUTLINE_TOKENS) : 0
        const { client, tool } = first
        return [rounded({ client, tool, ...sum, tokensPerCall, contextBudget: budget?.mode ?? null, saves })]
      })
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, MOST_TOOLS)
  }

  function programs(rows: readonly Row[], sessions: Sessions): ProgramUse[] {
    return [...Map.groupBy(rows, ({ program }) => program)]
      .map(([program, own]) => {
        const sum = nothing()
        for (const row of own) add(sum, row)
        const seen = new Set(sessions.flatMap((each) => (each.program === program ? [each.session] : [])))
        return rounded({ program, ...sum, sessions: seen.size, searchesItself: searchesItself(program) })
      })
      .sort((a, b) => b.tokens - a.tokens)
  }

  async function reports(
    actor: Actor,
    found: Awaited<ReturnType<typeof latest>>,
    window: { fromMs: number; toMs: number },
  ) {
    const { teamId } = actor
    const calls = await readWorker.ask('runCalls', { ...window, teamId, sessions: found.map(({ session }) => session) })
    return found.map((run) => {
      const own = calls.filter(({ session }) => session === run.session)
      const [sum, inside] = [nothing(), nothing()]
      // The answer of a step stays inside its composite; its price does not.
      for (const row of own) if (row.deny_code === null) add(row.surface === 'composite' ? inside : sum, row)
      const refused = own.reduce((all, row) => all + (row.deny_code === null ? 0 : row.calls), 0)
      const { session, principal, program, bundle, client } = run
      const shown: Run = rounded({
        session,
        principal,
        program,
        bundle,
        client: bundle === null ? client : null,
        from: iso(run.first_ms),
        to: iso(run.last_ms),
        refused,
        ...sum,
        cost: sum.cost + inside.cost,
      })
      return { shown, own }
    })
  }

  const latest = (window: { fromMs: number; toMs: number }, { teamId }: Actor, limit: number, sessionId?: string) =>
    readWorker.ask('runs', { ...window, teamId, limit, sessionId })

  return {
    async use(actor: Actor, given: Window): Promise<ContextUse> {
      const window = windowOf(given, DAY_MS)
      const { teamId } = actor
      const [rows, sessions] = await Promise.all([
        readWorker.ask('contextUse', { ...window, teamId }),
        sessionsIn(window, actor),
      ])
      return {
        from: iso(window.fromMs),
        to: iso(window.toMs),
        lists: await lists(actor, sessions),
        tools: tools(rows),
        programs: programs(rows, sessions),
      }
    },

    async runs(actor: Actor, { limit, ...given }: Window & { readonly limit: number }): Promise<{ items: Run[] }> {
      const window = windowOf(given, DAY_MS)
      const found = await reports(actor, await latest(window, actor, limit), window)
      return { items: found.map(({ shown }) => shown) }
    },

    async run(actor: Actor, { session }: { readonly session: string }): Promise<{ report: RunReport | null }> {
      const window = windowOf({}, RUN_MS)
      const [report] = await reports(actor, await latest(window, actor, 1, session), window)
      if (report === undefined) return { report: null }
      const { shown, own } = report
      const surface = shown.bundle === null ? shown.client && shardOf(shown.client) : directory.draft(shown.bundle)
      const cost = surface ? await countedCost(surface) : undefined
      const listed = surface && cost ? cost[surface.formFor(ANONYMOUS, shown.program)] : 0
      const kept = await keptInSession(session, clock.now())
      const keptTokens = estimatedTokens(kept.bytes)
      const tools = Map.groupBy(
        own.filter(({ deny_code }) => deny_code === null),
        ({ client, tool }) => `${client}\u0001${tool}`,
      )
      const refusals = Map.groupBy(own, ({ deny_code }) => deny_code)
      refusals.delete(null)
      const made: RunReport = {
        ...shown,
        tools: [...tools.values()].map((rows) => {
          const sum = nothing()
          for (const row of rows) add(sum, row)
          return rounded({ client: rows[0]?.client ?? '', tool: rows[0]?.tool ?? '', ...sum })
        }),
        refusals: [...refusals].map(([code, rows]) => ({
          code: code ?? '',
          count: rows.reduce((all, { calls }) => all + calls, 0),
        })),
        listed,
        kept: { ...kept, tokens: keptTokens },
        saved: (cost ? cost.full - listed : 0) + Math.max(0, keptTokens - kept.results * OUTLINE_TOKENS),
      }
      return { report: made }
    },
  }
}

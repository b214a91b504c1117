// Budgets of keys, consumers, sessions, MCP clients and tools: what calls and their answers may cost in a period, and what is left of it.

import { BUDGET_LIMITS, type BudgetAmount, type BudgetInput } from '../../contract/admin/budgets.ts'
import { estimatedTokens } from '../../contract/tokens.ts'
import type { Outcome, Refused } from '../../outcome/outcome.ts'
import type { Base } from '../../records/base.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import { responseBytes } from '../8-audit/row.ts'
import { after } from '../after.ts'
import type { ToolCall } from '../call.ts'
import { createLoops } from './loops.ts'

export type BudgetRule = BudgetInput & { readonly id: number; readonly teamId: number | null }
/** What budgets read of a call. */
export type CountedCall = Pick<ToolCall, 'caller' | 'sessionHash' | 'program' | 'args' | 'rehearsed'> & {
  /** Without a name where the gateway itself answers. */
  readonly backend: Pick<Backend, 'name' | 'teamId'>
  readonly tool: Pick<Tool, 'name' | 'config'>
}
type Amounts = Readonly<Record<BudgetAmount, number>>
export type Used = { readonly subject: string; readonly used: Amounts; readonly resetsAt: string | null }
/** What is left of one budget, as its caller reads it. */
export type Left = {
  readonly budget: string
  readonly per: BudgetInput['per']
  readonly left: Partial<Amounts>
  readonly resetsAt?: string
}

/** What a call is counted under. */
export type Subject = {
  readonly principal?: string
  readonly consumerId?: number
  readonly client?: string
  readonly tool?: string
}
type Sums = readonly {
  readonly client: string
  readonly tool: string
  readonly calls: number
  readonly bytes: number
}[]
type Names = { readonly keys: ReadonlyMap<number, string>; readonly consumers: ReadonlyMap<number, string> }

type Parts = Pick<Base, 'clock' | 'monotonic'> & {
  readonly load: () => Promise<{ readonly rules: readonly BudgetRule[]; readonly names: Names }>
  /** From the call log. */
  readonly usedSince: (
    of: Subject,
    window: { readonly fromMs: number; readonly toMs: number; readonly teamId: number | null },
  ) => Promise<Sums>
  readonly toolOf: (client: string, name: string) => Tool | undefined
  /** Whether other instances count as well. */
  readonly shared: boolean
  readonly onFailed: (error: unknown) => void
}

type Counter = {
  readonly rule: BudgetRule
  readonly subject: string
  readonly of: Subject
  used: Record<BudgetAmount, number>
  underWay: number
  startMs: number
  endMs: number
  readMs: number
  reading: Promise<void> | undefined
}

const AMOUNTS = Object.keys(BUDGET_LIMITS) as readonly BudgetAmount[] // the keys of the table
const MOST_COUNTERS = 10_000
/** The call log has no sums of these: they count from the start of this process. */
const UNREAD: ReadonlySet<BudgetInput['per']> = new Set(['session', 'program'])
/** A client that gave itself no name. */
const NO_PROGRAM = 'unnamed'
/** How long the sums of other instances, names and rules may be old. */
const READ_AGAIN_MS = 5_000

export function periodOf(
  period: BudgetInput['period'],
  ms: number,
): { readonly startMs: number; readonly endMs: number } {
  const at = new Date(ms)
  const [year, month, day, hour] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()]
  if (period === 'month') return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) }
  if (period === 'day') return { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day + 1) }
  return { startMs: Date.UTC(year, month, day, hour), endMs: Date.UTC(year, month, day, hour + 1) }
}

export function costOf({ config: { price } }: Pick<Tool, 'config'>, calls: number, tokens: number): number {
  if (price === undefined) return 0
  return calls * (price.perCall ?? 0) + (tokens * (price.perMillionTokens ?? 0)) / 1_000_000
}

/** What decides which answers may be kept. */
const keepersOf = (rules: readonly BudgetRule[]): string =>
  JSON.stringify(
    rules.flatMap(({ keepAboveBytes, teamId, per, only }) => (keepAboveBytes === null ? [] : [[teamId, per, only]])),
  )

const round = (amount: BudgetAmount, value: number): number =>
  amount === 'cost' ? Math.round(value * 1e6) / 1e6 : value

export type Budgets = ReturnType<typeof createBudgets>

export function createBudgets({ clock, monotonic, load, usedSince, toolOf, shared, onFailed }: Parts) {
  let rules: readonly BudgetRule[] = []
  let names: Names = { keys: new Map(), consumers: new Map() }
  let loadedMs = 0
  const counters = new Map<string, Counter>()
  const held = new Map<CountedCall, readonly Counter[]>()
  const loops = createLoops(monotonic)
  const listeners: (() => void)[] = []

  async function reload(): Promise<void> {
    loadedMs = monotonic()
    const found = await load()
    const keeping = keepersOf(rules)
    rules = found.rules
    names = found.names
    if (keepersOf(rules) !== keeping) for (const listener of listeners) listener()
    const known = new Map(rules.map((rule) => [rule.id, rule]))
    for (const [key, { rule }] of counters) {
      const same = known.get(rule.id)
      // What was counted stays counted under changed limits, not under another scope.
      if (same?.per === rule.per && same.only === rule.only && same.period === rule.period)
        counters.set(key, { ...counters.get(key), rule: same } as Counter) // it was just read
      else counters.delete(key)
    }
  }

  /** Undefined where the rule is not about this call. */
  function subjectOf({ per, only }: BudgetRule, call: CountedCall): readonly [string, Subject] | undefined {
    const { caller, backend, tool, sessionHash, program } = call
    if (per === 'program') {
      const name = program ?? NO_PROGRAM
      return only === null || only === name ? [name, {}] : undefined
    }
    if (per === 'tool') {
      const name = backend.name === '' ? tool.name : `${backend.name}__${tool.name}`
      if (only === backend.name) return [only, { client: only }]
      return only === null || only === name ? [name, { client: backend.name, tool: tool.name }] : undefined
    }
    if (per === 'consumer') {
      const { consumerId } = caller
      const name = consumerId === null ? undefined : (names.consumers.get(consumerId) ?? String(consumerId))
      return consumerId !== null && name !== undefined && (only === null || only === name)
        ? [name, { consumerId }]
        : undefined
    }
    const label = (caller.keyId === null ? undefined : names.keys.get(caller.keyId)) ?? caller.name
    if (only !== null && only !== label && only !== caller.name) return undefined
    // Clients without sessions are counted by their credential.
    return per === 'session' && sessionHash !== null
      ? [sessionHash, { principal: caller.name }]
      : [caller.keyId === null ? caller.name : `${label} (${caller.name})`, { principal: caller.name }]
  }

  function counterOf(rule: BudgetRule, subject: string, of: Subject): Counter {
    const key = `${rule.id}\u0001${subject}`
    const known = counters.get(key)
    const counter = known ?? {
      rule,
      subject,
      of,
      used: { calls: 0, bytes: 0, tokens: 0, cost: 0 },
      underWay: 0,
      startMs: 0,
      endMs: 0,
      readMs: 0,
      reading: undefined,
    }
    counters.delete(key)
    counters.set(key, counter)
    const [oldest] = counters.size > MOST_COUNTERS ? counters.keys() : []
    if (oldest !== undefined) counters.delete(oldest)
    begin(counter)
    return counter
  }

  function begin(counter: Counter): void {
    const nowMs = clock.now()
    if (nowMs < counter.endMs) return
    const fresh =
      counter.rule.per === 'session'
        ? { startMs: nowMs, endMs: Number.POSITIVE_INFINITY }
        : periodOf(counter.rule.period, nowMs)
    Object.assign(counter, fresh)
    counter.used = { calls: 0, bytes: 0, tokens: 0, cost: 0 }
    counter.readMs = 0
  }

  /** What the call log has of the period: from before this process began, and of other instances. */
  function read(counter: Counter): Promise<void> {
    counter.reading ??= (async () => {
      const { rule, of, startMs } = counter
      const sums = await usedSince(of, { fromMs: startMs, toMs: clock.now(), teamId: rule.teamId })
      if (counter.startMs !== startMs) return
      const found = { calls: 0, bytes: 0, tokens: 0, cost: 0 }
      for (const { client, tool: name, calls, bytes } of sums) {
        const tokens = estimatedTokens(bytes)
        const tool = toolOf(client, name)
        found.calls += calls
        found.bytes += bytes
        found.tokens += tokens
        found.cost += tool === undefined ? 0 : costOf(tool, calls, tokens)
      }
      // Rows of the last calls may not be inserted yet.
      for (const amount of AMOUNTS) counter.used[amount] = Math.max(counter.used[amount], found[amount])
    })()
      .catch(onFailed)
      .finally(() => {
        counter.readMs = monotonic()
        counter.reading = undefined
      })
    return counter.reading
  }

  /** Undefined, or the reads that the decision waits for. */
  function reads(found: readonly Counter[]): Promise<unknown> | undefined {
    const nowMs = monotonic()
    const stale = found.filter(({ rule, readMs }) => {
      if (UNREAD.has(rule.per)) return false
      return readMs === 0 || (shared && nowMs - readMs > READ_AGAIN_MS)
    })
    if (stale.length === 0) return undefined
    const reading = Promise.all(stale.map(read))
    return stale.some(({ readMs }) => readMs === 0) ? reading : undefined
  }

  function leftOf({ rule, used, underWay, endMs }: Counter): Left {
    const left: Partial<Record<BudgetAmount, number>> = {}
    for (const amount of AMOUNTS) {
      const most = rule[BUDGET_LIMITS[amount]]
      const taken = used[amount] + (amount === 'calls' ? underWay : 0)
      if (most !== null) left[amount] = Math.max(0, round(amount, most - taken))
    }
    const resets = Number.isFinite(endMs) && { resetsAt: new Date(endMs).toISOString() }
    return { budget: rule.name, per: rule.per, left, ...resets }
  }

  function usedUp(counter: Counter, amount: BudgetAmount): Refused {
    const { rule, endMs } = counter
    const most = rule[BUDGET_LIMITS[amount]] ?? 0
    const until = Number.isFinite(endMs)
      ? `it starts again at ${new Date(endMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
      : 'begin another session'
    return {
      kind: 'refused',
      code: 'quota',
      reason: 'budget',
      text: `The budget "${rule.name}" for this ${rule.per === 'program' ? 'MCP client' : rule.per} is used up: ${most} ${amount === 'cost' ? 'of cost' : amount}; ${until}, or ask an administrator to raise it.`,
      ...(Number.isFinite(endMs) && { retryAfterMs: Math.max(1, endMs - clock.now()) }),
      limit: most,
      details: { limit: amount, budgets: [leftOf(counter)] },
    }
  }

  const loopKey = ({ sessionHash, caller, backend, tool }: CountedCall): string =>
    `${sessionHash ?? caller.name}\u0001${backend.name}\u0001${tool.name}`

  function judged(call: CountedCall, found: readonly Counter[]): Refused | undefined {
    for (const counter of found)
      for (const amount of AMOUNTS) {
        const most = counter.rule[BUDGET_LIMITS[amount]]
        if (most !== null && counter.used[amount] + (amount === 'calls' ? counter.underWay : 0) >= most)
          return usedUp(counter, amount)
      }
    if (found.some(({ rule }) => rule.stopLoops) && loops.repeats(loopKey(call), call.args))
      return {
        kind: 'refused',
        code: 'quota',
        reason: 'loop',
        text: 'The last three calls like this one had the same answer. Do not repeat it: use the answer you have, change the arguments, call another tool, or ask the person.',
        details: { limit: 'loop', ...(call.rehearsed ? {} : { budgets: found.map(leftOf) }) },
      }
    for (const counter of found) counter.underWay += 1
    held.set(call, found)
    return undefined
  }

  const matching = (call: CountedCall): readonly Counter[] =>
    rules.flatMap((rule) => {
      if (rule.teamId !== null && rule.teamId !== call.backend.teamId) return []
      const subject = subjectOf(rule, call)
      return subject === undefined ? [] : [counterOf(rule, ...subject)]
    })

  return {
    /** A guard. Waits once for each subject, until the call log was read. */
    guard(call: CountedCall): Refused | undefined | Promise<Refused | undefined> {
      if (rules.length === 0) return undefined
      // Keys and consumers may have other names, and other instances other rules.
      if (monotonic() - loadedMs > READ_AGAIN_MS) reload().catch(onFailed)
      const found = matching(call)
      return found.length === 0 ? undefined : after(reads(found), () => judged(call, found))
    },

    /** Every call that passed the guard comes here once; returns what is left after it. */
    settle(call: CountedCall, outcome: Outcome, passed: boolean): readonly Left[] | undefined {
      if (held.size === 0) return undefined
      const found = held.get(call)
      if (found === undefined) return undefined
      held.delete(call)
      const bytes = passed ? responseBytes(outcome) : 0
      const tokens = estimatedTokens(bytes)
      for (const counter of found) {
        counter.underWay -= 1
        if (!passed) continue
        begin(counter)
        counter.used.calls += 1
        counter.used.bytes += bytes
        counter.used.tokens += tokens
        counter.used.cost += costOf(call.tool, 1, tokens)
      }
      if (passed && found.some(({ rule }) => rule.stopLoops)) loops.note(loopKey(call), call.args, outcome)
      return found.map(leftOf)
    },

    reload,

    /** The size from which an answer of this call is kept. Asked before it is settled. */
    keepsAbove(call: CountedCall): number | undefined {
      if (held.size === 0) return undefined
      const sizes = held.get(call)?.flatMap(({ rule }) => rule.keepAboveBytes ?? [])
      return sizes === undefined || sizes.length === 0 ? undefined : Math.min(...sizes)
    },

    /** Whether answers of a tool may be kept for some caller, which is listed. */
    mayKeep: (backend: Pick<Backend, 'name' | 'teamId'>, tool: Pick<Tool, 'name'>): boolean =>
      rules.some(
        ({ keepAboveBytes, teamId, per, only }) =>
          keepAboveBytes !== null &&
          (teamId === null || teamId === backend.teamId) &&
          (per !== 'tool' || only === null || only === backend.name || only === `${backend.name}__${tool.name}`),
      ),

    /** Which answers may be kept has changed. */
    onKeeping: (listener: () => void): void => void listeners.push(listener),

    /** Of one budget, the subjects that used most first. */
    used(id: number): readonly Used[] {
      const found = [...counters.values()].filter(({ rule }) => rule.id === id)
      for (const counter of found) begin(counter)
      return found
        .sort((a, b) => b.used.tokens - a.used.tokens || b.used.calls - a.used.calls)
        .slice(0, 100)
        .map(({ subject, used, endMs }) => ({
          subject,
          used: { ...used, cost: round('cost', used.cost) },
          resetsAt: Number.isFinite(endMs) ? new Date(endMs).toISOString() : null,
        }))
    },
  }
}

// Three times as many calls as a gateway can serve: patient callers who are within their budgets, and one who is far beyond its own.
import { Connection, type LoadTarget } from './mcp-load.ts'
import { wait } from './server.ts'

export type ConnectionLimit = {
  readonly url: string
  readonly path: string
  /** Of the patient ones, who share them. */
  readonly keys: readonly string[]
  readonly greedyKey: string
  readonly patient: number
  readonly peakMs: number
  readonly overloadMs: number
  /** How long to wait at most for the gateway to be as it was. */
  readonly recoveryMs: number
}

export type Times = { readonly count: number; readonly perSecond: number; readonly p50: number; readonly p99: number }
export type Endured = {
  readonly peak: Times
  readonly offeredPerSecond: number
  /** Of the overload: answered with what was asked for, and asked to come later. */
  readonly served: Times
  readonly refused: Times
  /** All others, by what they were. */
  readonly odd: ReadonlyMap<string, number>
  /** From the end of the overload until the peak is reached again; undefined when it was not. */
  readonly normalAfterMs: number | undefined
}

const AT_PEAK = 64
const GREEDY = 64
const OVERLOAD = 3
/** Of the peak: what counts as being as before. */
const AS_BEFORE = 0.9
const RECOVERY_WINDOW_MS = 1_000
const TICK_MS = 5

function timesOf(all: number[], ms: number): Times {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { count: all.length, perSecond: (all.length * 1_000) / ms, p50: at(0.5), p99: at(0.99) }
}

class Tally {
  readonly served: number[] = []
  readonly refused: number[] = []
  readonly odd = new Map<string, number>()

  add(id: number, answer: { readonly status: number; readonly head: string; readonly body: string }, ms: number): void {
    const { status, head, body } = answer
    if (status === 200 && body.includes(`item ${id}\\"`)) this.served.push(ms)
    // A crowded backend is reported in a result.
    else if (status === 200 && body.includes('"retryable":true')) this.refused.push(ms)
    else if ((status === 429 || status === 503) && /^retry-after: \d+/im.test(head)) this.refused.push(ms)
    else {
      const what = `${status} ${body.replace(/\d+/g, 'N').slice(0, 160)}`
      this.odd.set(what, (this.odd.get(what) ?? 0) + 1)
    }
  }
}

let id = 0
async function callOnce(connection: Connection, tally: Tally): Promise<void> {
  id += 1
  const own = id
  const since = performance.now()
  const params = { name: 'get_item', arguments: { id: own } }
  const answer = await connection.post(JSON.stringify({ jsonrpc: '2.0', id: own, method: 'tools/call', params }))
  tally.add(own, answer, performance.now() - since)
}

/** Each calls again as soon as it is answered. */
async function closedLoop(callers: readonly Connection[], ms: number): Promise<Tally> {
  const tally = new Tally()
  const end = performance.now() + ms
  await Promise.all(
    callers.map(async (caller) => {
      while (performance.now() < end) await callOnce(caller, tally)
    }),
  )
  return tally
}

/** Calls as they fall due, also after failures; one that finds all callers waiting is made as soon as one is free. */
async function openLoop(callers: readonly Connection[], perSecond: number, ms: number, tally: Tally): Promise<void> {
  const idle = [...callers]
  const under = new Set<Promise<void>>()
  const started = performance.now()
  let begun = 0
  while (performance.now() - started < ms) {
    const due = ((performance.now() - started) * perSecond) / 1_000
    while (begun < due) {
      const caller = idle.shift()
      if (caller === undefined) break
      begun += 1
      const call = callOnce(caller, tally).then(() => {
        idle.push(caller)
        under.delete(call)
      })
      under.add(call)
    }
    await wait(TICK_MS)
  }
  await Promise.all(under)
}

async function opened(count: number, targetOf: (at: number) => LoadTarget): Promise<Connection[]> {
  const all = Array.from({ length: count }, (_none, at) => new Connection(targetOf(at)))
  const waiting = all.values()
  const one = async (): Promise<void> => {
    for (const connection of waiting) await connection.open()
  }
  await Promise.all(Array.from({ length: 16 }, one))
  return all
}

export async function endure(limit: ConnectionLimit): Promise<Endured> {
  const { url, path, keys, greedyKey, patient, peakMs, overloadMs, recoveryMs } = limit
  const target = (key: string): LoadTarget => ({ url, path, pid: 0, headers: { authorization: `Bearer ${key}` } })
  const callers = await opened(patient, (at) => target(keys[at % keys.length] ?? ''))
  const [first] = await opened(1, () => target(greedyKey))
  // All of them are one session, and so have one budget.
  const greedy = Array.from({ length: GREEDY }, () => first?.beside() ?? new Connection(target(greedyKey)))
  try {
    const few = callers.slice(0, AT_PEAK)
    await closedLoop(few, peakMs)
    const peak = timesOf((await closedLoop(few, peakMs)).served, peakMs)
    const tally = new Tally()
    // Its budget is used up before: what it sends then is all too much.
    const spent = new Tally()
    const isSpent = (): boolean => spent.refused.length + spent.odd.size > 0
    await Promise.all(
      greedy.map(async (each) => {
        while (!isSpent()) await callOnce(each, spent)
      }),
    )
    const share = (peak.perSecond * OVERLOAD) / 3
    await Promise.all([openLoop(callers, share * 2, overloadMs, tally), openLoop(greedy, share, overloadMs, tally)])
    const over = performance.now()
    let normalAfterMs: number | undefined
    while (normalAfterMs === undefined && performance.now() - over < recoveryMs) {
      const { served } = await closedLoop(few, RECOVERY_WINDOW_MS)
      if (timesOf(served, RECOVERY_WINDOW_MS).perSecond >= peak.perSecond * AS_BEFORE)
        normalAfterMs = performance.now() - over
    }
    return {
      peak,
      offeredPerSecond: share * 3,
      served: timesOf(tally.served, overloadMs),
      refused: timesOf(tally.refused, overloadMs),
      odd: new Map([...spent.odd, ...tally.odd]),
      normalAfterMs,
    }
  } finally {
    for (const each of [...callers, ...greedy, ...(first ? [first] : [])]) each.close()
  }
}

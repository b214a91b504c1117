// One entry of the file as a connection: its processes by who shares them, a queue where there are too many, and what is known of them.
import type { LocalServerProcess, ServerState } from '../../contract/admin/local-servers.ts'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import type { Ask, Connection, Conversation, Hearing, Listening, ListKind, UpstreamInfo } from '../../mcp/connection.ts'
import type { Answer } from '../../mcp/message.ts'
import type { Passage } from '../../net/door.ts'
import { ExchangeError } from '../../net/exchange.ts'
import { type Budget, createBudget } from '../budget.ts'
import { PATIENCE_MS } from '../streamable.ts'
import { createCrashes, type Timers } from './crashes.ts'
import { createLastOutput } from './last-output.ts'
import { type LaunchParts, launch, type Machine } from './launch.ts'
import type { Peer } from './peer.ts'
import { createSupervised, type Supervised } from './supervised.ts'

type Process = {
  readonly key: string
  readonly supervised: Supervised<Peer>
  state: ServerState
  since: number
  pid: number | null
  memoryBytes: number | null
  usedAt: number
  /** Calls that have it, or are about to. */
  claims: number
}

type Parts = {
  readonly machine: Machine
  readonly name: string
  readonly timers: Timers
  readonly random: () => number
  readonly entry: LocalServerEntry
  readonly home: string
  readonly secrets: LaunchParts['secrets']
  /** The secrets it was given, in every spelling. */
  readonly withheld: () => readonly string[]
  readonly facts: UpstreamInfo | undefined
  readonly onFacts: (facts: UpstreamInfo) => void
  readonly onListChanged: (kind: ListKind) => void
  readonly onState: (state: ServerState, reason: string | null) => void
}

export type ServerReport = {
  readonly state: ServerState
  readonly reason: string | null
  readonly file: string | null
  readonly startMs: number | null
  readonly handshakeMs: number | null
  readonly waiting: number
  readonly processes: readonly LocalServerProcess[]
  readonly network: readonly Passage[]
  readonly lastOutput: readonly string[]
}

/** Of one entry that is not shared by all, on one machine. */
const MOST_PROCESSES = 16
const MINUTE_MS = 60_000
const MOST_PASSAGES = 100
const FACTS_MS = 15_000
const SUBSCRIBE_BYTES = 1_048_576
/** The first state of any process is that of the server. */
const ORDER: readonly ServerState[] = ['ready', 'starting', 'resolving', 'idle', 'stopping', 'failed', 'stopped']

export type ProgramServer = ReturnType<typeof createServer>

export function createServer(parts: Parts) {
  const { machine, entry, timers } = parts
  const processes = new Map<string, Process>()
  const listeners = new Map<string, Hearing>()
  const queue: (() => void)[] = []
  const endings = new Set<Promise<void>>()
  const passages: Passage[] = []
  const crashes = createCrashes(timers, parts.random)
  const output = createLastOutput(parts.withheld, machine.monotonic)
  const most = entry.sharing === 'shared' ? 1 : Math.max(1, Math.floor(MOST_PROCESSES / machine.sharers))
  const isPrivate = entry.sharing === 'session'
  let facts = parts.facts
  let reason: string | null = null
  let file: string | null = null
  let startMs: number | null = null
  let handshakeMs: number | null = null
  let lastNumber = 0
  let closed = false
  const openStreams = new Set<() => void>()

  function keyOf(conversation: Conversation | undefined): string {
    if (entry.sharing === 'shared' || conversation === undefined) return ''
    return entry.sharing === 'session' ? conversation.key : (conversation.principal ?? conversation.key)
  }

  function create(key: string, conversation: Conversation | undefined): Process {
    const supervised = createSupervised<Peer>({
      idleMs: entry.idleMinutes * MINUTE_MS,
      timers,
      crashes,
      launch: (onPhase) =>
        launch({
          machine,
          name: parts.name,
          entry,
          home: parts.home,
          capabilities: isPrivate ? (conversation?.capabilities ?? {}) : {},
          isPrivate,
          number: machine.nextNumber(),
          listeners: () =>
            isPrivate ? [...listeners].flatMap(([own, each]) => (own === key ? [each] : [])) : listeners.values(),
          onListChanged: parts.onListChanged,
          output,
          secrets: parts.secrets,
          withheld: parts.withheld,
          onPhase,
          onPassage(passage) {
            passages.push(passage)
            if (passages.length > MOST_PASSAGES) passages.shift()
          },
          onStarted(started) {
            file = started.file
            made.pid = started.pid
          },
          onMemory(bytes) {
            made.memoryBytes = bytes
          },
          onReady(handshake, start) {
            handshakeMs = Math.round(handshake)
            startMs = Math.round(start)
          },
        }),
      onState(state, why) {
        if (made.state !== state) made.since = machine.clock.now()
        made.state = state
        if (state === 'stopped' || state === 'failed') {
          made.pid = null
          made.memoryBytes = null
        }
        if (state === 'failed') reason = why
        if (state === 'ready' || state === 'idle') reason = null
        // One of many that is over is made again for its next use.
        if (
          key !== '' &&
          (state === 'stopped' || state === 'failed') &&
          made.claims === 0 &&
          processes.get(key) === made
        )
          processes.delete(key)
        parts.onState(stateNow(), reason)
        if (state === 'stopped' || state === 'failed' || state === 'idle') queue.shift()?.()
      },
    })
    const made: Process = {
      key,
      supervised,
      state: 'stopped',
      since: machine.clock.now(),
      pid: null,
      memoryBytes: null,
      usedAt: (lastNumber += 1),
      claims: 0,
    }
    processes.set(key, made)
    return made
  }

  const stateNow = (): ServerState =>
    ORDER.find((state) => [...processes.values()].some((each) => each.state === state)) ??
    (reason === null ? 'stopped' : 'failed')

  /** Counts for the limit until it is gone. */
  async function end(process: Process): Promise<void> {
    processes.delete(process.key)
    const work = process.supervised.close()
    endings.add(work)
    await work
    endings.delete(work)
    queue.shift()?.()
  }

  /** A process for this client, claimed in the same turn so that no other call ends it as idle; undefined where all are in use. */
  async function place(conversation: Conversation | undefined): Promise<Process | undefined> {
    const key = keyOf(conversation)
    const found = processes.get(key) ?? (processes.size + endings.size < most ? create(key, conversation) : undefined)
    if (found) {
      found.claims += 1
      return found
    }
    const idle = [...processes.values()]
      .filter(({ claims, supervised }) => claims === 0 && supervised.users() === 0)
      .sort((a, b) => a.usedAt - b.usedAt)[0]
    if (idle === undefined) return undefined
    await end(idle)
    return place(conversation)
  }

  async function placed(conversation: Conversation | undefined, budget: Budget): Promise<Process> {
    const found = await place(conversation)
    if (found) return found
    let next: () => void = () => undefined
    const turn = new Promise<void>((resolve) => {
      next = resolve
      queue.push(next)
    })
    try {
      await budget.within(turn)
    } catch (error) {
      const at = queue.indexOf(next)
      if (at !== -1) queue.splice(at, 1)
      // Its turn came while it gave up.
      else queue.shift()?.()
      if (!(error instanceof ExchangeError) || error.kind !== 'timeout') throw error
      throw new ExchangeError(
        'no_socket',
        `all ${most} processes of it are in use (one for each ${entry.sharing}), and ${queue.length} more calls wait`,
      )
    }
    return placed(conversation, budget)
  }

  async function use<T>(
    conversation: Conversation | undefined,
    budget: Budget,
    work: (peer: Peer) => Promise<T>,
  ): Promise<T> {
    if (closed) throw new ExchangeError('network', 'it is no longer in the file of local servers')
    const process = await placed(conversation, budget)
    const { supervised } = process
    process.usedAt = lastNumber += 1
    try {
      const peer = await acquired(supervised, budget)
      try {
        return await work(peer)
      } finally {
        supervised.release()
      }
    } finally {
      process.claims -= 1
      if (process.claims === 0) queue.shift()?.()
    }
  }

  async function acquired(supervised: Supervised<Peer>, budget: Budget): Promise<Peer> {
    const acquiring = supervised.acquire()
    try {
      const peer = await budget.within(acquiring)
      learn(peer.facts)
      return peer
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw new ExchangeError('network', messageOf(error))
      // A caller that gives up leaves the start to the next call.
      acquiring.then(supervised.release, () => undefined)
      if (error.kind !== 'timeout') throw error
      const last = output.lines().at(-1)
      throw new ExchangeError(
        'network',
        `it is still ${supervised.state() === 'resolving' ? 'waiting for its next start' : 'starting: the handshake has no answer yet'}${last === undefined ? '' : `. Last output: ${last.slice(0, 300)}`}`,
      )
    }
  }

  function learn(found: UpstreamInfo): void {
    if (found === facts) return
    const isNew =
      JSON.stringify([found.revision, found.capabilities]) !== JSON.stringify([facts?.revision, facts?.capabilities])
    facts = found
    if (isNew) parts.onFacts(found)
  }

  async function request(asked: Ask): Promise<Answer> {
    const budget = createBudget(asked.timeoutMs, machine.monotonic, {
      onStart: asked.onStart,
      ...(asked.onServerRequest && isPrivate ? { patienceMs: PATIENCE_MS } : {}),
    })
    try {
      return await use(asked.conversation, budget, (peer) => peer.request(asked, budget))
    } catch (error) {
      throw budget.verdict(error)
    } finally {
      budget.end()
    }
  }

  /** Until its client leaves or the server is closed. A race with one long promise would keep each of its losers. */
  function untilCut(onStart: (cut: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const cut = (): void => {
        openStreams.delete(cut)
        resolve()
      }
      openStreams.add(cut)
      if (closed) cut()
      else onStart(cut)
    })
  }

  /** While a client has subscriptions, its process stays. */
  async function hear(hearing: Hearing): Promise<Listening> {
    const { conversation, resources, onStart, onOpen } = hearing
    listeners.set(conversation.key, hearing)
    try {
      if (resources.length === 0) {
        onOpen()
        await untilCut(onStart)
        return 'ended'
      }
      const budget = createBudget(FACTS_MS, machine.monotonic)
      await use(conversation, budget, async (peer) => {
        for (const uri of resources)
          await peer.request(
            {
              method: 'resources/subscribe',
              params: { uri },
              timeoutMs: FACTS_MS,
              maxBytes: SUBSCRIBE_BYTES,
              maxDepth: 64,
            },
            budget,
          )
        onOpen()
        await untilCut(onStart)
      })
      return 'ended'
    } finally {
      if (listeners.get(conversation.key) === hearing) listeners.delete(conversation.key)
    }
  }

  async function leave(key: string): Promise<void> {
    const gone = entry.sharing === 'session' ? processes.get(key) : undefined
    if (gone) await end(gone)
  }

  async function stop(): Promise<void> {
    reason = null
    await Promise.all([...processes.values()].map(({ supervised }) => supervised.stop()))
  }

  async function ownFacts(timeoutMs: number): Promise<UpstreamInfo> {
    return facts ?? use(undefined, createBudget(timeoutMs, machine.monotonic), async (peer) => peer.facts)
  }

  const connection: Connection = {
    request,
    notify: (conversation, method, params) =>
      processes.get(keyOf(conversation))?.supervised.running()?.notify(method, params),
    facts: ownFacts,
    known: () => facts,
    listen: async (_onListChanged, onStart) => {
      await untilCut(onStart)
      return 'ended'
    },
    hear,
    leave: (key) => void leave(key),
    async close() {
      closed = true
      for (const cut of openStreams) cut()
      for (const go of queue.splice(0)) go()
      await Promise.all([...endings, ...[...processes.values()].map(({ supervised }) => supervised.close())])
      processes.clear()
    },
  }

  return {
    entry,
    connection,
    stop,
    /** Stops it, and starts it where a process of its own can be started. */
    async restart(): Promise<void> {
      await stop()
      crashes.forgive()
      await use(undefined, createBudget(MINUTE_MS, machine.monotonic), async () => undefined)
    },
    whyDown: (): string | null => (stateNow() === 'failed' ? (reason ?? 'it failed') : null),
    report: (): ServerReport => ({
      state: stateNow(),
      reason,
      file,
      startMs,
      handshakeMs,
      waiting: queue.length,
      processes: [...processes.values()]
        .filter(({ state }) => state !== 'stopped' && state !== 'failed')
        .map(({ state, pid, memoryBytes, since, supervised }) => ({
          state,
          pid,
          memoryBytes,
          since: new Date(since).toISOString(),
          calls: Math.max(0, supervised.users()),
        })),
      network: [...passages],
      lastOutput: output.lines(),
    }),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

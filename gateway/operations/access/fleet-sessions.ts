// MCP sessions on other instances: each instance is asked for its part of a page, and those that do not answer are listed.
import { randomUUID } from 'node:crypto'
import type { McpSession } from '../../contract/admin/mcp-sessions.ts'
import type { Actor } from '../../contract/role.ts'

/** Part of a list, or the one session of a reference. */
export type Asked = Pick<Actor, 'teamId'> & {
  readonly after: string
  readonly limit: number
  readonly ref?: string | undefined
}
export type FleetSessionMessages = {
  sessions_asked: Asked & { readonly id: string }
  sessions_told: { readonly id: string; readonly sessions: readonly McpSession[] }
  session_ended: { readonly session: string }
}
export type FleetChannel = {
  readonly active: () => boolean
  readonly alive: () => readonly string[]
  send<K extends keyof FleetSessionMessages>(kind: K, body: FleetSessionMessages[K], to?: string): void
  on<K extends keyof FleetSessionMessages>(
    kind: K,
    handler: (body: FleetSessionMessages[K], from: string) => void,
  ): void
}
type Deps = {
  readonly instanceId: string
  readonly peers: FleetChannel
  /** The answer of this instance. */
  readonly own: (asked: Asked) => readonly McpSession[]
}
type AllSessions = { readonly sessions: readonly McpSession[]; readonly unanswered: readonly string[] }

/** A message without a notice is read within half a second. */
const ANSWER_MS = 2_000

export function createFleetSessions({ instanceId, peers, own }: Deps) {
  const waiting = new Map<string, (from: string, sessions: readonly McpSession[]) => void>()
  peers.on('sessions_asked', ({ id, ...asked }, from) =>
    peers.send('sessions_told', { id, sessions: own(asked) }, from),
  )
  peers.on('sessions_told', ({ id, sessions }, from) => waiting.get(id)?.(from, sessions))

  /** What the others hold, and which of them did not answer in time. */
  function others(asked: Asked): Promise<readonly [Map<string, readonly McpSession[]>, readonly string[]]> {
    const id = randomUUID()
    const silent = new Set(peers.alive().filter((each) => each !== instanceId))
    const answers = new Map<string, readonly McpSession[]>()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve([answers, [...silent].sort((a, b) => (a < b ? -1 : 1))])
      }
      const timer = setTimeout(done, ANSWER_MS)
      waiting.set(id, (from, sessions) => {
        answers.set(from, sessions)
        silent.delete(from)
        if (silent.size === 0) done()
      })
      peers.send('sessions_asked', { id, ...asked })
    })
  }

  return {
    /** Of all instances, one row for each session, in no order. Undefined without another instance. */
    async ask(asked: Asked): Promise<AllSessions | undefined> {
      if (!peers.active()) return undefined
      const [answers, unanswered] = await others(asked)
      const held = [...answers.set(instanceId, own(asked))].flatMap(([instance, sessions]) =>
        sessions.map((session) => ({ ...session, instances: [instance] })),
      )
      const sessions = Map.groupBy(held, ({ ref }) => ref)
      return { sessions: [...sessions.values()].map((each) => each.reduce(joined)), unanswered }
    },
    ended: (ref: string): void => peers.send('session_ended', { session: ref }),
  }
}

type Held = McpSession & { readonly instances: string[] }

/** One that its client used at both. */
function joined(a: Held, b: Held): Held {
  const last = a.lastSeenAt > b.lastSeenAt ? a : b
  return {
    ...last,
    clientInfo: a.clientInfo ?? b.clientInfo,
    hasStream: a.hasStream || b.hasStream,
    instances: [...a.instances, ...b.instances].sort((x, y) => (x < y ? -1 : 1)),
  }
}

// The MCP sessions of all instances: who is connected to what, and the end of one. Contract 7.8.

import type { McpSession, McpSessionList } from '../../contract/admin/mcp-sessions.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Session, Sessions } from '../../surfaces/sessions.ts'
import { type Asked, createFleetSessions, type FleetChannel } from './fleet-sessions.ts'

type McpSessionsDeps = Pick<Base, 'changes' | 'instanceId'> & {
  readonly sessions: Pick<Sessions, 'list' | 'end' | 'endElsewhere'>
  readonly peers: FleetChannel
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Pick<Curated, 'bundle'>
}

const SHOWN = 8

/** By birth, then by reference: the place of a session in the list never changes, at any instance. */
const orderOf = ({ createdAt, ref }: McpSession): string => `${String(Date.parse(createdAt)).padStart(15, '0')}${ref}`
const byOrder = (a: McpSession, b: McpSession): number => (orderOf(a) < orderOf(b) ? -1 : 1)

/** A session belongs to whom its backend or its bundle belongs to. */
export function mayTouchSession(
  actor: Pick<Actor, 'teamId'>,
  { surface }: Pick<Session, 'surface'>,
  { registry, curated }: Pick<McpSessionsDeps, 'registry' | 'curated'>,
): boolean {
  const at = surface.indexOf(':')
  const name = surface.slice(at + 1)
  const record = surface.startsWith('client:') ? registry.known(name) : curated.bundle(name)
  return mayTouch(actor, { teamId: at === -1 ? null : (record?.teamId ?? null) })
}

export function createMcpSessions({ changes, sessions, registry, curated, instanceId, peers }: McpSessionsDeps) {
  const mine = (actor: Pick<Actor, 'teamId'>, session: Session): boolean =>
    mayTouchSession(actor, session, { registry, curated })

  const present = (session: Session): McpSession => ({
    id: `${session.id.slice(0, SHOWN)}…`,
    ref: session.hash,
    surface: session.surface,
    principal: session.principal,
    clientInfo: session.clientInfo,
    revision: session.revision,
    createdAt: new Date(session.createdAtMs).toISOString(),
    lastSeenAt: new Date(session.lastSeenMs).toISOString(),
    hasStream: session.stream !== undefined,
  })

  /** Of this instance. */
  const own = ({ teamId, after, limit, ref }: Asked): readonly McpSession[] =>
    sessions
      .list()
      .filter((session) => (ref === undefined || session.hash === ref) && mine({ teamId }, session))
      .map(present)
      .filter((session) => orderOf(session) > after)
      .sort(byOrder)
      .slice(0, limit)
  const fleet = createFleetSessions({ instanceId, peers, own })

  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<McpSessionList> {
      const asked = { teamId, after: afterName(cursor) ?? '', limit: limit + 1 }
      const answer = await fleet.ask(asked)
      if (answer === undefined) return pageByName(own(asked), limit, orderOf)
      const page = pageByName(answer.sessions.toSorted(byOrder), limit, orderOf)
      return { ...page, unanswered: [...answer.unanswered] }
    },

    async close(by: By, ref: string): Promise<void> {
      const asked = { teamId: by.actor.teamId, after: '', limit: 1, ref }
      const here = sessions.list().find(({ hash }) => hash === ref)
      const answer = here === undefined ? await fleet.ask(asked) : undefined
      const [found] = answer?.sessions ?? own(asked)
      if (found === undefined) throw new GatewayError('SESSION_NOT_FOUND', notFound(answer?.unanswered ?? []))
      const { surface, principal, createdAt } = found
      await changes(by, (_tx, audit) => audit('mcp_session.close', ref, { surface, principal }))
      if (here) await sessions.end(here)
      else await sessions.endElsewhere({ hash: ref, createdAtMs: Date.parse(createdAt) })
      fleet.ended(ref)
    },
  }
}

const notFound = (unanswered: readonly string[]): string =>
  unanswered.length === 0
    ? 'There is no such session'
    : `No instance that answered has such a session; without an answer: ${unanswered.join(', ')}`

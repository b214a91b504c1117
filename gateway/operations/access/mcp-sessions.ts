// The MCP sessions of this process: who is connected to what, and the end of one. Contract 7.8.

import type { McpSession } from '../../contract/admin/mcp-sessions.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Session, Sessions } from '../../surfaces/sessions.ts'

type McpSessionsDeps = Pick<Base, 'changes'> & {
  readonly sessions: Pick<Sessions, 'list' | 'end'>
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Pick<Curated, 'bundle'>
}

const SHOWN = 8

/** By birth, then by reference: the place of a session in the list never changes. */
const orderOf = ({ createdAtMs, hash }: Session): string => `${String(createdAtMs).padStart(15, '0')}${hash}`

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

export function createMcpSessions({ changes, sessions, registry, curated }: McpSessionsDeps) {
  const mine = (actor: Actor, session: Session): boolean => mayTouchSession(actor, session, { registry, curated })

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

  return {
    list(actor: Actor, { limit, cursor }: Paging): Page<McpSession> {
      const after = afterName(cursor) ?? ''
      const found = sessions
        .list()
        .filter((session) => mine(actor, session) && orderOf(session) > after)
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
      const page = pageByName(found.slice(0, limit + 1), limit, orderOf)
      return { ...page, items: page.items.map(present) }
    },

    async close(by: By, ref: string): Promise<void> {
      const session = sessions.list().find(({ hash }) => hash === ref)
      if (session === undefined || !mine(by.actor, session))
        throw new GatewayError('SESSION_NOT_FOUND', 'There is no such session')
      const { surface, principal } = session
      await changes(by, (_tx, audit) => audit('mcp_session.close', ref, { surface, principal }))
      await sessions.end(session)
    },
  }
}

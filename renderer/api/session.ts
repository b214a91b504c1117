// The signed-in user as a query: a record, or null if a sign-in is required.
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { type Actor, ApiError, type Me } from '#contract'
import { api } from './api.ts'
import { desktopBridge } from './desktop.ts'
import { ownDrafts } from './draft-owner.ts'
import { openAhead } from './event-source.ts'

/** Whether the session of the shown page ended: the page stays under the sign-in, with everything typed in it. */
export const useSessionEnd = create<{ readonly ended: boolean }>(() => ({ ended: false }))

const ME: readonly string[] = ['me']

export const meQuery = queryOptions({
  queryKey: ME,
  queryFn: async ({ client }): Promise<Me | null> => {
    const before = client.getQueryData<Me | null>(ME)
    const streamOpened = before || desktopBridge() ? undefined : openAhead()
    try {
      const me = await api.auth.me()
      await streamOpened?.()
      // Another user must not see the page of the one before.
      if (before && nameIn(before) !== nameIn(me)) location.reload()
      ownDrafts(nameIn(me))
      useSessionEnd.setState({ ended: false })
      return me
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      // Read again: the user may have signed out in the meantime.
      if (!client.getQueryData<Me | null>(ME)) return null
      useSessionEnd.setState({ ended: true })
      return before ?? null
    }
  },
  staleTime: 60_000,
})

const nameIn = ({ user, authMethod }: Me): string => user?.username ?? authMethod

/** The session ended: the sign-in opens over the page. */
export function sessionIsOver(queries: QueryClient): void {
  if (queries.getQueryData(meQuery.queryKey)) useSessionEnd.setState({ ended: true })
}

/** The user signed out: the sign-in replaces the page, and no draft stays. */
export function forgetSession(queries: QueryClient): void {
  ownDrafts(null)
  useSessionEnd.setState({ ended: false })
  queries.setQueryData(meQuery.queryKey, null)
}

export function sessionEnded(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code === 'UNAUTHORIZED'
}

export function actorOf(me: Me): Actor {
  return {
    name: me.user?.username ?? me.authMethod,
    kind: me.authMethod,
    role: me.role,
    teamId: me.user?.teamId ?? null,
    ...(me.user ? { username: me.user.username } : {}),
  }
}

/** Inside the shell only, where a user is signed in. */
export function useActor(): Actor {
  const { data } = useSuspenseQuery(meQuery)
  return data ? actorOf(data) : ANONYMOUS
}

/** For the render between a session's end and the sign-in page. */
const ANONYMOUS: Actor = { name: '', kind: 'session', role: 'viewer', teamId: null }

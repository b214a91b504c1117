// The signed-in user as a query: a record, or null if a sign-in is required.
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type Actor, ApiError, type Me } from '#contract'
import { api } from './api.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Me | null> => {
    try {
      return await api.auth.me()
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** Shows the sign-in, then returns to the page. */
export function forgetSession(queries: QueryClient): void {
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

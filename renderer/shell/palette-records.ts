// The records a word of the palette finds, by the gateway: every kind this person may see, in one list.
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { mayUse, type UserRecord } from '#contract'
import { api } from '../api/api.ts'
import { findBackends, findBundles, findKeys, findTools } from '../api/find.ts'
import { useActor } from '../api/session.ts'
import type { Asked } from './palette-verbs.ts'
import type { Recent } from './recent.ts'

export type Kind = Recent['kind']
export type PaletteRecord = { readonly kind: Kind; readonly name: string; readonly about: string; readonly to: string }
type Found = { readonly records: readonly PaletteRecord[]; readonly failed: unknown }

const EACH = 6
const EACH_OF_ONE = 20

const FINDERS: Readonly<Record<Kind, (q: string, queries: QueryClient) => Promise<readonly PaletteRecord[]>>> = {
  backend: async (q) =>
    (await findBackends(q)).items.map(({ name, enabled, toolsCount }) => ({
      kind: 'backend',
      name,
      about: enabled ? `${toolsCount} tools` : 'disabled',
      to: `/backends/${name}`,
    })),
  tool: async (q) =>
    (await findTools(q)).items.map(({ client, tool, alias }) => ({
      kind: 'tool',
      name: alias ?? tool,
      about: client,
      to: `/tools/${client}/${encodeURIComponent(tool)}`,
    })),
  bundle: async (q) =>
    (await findBundles(q)).items.map(({ name, toolsCount }) => ({
      kind: 'bundle',
      name,
      about: `${toolsCount} tools`,
      to: `/bundles/${name}`,
    })),
  key: async (q) =>
    (await findKeys(q)).items.map(({ label, keyPrefix }) => ({
      kind: 'key',
      name: label,
      about: `${keyPrefix}…`,
      to: `/keys?${new URLSearchParams({ q: label })}`,
    })),
  user: async (q, queries) =>
    (await allUsers(queries))
      .filter(({ username }) => username.includes(q.toLowerCase()))
      .map(({ username, role }) => ({
        kind: 'user',
        name: username,
        about: role,
        to: `/users?${new URLSearchParams({ q: username })}`,
      })),
}

/** Users are the one list the gateway does not search; there are few, and they are asked for once. */
function allUsers(queries: QueryClient): Promise<readonly UserRecord[]> {
  return queries.fetchQuery({
    queryKey: ['users', 'all'],
    staleTime: 30_000,
    queryFn: async () => {
      const users: UserRecord[] = []
      let cursor: string | undefined
      do {
        const page = await api.users.list({ query: { limit: '200', ...(cursor ? { cursor } : {}) } })
        users.push(...page.items)
        cursor = page.nextCursor
      } while (cursor)
      return users
    },
  })
}

export function usePaletteRecords({ verb, words }: Asked) {
  const queries = useQueryClient()
  const actor = useActor()
  const kinds = (Object.keys(FINDERS) as Kind[]).filter(
    (kind) => (verb === undefined || verb.kind === kind) && (kind !== 'user' || mayUse(actor, 'superadmin')),
  )
  return useQuery({
    queryKey: ['palette', kinds, words],
    enabled: words !== '' || verb !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<Found> => {
      const lists = await Promise.allSettled(kinds.map((kind) => FINDERS[kind](words, queries)))
      return {
        records: lists.flatMap((list) =>
          list.status === 'fulfilled' ? list.value.slice(0, verb ? EACH_OF_ONE : EACH) : [],
        ),
        failed: lists.find((list) => list.status === 'rejected')?.reason,
      }
    },
  })
}

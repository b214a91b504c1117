// Records found by a word, by the gateway: what pickers and the palette ask. The first page is enough to choose from.
import type { Page, UserRecord } from '#contract'
import { api } from './api.ts'

const LIMIT = '30'
type Matches<T> = { readonly items: readonly T[]; readonly more: boolean }

const queryOf = (q: string) => ({ limit: LIMIT, ...(q ? { q } : {}) })
const matchesOf = <T>({ items, nextCursor }: Page<T>): Matches<T> => ({ items, more: nextCursor !== undefined })

export const findBackends = async (q: string) => matchesOf(await api.clients.list({ query: queryOf(q) }))
export const findTools = async (q: string) => matchesOf(await api.tools.list({ query: queryOf(q) }))
export const findBundles = async (q: string) => matchesOf(await api.bundles.list({ query: queryOf(q) }))
export const findKeys = async (q: string) => matchesOf(await api.mcpKeys.list({ query: queryOf(q) }))
export const findActiveKeys = async (q: string) =>
  matchesOf(await api.mcpKeys.list({ query: { ...queryOf(q), active: 'true' } }))

/** The one list the gateway does not search; there are few, so all are read. */
export async function findUsers(q: string): Promise<Matches<UserRecord>> {
  const found: UserRecord[] = []
  let cursor: string | undefined
  do {
    const page = await api.users.list({ query: { limit: '200', ...(cursor ? { cursor } : {}) } })
    found.push(...page.items.filter(({ username }) => username.includes(q.toLowerCase())))
    cursor = page.nextCursor
  } while (cursor)
  return { items: found.slice(0, Number(LIMIT)), more: found.length > Number(LIMIT) }
}

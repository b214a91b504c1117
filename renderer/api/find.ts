// Server-side search for pickers and the palette. The first page is enough to choose from.
import type { Page } from '#contract'
import { api } from './api.ts'

const LIMIT = '30'
type Matches<T> = { readonly items: readonly T[]; readonly more: boolean }

const queryOf = (q: string) => ({ limit: LIMIT, ...(q ? { q } : {}) })
const matchesOf = <T>({ items, nextCursor }: Page<T>): Matches<T> => ({ items, more: nextCursor !== undefined })

export const findBackends = async (q: string) => matchesOf(await api.clients.list({ query: queryOf(q) }))
export const findTools = async (q: string) => matchesOf(await api.tools.list({ query: queryOf(q) }))
export const findToolsOf = async (client: string, q: string) =>
  matchesOf(await api.tools.list({ query: { ...queryOf(q), client } }))
export const findBundles = async (q: string) => matchesOf(await api.bundles.list({ query: queryOf(q) }))
export const findKeys = async (q: string) => matchesOf(await api.mcpKeys.list({ query: queryOf(q) }))
export const findActiveKeys = async (q: string) =>
  matchesOf(await api.mcpKeys.list({ query: { ...queryOf(q), active: 'true' } }))

export const findComposites = async (q: string) => matchesOf(await api.composites.list({ query: queryOf(q) }))

/** The calls of one request; a composite makes several. */
export const findCalls = async (requestId: string) =>
  matchesOf(await api.usage.calls({ query: { requestId, limit: LIMIT } }))

type Paging = { readonly limit: string; readonly cursor?: string }

/** Reads pages until the limit. */
async function allOf<T>(
  read: (paging: Paging) => Promise<Page<T>>,
  fits: (record: T) => boolean,
  enough = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit: '200', ...(cursor ? { cursor } : {}) })
    found.push(...page.items.filter(fits))
    cursor = page.nextCursor
  } while (cursor && found.length < enough)
  return found
}

/** Reads all of short lists that the gateway does not search. */
async function among<T>(
  read: (paging: Paging) => Promise<Page<T>>,
  nameOf: (record: T) => string,
  q: string,
): Promise<Matches<T>> {
  const found = await allOf(read, (record) => nameOf(record).toLowerCase().includes(q.toLowerCase()))
  return { items: found.slice(0, Number(LIMIT)), more: found.length > Number(LIMIT) }
}

/** Filters out deleted ones. */
export const keysOf = (ids: readonly number[]) =>
  allOf(
    (query) => api.mcpKeys.list({ query }),
    ({ id }) => ids.includes(id),
    ids.length,
  )

export const findUsers = (q: string) =>
  among(
    (query) => api.users.list({ query }),
    ({ username }) => username,
    q,
  )
export const findTeams = (q: string) =>
  among(
    (query) => api.teams.list({ query }),
    ({ name }) => name,
    q,
  )
export const findConsumers = (q: string) =>
  among(
    (query) => api.consumers.list({ query }),
    ({ name }) => name,
    q,
  )
export const findPolicies = (q: string) =>
  among(
    (query) => api.policies.list({ query }),
    ({ name }) => name,
    q,
  )
export const findSchedules = (q: string) =>
  among(
    (query) => api.schedules.list({ query }),
    ({ action, clientName, toolName, note }) => `${action} ${clientName} ${toolName ?? ''} ${note ?? ''}`,
    q,
  )

// Records found by a word, by the gateway: what pickers and the palette ask. The first page is enough to choose from.
import type { Page } from '#contract'
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

// The calls of a filter, page by page, with new ones on top: an event says that there are some, the gateway says which.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { CallRow } from '#contract'
import { api } from '../../api/api.ts'
import { useTopic } from '../../api/live.ts'
import { type Paged, usePaged } from '../../ui/paged.tsx'
import { type CallFilter, queryOf } from './call-filter.ts'

const GATHER_MS = 300
const READ = 200

export type Calls = { readonly list: Paged<CallRow>; readonly rows: readonly CallRow[] }

/** `live` is false for a time that is over. */
export function useCalls(filter: CallFilter, live: boolean): Calls {
  const queries = useQueryClient()
  const queryKey = ['call-log', filter]
  const list = usePaged(queryKey, (paging) => api.usage.calls({ query: { ...queryOf(filter, Date.now()), ...paging } }))
  const key = JSON.stringify(filter)
  const [gathered, setGathered] = useState<{ readonly key: string; readonly rows: readonly CallRow[] }>({
    key,
    rows: [],
  })
  const rows = merged(gathered.key === key ? gathered.rows : [], list.rows)
  const timer = useRef<number>(undefined)

  const gather = useEffectEvent(async () => {
    const { items } = await api.usage.calls({ query: { ...queryOf(filter, Date.now()), limit: String(READ) } })
    const newest = rows[0]?.id ?? 0
    const fresh = items.filter(({ id }) => id > newest)
    // More than a page came at once: reading from the top again leaves no gap.
    if (fresh.length === READ && newest > 0) await queries.resetQueries({ queryKey, exact: true })
    else if (fresh.length > 0)
      setGathered((before) => ({ key, rows: merged(fresh, before.key === key ? before.rows : []) }))
  })
  useTopic('calls', () => {
    if (!live || !list.loaded) return
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      // The next event tries again; the shell shows that the gateway is away.
      gather().catch(() => undefined)
    }, GATHER_MS)
  })
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return { list, rows }
}

/** Newest first, each once. */
function merged(fresh: readonly CallRow[], known: readonly CallRow[]): readonly CallRow[] {
  if (fresh.length === 0) return known
  const ids = new Set(known.map(({ id }) => id))
  return [...fresh.filter(({ id }) => !ids.has(id)), ...known].toSorted((a, b) => b.id - a.id)
}

// Refetches queries that may be stale, including those in flight.
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** A first fetch in flight may predate the change, so it is repeated after its answer. */
export function askAgain(queries: QueryClient, queryKey: QueryKey = []): void {
  const underWay = queries.getQueryCache().findAll({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state: { status } }) => status === 'pending',
  })
  for (const query of underWay) {
    const again = (): void => void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, again)
  }
  void queries.invalidateQueries({ queryKey, predicate: ({ state: { status } }) => status !== 'pending' })
}

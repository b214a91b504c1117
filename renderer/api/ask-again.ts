// What was read may be old by now: it is asked again, also what is only just being read.
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** A first question under way may have been answered before the change, so it is put again once its answer is here. */
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

// A list that the gateway gives page by page: its rows so far, and what a table takes to show them and to load more.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Page } from '#contract'
import { LoadMore } from './LoadMore.tsx'
import type { TableProps } from './Table.tsx'

const PAGE_SIZE = '200'

export type Paging = { readonly limit: string; readonly cursor?: string }

export type Paged<T> = {
  readonly rows: readonly T[]
  /** Whether anything came yet, and whether there is more of it. */
  readonly loaded: boolean
  readonly more: boolean
  /** Spread into the table. */
  readonly table: Pick<TableProps<T>, 'rows' | 'loading' | 'error' | 'onRetry' | 'foot'>
}

export function usePaged<T, P extends Page<T> = Page<T>>(
  queryKey: readonly unknown[],
  read: (paging: Paging) => Promise<P & Page<T>>,
  {
    againMs,
    enabled = true,
  }: {
    /** For what changes without an event. */
    readonly againMs?: number | undefined
    /** Until then nothing is asked for. */
    readonly enabled?: boolean
  } = {},
): Paged<T> & { readonly pages: readonly P[] } {
  const list = useInfiniteQuery({
    queryKey,
    refetchInterval: againMs ?? false,
    enabled,
    queryFn: ({ pageParam }) => read({ limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
  const pages = list.data?.pages ?? []
  const rows = pages.flatMap((page) => page.items)
  return {
    rows,
    pages,
    loaded: list.isSuccess,
    more: list.hasNextPage,
    table: {
      rows,
      loading: list.isPending,
      error: list.error,
      onRetry: () => void list.refetch(),
      foot: list.hasNextPage && (
        <LoadMore
          more
          loading={list.isFetchingNextPage}
          error={list.isFetchNextPageError ? list.error : undefined}
          onLoad={() => void list.fetchNextPage()}
          end=""
        />
      ),
    },
  }
}

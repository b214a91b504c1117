// Lists for a scoped caller: hidden records leave no gap, count or cursor.
import type { Page } from '../contract/page.ts'
import type { Paging } from '../storage/page.ts'

type Read<T> = (paging: Paging) => Page<T> | Promise<Page<T>>

/** The rows read at a time to fill a page. */
const STRIDE = 200

/** Reads until the page is full, then returns the list's own cursor. */
export async function reachedPage<T>(
  read: Read<T>,
  reaches: ((row: T) => boolean) | undefined,
  paging: Paging,
  pageOf: (rows: readonly T[], limit: number) => Page<T>,
): Promise<Page<T>> {
  if (reaches === undefined) return read(paging)
  const kept: T[] = []
  let { cursor } = paging
  do {
    const { items, nextCursor } = await read({ limit: STRIDE, cursor })
    for (const row of items) if (reaches(row)) kept.push(row)
    cursor = nextCursor
  } while (cursor !== undefined && kept.length <= paging.limit)
  return pageOf(kept.slice(0, paging.limit + 1), paging.limit)
}

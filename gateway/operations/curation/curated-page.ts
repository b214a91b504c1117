// A page of what an administrator has put together: bundles and composites, by name.
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Bundle } from '../../registry/curated.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'

type CuratedRecord = Pick<Bundle, 'name' | 'description' | 'enabled' | 'teamId'>
export type CuratedFilter = { readonly q?: string | undefined; readonly enabled?: boolean | undefined }

/** Of `records` in the order of their names, those the actor may touch. */
export function curatedPage<T extends CuratedRecord, S extends { readonly name: string }>(
  records: readonly T[],
  actor: Actor,
  { limit, cursor, q, enabled }: CuratedFilter & Paging,
  summary: (record: T) => S,
): Page<S> {
  const after = afterName(cursor) ?? ''
  const wanted = q?.toLowerCase()
  const found = records.filter(
    (record) =>
      record.name > after &&
      mayTouch(actor, record) &&
      (enabled === undefined || record.enabled === enabled) &&
      (wanted === undefined ||
        record.name.includes(wanted) ||
        (record.description ?? '').toLowerCase().includes(wanted)),
  )
  return pageByName(found.slice(0, limit + 1).map(summary), limit, ({ name }) => name)
}

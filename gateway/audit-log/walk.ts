// Checks the whole chain against the last signed head.
import { setImmediate } from 'node:timers/promises'
import type { AuditVerdict } from '#contract'
import type { Query, Schema } from '../storage/schema.ts'
import { entryHash } from './canonical.ts'
import type { SignedHead } from './head.ts'

const PAGE = 250

type Row = Schema['audit_log']
type Break = Pick<AuditVerdict, 'brokenAt' | 'reason'>

/** `signed` must be read before the walk: it may lag behind the table, never lead it. */
export async function walkChain(query: Query, signed: SignedHead, verifiedAt: string): Promise<AuditVerdict> {
  const head = await tipOf(query)
  const verdict = { headId: head?.id ?? null, headHash: head?.hash ?? null, verifiedAt }
  let checked = 0
  let before: Pick<Row, 'id' | 'hash'> = { id: 0, hash: '' }
  for (let more = head !== undefined; more; ) {
    const rows = await pageOf(query, before.id, head?.id ?? 0)
    for (const row of rows) {
      checked++
      const broken = faultOf(row, before, signed)
      if (broken) return { valid: false, checked, ...broken, ...verdict }
      before = row
    }
    more = rows.length === PAGE
    await setImmediate()
  }
  const broken = faultOfTail(before.id, signed)
  return { valid: !broken, checked, ...(broken ?? { brokenAt: null, reason: null }), ...verdict }
}

export function tipOf(query: Query): Promise<Pick<Row, 'id' | 'hash'> | undefined> {
  return query.selectFrom('audit_log').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst()
}

function pageOf(query: Query, after: number, upTo: number): Promise<Row[]> {
  return query
    .selectFrom('audit_log')
    .selectAll()
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(PAGE)
    .execute()
}

function faultOf(row: Row, before: Pick<Row, 'id' | 'hash'>, signed: SignedHead): Break | undefined {
  const brokenAt = row.id
  if (entryHash(row) !== row.hash) return { brokenAt, reason: 'hash_mismatch' }
  if (row.id !== before.id + 1) return { brokenAt, reason: 'missing_rows' }
  if (row.prev_hash !== before.hash) return { brokenAt, reason: 'link_mismatch' }
  // A chain rewritten from some row on is self-consistent; only the signed head detects it.
  if (typeof signed === 'object' && signed.headId === row.id && signed.headHash !== row.hash)
    return { brokenAt, reason: 'hash_mismatch' }
  return undefined
}

function faultOfTail(last: number, signed: SignedHead): Break | undefined {
  if (signed === 'none') return undefined
  if (signed === 'untrusted') return { brokenAt: null, reason: 'hash_mismatch' }
  return last < signed.headId ? { brokenAt: last + 1, reason: 'missing_rows' } : undefined
}

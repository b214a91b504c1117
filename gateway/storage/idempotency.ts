// Idempotency keys of creating requests: the first answer is kept for a day and given again. Contract 1.8.
import { GatewayError } from '#contract'
import type { Tx } from './schema.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
// A request that never came to its end (the process died) stops blocking its key after this long.
const PENDING_MS = 60_000

export type IdempotencyClaim = {
  readonly key: string
  readonly actor: string
  readonly route: string
  readonly bodyHash: string
}
export type Claimed =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'replay'; readonly status: number; readonly response: string | null }

/** Same key, other body: refused. Same key and body: the kept answer, or `pending` while the first is still at work. */
export async function claimKey(tx: Tx, claim: IdempotencyClaim, nowMs: number): Promise<Claimed> {
  const { key, actor, route, bodyHash } = claim
  const known = await rowOf(tx, claim).executeTakeFirst()
  if (known) {
    const ageMs = nowMs - Date.parse(known.created_at)
    if (ageMs < (known.status === null ? PENDING_MS : KEPT_MS)) {
      if (known.body_hash !== bodyHash)
        throw new GatewayError(
          'IDEMPOTENCY_CONFLICT',
          'This Idempotency-Key was used with another body: repeat the first body, or take a new key',
        )
      return known.status === null
        ? { kind: 'pending' }
        : { kind: 'replay', status: known.status, response: known.response }
    }
    await forgetKey(tx, claim)
  }
  const created_at = new Date(nowMs).toISOString()
  await tx
    .insertInto('idempotency_keys')
    .values({ key, actor, route, body_hash: bodyHash, status: null, response: null, created_at })
    .execute()
  return { kind: 'claimed' }
}

/** Keeps the answer; one-time secrets are nulled by the caller. */
export async function answerKey(
  tx: Tx,
  claim: IdempotencyClaim,
  answer: { readonly status: number; readonly response: string | null },
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ status: answer.status, response: answer.response })
    .where('key', '=', claim.key)
    .where('actor', '=', claim.actor)
    .where('route', '=', claim.route)
    .execute()
}

/** A failed request frees its key, so that a retry is a first try. */
export async function forgetKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('key', '=', claim.key)
    .where('actor', '=', claim.actor)
    .where('route', '=', claim.route)
    .execute()
}

export async function forgetOldKeys(tx: Tx, nowMs: number): Promise<void> {
  const before = new Date(nowMs - KEPT_MS).toISOString()
  await tx.deleteFrom('idempotency_keys').where('created_at', '<', before).execute()
}

function rowOf(tx: Tx, claim: IdempotencyClaim) {
  return tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('key', '=', claim.key)
    .where('actor', '=', claim.actor)
    .where('route', '=', claim.route)
}

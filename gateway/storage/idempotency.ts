// Idempotency keys of creating requests: the first answer is kept for a day and given again. Contract 1.8.
import { GatewayError } from '../contract/error.ts'
import type { Tx } from './schema.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** Of a claim that is not renewed: its process died, and the key is free again. */
export const LEASE_MS = 60_000

export type IdempotencyClaim = {
  readonly key: string
  readonly actor: string
  readonly route: string
  readonly bodyHash: string
  /** Of this one attempt: a later one never writes over the answer of an earlier, nor the other way round. */
  readonly owner: string
}
export type Claimed =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'replay'; readonly status: number; readonly response: string | null }

export const otherBody = (): GatewayError =>
  new GatewayError(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used with another body: repeat the first body, or take a new key',
  )

/** Same key, other body: refused. Same key and body: the kept answer, or `pending` while the first is still at work. */
export async function claimKey(tx: Tx, claim: IdempotencyClaim, nowMs: number, leaseMs = LEASE_MS): Promise<Claimed> {
  const { key, actor, route, bodyHash, owner } = claim
  const known = await rowOf(tx, claim).executeTakeFirst()
  if (known) {
    const createdAtMs = Date.parse(known.created_at)
    const untilMs = known.status === null ? (known.renewed_at_ms ?? createdAtMs) + leaseMs : createdAtMs + KEPT_MS
    if (nowMs < untilMs) {
      if (known.body_hash !== bodyHash) throw otherBody()
      return known.status === null
        ? { kind: 'pending' }
        : { kind: 'replay', status: known.status, response: known.response }
    }
    await rowToDelete(tx, claim).execute()
  }
  const created_at = new Date(nowMs).toISOString()
  await tx
    .insertInto('idempotency_keys')
    .values({
      key,
      actor,
      route,
      body_hash: bodyHash,
      status: null,
      response: null,
      created_at,
      owner,
      renewed_at_ms: nowMs,
    })
    .execute()
  return { kind: 'claimed' }
}

/** While the request is at work: no repetition runs it again. */
export async function renewKey(tx: Tx, claim: IdempotencyClaim, nowMs: number): Promise<void> {
  await rowToUpdate(tx, claim).set({ renewed_at_ms: nowMs }).execute()
}

/** Keeps the answer; one-time secrets are nulled by the caller. */
export async function answerKey(
  tx: Tx,
  claim: IdempotencyClaim,
  answer: { readonly status: number; readonly response: string | null },
): Promise<void> {
  await rowToUpdate(tx, claim).set({ status: answer.status, response: answer.response, owner: null }).execute()
}

/** A failed request frees its key, so that a retry is a first try. */
export async function forgetKey(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  await rowToDelete(tx, claim).where('owner', '=', claim.owner).execute()
}

export async function forgetOldKeys(tx: Tx, nowMs: number): Promise<void> {
  const before = new Date(nowMs - KEPT_MS).toISOString()
  await tx.deleteFrom('idempotency_keys').where('created_at', '<', before).execute()
}

function rowToUpdate(tx: Tx, { key, actor, route, owner }: IdempotencyClaim) {
  return tx
    .updateTable('idempotency_keys')
    .where('key', '=', key)
    .where('actor', '=', actor)
    .where('route', '=', route)
    .where('owner', '=', owner)
}

function rowToDelete(tx: Tx, { key, actor, route }: IdempotencyClaim) {
  return tx.deleteFrom('idempotency_keys').where('key', '=', key).where('actor', '=', actor).where('route', '=', route)
}

function rowOf(tx: Tx, claim: IdempotencyClaim) {
  return tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('key', '=', claim.key)
    .where('actor', '=', claim.actor)
    .where('route', '=', claim.route)
}

// Idempotency-Key on creating requests: the first answer is kept and given again, without its one-time secrets. Contract 1.8.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import type { Actor } from '../contract/role.ts'
import type { Database } from '../storage/database.ts'
import { answerKey, type Claimed, claimKey, forgetKey, type IdempotencyClaim } from '../storage/idempotency.ts'
import { namesSecret } from '../telemetry/mask.ts'

export type Idempotency = {
  /** Runs `work` unless this very request was answered before. */
  readonly once: (request: FastifyRequest, asked: Asked, work: () => Promise<Answered>) => Promise<Given>
}
type Asked = { readonly actor: Actor; readonly shownOnce: readonly string[] }
type Answered = { readonly status: number; readonly value: unknown }
type Given = Answered & { readonly replayed: boolean }

const KEY = /^[\x20-\x7e]{1,128}$/
const PATIENCE_MS = 10_000
const STEP_MS = 50

function keyOf(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && KEY.test(given)) return given
  const message = 'must be 1 to 128 printable ASCII characters'
  throw new GatewayError('VALIDATION_ERROR', `Idempotency-Key ${message}`, {
    fields: [{ path: 'Idempotency-Key', message }],
  })
}

/** The hash is kept for a day and is quick to guess against, so what is secret in a body does not go into it. */
function bodyHash(body: unknown): string {
  const text = JSON.stringify(body ?? null, (name, value: unknown) => (namesSecret(name) ? '[set]' : value))
  return createHash('sha256').update(text).digest('hex')
}

function without(names: readonly string[], value: unknown): unknown {
  if (names.length === 0 || typeof value !== 'object' || value === null) return value
  return { ...value, ...Object.fromEntries(names.map((name) => [name, null])) }
}

export function createIdempotency(database: Pick<Database, 'write'>, clock: { now(): number }): Idempotency {
  const claimOnce = (claim: IdempotencyClaim): Promise<Claimed> =>
    database.write((tx) => claimKey(tx, claim, clock.now()))

  /** A repetition that comes while the first is at work waits for its answer. */
  async function settled(claim: IdempotencyClaim): Promise<Claimed> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const claimed = await claimOnce(claim)
      if (claimed.kind !== 'pending') return claimed
      if (performance.now() > until)
        throw new GatewayError(
          'IN_USE',
          'The first request with this Idempotency-Key is still at work; try again later',
        )
      await pause(STEP_MS)
    }
  }

  return {
    async once(request, { actor, shownOnce }, work) {
      const key = keyOf(request)
      if (key === undefined) return { ...(await work()), replayed: false }
      const claim = {
        key,
        actor: actor.name,
        route: `${request.method} ${request.url}`,
        bodyHash: bodyHash(request.body),
      }
      const claimed = await settled(claim)
      if (claimed.kind === 'replay')
        return { status: claimed.status, value: JSON.parse(claimed.response ?? 'null'), replayed: true }
      let answered: Answered
      try {
        answered = await work()
      } catch (error) {
        await database.write((tx) => forgetKey(tx, claim))
        throw error
      }
      const response = JSON.stringify(without(shownOnce, answered.value))
      await database.write((tx) => answerKey(tx, claim, { status: answered.status, response }))
      return { ...answered, replayed: false }
    },
  }
}

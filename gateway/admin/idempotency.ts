// Idempotency-Key on creating requests: the first answer is kept and given again, without its one-time secrets. Contract 1.8.

import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import type { Actor } from '../contract/role.ts'
import type { Database } from '../storage/database.ts'
import {
  answerKey,
  type Claimed,
  claimKey,
  forgetKey,
  forgetOldKeys,
  type IdempotencyClaim,
  LEASE_MS,
  otherBody,
  renewKey,
} from '../storage/idempotency.ts'
import type { Clock } from '../telemetry/clock.ts'
import { namesSecret } from '../text/mask.ts'

export type Idempotency = ReturnType<typeof createIdempotency>
type Requester = { readonly actor: Actor; readonly shownOnce: readonly string[] }
type Answered = { readonly status: number; readonly value: unknown }
type Replayable = Answered & { readonly replayed: boolean }

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
  return { ...value, ...Object.fromEntries(names.flatMap((name) => (name in value ? [[name, null]] : []))) }
}

/** A request of this process: at work, or answered and not yet stored. */
type PendingAnswer = { readonly bodyHash: string; answer: Stored | undefined }
type Stored = { readonly status: number; readonly response: string }

export function createIdempotency(
  database: Pick<Database, 'write'>,
  clock: Clock,
  { leaseMs = LEASE_MS }: { readonly leaseMs?: number } = {},
) {
  /** Independent of the clock and the database: what this process works on does not start again here. */
  const working = new Map<string, PendingAnswer>()

  const claimOnce = async (id: string, claim: IdempotencyClaim): Promise<Claimed> => {
    const held = working.get(id)
    if (held === undefined)
      return database.write(async (tx) => {
        await forgetOldKeys(tx, clock.now())
        return claimKey(tx, claim, clock.now(), leaseMs)
      }, `idempotency ${claim.key}`)
    if (held.bodyHash !== claim.bodyHash) throw otherBody()
    return held.answer === undefined ? { kind: 'pending' } : { kind: 'replay', ...held.answer }
  }

  /** A repetition that comes while the first is at work waits for its answer. */
  async function settled(id: string, claim: IdempotencyClaim): Promise<Claimed> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const claimed = await claimOnce(id, claim)
      if (claimed.kind !== 'pending') return claimed
      if (performance.now() > until)
        throw new GatewayError(
          'IN_USE',
          'The first request with this Idempotency-Key is still at work; try again later',
        )
      await pause(STEP_MS)
    }
  }

  /** Renews the lease until it ends: by a failure at once, by an answer when it is stored, however often that takes. */
  function hold(id: string, claim: IdempotencyClaim) {
    const held: PendingAnswer = { bodyHash: claim.bodyHash, answer: undefined }
    working.set(id, held)
    const end = (): void => {
      clearInterval(timer)
      working.delete(id)
    }
    const store = async (): Promise<void> => {
      const { answer } = held
      if (answer === undefined) return database.write((tx) => renewKey(tx, claim, clock.now()))
      await database.write((tx) => answerKey(tx, claim, answer))
      end()
    }
    // A beat that fails leaves the rest of the lease to the next.
    const beat = (): Promise<void> => store().catch(() => undefined)
    const timer = setInterval(() => void beat(), Math.max(1, leaseMs / 3))
    timer.unref()
    return {
      answered(answer: Stored): Promise<void> {
        held.answer = answer
        return beat()
      },
      async failed(): Promise<void> {
        end()
        // The failure is what the client has to hear of; the key is free when its lease ends.
        await database.write((tx) => forgetKey(tx, claim)).catch(() => undefined)
      },
    }
  }

  return {
    /** Runs `work` unless this very request was answered before. */
    async once(
      request: FastifyRequest,
      { actor, shownOnce }: Requester,
      work: () => Promise<Answered>,
    ): Promise<Replayable> {
      const key = keyOf(request)
      if (key === undefined) return { ...(await work()), replayed: false }
      const route = `${request.method} ${request.url}`
      const claim = { key, actor: actor.name, route, bodyHash: bodyHash(request.body), owner: randomUUID() }
      const id = JSON.stringify([key, actor.name, route])
      const claimed = await settled(id, claim)
      if (claimed.kind === 'replay')
        return { status: claimed.status, value: JSON.parse(claimed.response ?? 'null'), replayed: true }
      const held = hold(id, claim)
      let answered: Answered
      try {
        answered = await work()
      } catch (error) {
        await held.failed()
        throw error
      }
      await held.answered({
        status: answered.status,
        response: JSON.stringify(without(shownOnce, answered.value)),
      })
      return { ...answered, replayed: false }
    },
  }
}

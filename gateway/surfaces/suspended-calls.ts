// Calls that wait for a client which was answered `input_required`: the upstream is held, and the client comes back with another request.
import { createHash, randomUUID } from 'node:crypto'
import type { OnServerRequest, ServerAnswer } from '../mcp/connection.ts'
import { isObject, RPC, RpcError, type RpcParams } from '../mcp/json-rpc.ts'
import type { Seal } from './seal.ts'

/** Which call it is, and of which caller: no other caller, and no other request, may resume it. */
export type Claim = { readonly principal: string; readonly surface: string; readonly digest: string }
/** How the current request reaches its client. */
export type Leg = {
  readonly onCancel: (cancel: () => void) => void
  readonly onProgress: ((progress: number, total?: number, message?: string) => void) | undefined
  readonly tell: (method: string, params: RpcParams) => void
}
/** What the work gets instead: the same from one request to the next. */
export type Held = {
  readonly ask: OnServerRequest
  readonly tell: Leg['tell']
  readonly onCancel: (cancel: () => void) => void
  readonly onProgress: NonNullable<Leg['onProgress']>
}
export type Round<T> =
  | { readonly done: T }
  | { readonly inputRequests: Readonly<Record<string, unknown>>; readonly requestState: string }

export type SuspendedCalls<T> = {
  /** Starts work that may have to wait. Rejects as the work does. */
  begin(claim: Claim, leg: Leg, work: (held: Held) => Promise<T>): Promise<Round<T>>
  /** Whether a state is one of these, and not an upstream's own. */
  owns(requestState: unknown): requestState is string
  /** The other instance that holds it; undefined for this one. */
  holderOf(requestState: string): string | undefined
  /** Goes on with it. Throws -32602 when there is nothing to go on with. */
  resume(claim: Claim, leg: Leg, requestState: string, inputResponses: unknown): Promise<Round<T>>
  size(): number
  close(): void
}

type Options = {
  readonly seal: Seal
  /** The id of this instance. */
  readonly instance?: string
  readonly waitMs?: number
  readonly most?: number
  readonly mostEach?: number
}
type Question = { readonly method: string; readonly params: RpcParams; readonly settle: (answer: ServerAnswer) => void }
type Parked<T> = {
  readonly id: string
  readonly claim: Claim
  readonly questions: Map<string, Question>
  leg: Leg
  outcome: Promise<T>
  round: number
  cancel: () => void
  /** Wakes the request that waits for the next question. */
  wake: () => void
  expiry: NodeJS.Timeout | undefined
}

const PREFIX = 'gantry.'
const WAIT_MS = 300_000
const MOST = 512
const MOST_EACH = 32

const failed = (message: string): ServerAnswer => ({ error: { code: -32_000, message } })
export const gone = (): RpcError =>
  new RpcError(
    RPC.invalidParams,
    'INVALID_PARAMS',
    '"requestState" belongs to no waiting request; send the request again',
  )

/** The same request has the same form, with its fields in any order. */
export function digestOf(method: string, params: RpcParams): string {
  const { _meta, inputResponses: _responses, requestState: _state, ...own } = params
  return createHash('sha256').update(method).update(canonical(own)).digest('base64url')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.principal === b.principal && a.surface === b.surface && a.digest === b.digest

export function createSuspendedCalls<T>({
  seal,
  instance = '',
  waitMs = WAIT_MS,
  most = MOST,
  mostEach = MOST_EACH,
}: Options): SuspendedCalls<T> {
  const parked = new Map<string, Parked<T>>()
  const byPrincipal = new Map<string, number>()

  function enter(entry: Parked<T>): boolean {
    if (parked.has(entry.id)) return true
    const mine = byPrincipal.get(entry.claim.principal) ?? 0
    if (parked.size >= most || mine >= mostEach) return false
    parked.set(entry.id, entry)
    byPrincipal.set(entry.claim.principal, mine + 1)
    return true
  }

  function leave(entry: Parked<T>): void {
    clearTimeout(entry.expiry)
    if (!parked.delete(entry.id)) return
    const mine = (byPrincipal.get(entry.claim.principal) ?? 1) - 1
    if (mine === 0) byPrincipal.delete(entry.claim.principal)
    else byPrincipal.set(entry.claim.principal, mine)
  }

  function giveUp(entry: Parked<T>, why: string): void {
    for (const { settle } of entry.questions.values()) settle(failed(why))
    leave(entry)
    entry.cancel()
  }

  function heldBy(entry: Parked<T>): Held {
    let asked = 0
    return {
      ask(method, params, onCancel) {
        if (!enter(entry)) return Promise.resolve(failed('Too many requests wait for their clients'))
        asked += 1
        const key = `input_${asked}`
        return new Promise((resolve) => {
          const settle = (answer: ServerAnswer): void => {
            if (entry.questions.delete(key)) resolve(answer)
          }
          entry.questions.set(key, { method, params, settle })
          onCancel(() => settle(failed('No longer needed')))
          entry.wake()
        })
      },
      tell: (method, params) => entry.leg.tell(method, params),
      onCancel: (cancel) => {
        entry.cancel = cancel
      },
      onProgress: (progress, total, message) => entry.leg.onProgress?.(progress, total, message),
    }
  }

  /** Until the work is done, or wants to know something. */
  async function next(entry: Parked<T>): Promise<Round<T>> {
    entry.leg.onCancel(() => giveUp(entry, 'The client is gone'))
    if (entry.questions.size === 0) {
      const asked = new Promise<'asked'>((resolve) => {
        entry.wake = () => resolve('asked')
      })
      const first = await Promise.race([entry.outcome.then((done) => ({ done })), asked]).catch((error: unknown) => {
        leave(entry)
        throw error
      })
      if (first !== 'asked') {
        leave(entry)
        return first
      }
    }
    entry.round += 1
    entry.expiry = setTimeout(() => giveUp(entry, 'The client did not come back in time'), waitMs)
    entry.expiry.unref()
    const inputRequests = Object.fromEntries(
      [...entry.questions].map(([key, { method, params }]) => [key, { method, params }]),
    )
    const { principal, surface, digest } = entry.claim
    const requestState = PREFIX + seal.seal([entry.id, entry.round, principal, surface, digest, instance])
    return { inputRequests, requestState }
  }

  /** The entry that a state names, for its owner, once. */
  function claimed(claim: Claim, requestState: string): Parked<T> {
    const values = seal.open(requestState.slice(PREFIX.length))
    const [id, round, principal, surface, digest] = values ?? []
    const entry = typeof id === 'string' ? parked.get(id) : undefined
    const sealed = { principal: String(principal), surface: String(surface), digest: String(digest) }
    if (!entry || entry.expiry === undefined || entry.round !== round) throw gone()
    if (!sameClaim(sealed, claim) || !sameClaim(entry.claim, claim)) throw gone()
    return entry
  }

  return {
    begin(claim, leg, work) {
      const never = new Promise<T>(() => undefined)
      const entry: Parked<T> = {
        id: randomUUID(),
        claim,
        questions: new Map(),
        leg,
        outcome: never,
        round: 0,
        cancel: () => undefined,
        wake: () => undefined,
        expiry: undefined,
      }
      entry.outcome = work(heldBy(entry))
      // A returning caller receives its failure; without one it is dropped.
      entry.outcome.catch(() => undefined)
      return next(entry)
    },
    owns: (requestState): requestState is string => typeof requestState === 'string' && requestState.startsWith(PREFIX),
    holderOf(requestState) {
      const holder = seal.open(requestState.slice(PREFIX.length))?.[5]
      return typeof holder === 'string' && holder !== instance ? holder : undefined
    },
    resume(claim, leg, requestState, inputResponses) {
      const entry = claimed(claim, requestState)
      if (inputResponses !== undefined && !isObject(inputResponses))
        throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', '"inputResponses" must be an object')
      clearTimeout(entry.expiry)
      entry.expiry = undefined
      entry.leg = leg
      for (const [key, { settle }] of entry.questions) {
        const result = inputResponses?.[key]
        // What is missing or no answer is asked for again.
        if (isObject(result)) settle({ result })
      }
      return next(entry)
    },
    size: () => parked.size,
    close() {
      for (const entry of parked.values()) giveUp(entry, 'The gateway stops')
    },
  }
}

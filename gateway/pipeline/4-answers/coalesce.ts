// Coalescing: the same call made several times at once is one request. Each waiting caller may leave; it ends with the last. Contract 8.5, 5.12.
import type { Coalesce } from '../../contract/admin/tool-features.ts'
import type { Account } from '../../net/memory-budget.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import type { Talk, ToolCall } from '../call.ts'
import { answerKey } from './answer-key.ts'
import { from, roomFor, underOwnName } from './handed.ts'
import type { Layer, Next } from './layer.ts'
import { sizeOf } from './packed.ts'

/** The requests under way, by what is asked. */
export type Flights = Map<string, Flight>

const UNASKABLE: Talk['ask'] = async () => ({
  error: { code: -32_000, message: 'Several clients share this call; none can be asked for input' },
})

/** What a client would answer with its next request is a failure like any other: that request would be shared again. */
const forAnybody = ({ rpc: _rpc, ...failed }: Failed): Failed => failed

/** One request, and those who wait for it. The first of them is the one it is made for; when it leaves, the next one is. */
class Flight {
  private readonly waiting = new Set<ToolCall>()
  private readonly first: ToolCall
  private readonly onEmpty: () => void
  private lead: ToolCall
  private cancel: (() => void) | undefined
  private over = false
  private landing: Promise<Outcome> | undefined

  constructor(first: ToolCall, onEmpty: () => void) {
    this.first = first
    this.lead = first
    this.onEmpty = onEmpty
  }

  /** Begun by the first who joins. */
  begin(next: Next): void {
    const landing = next(this.sharedCall())
    const land = (): void => this.end()
    this.landing = landing
    landing.then(land, land)
  }

  /** Its answer, or the end of its patience. */
  async join(call: ToolCall, account: Account): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.waiting.add(call)
    this.landing?.then(resolve, reject)
    call.onCancel(() => {
      resolve(failed('cancelled', 'Cancelled', false))
      this.leave(call)
    })
    const outcome = await promise
    if (outcome.kind !== 'ok') return outcome.kind === 'failed' ? forAnybody(outcome) : outcome
    const refused = await roomFor(sizeOf(outcome.result), account)
    return refused ?? { ...outcome, result: underOwnName(outcome.result, this.first.requestId, call) }
  }

  private leave(call: ToolCall): void {
    this.waiting.delete(call)
    if (this.over) return
    const [next] = this.waiting
    if (next === undefined) {
      this.end()
      this.cancel?.()
    } else if (this.lead === call) this.lead = next
  }

  private end(): void {
    if (this.over) return
    this.over = true
    this.onEmpty()
  }

  private sharedCall(): ToolCall {
    const { first, waiting } = this
    const lead = (): ToolCall => this.lead
    const { talk } = first
    return {
      ...first,
      // Asked again before each attempt: a caller that left must not stop it for those who wait.
      get caller() {
        return lead().caller
      },
      onCancel: (cancel) => {
        this.cancel = cancel
        if (this.over) cancel()
      },
      onProgress(...progress) {
        for (const call of waiting) call.onProgress?.(...progress)
      },
      talk: talk && { ...talk, takesRounds: false, ask: UNASKABLE, tell: (...reply) => lead().talk?.tell(...reply) },
    }
  }
}

/** Undefined when the tool has none, or has it switched off. */
export function coalesce(
  config: Coalesce | undefined,
  flights: Flights,
  onJoined: (client: string) => void,
): Layer | undefined {
  if (!config?.enabled) return undefined
  const { scope } = config

  return {
    stage: 'coalesce',
    shares: true,
    async answer(call, next, note, account) {
      // What a client was asked for is its own to answer.
      if (call.rehearsed || call.talk?.inputs) return next()
      const key = answerKey(call, scope)
      const known = flights.get(key)
      note(known ? 'hit' : 'pass')
      if (known) {
        onJoined(call.backend.name)
        return from(await known.join(call, account), 'coalesced')
      }
      const flight: Flight = new Flight(call, () => {
        if (flights.get(key) === flight) flights.delete(key)
      })
      flights.set(key, flight)
      flight.begin(next)
      return flight.join(call, account)
    },
  }
}

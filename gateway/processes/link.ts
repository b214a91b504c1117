// A process of several that serve one port, seen from inside: its parent grants permits, passes hints on, and says when to stop.
import type { Actor } from '../contract/role.ts'
import { NONCE, proofOf } from '../instance/announcement.ts'
import { arm, disarm } from '../net/deadlines.ts'
import type { PermitStore } from '../storage/permits.ts'
import { milliseconds } from '../text/amounts.ts'
import { mergedExposition } from './exposition.ts'
import type { Hint, Question, Questions, ToParent, ToProcess } from './messages.ts'

/** What the parts of a gateway use of it. */
export type Processes = {
  /** Undefined where other gateways share the database: then it counts. */
  readonly permits: PermitStore | undefined
  readonly hint: (hint: Hint) => void
  readonly onHint: (receivedHint: Readonly<Record<Hint, () => void>>) => void
  readonly leads: (leads: boolean) => void
  /** Whether another process of this gateway leads. */
  readonly led: () => boolean
  readonly prove: (nonce: string) => string | undefined
  /** What this process shows an actor of its metrics; answers those of all processes. */
  readonly metricsOf: (own: (actor: Actor) => string) => (actor: Actor) => Promise<string>
}

export type Link = Processes & {
  /** Whether others take the connections of a process that leaves. */
  readonly leave: () => Promise<boolean>
  readonly serving: (url: string, isNew: boolean) => void
}

type Channel = {
  readonly send: (message: ToParent) => void
  readonly onMessage: (listener: (message: ToProcess) => void) => void
}
type LinkOptions = {
  readonly process: string
  readonly leasesPermits: boolean
  readonly onStop: () => void
}

const ANSWER_MS = 250
const PING_MS = 200
const LEAVE_MS = 1_000
const METRICS_MS = 1_500

export function createLink(channel: Channel, { process: name, leasesPermits, onStop }: LinkOptions): Link {
  const waiting = new Map<number, (answer: unknown) => void>()
  let asked = 0
  let up = true
  let led = false
  let announced: { readonly url: string; readonly secret: string } | undefined
  let receivedHint: Readonly<Record<Hint, () => void>> | undefined
  let render: ((actor: Actor) => string) | undefined

  function ask<Q extends Question>(question: Q, body: Questions[Q]['asks'], withinMs: number) {
    const id = (asked += 1)
    return new Promise<Questions[Q]['answer']>((resolve, reject) => {
      const deadline = arm(withinMs, () => {
        waiting.delete(id)
        reject(new Error(`The parent process did not answer within ${milliseconds(withinMs)}`))
      })
      waiting.set(id, (answer) => {
        disarm(deadline)
        // The parent answers each question with what belongs to it.
        resolve(answer as Questions[Q]['answer'])
      })
      channel.send({ kind: 'ask', id, question, body })
    })
  }

  const receivers: { readonly [K in ToProcess['kind']]: (message: Extract<ToProcess, { kind: K }>) => void } = {
    answer({ id, body }) {
      const settle = waiting.get(id)
      waiting.delete(id)
      settle?.(body)
    },
    hint: ({ hint }) => receivedHint?.[hint](),
    led: (message) => void (led = message.led),
    render: ({ id, actor }) => channel.send({ kind: 'rendered', id, text: render?.(actor) ?? '' }),
    announced: ({ url, secret }) => void (announced = { url, secret }),
    stop: onStop,
  }
  channel.onMessage((message) => {
    // The message of a kind goes to the receiver of that kind.
    const receive = receivers[message.kind] as (given: ToProcess) => void
    receive(message)
  })

  const answers = (): Promise<boolean> =>
    ask('ping', null, PING_MS).then(
      () => true,
      () => false,
    )
  /** A parent that is frozen or gone is asked again until it answers. */
  async function away(): Promise<void> {
    if (!up) return
    up = false
    while (!(await answers()));
    up = true
  }

  const permits: PermitStore = {
    async take(wants, refunds) {
      try {
        return await ask('take', [wants, refunds], ANSWER_MS)
      } catch (error) {
        void away()
        throw error
      }
    },
    up: () => up,
    close: () => Promise.resolve(),
  }

  return {
    permits: leasesPermits ? permits : undefined,
    hint: (hint) => channel.send({ kind: 'hint', hint }),
    onHint: (given) => void (receivedHint = given),
    leads: (leads) => channel.send({ kind: 'leads', leads }),
    led: () => led,
    prove: (nonce) => (announced === undefined || !NONCE.test(nonce) ? undefined : proofOf(announced, nonce)),
    metricsOf(own) {
      render = own
      return async (actor) => {
        const others = await ask('metrics', actor, METRICS_MS).catch(() => [])
        return mergedExposition([{ process: name, text: own(actor) }, ...others])
      }
    },
    leave: () => ask('leave', null, LEAVE_MS).catch(() => false),
    serving: (url, isNew) => channel.send({ kind: 'serving', url, isNew }),
  }
}

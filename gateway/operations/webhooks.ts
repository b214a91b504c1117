// What the gateway tells others by itself: one signed POST, one attempt, and nobody waits for it. Contract 11.
import { createHmac, randomUUID } from 'node:crypto'
import type { Outbound } from '../net/outbound.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

type Parts = {
  readonly outbound: Pick<Outbound, 'request'>
  readonly log: Log
  readonly metrics: Metrics
  readonly clock: { now(): number }
  readonly signingSecret: string | null
  readonly gateway: { readonly version: string; readonly instanceId: string; readonly url: string | null }
}
export type Hook = {
  readonly sink: string
  /** Of the environment: the operator's own infrastructure, whose address is not questioned. */
  readonly url: string
  readonly timeoutMs: number
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}
export type Webhooks = { readonly send: (hook: Hook) => void }

/** A sink that hangs must not gather deliveries without end. */
const MOST_UNDER_WAY = 32
const ANSWER_MAX_BYTES = 65_536

export function createWebhooks({ outbound, log, metrics, clock, signingSecret, gateway }: Parts): Webhooks {
  let underWay = 0

  async function deliver({ url, timeoutMs, event, fields }: Hook): Promise<void> {
    const id = randomUUID()
    const now = clock.now()
    const body = JSON.stringify({
      event,
      id,
      timestamp: new Date(now).toISOString(),
      gateway: { name: 'gantry', ...gateway },
      ...fields,
    })
    const seconds = Math.floor(now / 1000)
    const { status } = await outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Gantry/${gateway.version}`,
        'x-gantry-event': event,
        'x-gantry-delivery': id,
        ...(signingSecret !== null && {
          'x-gantry-signature': `t=${seconds},v1=${createHmac('sha256', signingSecret).update(`${seconds}.${body}`).digest('hex')}`,
        }),
      },
      body,
      deadlineMs: timeoutMs,
      maxBytes: ANSWER_MAX_BYTES,
      trusted: true,
    })
    if (status < 200 || status > 299) throw new Error(`it answered ${status}`)
  }

  return {
    send(hook) {
      const { sink, event } = hook
      if (underWay >= MOST_UNDER_WAY) {
        metrics.inc('mcp_webhook_deliveries_total', { sink, outcome: 'dropped' })
        return
      }
      underWay += 1
      deliver(hook)
        .then(() => metrics.inc('mcp_webhook_deliveries_total', { sink, outcome: 'success' }))
        .catch((error: unknown) => {
          metrics.inc('mcp_webhook_deliveries_total', { sink, outcome: 'failure' })
          log.warn('a webhook was not delivered', { sink, event, error })
        })
        .finally(() => {
          underWay -= 1
        })
    },
  }
}

// Outgoing webhooks: one signed POST, one attempt, awaited only on request. Contract 11.

import { createHmac, randomUUID } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import { ExchangeError } from '../net/exchange-error.ts'
import type { Base } from '../records/base.ts'
import type { Log } from '../telemetry/log.ts'

type WebhooksDeps = Pick<Base, 'outbound' | 'metrics' | 'clock' | 'monotonic'> & {
  readonly log: Pick<Log, 'warn'>
  readonly signingSecret: string | null
  readonly gateway: { readonly version: string; readonly instanceId: string; readonly url: string | null }
}
export type Hook = {
  readonly sink: string
  readonly url: string
  readonly timeoutMs: number
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
  /** The same for every attempt of a delivery, for deduplication. */
  readonly id?: string
}
/** The result; `error` contains no address and no secret. */
export type Delivery = {
  readonly ok: boolean
  readonly httpStatus: number | null
  readonly error: string | null
  readonly durationMs: number
}
export type Webhooks = {
  /** Sends to a URL from the environment, whose address is not checked. */
  readonly send: (hook: Hook) => void
  /**
   * Sends and returns the result; never throws. With `addresses` the URL was stored through the
   * API, and only its checked addresses are dialled.
   */
  readonly deliver: (hook: Hook, addresses: readonly string[] | null) => Promise<Delivery>
}

/** The limit of deliveries in flight to a hanging receiver. */
const MOST_UNDER_WAY = 32
const ANSWER_MAX_BYTES = 65_536
const NOT_PERMITTED = 'its address does not lead to a permitted public address any more'

export function createWebhooks({
  outbound,
  log,
  metrics,
  clock,
  monotonic,
  signingSecret,
  gateway,
}: WebhooksDeps): Webhooks {
  const underWay = new Map<string, number>()

  const signed = (body: string, seconds: number, secret: string): string =>
    `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

  /** Returns the status. The body is not read. */
  async function post(hook: Hook, addresses: readonly string[] | null): Promise<number> {
    const { url, timeoutMs, event, fields, id = randomUUID() } = hook
    const pin = addresses === null ? undefined : outbound.repin(url, addresses)
    if (pin && !(await outbound.isPermitted(pin))) throw new ExchangeError('blocked', NOT_PERMITTED)
    const now = clock.now()
    const seconds = Math.floor(now / 1000)
    const timestamp = new Date(now).toISOString()
    const body = JSON.stringify({ event, id, timestamp, gateway: { name: 'gantry', ...gateway }, ...fields })
    let bytes = 0
    const { status } = await outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Gantry/${gateway.version}`,
        'x-gantry-event': event,
        'x-gantry-delivery': id,
        ...(signingSecret !== null && { 'x-gantry-signature': signed(body, seconds, signingSecret) }),
      },
      body,
      deadlineMs: timeoutMs,
      maxBytes: ANSWER_MAX_BYTES,
      // The body is ignored: the status decides.
      onChunk(chunk) {
        bytes += chunk.length
        return bytes <= ANSWER_MAX_BYTES
      },
      ...(pin ? { pin } : { trusted: true }),
    })
    return status
  }

  async function attempt(hook: Hook, addresses: readonly string[] | null): Promise<Omit<Delivery, 'durationMs'>> {
    try {
      const httpStatus = await post(hook, addresses)
      const ok = httpStatus >= 200 && httpStatus <= 299
      return { ok, httpStatus, error: ok ? null : `it answered ${httpStatus}` }
    } catch (error) {
      return { ok: false, httpStatus: null, error: reasonOf(error) }
    }
  }

  async function deliver(hook: Hook, addresses: readonly string[] | null): Promise<Delivery> {
    const { sink, event } = hook
    const others = underWay.get(sink) ?? 0
    if (others >= MOST_UNDER_WAY) {
      metrics.inc('mcp_webhook_deliveries_total', { sink, outcome: 'dropped' })
      return { ok: false, httpStatus: null, error: 'too many deliveries are under way', durationMs: 0 }
    }
    underWay.set(sink, others + 1)
    const startedAt = monotonic()
    const ended = await attempt(hook, addresses)
    underWay.set(sink, (underWay.get(sink) ?? 1) - 1)
    metrics.inc('mcp_webhook_deliveries_total', { sink, outcome: ended.ok ? 'success' : 'failure' })
    if (!ended.ok) log.warn('a webhook was not delivered', { sink, event, reason: ended.error })
    return { ...ended, durationMs: Math.round(monotonic() - startedAt) }
  }

  return { send: (hook) => void deliver(hook, null), deliver }
}

function reasonOf(error: unknown): string {
  if (error instanceof ExchangeError) return error.kind === 'blocked' ? NOT_PERMITTED : error.message
  return error instanceof GatewayError ? error.message : 'it could not be sent'
}

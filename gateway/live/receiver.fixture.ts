// A webhook receiver: a real listener on loopback that records deliveries.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listening } from '../net/listening.fixture.ts'
import { createOutbound, type OutboundOptions } from '../net/outbound.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createWebhooks } from './webhooks.ts'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

export async function aReceiver() {
  const received: Received[] = []
  const state: { answer: (response: ServerResponse) => void } = { answer: (response) => void response.end() }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const json = JSON.parse(text) as Received['json'] // every webhook is an object
      received.push({ path: request.url ?? '', headers: request.headers, text, json })
      state.answer(response)
    })
  })
  const { url, close } = await listening(server)
  onTestFinished(close)
  return { url: `${url}/hook`, received, state }
}

/** Real deliveries with an inspected log. */
export function someWebhooks(signingSecret: string | null = null, options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ allowPrivate: true, connections: 4, ...options })
  onTestFinished(() => outbound.close())
  const metrics = createMetrics()
  const warned: Readonly<Record<string, unknown>>[] = []
  const log = { warn: (msg: string, fields = {}) => void warned.push({ msg, ...fields }) }
  const webhooks = createWebhooks({
    outbound,
    log,
    metrics,
    clock: Date,
    monotonic: () => performance.now(),
    signingSecret,
    gateway: { version: '1.2.3', instanceId: 'here', url: null },
  })
  return { ...webhooks, outbound, metrics, log, warned }
}

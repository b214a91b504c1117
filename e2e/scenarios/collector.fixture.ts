// A collector of spans: takes OTLP over HTTP, keeps what it receives, and answers as configured.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { vi } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'

type Value = { readonly stringValue?: string; readonly boolValue?: boolean; readonly intValue?: string }
type Pairs = readonly { readonly key: string; readonly value: Value & { readonly doubleValue?: number } }[]
export type Values = Readonly<Record<string, string | number | boolean | undefined>>

export type WireSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Pairs
  readonly events: readonly { readonly name: string; readonly timeUnixNano: string; readonly attributes: Pairs }[]
  readonly status: { readonly code: number; readonly message?: string }
}
type Export = {
  readonly resourceSpans: readonly [
    {
      readonly resource: { readonly attributes: Pairs }
      readonly scopeSpans: readonly [{ readonly scope: Values; readonly spans: readonly WireSpan[] }]
    },
  ]
}
export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Export }

export type Collector = {
  readonly url: string
  readonly received: Received[]
  /** Answers the next ones with this, until changed. */
  answer: ((response: ServerResponse) => void) | undefined
  /** Those of calls; `stages` are those of their parts. */
  spans(): readonly WireSpan[]
  stages(traceId: string): readonly WireSpan[]
  /** Those of a trace, once so many are there. */
  of(traceId: string, count?: number): Promise<readonly WireSpan[]>
  close(): Promise<void>
}

export const WAIT = { timeout: 20_000, interval: 20 } as const

export const valuesOf = (pairs: Pairs): Values =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.intValue === undefined
        ? (value.stringValue ?? value.boolValue ?? value.doubleValue)
        : Number(value.intValue),
    ]),
  )

const isStage = ({ attributes }: WireSpan): boolean => valuesOf(attributes)['gantry.stage'] !== undefined

export const callsIn = ({ resourceSpans }: Export): readonly WireSpan[] =>
  resourceSpans[0].scopeSpans[0].spans.filter((span) => !isStage(span))

export async function openCollector(): Promise<Collector> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Export })
      const known = collector.answer
      if (known) known(response)
      else response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  const { url, close } = await listening(server)
  const all = () => received.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans)
  const collector: Collector = {
    url,
    received,
    answer: undefined,
    spans: () => received.flatMap(({ body }) => callsIn(body)),
    stages: (traceId) => all().filter((span) => span.traceId === traceId && isStage(span)),
    of: (traceId, count = 1) =>
      vi.waitFor(() => {
        const found = collector.spans().filter((span) => span.traceId === traceId)
        if (found.length < count) throw new Error(`${found.length} of ${count} spans came`)
        return found
      }, WAIT),
    close,
  }
  return collector
}

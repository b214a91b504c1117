// Spans as OTLP/HTTP takes them: one JSON document for a batch, posted to a collector. Contract 15.
import type { Attributes, FinishedSpan } from './finished-span.ts'

export type OtlpOptions = {
  readonly resource: Attributes
  readonly version: string
  /** Answers with the status and the body. */
  readonly post: (body: string) => Promise<{ readonly status: number; readonly text: string }>
}

const PATH = '/v1/traces'
/** The numbers of the protocol. */
const KIND = { INTERNAL: 1, CLIENT: 3 } as const
/** What is written at a stretch; calls have their turn in between. */
const STRETCH = 64

/** Where spans go, of what the operator gave. */
export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  url.pathname = path.endsWith(PATH) ? path : path + PATH
  return url.href
}

/** How many of a batch the collector would not take. Throws when it took none. */
export function createOtlp({
  resource,
  version,
  post,
}: OtlpOptions): (spans: readonly FinishedSpan[]) => Promise<number> {
  const head = `{"resourceSpans":[{"resource":{"attributes":${JSON.stringify(attributesOf(resource))}},"scopeSpans":[{"scope":${JSON.stringify({ name: 'gantry', version })},"spans":[`
  return async (spans) => {
    const written: string[] = []
    for (const [at, span] of spans.entries()) {
      if (at > 0 && at % STRETCH === 0) await new Promise<void>((resolve) => setImmediate(resolve))
      written.push(JSON.stringify(wireOf(span)))
    }
    const { status, text } = await post(`${head}${written.join(',')}]}]}]}`)
    if (status < 200 || status > 299) throw new Error(`it answered ${status}`)
    return Math.min(rejectedOf(text), spans.length)
  }
}

const nanos = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString()

const valueOf = (value: Attributes[string]) => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  // 64 bits, which JSON cannot hold: the protocol writes them as text.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

function wireOf(span: FinishedSpan) {
  const { traceId, spanId, parentSpanId, flags, name, kind, startMs, endMs, events } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    flags,
    name,
    kind: KIND[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: attributesOf(span.attributes),
    events: events.map((event) => ({
      timeUnixNano: nanos(event.atMs),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    status: { code: span.statusCode, ...(span.statusMessage !== null && { message: span.statusMessage }) },
  }
}

/** A collector may take a part, and says so in its answer; whatever else it says is nobody's concern. */
function rejectedOf(text: string): number {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } } | null // read as what it may be
    const count = Number(answer?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(count) && count > 0 ? count : 0
  } catch {
    return 0
  }
}

// OTLP/HTTP export: posts a batch of spans as JSON to a collector. Contract 15.
import { type Attributes, type FinishedSpan, STATUS } from './finished-span.ts'
import { startSpan } from './trace.ts'

export type OtlpOptions = {
  readonly resource: Attributes
  readonly version: string
  /** Returns status and body. */
  readonly post: (body: string) => Promise<{ readonly status: number; readonly text: string }>
}

const PATH = '/v1/traces'
/** The protocol's codes. */
const KIND = { INTERNAL: 1, CLIENT: 3 } as const
/** Spans serialized per tick, so that calls are not blocked. */
const STRETCH = 64

/** The export address from the settings. */
export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  url.pathname = path.endsWith(PATH) ? path : path + PATH
  return url.href
}

/** Returns the number of rejected spans. Throws if the batch was rejected. */
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
      written.push(JSON.stringify(wireOf(span)), ...stagesOf(span).map((stage) => JSON.stringify(wireOf(stage))))
    }
    const { status, text } = await post(`${head}${written.join(',')}]}]}]}`)
    if (status < 200 || status > 299) throw new Error(`it answered ${status}`)
    return Math.min(rejectedOf(text), spans.length)
  }
}

/** Each stage as a span below that of its call; those of an attempt below the attempt. */
function stagesOf({ traceId, spanId, flags, attributes, stages }: FinishedSpan): readonly FinishedSpan[] {
  let attemptId = spanId
  return stages.map((stage) => {
    const { spanId: own } = startSpan(null)
    const parentSpanId = stage.attempt !== undefined && stage.name !== 'attempt' ? attemptId : spanId
    if (stage.name === 'attempt') attemptId = own
    return {
      traceId,
      spanId: own,
      parentSpanId,
      flags,
      name: `stage ${stage.name}`,
      kind: 'INTERNAL',
      startMs: stage.startMs,
      endMs: stage.endMs,
      statusCode: stage.failed ? STATUS.ERROR : STATUS.UNSET,
      statusMessage: null,
      attributes: {
        'gantry.stage': stage.name,
        ...(attributes['mcp.tool'] !== undefined && { 'mcp.tool': attributes['mcp.tool'] }),
        ...(stage.attempt !== undefined && { 'gantry.attempt': stage.attempt }),
      },
      events: [],
      stages: [],
    }
  })
}

const nanos = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString()

const valueOf = (value: Attributes[string]) => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  // The protocol writes 64-bit integers as text.
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

/** A collector may accept a part and reports this in its answer; ignore the rest. */
function rejectedOf(text: string): number {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } } | null // read as what it may be
    const count = Number(answer?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(count) && count > 0 ? count : 0
  } catch {
    return 0
  }
}

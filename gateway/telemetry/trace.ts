// W3C trace context: reading a caller's traceparent, giving every span its own id, writing it for the next hop.
import { randomBytes } from 'node:crypto'

export type Span = {
  /** 32 and 16 lower-case hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** The trace flags; bit 0 says that the trace is recorded. */
  readonly flags: number
}

type RemoteParent = Pick<Span, 'traceId' | 'spanId' | 'flags'>
type RandomHex = (bytes: number) => string

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const RECORDED = 1

const random: RandomHex = (bytes) => randomBytes(bytes).toString('hex')

/** Null for an absent or invalid header; a new trace then starts. */
export function parseTraceparent(header: string | undefined): RemoteParent | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = HEADER.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff') return null
  // Later versions may append fields; version 00 may not.
  if (version === '00' && more !== undefined) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** A child span of `parent`, or the root of a new, recorded trace. */
export function startSpan(parent: RemoteParent | null, hex: RandomHex = random): Span {
  return {
    traceId: parent?.traceId ?? hex(16),
    spanId: hex(8),
    parentSpanId: parent?.spanId ?? null,
    flags: parent?.flags ?? RECORDED,
  }
}

/** Undefined if the span is recorded neither by this gateway nor by the caller. */
export const traceparentOf = (span: Span, traced: boolean): string | undefined =>
  traced || span.parentSpanId !== null ? formatTraceparent(span) : undefined

/** The header that makes the receiver's span a child of this one. */
export function formatTraceparent(span: RemoteParent): string {
  // Only the two flags of version 00 are passed on.
  return `00-${span.traceId}-${span.spanId}-0${span.flags & 3}`
}

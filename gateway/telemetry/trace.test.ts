// Which traceparent headers are accepted, and how spans are linked.
import { describe, expect, it } from 'vitest'
import { formatTraceparent, parseTraceparent, startSpan } from './trace.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

describe('traceparent', () => {
  it.each([
    undefined,
    '',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-1`,
    `cc-${TRACE}-${PARENT}-01more`,
    ` 00-${TRACE}-${PARENT}-01`,
  ])('does not honour %j', (header) => {
    expect(parseTraceparent(header)).toBeNull()
  })

  it('honours version 00 and what later versions keep of it', () => {
    const parent = { traceId: TRACE, spanId: PARENT, flags: 1 }
    expect(parseTraceparent(`00-${TRACE}-${PARENT}-01`)).toEqual(parent)
    expect(parseTraceparent(`cc-${TRACE}-${PARENT}-01-more`)).toEqual(parent)
  })
})

describe('spans', () => {
  it('inherit the trace and the flags, under an id of their own', () => {
    const root = startSpan(null)
    const child = startSpan(root)
    expect(root.parentSpanId).toBeNull()
    expect(child).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId, flags: root.flags })
    expect(child.spanId).not.toBe(root.spanId)
    expect(parseTraceparent(formatTraceparent(child))).toEqual({
      traceId: root.traceId,
      spanId: child.spanId,
      flags: 1,
    })
  })

  it('keep a caller’s decision not to record, and drop undefined flags', () => {
    const remote = parseTraceparent(`00-${TRACE}-${PARENT}-fc`)
    expect(formatTraceparent(startSpan(remote, (bytes) => 'a'.repeat(bytes * 2)))).toBe(
      `00-${TRACE}-${'a'.repeat(16)}-00`,
    )
  })
})

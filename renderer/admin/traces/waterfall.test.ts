// The bars of a trace: position and nesting.
import { describe, expect, it } from 'vitest'
import type { StoredSpan } from '#contract'
import { barsOf, eventWords, preciseSpan } from './waterfall.ts'

const span = (spanId: string, parentSpanId: string | null, startMs: number, endMs: number): StoredSpan => ({
  traceId: 't',
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'CLIENT',
  startMs,
  endMs,
  statusCode: 1,
  statusMessage: null,
  attributes: {},
  events: [],
})
const laidOut = (...spans: StoredSpan[]) =>
  barsOf(spans).map(({ span: { spanId }, depth, left, width }) => [spanId, depth, left, width])

describe('the bars', () => {
  it('are nested below their parent, with position and length', () => {
    expect(
      laidOut(span('whole', 'of the caller', 0, 100), span('a', 'whole', 0, 25), span('b', 'whole', 25, 100)),
    ).toEqual([
      ['whole', 0, 0, 100],
      ['a', 1, 0, 25],
      ['b', 1, 25, 75],
    ])
  })

  it('are visible even if short, at the end, or of zero duration', () => {
    expect(laidOut(span('a', null, 0, 100), span('b', null, 100, 100))).toEqual([
      ['a', 0, 0, 100],
      ['b', 0, 99.5, 0.5],
    ])
    expect(laidOut(span('only', null, 7, 7))).toEqual([['only', 0, 0, 0.5]])
    expect(barsOf([])).toEqual([])
  })

  it('ignore cycles', () => {
    expect(laidOut(span('self', 'self', 0, 1))).toHaveLength(1)
  })
})

it('times have useful precision, and events have labels', () => {
  expect([0.034, 1.26, 12.6, 340.4, 1500].map(preciseSpan)).toEqual(['0.034 ms', '1.3 ms', '13 ms', '340 ms', '1.50 s'])
  expect(['retry', 'odd'].map(eventWords)).toEqual(['Retried', 'odd'])
})

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
  stages: [],
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

const staged = (...stages: StoredSpan['stages']): StoredSpan => ({ ...span('a', null, 0, 100), stages })
const stageNames = (given: readonly StoredSpan[], chosen?: string) =>
  barsOf(given, chosen).flatMap(({ stage, depth }) => (stage ? [[stage.name, stage.attempt, depth]] : []))

describe('the stages', () => {
  const at = { startMs: 10, endMs: 20 }
  const once = staged(
    { name: 'guards', ...at },
    { name: 'attempt', ...at, attempt: 1 },
    { name: 'wait', ...at, attempt: 1 },
  )

  it('stand below their span, and a single attempt in place of itself', () => {
    expect(stageNames([once])).toEqual([
      ['guards', undefined, 1],
      ['wait', 1, 1],
    ])
    expect(barsOf([once])[1]).toMatchObject({ left: 10, width: 10 })
    expect(stageNames([staged({ name: 'attempt', ...at, attempt: 1 })])).toEqual([['attempt', 1, 1]])
  })

  it('of several attempts stand below each', () => {
    const twice = staged(
      { name: 'attempt', ...at, attempt: 1, failed: true },
      { name: 'wait', ...at, attempt: 1 },
      { name: 'backoff', ...at },
      { name: 'attempt', ...at, attempt: 2 },
      { name: 'wait', ...at, attempt: 2 },
    )
    expect(stageNames([twice])).toEqual([
      ['attempt', 1, 1],
      ['wait', 1, 2],
      ['backoff', undefined, 1],
      ['attempt', 2, 1],
      ['wait', 2, 2],
    ])
  })

  it('of a long trace are those of the chosen span', () => {
    const many = [once, ...['b', 'c', 'd'].map((id) => ({ ...once, spanId: id }))]
    expect(stageNames(many)).toEqual([])
    expect(stageNames(many, 'c')).toEqual([
      ['guards', undefined, 1],
      ['wait', 1, 1],
    ])
  })
})

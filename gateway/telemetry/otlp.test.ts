// OTLP/HTTP export: address, codes, and the collector's answers.
import { expect, it } from 'vitest'
import { type FinishedSpan, STATUS } from './finished-span.ts'
import { createOtlp, tracesUrl } from './otlp.ts'

const SPAN: FinishedSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: null,
  flags: 1,
  name: 'tool_call shop__get',
  kind: 'CLIENT',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
  statusCode: STATUS.UNSET,
  statusMessage: null,
  attributes: { text: 'x', yes: true, whole: 7, part: 0.25 },
  events: [{ name: 'retry', atMs: 1_700_000_000_001, attributes: {} }],
  stages: [],
}

it.each([
  ['http://collector:4318', 'http://collector:4318/v1/traces'],
  ['http://collector:4318/', 'http://collector:4318/v1/traces'],
  ['https://c.example/otlp/?key=x', 'https://c.example/otlp/v1/traces?key=x'],
  ['https://c.example/v1/traces', 'https://c.example/v1/traces'],
  ['https://c.example/v1/traces/', 'https://c.example/v1/traces'],
])('of %s they go to %s', (endpoint, url) => {
  expect(tracesUrl(endpoint)).toBe(url)
})

it('follow the protocol: ids in hex, times and integers as text', async () => {
  const sent: string[] = []
  const send = createOtlp({
    resource: { 'service.name': 'x' },
    version: '1.2.3',
    post: async (body) => {
      sent.push(body)
      return { status: 200, text: '' }
    },
  })
  expect(await send([SPAN])).toBe(0)
  expect(JSON.parse(sent[0] ?? '')).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'x' } }] },
        scopeSpans: [
          {
            scope: { name: 'gantry', version: '1.2.3' },
            spans: [
              {
                traceId: SPAN.traceId,
                spanId: SPAN.spanId,
                flags: 1,
                name: 'tool_call shop__get',
                kind: 3,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000001500000',
                attributes: [
                  { key: 'text', value: { stringValue: 'x' } },
                  { key: 'yes', value: { boolValue: true } },
                  { key: 'whole', value: { intValue: '7' } },
                  { key: 'part', value: { doubleValue: 0.25 } },
                ],
                events: [{ name: 'retry', timeUnixNano: '1700000000001000000', attributes: [] }],
                status: { code: 0 },
              },
            ],
          },
        ],
      },
    ],
  })
})

it.each([
  [200, 'no JSON', 0],
  [202, 'null', 0],
  [200, '{"partialSuccess":{}}', 0],
  [200, '{"partialSuccess":{"rejectedSpans":"1"}}', 1],
  [200, '{"partialSuccess":{"rejectedSpans":-4}}', 0],
  [200, '{"partialSuccess":{"rejectedSpans":99}}', 2],
])('of an answer %s %s, %s of two were not taken', async (status, text, rejected) => {
  const send = createOtlp({ resource: {}, version: '1', post: async () => ({ status, text }) })
  expect(await send([SPAN, SPAN])).toBe(rejected)
})

it.each([199, 302, 400, 503])('an answer %s is no answer', async (status) => {
  const send = createOtlp({ resource: {}, version: '1', post: async () => ({ status, text: '' }) })
  await expect(send([SPAN])).rejects.toThrow(String(status))
})

it('has each stage as a span below its call, and parts of an attempt below the attempt', async () => {
  const sent: string[] = []
  const send = createOtlp({
    resource: {},
    version: '1',
    post: async (body) => {
      sent.push(body)
      return { status: 200, text: '' }
    },
  })
  const at = { startMs: SPAN.startMs, endMs: SPAN.endMs }
  await send([
    {
      ...SPAN,
      stages: [
        { name: 'guards', ...at },
        { name: 'attempt', ...at, attempt: 1, failed: true },
        { name: 'wait', ...at, attempt: 1 },
      ],
    },
  ])
  type Wire = { spanId: string; parentSpanId?: string; traceId: string; name: string; kind: number; status: object }
  const body = JSON.parse(sent[0] ?? '') as { resourceSpans: [{ scopeSpans: [{ spans: Wire[] }] }] } // as it is written
  const [call, guards, attempt, wait] = body.resourceSpans[0].scopeSpans[0].spans
  expect([guards?.name, attempt?.name, wait?.name]).toEqual(['stage guards', 'stage attempt', 'stage wait'])
  expect([guards?.parentSpanId, attempt?.parentSpanId]).toEqual([call?.spanId, call?.spanId])
  expect(wait?.parentSpanId).toBe(attempt?.spanId)
  expect(attempt?.status).toEqual({ code: STATUS.ERROR })
  for (const stage of [guards, attempt, wait]) expect(stage).toMatchObject({ traceId: SPAN.traceId, kind: 1 })
})

// An answer that comes piece by piece, from real servers: to its end, to its cap, to its timeout, and past what a server may send.
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Streaming } from '../../contract/admin/shaping-features.ts'
import { ExchangeError } from '../../net/exchange.ts'
import { createMemoryBudget } from '../../net/memory-budget.ts'
import { createOutbound } from '../../net/outbound.ts'
import { valueOf } from '../../outcome/collected.ts'
import { aServer } from '../../registry/upstream-server.fixture.ts'
import { readEvents } from './events.ts'

const outbound = createOutbound({ allowPrivate: true, connections: 2 })

async function reading(
  given: object,
  answer: (response: ServerResponse) => void,
  { maxBytes = 100_000, deadlineMs = 5_000, room = 1_000_000 } = {},
) {
  const closed = Promise.withResolvers<void>()
  const server = await aServer((_hit, response) => {
    response.on('close', () => closed.resolve())
    answer(response)
  })
  onTestFinished(() => outbound.drop('events'))
  const pin = await outbound.pin(server.url)
  const account = createMemoryBudget({ mostBytes: room, mostWorkBytes: room }).account()
  const received: [number, string][] = []
  const streamed = await readEvents(
    { method: 'GET', path: '/', headers: {}, deadlineMs, maxBytes, account },
    {
      config: Streaming.parse(given),
      exchange: (request) => outbound.exchange(outbound.pool(pin, 'events'), request),
      maxDepth: 32,
      onEvent: (count, text) => void received.push([count, text]),
    },
  )
  return { streamed, received, closed: closed.promise, accept: server.hits[0]?.headers.accept }
}
const eventsOf = ({ streamed }: Awaited<ReturnType<typeof reading>>) =>
  streamed instanceof ExchangeError
    ? streamed.kind
    : streamed.events && {
        list: (valueOf(streamed.events.pieces, 32) as { events: unknown[] }).events, // what events become
        truncated: streamed.events.truncated,
        broken: streamed.events.broken,
      }
const sse = { format: 'sse' }
const ndjson = { format: 'ndjson' }
const whole = { truncated: false, broken: false }

describe('a stream of events [ct.8.10.streaming]', () => {
  it('of lines is read to its end; what is no JSON is left out', async () => {
    const read = await reading(ndjson, (response) => {
      response.write('{"a":1}\r\n\n  \nno json\n{"half":')
      response.write('true}\n')
      response.end(`${'['.repeat(99)}${']'.repeat(99)}\nnull\n"last, without an end of line"`)
    })
    expect(eventsOf(read)).toEqual({ ...whole, list: [{ a: 1 }, { half: true }, null, 'last, without an end of line'] })
    expect(read.received.map(([count]) => count)).toEqual([1, 2, 3, 4])
  })

  it('of the standard is read to its end; what is no JSON is text, and the word that ends it is not an event', async () => {
    const read = await reading(sse, (response) => {
      response.write('event: x\r\ndata: {"a"')
      response.write(':1}\r\n\r\ndata: two\ndata: lines\n\n: comment\n\ndata: null\n\n')
      response.end('data: [DONE]\n\ndata: cut off')
    })
    expect(eventsOf(read)).toEqual({ ...whole, list: [{ a: 1 }, 'two\nlines', null] })
    expect(read.accept).toBe('text/event-stream')
  })

  it('that goes on for ever ends with its cap, and the upstream is cut off', async () => {
    const read = await reading({ ...sse, maxEvents: 3 }, (response) => {
      const timer = setInterval(() => response.write('data: 1\n\ndata: 2\n\n'), 1)
      response.on('close', () => clearInterval(timer))
    })
    expect(eventsOf(read)).toEqual({ list: [1, 2, 1], truncated: true, broken: false })
    await read.closed
  })

  it('that stops without an end is what came until the timeout, or the timeout', async () => {
    const some = await reading(sse, (response) => void response.write('data: 1\n\n'), { deadlineMs: 150 })
    expect(eventsOf(some)).toEqual({ list: [1], truncated: true, broken: true })
    expect(eventsOf(await reading(sse, (response) => response.flushHeaders(), { deadlineMs: 50 }))).toBe('timeout')
  })

  it('with one that is too large, or too many bytes in all, is too large', async () => {
    const large = { maxBytes: 1_000 }
    const one = `data: ${'x'.repeat(2_000)}`
    expect(eventsOf(await reading(sse, (response) => void response.write(one), large))).toBe('too_large')
    expect(eventsOf(await reading(ndjson, (response) => void response.write(one), large))).toBe('too_large')
    const many = (response: ServerResponse) => void response.write(': nothing\n'.repeat(200))
    expect(eventsOf(await reading(sse, many, large))).toBe('too_large')
    const crowded = (response: ServerResponse) => void response.write(`data: ${'x'.repeat(300_000)}\n\n`)
    expect(eventsOf(await reading(sse, crowded, { maxBytes: 1e6, room: 1_000 }))).toBe('no_room')
  })

  it('that breaks off is a network failure, and one that is compressed cannot be read', async () => {
    const broken = (response: ServerResponse) => {
      response.write('data: 1\n\n')
      setTimeout(() => response.destroy(), 20)
    }
    expect(eventsOf(await reading(sse, broken))).toBe('network')
    const packed = (response: ServerResponse) => void response.setHeader('content-encoding', 'gzip').end('data: 1\n\n')
    expect(eventsOf(await reading(sse, packed))).toBe('bad_response')
  })

  it('with a status that is no success is its body', async () => {
    const { streamed } = await reading(sse, (response) => void response.writeHead(429).end('data: slow\n\n'))
    expect(streamed).toMatchObject({ status: 429, body: Buffer.from('data: slow\n\n') })
    expect(streamed).not.toHaveProperty('events')
  })
})

it('streaming keeps its bounds [ct.8.10.streaming-bounds]', () => {
  expect(Streaming.parse(sse)).toEqual({ enabled: true, format: 'sse', maxEvents: 1000 })
  const ok = (value: object) => Streaming.safeParse(value).success
  expect([ok(ndjson), ok({ format: 'xml' }), ok({})]).toEqual([true, false, false])
  expect([1, 10_000].map((maxEvents) => ok({ ...sse, maxEvents }))).toEqual([true, true])
  expect([0, 10_001, 1.5].map((maxEvents) => ok({ ...sse, maxEvents }))).toEqual([false, false, false])
})

// The standard's examples, and streams cut at every byte.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseReader, type SseEvent } from './sse-reader.ts'

function read(chunks: readonly Uint8Array[], maxEventBytes = 1_000) {
  const events: SseEvent[] = []
  const reader = createSseReader(maxEventBytes, (event) => events.push(event))
  for (const chunk of chunks) reader.push(chunk)
  return { events, reader }
}
const dataOf = (text: string): string[] => read([Buffer.from(text)]).events.map(({ data }) => data)

describe('refuses', () => {
  it.each([
    ['one endless line', ['data: ', 'x'.repeat(600), 'x'.repeat(600)]],
    ['one event of endless lines', Array.from({ length: 400 }, () => 'data: x\n')],
    ['an endless comment', [':', 'x'.repeat(2_000)]],
  ])('%s', (_, pieces) => {
    expect(() => read(pieces.map((piece) => Buffer.from(piece)))).toThrow(
      expect.objectContaining({ kind: 'too_large' }),
    )
  })
})

describe('reads', () => {
  it('several events of any total size, if each is within the limit', () => {
    expect(read([Buffer.from(`data: ${'x'.repeat(900)}\n\n`.repeat(5))]).events).toHaveLength(5)
    expect(read([Buffer.from(`: ${'keep-alive '.repeat(50)}\n`.repeat(100))]).events).toEqual([])
  })

  it.each([
    ['one line', 'data: a\n\n', ['a']],
    ['many lines as one text', 'data: a\ndata:\ndata:  b\n\n', ['a\n\n b']],
    ['every kind of line end', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['comments and unknown fields as nothing', ': hi\nfoo: bar\ndata: a\n: x\n\n', ['a']],
    ['a field without a colon', 'data\n\ndata: a\n\n', ['', 'a']],
    ['a byte order mark at the start only', '\ufeffdata: \ufeffa\n\n', ['\ufeffa']],
    ['no unfinished event', 'data: a\n\ndata: b\n', ['a']],
    ['no event without data', 'event: x\n\ndata: a\n\n', ['a']],
    ['characters beyond the first plane', 'data: 🦄é\n\n', ['🦄é']],
  ])('%s', (_, text, expected) => expect(dataOf(text)).toEqual(expected))

  it('types, ids and retry times, ignoring invalid ones', () => {
    const { events, reader } = read([
      Buffer.from('event: endpoint\nid: 7\nretry: 250\ndata: a\n\nid: 8\0\nretry: soon\ndata: b\n\n'),
    ])
    expect(events).toEqual([
      { type: 'endpoint', data: 'a' },
      { type: 'message', data: 'b' },
    ])
    expect(reader.lastEventId()).toBe('7')
    expect(reader.retryMs()).toBe(250)
  })

  it('the same events for every cut of the bytes', () => {
    const line = fc.constantFrom('data: é🦄', 'data', ': c', 'id: 1', 'event: e', 'data:x', '')
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, end), { maxLength: 20 }),
        fc.array(fc.nat(12), { minLength: 1 }),
        (lines, cuts) => {
          // A lone CR before LF would be one line end or two, depending on the cut.
          const whole = Buffer.from(lines.map(([text, ending]) => text + ending).join(''))
          const pieces: Buffer[] = []
          for (let at = 0, turn = 0; at < whole.length; turn += 1) {
            const size = (cuts[turn % cuts.length] ?? 0) + 1
            pieces.push(whole.subarray(at, at + size))
            at += size
          }
          expect(read(pieces).events).toEqual(read([whole]).events)
        },
      ),
    )
  })
})

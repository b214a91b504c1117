// Requests that are no HTTP, or too much of it, byte by byte (security case BL-13): each is answered or cut, and the next client is served.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Front, openFront, rawExchange, statusOf } from './http.fixture.ts'

let front: Front
let arrived = 0
beforeAll(async () => {
  front = await openFront({ RATE_LIMIT_GLOBAL: 1_000_000 }, {}, ({ app }) => {
    app.post('/echo', () => {
      arrived += 1
      return { ok: true }
    })
  })
})
afterAll(() => front.stop())

const host = (): string => `Host: 127.0.0.1:${front.port}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'
const post = (headers: string, body: string): Promise<string> =>
  rawExchange(front.port, `POST /echo HTTP/1.1\r\n${host()}${JSON_TYPE}${headers}\r\n${body}`)

describe('a request that is refused (security case BL-13)', () => {
  it.each([
    ['two thousand headers', Array.from({ length: 2_000 }, (_, at) => `x${at}: 1\r\n`).join(''), [400, 431]],
    ['a byte more than 16 KiB of headers', `X: ${'a'.repeat(16_384)}\r\n`, [431]],
    ['a header without an end', `X: ${'a'.repeat(40_000)}`, [431]],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', [400]],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', [400]],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n', [400]],
    ['two equal lengths', 'Content-Length: 2\r\nContent-Length: 2\r\n', [400]],
    ['a list of lengths', 'Content-Length: 2, 2\r\n', [400]],
    ['a length below nothing', 'Content-Length: -2\r\n', [400]],
    ['a length that is no number', 'Content-Length: 0x2\r\n', [400]],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n', [400]],
    ['chunks in another spelling', 'Transfer-Encoding: xchunked\r\n', [400, 501]],
    ['a space before the colon', 'Content-Length : 2\r\n', [400]],
    ['a folded header', 'X: a\r\n b: c\r\n', [400]],
    ['a bare line feed in a header', 'X: a\nContent-Length: 2\r\n', [400]],
    ['a NUL in a header', 'X: a\0b\r\n', [400]],
  ])('%s', async (_what, headers, statuses) => {
    const before = arrived
    expect(statuses).toContain(statusOf(await post(headers, '{}')))
    expect(arrived).toBe(before)
    expect(statusOf(await post('Content-Length: 2\r\nConnection: close\r\n', '{}'))).toBe(200)
  })

  it('with a chunk whose size is no number reaches no handler', async () => {
    const before = arrived
    const answer = await post('Transfer-Encoding: chunked\r\n', '0x2\r\n{}\r\n0\r\n\r\n')
    expect([statusOf(answer), arrived]).toEqual([400, before])
  })
})

it('a hundred thousand requests in one breath are answered in order, while others are served (security case BL-13)', async () => {
  const COUNT = 100_000
  const socket = connect(front.port, '127.0.0.1')
  let answers = 0
  let rest = ''
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('data', (chunk) => {
      const parts = (rest + chunk.toString('latin1')).split('HTTP/1.1 200')
      answers += parts.length - 1
      rest = parts.at(-1)?.slice(-12) ?? ''
      if (answers >= COUNT) socket.end()
    })
  })
  const one = `GET /livez HTTP/1.1\r\n${host()}\r\n`
  const before = process.memoryUsage().rss
  for (let sent = 0; sent < COUNT; sent += 1_000)
    if (!socket.write(one.repeat(1_000))) await new Promise((resolve) => socket.once('drain', resolve))
  expect(statusOf(await rawExchange(front.port, `GET /livez HTTP/1.1\r\n${host()}Connection: close\r\n\r\n`))).toBe(200)
  await done
  expect(answers).toBe(COUNT)
  expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024)
}, 300_000)

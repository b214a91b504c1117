import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Front, openFront } from './http.fixture.ts'
import { openSse, type SseStream, sseFrame } from './sse.ts'

async function streaming(maxQueuedBytes?: number): Promise<Front & { readonly open: SseStream[] }> {
  const open: SseStream[] = []
  const front = await openFront({}, { timeouts: { pingMs: 20 } }, ({ app, streams }) => {
    app.get('/events', (seen, reply) => {
      open.push(openSse(seen, reply, streams, maxQueuedBytes === undefined ? {} : { maxQueuedBytes }))
    })
  })
  return { ...front, open }
}
async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await pause(5)
}
function listen(port: number, method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  socket.write(`${method} /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  return { socket, text: () => text }
}

describe('frames', () => {
  it('cannot be broken out of by their content', () => {
    expect(sseFrame({ data: 'a\nevent: forged\r\n\rb', event: 'x\ny', id: '1\r2' })).toBe(
      'event: x y\nid: 1 2\ndata: a\ndata: event: forged\ndata: \ndata: b\n\n',
    )
    expect(sseFrame({ data: '' })).toBe('data: \n\n')
  })
})

describe('a stream', () => {
  it('is cut off when its reader is too slow, instead of filling memory (security case BL-14)', async () => {
    const front = await streaming(256 * 1024)
    const slow = listen(front.port)
    await until(() => front.open.length === 1)
    slow.socket.pause()
    const [stream] = front.open
    let sent = 0
    while (stream?.send({ data: 'x'.repeat(100_000) })) sent += 1
    await until(() => stream?.closed() === true)
    expect(sent).toBeLessThan(1000)
    expect(stream?.send({ data: 'more' })).toBe(false)
    await stream?.drained()
    slow.socket.destroy()
    await front.stop()
  })

  it('is forgotten when its reader leaves', async () => {
    const front = await streaming()
    const reader = listen(front.port)
    await until(() => front.open.length === 1)
    let message = 0
    front.open[0]?.onClose(() => (message += 1))
    reader.socket.destroy()
    await until(() => front.streams.size() === 0)
    front.open[0]?.onClose(() => (message += 1))
    expect(message).toBe(2)
    await front.stop()
  })

  it('injected inside the process is forgotten when its signal aborts', async () => {
    const front = await streaming()
    const leaving = new AbortController()
    const answer = await front.app.inject({ url: '/events', payloadAsStream: true, signal: leaving.signal })
    const chunks: string[] = []
    answer
      .stream()
      .on('error', () => {})
      .on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    front.open[0]?.send({ data: 'hello' })
    await until(() => chunks.join('').includes('data: hello\n\n'))
    expect(front.streams.size()).toBe(1)
    leaving.abort()
    await until(() => front.streams.size() === 0)
    await front.stop()
  })

  it('carries its headers, its events and pings, and ends when closed [ct.1.9.sse]', async () => {
    const front = await streaming()
    const reader = listen(front.port)
    await until(() => front.open.length === 1)
    front.open[0]?.send({ data: '{"a":1}', event: 'message', id: '7' })
    await until(() => /: ping\n\n[\s\S]*: ping\n\n/.test(reader.text()))
    front.open[0]?.close()
    await until(() => reader.text().endsWith('0\r\n\r\n'))
    expect(reader.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(reader.text()).toMatch(/content-type: text\/event-stream\r\n/i)
    expect(reader.text()).toMatch(/cache-control: no-cache, no-transform\r\n/i)
    expect(reader.text()).toMatch(/x-accel-buffering: no\r\n/i)
    expect(reader.text()).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/i)
    expect(reader.text()).toContain('event: message\nid: 7\ndata: {"a":1}\n\n')
    reader.socket.destroy()
    await front.stop()
  })

  it('asked for by HEAD ends at once', async () => {
    const front = await streaming()
    const reader = listen(front.port, 'HEAD')
    await until(() => reader.text().includes('\r\n\r\n'))
    await until(() => front.streams.size() === 0)
    reader.socket.destroy()
    await front.stop()
  })
})

import { connect } from 'node:net'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { openFront, statusOf } from './http.fixture.ts'

const QUICK = { headersMs: 150, requestMs: 300, keepAliveMs: 150, checkEveryMs: 30 }

/** Sends `head`, then one byte every 20 ms, until the peer has had enough. */
function drip(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.write(head)
    const timer = setInterval(() => socket.write('a'), 20)
    socket.on('data', (chunk: string) => (received += chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(received)
    })
  })
}

describe('slow peers', () => {
  it('are closed while dripping a header, a body, or sending nothing more, and others are served in the meantime', async () => {
    let handled = 0
    const front = await openFront({}, { timeouts: QUICK }, ({ app }) => {
      app.post('/admin-api/echo', () => {
        handled += 1
        return {}
      })
    })
    const host = `Host: 127.0.0.1:${front.port}\r\n`
    const slow = [
      drip(front.port, `GET /health HTTP/1.1\r\n${host}X-Slow: `),
      drip(
        front.port,
        `POST /admin-api/echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
      ),
    ]
    const quiet = drip(front.port, `GET /health HTTP/1.1\r\n${host}\r\n`)
    const normal = await Promise.all(Array.from({ length: 50 }, () => request(`${front.url}/health`)))
    expect(normal.every(({ statusCode }) => statusCode === 200)).toBe(true)
    const [header, body] = await Promise.all(slow)
    expect(statusOf(header ?? '')).toBe(408)
    expect(statusOf(body ?? '')).toBe(408)
    expect(statusOf(await quiet)).toBe(200)
    expect(handled).toBe(0)
    await front.stop()
  })
})

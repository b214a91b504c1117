// Too many connections: the newest is refused at once, and accepted again when there is capacity.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFilesLimit, refusedAbove } from './connection-limit.ts'
import { type Front, openFront } from './http.fixture.ts'
import { openSse } from './sse.ts'

async function aFront(connections: { files: number; queue: number }): Promise<Front> {
  const front = await openFront({}, { connections }, ({ app, streams }) => {
    app.get('/here', async () => ({ here: true }))
    app.get('/events', (seen, reply) => void openSse(seen, reply, streams).send({ data: 'hello' }))
  })
  onTestFinished(async () => void (await front.stop()))
  return front
}

type Guest = { readonly socket: Socket; ask(path: string): Promise<string> }
/** A connection that stays until it is closed. */
async function aGuest({ port }: Front): Promise<Guest> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.setEncoding('latin1').on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    socket,
    ask: (path) =>
      new Promise((resolve) => {
        let text = ''
        const read = (chunk: string): void => {
          text += chunk
          if (!text.includes('}') && !text.includes('data: hello')) return
          socket.off('data', read)
          resolve(text)
        }
        socket.on('data', read)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
      }),
  }
}
const guests = (front: Front, many: number) => Promise.all(Array.from({ length: many }, () => aGuest(front)))

describe('too many connections', () => {
  it('leaves half of few files, and of many what backends can need', () => {
    expect([256, 1_024, 8_192, 20_000, Number.POSITIVE_INFINITY].map(refusedAbove)).toEqual([
      128,
      512,
      4_096,
      15_904,
      Number.POSITIVE_INFINITY,
    ])
  })

  it.each([
    ['files', { files: 20, queue: 1_000 }],
    ['places in the queue', { files: 1_000, queue: 10 }],
  ])('is as large as there are %s', async (_what, connections) => {
    const front = await aFront(connections)
    const [first, ...others] = await guests(front, 10)
    expect(await first?.ask('/here')).toContain('200 OK')
    const [late] = await guests(front, 1)
    const refused = (await late?.ask('/here')) ?? ''
    expect(refused).toContain('503 Service Unavailable')
    expect(refused).toContain('"code":"SESSION_CAPACITY"')
    expect(refused).toMatch(/retry-after: 1\r\n/i)
    expect(refused).toMatch(/connection: close\r\n/i)
    // A probe says that the process lives, however many there are.
    const [probing] = await guests(front, 1)
    expect(await probing?.ask('/health')).toContain('200 OK')
    for (const { socket } of others) socket.destroy()
    for (;;) {
      const [again] = await guests(front, 1)
      if ((await again?.ask('/here'))?.includes('200 OK')) break
      await pause(5)
    }
  })

  it('has no place in the queue for open streams: they wait for nothing', async () => {
    const front = await aFront({ files: 1_000, queue: 3 })
    for (let open = 0; open < 6; open += 1) expect(await (await aGuest(front)).ask('/events')).toContain('data: hello')
    const [other] = await guests(front, 1)
    expect(await other?.ask('/here')).toContain('200 OK')
  })

  it('differs from none where the system reports how many files there are', () => {
    expect(openFilesLimit()).toBeGreaterThan(0)
  })
})

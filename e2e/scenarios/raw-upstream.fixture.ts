// An upstream that writes any bytes of a scenario on the wire: no HTTP library stands between.
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'

export type RawUpstream = { readonly url: string; readonly seen: string[] }
/** What is written when a path is asked for. */
export type RawAnswers = Readonly<Record<string, (socket: Socket) => void>>

export const okText = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Until the test is over, with all connections of that time. */
async function answering(serve: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    serve(socket)
  })
  const { url } = await listening(server)
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  )
  return url
}

export async function aRawUpstream(answers: RawAnswers): Promise<RawUpstream> {
  const seen: string[] = []
  const url = await answering((socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const path = text.split(' ', 2)[1] ?? ''
      text = text.slice(end + 4)
      seen.push(path)
      const answer = answers[path]
      if (answer) answer(socket)
      else socket.write(okText(JSON.stringify({ path })))
    })
  })
  return { url, seen }
}

export type Wire = {
  readonly url: string
  readonly requests: readonly { readonly head: string; readonly body: string }[]
}

/** An upstream that reads requests as HTTP/1.1 says they are framed, by hand: one connection at a time, byte by byte. */
export async function aWire(): Promise<Wire & { readonly connections: () => number }> {
  const requests: { head: string; body: string }[] = []
  let connections = 0
  const url = await answering((socket) => {
    connections += 1
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = text.slice(0, end)
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        requests.push({ head, body: text.slice(end + 4, end + 4 + length) })
        text = text.slice(end + 4 + length)
        socket.write(okText('{}'))
      }
    })
  })
  return { url, requests, connections: () => connections }
}

// An upstream that answers each request with the bytes of the case under test, in the pieces the case asks for.
import { createServer, type Socket } from 'node:net'
import { listening } from '../../gateway/net/listening.fixture.ts'
import type { Answer } from './answers.fixture.ts'
import { cutAt } from './raw-client.ts'

export type HostileUpstream = { readonly url: string; readonly port: number; readonly close: () => Promise<void> }
/** The body of a request is given as JSON where it is JSON. */
export type Answering = (path: string, body: unknown) => { readonly answer: Answer; readonly cuts: readonly number[] }

export async function write(socket: Socket, { bytes, reusable }: Answer, cuts: readonly number[]): Promise<void> {
  for (const piece of cutAt(bytes, cuts)) {
    if (socket.destroyed) return
    socket.write(piece)
    if (cuts.length > 0) await new Promise((next) => setImmediate(next))
  }
  if (!reusable) socket.end()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function startHostile(answering: Answering): Promise<HostileUpstream> {
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/^content-length: (\d+)$/im.exec(text.slice(0, end))?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const path = text.split(' ', 2)[1] ?? ''
      const { answer, cuts } = answering(path, parsed(text.slice(end + 4, end + 4 + length)))
      text = text.slice(end + 4 + length)
      void write(socket, answer, cuts)
    })
  })
  const { port } = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

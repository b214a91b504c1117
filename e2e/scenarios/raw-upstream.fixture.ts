// An upstream that writes whatever bytes a scenario wants on the wire: no HTTP library stands between.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type RawUpstream = { readonly url: string; readonly seen: string[] }
/** What is written when a path is asked for. */
export type RawAnswers = Readonly<Record<string, (socket: Socket) => void>>

export const okText = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

export async function aRawUpstream(answers: RawAnswers): Promise<RawUpstream> {
  const seen: string[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  )
  const { port } = server.address() as AddressInfo // a TCP server has one
  return { url: `http://127.0.0.1:${port}`, seen }
}

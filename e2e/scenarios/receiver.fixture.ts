// A receiver of webhooks: a real listener on loopback, what it received, and what it answers.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}
export type Receiver = {
  readonly url: string
  readonly received: Received[]
  /** A status, or nothing at all. */
  answers: number | 'never'
  close(): void
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const json = JSON.parse(text) as Received['json'] // every webhook is an object
      received.push({ path: request.url ?? '', headers: request.headers, text, json })
      if (receiver.answers !== 'never') response.writeHead(receiver.answers).end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo // a TCP server has no other kind of address
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers: 204,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

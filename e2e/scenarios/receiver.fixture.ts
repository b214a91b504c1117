// A receiver of webhooks: a real listener on loopback, what it received, and what it answers.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listening } from '../../gateway/net/listening.fixture.ts'

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
  const { url } = await listening(server)
  const receiver: Receiver = {
    url: `${url}/hook`,
    received,
    answers: 204,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

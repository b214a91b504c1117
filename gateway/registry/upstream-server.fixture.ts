// A real HTTP server on loopback with scripted answers, which records requests.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listening } from '../net/listening.fixture.ts'

export type Hit = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
export type UpstreamServer = {
  readonly url: string
  readonly port: number
  readonly hits: readonly Hit[]
  readonly close: () => Promise<void>
}
export type Answering = (hit: Hit, response: ServerResponse) => unknown

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
  return Buffer.concat(chunks).toString('utf8')
}

export async function startServer(answer: Answering): Promise<UpstreamServer> {
  const hits: Hit[] = []
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        const hit = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
        hits.push(hit)
        return answer(hit, response)
      },
      () => response.destroy(),
    )
  })
  const { port, close } = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    hits,
    close,
  }
}

/** A server that closes with the test. */
export async function aServer(answer: Answering = (_hit, response) => response.end('{}')): Promise<UpstreamServer> {
  const server = await startServer(answer)
  onTestFinished(server.close)
  return server
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** `{ '/path': value }` as JSON, 404 for the rest. */
export const serving =
  (pages: Readonly<Record<string, unknown>>): Answering =>
  ({ url }, response) => {
    const value = pages[url.replace(/\?.*$/, '')]
    return value === undefined ? answerJson(response, { error: 'no such page' }, 404) : answerJson(response, value)
  }

// A request and its reply, as gates, endpoints, error answers and streams use them: Fastify's objects, or those of `direct.ts`.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext } from './request-context.ts'

export type HttpRequest = {
  readonly id: string
  readonly raw: IncomingMessage
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly params: unknown
  /** The pattern of the route, where one was found. */
  readonly routeOptions: { readonly url?: string | undefined }
  context: RequestContext
}

export type HttpReply = {
  readonly raw: ServerResponse
  /** The answer is on its way, or was taken over by a stream. */
  readonly sent: boolean
  header(name: string, value: string): HttpReply
  headers(values: Record<string, string>): HttpReply
  getHeaders(): Readonly<Record<string, string | number | readonly string[] | undefined>>
  code(status: number): HttpReply
  send(body?: string | Buffer): HttpReply
  hijack(): HttpReply
}

// Requests of the command line to the one gateway it was pointed at: no redirect, and the key only where no one can read along.
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { ClientResponse, Transport } from '../../contract/client.ts'
import { Unreachable, UsageError } from './exit.ts'

export type GatewayAddress = { readonly url: URL; readonly key: string | null }

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export function targetOf(text: string, key: string | null): GatewayAddress {
  if (!URL.canParse(text)) throw new UsageError(`--url is no address: ${text.slice(0, 200)}`)
  const parsed = new URL(text)
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError('--url must not hold a user name or a password')
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && LOOPBACK.test(parsed.hostname)))
    throw new UsageError(
      '--url must be https; http is for this computer only, because the key would be sent in the clear',
    )
  return { url: parsed, key }
}

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The answer as it comes, for what is streamed. */
export function open(
  { url, key }: GatewayAddress,
  { method, path, headers, body, signal }: Sent,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? secure : plain
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), {
      method,
      ...(signal && { signal }),
      headers: {
        accept: 'application/json',
        ...headers,
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    })
    sent.once('error', (cause) =>
      reject(signal?.aborted ? cause : new Unreachable(`${url.origin} does not answer: ${cause.message}`)),
    )
    sent.once('response', (response) => {
      // Later failures surface where the answer is read.
      sent.on('error', () => undefined)
      resolve(response)
    })
    sent.end(body)
  })
}

export function transportTo(target: () => Promise<GatewayAddress>): Transport {
  return async ({ method, path, headers, body }): Promise<ClientResponse> => {
    const response = await open(await target(), { method, path, headers, ...(body === undefined ? {} : { body }) })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer) // without an encoding, chunks are buffers
    const shown = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(shown),
      body: Buffer.concat(chunks).toString('utf8'),
    }
  }
}

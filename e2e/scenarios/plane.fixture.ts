// The data plane with keys, and what scenarios about its tools and guards do with it.
import type { IncomingHttpHeaders } from 'node:http'
import { expect } from 'vitest'
import { type Mall, startMall } from './curation.fixture.ts'
import { type Result, rpc } from './data-plane.fixture.ts'
import type { Env } from './gateway.fixture.ts'

export const KEYS = ['the-first-key-of-the-plane', 'the-second-key-of-the-plane'] as const
export const bearer = (key: string): Env => ({ authorization: `Bearer ${key}` })
export const FIRST = bearer(KEYS[0])
export const SECOND = bearer(KEYS[1])

type Received = { readonly url: string; readonly headers: IncomingHttpHeaders }
export type Plane = Mall & {
  readonly received: Received[]
  end(): Promise<void>
  calling(name: string, args?: object, headers?: Env, path?: string): Promise<Result>
  /** The shop keeps what arrives, and answers with it. */
  listen(): void
  register(name: string, given: object): Promise<void>
  /** As at the start of a test. */
  reset(): void
}

export async function startPlane(env: Env = {}): Promise<Plane> {
  const mall = await startMall({
    MCP_API_KEYS: KEYS.join(','),
    AUTO_GATE_WRITE_METHODS: 'true',
    RETRY_MAX_ATTEMPTS: '1',
    MAX_RESPONSE_BYTES: '65536',
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
    ...env,
  })
  const received: Received[] = []
  return {
    ...mall,
    received,
    async calling(name, args = {}, headers = FIRST, path = '/mcp/petstore') {
      const { json, text } = await rpc(mall.gateway, 'tools/call', { name, arguments: args }, { path, headers })
      if (typeof json !== 'object' || json === null || !('result' in json)) throw new Error(`No result: ${text}`)
      return json.result as Result // the shape a test expects is what it then looks at
    },
    listen() {
      mall.shop.answer = ({ url = '', headers }, response) => {
        received.push({ url, headers })
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ url, headers }))
      }
    },
    async register(name, given) {
      const made = await mall.gateway.admin('/register', { method: 'POST', body: { name, ...given } })
      expect([made.status, made.text]).toEqual([200, expect.any(String)])
    },
    reset() {
      received.length = 0
      mall.shop.seen.length = 0
      mall.shop.answer = undefined
    },
  }
}

// A balancer as deployments have them: takes turns, keeps connections, asks the probe for traffic, never tries twice.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'
import { listening } from '../../gateway/net/listening.fixture.ts'

const PROBE_EVERY_MS = 100
/** Headers of a connection, which are not passed on. */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length'])

type BalancedGateway = { readonly pool: Pool; readonly timer: NodeJS.Timeout; ready: boolean; served: number }

export type Balancer = {
  readonly url: string
  readonly add: (url: string) => void
  readonly remove: (url: string) => Promise<void>
  /** Whether calls go there now. */
  readonly inRotation: (url: string) => boolean
  readonly served: (url: string) => number
  readonly close: () => Promise<void>
}

const passed = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || HOP.has(name) ? [] : [[name, value]])),
  )

export async function startBalancer(readiness = '/readyz?for=traffic'): Promise<Balancer> {
  const targets = new Map<string, BalancedGateway>()
  let turn = 0

  async function probe(url: string, target: BalancedGateway): Promise<void> {
    const ready = await fetch(url + readiness).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.ok
      },
      () => false,
    )
    target.ready = ready
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const ready = [...targets.values()].filter((target) => target.ready)
    turn += 1
    const target = ready[turn % ready.length]
    if (target === undefined) {
      response.writeHead(503).end('no instance is ready')
      return
    }
    const left = new AbortController()
    response.once('close', () => left.abort())
    const answer = await target.pool.request({
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: { ...passed(request.headers), 'x-forwarded-for': request.socket.remoteAddress ?? '' },
      body,
      signal: left.signal,
    })
    target.served += 1
    response.writeHead(answer.statusCode, passed(answer.headers)).flushHeaders()
    await pipeline(answer.body, response)
  }

  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end(String(error))
    })
  })
  const { url } = await listening(server)

  async function remove(url: string): Promise<void> {
    const target = targets.get(url)
    targets.delete(url)
    clearInterval(target?.timer)
    await target?.pool.destroy()
  }
  return {
    url,
    add(url) {
      const timer = setInterval(() => void probe(url, target), PROBE_EVERY_MS)
      const target: BalancedGateway = {
        pool: new Pool(url, { headersTimeout: 0, bodyTimeout: 0 }),
        timer,
        ready: false,
        served: 0,
      }
      targets.set(url, target)
    },
    remove,
    inRotation: (url) => targets.get(url)?.ready ?? false,
    served: (url) => targets.get(url)?.served ?? 0,
    async close() {
      await Promise.all([...targets.keys()].map(remove))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// A real front on a loopback port, and a raw socket to speak to it without a client's manners.
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { createLoopGuard } from '../net/loop-guard.ts'
import { rowOf, SETTING_NAMES } from '../settings/table.ts'
import { createLog } from '../telemetry/log.ts'
import type { HttpSettings } from './http-settings.ts'
import { createHttp, type Http, type HttpOptions } from './server.ts'

/** The defaults of the settings table, with what a test changes. */
export function httpSettings(over: Partial<HttpSettings> = {}): HttpSettings {
  const defaults = Object.fromEntries(SETTING_NAMES.map((name) => [name, rowOf(name).default]))
  return { ...(defaults as HttpSettings), ...over } // the table's rows carry exactly the types of the record
}

export type Logged = Readonly<Record<string, unknown>>
/** With the Fastify instance, which a gateway makes at the first request that needs it. */
type WithApp = Omit<Http, 'app'> & { readonly app: FastifyInstance }
export type Front = WithApp & { readonly port: number; readonly url: string; readonly logged: Logged[] }

/** A front that has made nothing yet, and what it logs. */
export function aFront(
  over: Partial<HttpSettings> = {},
  options: Partial<HttpOptions> = {},
): { readonly http: Http; readonly logged: Logged[] } {
  const logged: Logged[] = []
  const write = (line: string): void => void logged.push(JSON.parse(line) as Logged) // a log line is an object
  const http = createHttp({
    settings: httpSettings({ HOST: '127.0.0.1', ...over }),
    log: createLog({ format: 'json', level: 'debug', write }),
    monotonic: () => performance.now(),
    own: createLoopGuard('front'),
    dataPlaneOpen: () => false,
    facts: { leader: () => true, database: () => true },
    renderMetrics: () => 'mcp_build_info 1\n',
    requireViewer: async (request) => {
      if (request.headers.authorization !== 'Bearer good') throw new GatewayError('UNAUTHORIZED', 'Sign in first')
    },
    openApi: () => ({ openapi: '3.1.0', info: { title: 'Gantry', version: '1.0.0' }, paths: {} }),
    uiDirectory: null,
    ...options,
  })
  return { http, logged }
}

export async function openFront(
  over: Partial<HttpSettings> = {},
  options: Partial<HttpOptions> = {},
  routes: (http: WithApp) => void = () => {},
): Promise<Front> {
  const { http, logged } = aFront(over, options)
  http.routes((app) => routes({ ...http, app }))
  const app = await http.app()
  const { port, url } = await http.listen(0)
  return { ...http, app, port, url, logged }
}

/** Sends bytes as they are and returns everything that came back until the peer closed. */
export function rawExchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (received += chunk))
    socket.on('close', () => resolve(received))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.write(text, 'latin1')
  })
}

export const statusOf = (response: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(response)?.[1] ?? 0)
export const bodyOf = (response: string): string => response.slice(response.indexOf('\r\n\r\n') + 4)

// A gateway with editors, an agent that speaks MCP to them, and a person at the admin API.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { onTestFinished } from 'vitest'
import { ADMIN_KEY, type Answer, aGateway, type Env, type Gateway } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess } from './gateway-process.fixture.ts'

type Fields = Record<string, unknown>
export const EDITORS = '/admin-api/pcg/editors'

export const PCG_ENV: Env = {
  PCG_ENABLED: 'true',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
}

export async function aPcgGateway(env: Env = {}, folder?: string): Promise<Gateway> {
  return aGateway({ ...PCG_ENV, ...env }, folder)
}

export async function aPcgProcess(env: Env = {}, folder?: string): Promise<GatewayProcess> {
  return aGatewayProcess({ ...PCG_ENV, ...env }, folder)
}

/** An editor of its own for one test, embedded by default. */
export async function anEditor(gateway: Gateway, name: string, body: Fields = {}): Promise<Fields> {
  const made = await gateway.admin(EDITORS, { method: 'POST', body: { name, driver: 'embedded', ...body } })
  if (made.status !== 201) throw new Error(made.text)
  return fieldsOf(made)
}

/** What a body holds; an answer without an object is a failed test. */
export function fieldsOf({ json, status, text }: Pick<Answer, 'json' | 'status' | 'text'>): Fields {
  if (typeof json !== 'object' || json === null) throw new Error(`${status}: ${text}`)
  return json as Fields // a JSON object, by the test
}

export function itemsOf(answer: Answer): Fields[] {
  const { items } = fieldsOf(answer)
  if (!Array.isArray(items)) throw new Error(answer.text)
  return items as Fields[] // a page holds records
}

let lastId = 0
/** One tool call over MCP; the whole result, good or bad. */
export async function mcpCall(
  gateway: Gateway,
  tool: string,
  args: Fields,
  { editor = 'pcg', headers = {} }: { readonly editor?: string; readonly headers?: Env } = {},
): Promise<Fields> {
  lastId += 1
  const body = { jsonrpc: '2.0', id: lastId, method: 'tools/call', params: { name: tool, arguments: args } }
  const answer = await gateway.ask(`/mcp/${editor}`, {
    method: 'POST',
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })
  const { result } = fieldsOf(answer)
  if (typeof result !== 'object' || result === null) throw new Error(answer.text)
  return result as Fields // a result is an object
}

/** As an agent: the documented fields, or a failed test. */
export async function asAgent(gateway: Gateway, tool: string, args: Fields, headers: Env = {}): Promise<Fields> {
  const { isError, structuredContent, content } = await mcpCall(gateway, tool, args, { headers })
  if (isError === true || typeof structuredContent !== 'object') throw new Error(JSON.stringify(content))
  return structuredContent as Fields // an object, by the test
}

/** What `call` answers on the admin side. */
export async function adminCall(
  gateway: Gateway,
  tool: string,
  args: Fields,
  { editor = 'pcg', headers = {}, ...more }: Fields & { readonly editor?: string; readonly headers?: Env } = {},
): Promise<Answer> {
  const path = `${EDITORS}/${editor}/call`
  return gateway.admin(path, { method: 'POST', body: { tool, args, ...more }, headers })
}

/** As a person: the documented fields, or a failed test. */
export async function asPerson(gateway: Gateway, tool: string, args: Fields, more: Fields = {}): Promise<Fields> {
  const { ok, result, ...rest } = fieldsOf(await adminCall(gateway, tool, args, more))
  if (ok !== true) throw new Error(JSON.stringify(rest))
  return result as Fields // with ok, the tool's own object
}

export type Received = { readonly event: string; readonly data: Fields }
/** Listens to a stream of the admin API for the rest of the test. */
export async function listen(
  gateway: Gateway,
  path: string,
): Promise<{ readonly received: Received[]; readonly stop: () => void }> {
  const control = new AbortController()
  const { body } = await request(gateway.url + path, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
    signal: control.signal,
  })
  const received: Received[] = []
  let rest = ''
  body.setEncoding('utf8')
  body.on('data', (chunk: string) => {
    rest += chunk
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (field('data') !== '') received.push({ event: field('event'), data: JSON.parse(field('data')) as Fields })
    }
  })
  body.on('error', () => undefined)
  const stop = () => control.abort()
  onTestFinished(stop)
  return { received, stop }
}

/** Until it holds; a test's own timeout ends what never comes. */
export async function until<T>(work: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await work()
    if (found !== undefined && found !== false) return found
    await sleep(20)
  }
}

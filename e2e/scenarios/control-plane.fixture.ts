// An agent on the control plane: raw MCP in either era, with any credential.
import type { Answer, Env, Gateway } from './gateway.fixture.ts'
import { ADMIN_KEY } from './gateway.fixture.ts'

export const asAdmin: Env = { authorization: `Bearer ${ADMIN_KEY}` }

export type SysResult = {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** One JSON-RPC request to `/mcp`, without a session. */
export function legacy(gateway: Gateway, method: string, params: object = {}, headers: Env = asAdmin): Promise<Answer> {
  return gateway.ask('/mcp', { method: 'POST', headers, body: { jsonrpc: '2.0', id: 1, method, params } })
}

/** The same in the era without sessions. */
export function modern(gateway: Gateway, method: string, params: object = {}, headers: Env = asAdmin): Promise<Answer> {
  const name: Env = 'name' in params && typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  return gateway.ask('/mcp', {
    method: 'POST',
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name, ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
  })
}

export function resultOf({ json, text }: Answer): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || !('result' in json)) throw new Error(`No result: ${text}`)
  return json.result as Record<string, unknown> // the shape a test expects is what it then looks at
}

export async function sys(
  gateway: Gateway,
  name: string,
  args: object = {},
  headers: Env = asAdmin,
  era: typeof legacy = legacy,
): Promise<SysResult> {
  return resultOf(await era(gateway, 'tools/call', { name, arguments: args }, headers)) as SysResult // as above
}

/** The object of a call that must have worked. */
export async function resultFields(...call: Parameters<typeof sys>): Promise<Record<string, unknown>> {
  const { isError, structuredContent, content } = await sys(...call)
  if (isError) throw new Error(`${call[1]} answered ${content[0]?.text}`)
  return structuredContent
}

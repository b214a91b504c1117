// The gateway that the parts measure: its program, keys, settings, folders and requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Server } from './server.ts'

export const GANTRY = path.join(import.meta.dirname, '..', '..', 'dist', 'gateway', 'serve.js')
/** The backend behind it, and a translator beside it that checks and stores nothing. */
export const UPSTREAM = path.join(import.meta.dirname, 'plane-upstream.mjs')
export const BARE = path.join(import.meta.dirname, 'plane-bare.mjs')

export const ADMIN = 'bench-admin-key-0123456789'
export const KEY = 'bench-key-0123456789abcdef'
export const PERSON = { username: 'bench', password: 'a password of the bench' }
const MANY = '1000000000'
/** With keys and a person, and the default limits. */
export const gantryEnv = {
  ADMIN_API_KEYS: ADMIN,
  MCP_API_KEYS: KEY,
  ALLOW_PRIVATE_IPS: 'true',
  RATE_LIMIT_MCP: MANY,
  RATE_LIMIT_GLOBAL: MANY,
  RATE_LIMIT_REGISTER: MANY,
  MAX_SESSIONS: '20000',
  MAX_TOOLS_PER_CLIENT: '10000',
  BOOTSTRAP_ADMIN_USERNAME: PERSON.username,
  BOOTSTRAP_ADMIN_PASSWORD: PERSON.password,
}

export const TOOL = {
  name: 'get_item',
  method: 'GET',
  endpoint: '/items/:id',
  description: 'Reads one item by its id',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})
/** It is removed when the benchmark ends, also by an interruption. */
export function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'))
  folders.push(folder)
  return folder
}

export const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
})

/** Asks as an administrator, or as a caller at an MCP endpoint. */
export async function ask({ url }: Server, method: string, route: string, body: object): Promise<string> {
  const headers = headersOf(route.startsWith('/mcp/') ? KEY : ADMIN)
  const answer = await fetch(url + route, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${text}`)
  return text
}

export async function callTool(server: Server, name: string, args: object, backend = 'pcg') {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const { result } = JSON.parse(await ask(server, 'POST', `/mcp/${backend}`, call)) as {
    result?: { isError?: boolean; structuredContent?: Record<string, unknown> }
  } // what the protocol says
  if (!result?.structuredContent || result.isError) throw new Error(`${name} failed: ${JSON.stringify(result)}`)
  return result.structuredContent
}

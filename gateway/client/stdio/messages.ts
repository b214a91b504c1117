// JSON-RPC as it passes through the bridge: looked at as little as possible, never rewritten.
import { META_VERSION, MODERN } from '../../mcp/era.ts'
import { RPC } from '../../mcp/json-rpc.ts'
import { isRecord, type JsonRecord } from '../../mcp/record.ts'

export type Id = string | number

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const idOf = (message: unknown): Id | undefined => {
  const id = isRecord(message) ? message.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
export const methodOf = (message: unknown): string | undefined =>
  isRecord(message) && typeof message.method === 'string' ? message.method : undefined
export const paramsOf = (message: unknown): JsonRecord =>
  isRecord(message) && isRecord(message.params) ? message.params : {}

/** A request waits for an answer; everything else does not. */
export const isRequest = (message: unknown): boolean => idOf(message) !== undefined && methodOf(message) !== undefined
export const isAnswerTo = (message: unknown, id: Id | undefined): boolean =>
  id !== undefined && methodOf(message) === undefined && idOf(message) === id

export function isModern(message: unknown): boolean {
  const { _meta } = paramsOf(message)
  return isRecord(_meta) && _meta[META_VERSION] === MODERN
}

export const failure = (id: Id | null, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: RPC.server, message } })

/** The one case in which a server that has the session answers 404. */
export function isUnknownMethod(text: string): boolean {
  const message = parsed(text)
  return isRecord(message) && isRecord(message.error) && message.error.code === RPC.methodNotFound
}

/** One line of output: a message that was written over several lines is written over one. */
export function lineOf(text: string): string | undefined {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return undefined
  return /[\r\n]/.test(text) ? JSON.stringify(value) : text
}

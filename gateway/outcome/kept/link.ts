// A kept result as an MCP resource: its address, and the link beside its outline.
import type { CallToolResult } from '../outcome.ts'

const PREFIX = 'gantry://result/'
const ADDRESS = /^gantry:\/\/result\/([\w-]{22})(?:#((?:\/[^/]*)*))?$/

/** The form of these addresses, which no list holds. */
export const RESULT_TEMPLATE = {
  uriTemplate: `${PREFIX}{id}{#pointer}`,
  name: 'Kept result',
  description: 'The data of a large answer, by the link in it; after "#" a JSON pointer to a part',
  mimeType: 'application/json',
}

/** For the person or the program at the other end: the model has the outline. */
export const resultLink = ({
  handle,
  bytes,
}: {
  readonly handle: string
  readonly bytes: number
}): CallToolResult['content'][number] => ({
  type: 'resource_link',
  uri: handle.replace('result:', PREFIX),
  name: 'Kept result',
  mimeType: 'application/json',
  size: bytes,
  annotations: { audience: ['user'] },
})

export const isResultUri = (uri: unknown): uri is string => typeof uri === 'string' && uri.startsWith(PREFIX)

/** Undefined where it is no address of a kept result. */
export function linked(uri: string): { readonly handle: string; readonly pointer: string } | undefined {
  const [, id, pointer = ''] = ADDRESS.exec(uri) ?? []
  if (id === undefined) return undefined
  try {
    return { handle: `result:${id}`, pointer: decodeURIComponent(pointer) }
  } catch {
    return undefined
  }
}

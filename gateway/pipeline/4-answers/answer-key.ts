// What two calls must have in common for one answer to serve both: the tool as it is now, the arguments, and who asks. Contract 8.5.
import { hash } from 'node:crypto'
import type { Cache } from '../../contract/admin/tool-features.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import { canonical } from '../args-hash.ts'
import type { ToolCall } from '../call.ts'

/** Snapshots are replaced, never changed. */
const versions = new WeakMap<Tool, { readonly backend: Backend; readonly version: string }>()

/** Everything of the configuration an answer may depend on. The revision of a backend moves with its credential. */
export function versionOf(backend: Backend, tool: Tool): string {
  const known = versions.get(tool)
  if (known?.backend === backend) return known.version
  const { tools: _tools, registration: _document, ...place } = backend
  const version = hash('sha256', canonical([place, tool]), 'base64url')
  versions.set(tool, { backend, version })
  return version
}

/** Of the request or of its hop, and different in each. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage'])

/** What is sent to an upstream beside the arguments, so that no caller can put words into another's answer. */
function ownMeta({ backend, meta }: ToolCall): unknown {
  if (backend.kind !== 'mcp' || meta === undefined) return null
  const own = Object.entries(meta).filter(
    ([key]) => !OF_THE_REQUEST.has(key) && !key.startsWith('io.modelcontextprotocol/'),
  )
  return own.length === 0 ? null : Object.fromEntries(own)
}

export function answerKey(call: ToolCall, scope: Cache['scope']): string {
  const { backend, tool, args, caller, reserved, acting } = call
  const own = scope === 'shared' ? null : [caller.kind, caller.name, reserved.endUser]
  // What a person may see is theirs, also where other answers are shared.
  const whose = acting ? [acting.key, own] : own
  return hash('sha256', canonical([versionOf(backend, tool), args, ownMeta(call), whose]), 'base64url')
}

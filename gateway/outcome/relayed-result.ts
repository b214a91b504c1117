// What an MCP upstream answered to a request that calls no tool, as an outcome: its lists as a model may see them, its files as they are.

import { safeIcons } from '../mcp/icons.ts'
import type { RpcFault } from '../mcp/message.ts'
import { isRecord, type JsonRecord } from '../mcp/record.ts'
import { cleanLabel, cleanText } from '../text/clean.ts'
import { foreignMetadata, foreignText, foreignValue, type Withheld, withoutCredential } from '../text/foreign-text.ts'
import { failed } from './failed.ts'
import type { CallToolResult, Outcome } from './outcome.ts'
import { withoutHop } from './tool-result.ts'

const MESSAGE_MAX = 1_024
const TEXTS: ReadonlySet<string> = new Set(['title', 'description'])

/** An error that is answered says nothing bad about the upstream: servers use any code for what does not exist. */
export const fault = (code: number, text: string, data: JsonRecord): Outcome =>
  failed('upstream_error', text, false, { saysUpstreamFailed: false, rpc: { code, data } })

export function relayedFault({ code, message, data }: RpcFault, withheld: Withheld): Outcome {
  const clean = foreignValue(data, withheld)
  return fault(code, foreignText(message, withheld, MESSAGE_MAX), isRecord(clean) ? clean : {})
}

/** What was asked: the method, and the field of its result that is a list for a model to read. */
export type RelayedAs = { readonly method: string; readonly list?: string | undefined }

/** `from`: the name of the backend. */
export function relayedOutcome(value: unknown, from: string, { method, list }: RelayedAs, withheld: Withheld): Outcome {
  if (!isRecord(value)) return failed('bad_response', `Bad response from ${from}: its result is no object`, true)
  const own = withoutHop(value)
  const shown = list === undefined ? own : { ...own, [list]: shownList(own[list], withheld) }
  const relayed = cleanResult(shown, method, withheld)
  return { kind: 'ok', result: { content: contentOf(relayed) }, relayed }
}

/** What a row measures and a capture previews: the resources that were read, the messages of a prompt. */
export function contentOf({ contents, messages }: JsonRecord): CallToolResult['content'] {
  if (Array.isArray(contents)) return contents.filter(isRecord).map((resource) => ({ type: 'resource', resource }))
  if (Array.isArray(messages)) return messages.flatMap((each) => (isRecord(each) ? each.content : [])).filter(isRecord)
  return []
}

/** The contents of a resource are files: they pass as they are but for the credential. */
function cleanResult(result: JsonRecord, method: string, withheld: Withheld): JsonRecord {
  const { contents, ...rest } = result
  // A record stays one: only its strings are cleaned.
  if (method !== 'resources/read' || contents === undefined) return foreignValue(result, withheld) as JsonRecord
  return { ...(foreignValue(rest, withheld) as JsonRecord), contents: withoutCredential(contents, withheld) }
}

/** A resource has a URI or a template of one; a prompt and an argument have only their name. */
function keepsIdentifier({ uri, uriTemplate, name }: JsonRecord): boolean {
  const identifier = uri ?? uriTemplate ?? name
  return typeof identifier !== 'string' || cleanText(identifier) === identifier
}

/** Leaves out entries whose identifier would be listed in another spelling: the client could not ask for them. */
function shownList(value: unknown, withheld: Withheld): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value
    .filter(isRecord)
    .filter(keepsIdentifier)
    .map((entry) => shownEntry(entry, withheld))
}

function shownEntry(entry: JsonRecord, withheld: Withheld): JsonRecord {
  const isResource = entry.uri !== undefined || entry.uriTemplate !== undefined
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]: [string, unknown]) => {
      // The name of a prompt is its identifier.
      if (key === 'name' && isResource && typeof value === 'string')
        return [key, cleanLabel(foreignText(value, withheld))]
      if (TEXTS.has(key) && typeof value === 'string') return [key, foreignMetadata(value, withheld)]
      if (key === 'arguments' && Array.isArray(value)) return [key, shownList(value, withheld)]
      if (key === 'icons') return [key, safeIcons(value)]
      return [key, value]
    }),
  )
}

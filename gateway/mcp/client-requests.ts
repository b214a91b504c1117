// Validates an upstream's request to a client: known, declared, small, with safe URLs only.
import { foreignMessage, foreignText, type Withheld } from '../text/foreign-text.ts'
import type { ServerAnswer } from './connection.ts'
import { isRecord, type JsonRecord } from './message.ts'

export type Checked = { readonly params: JsonRecord } | { readonly problem: string; readonly missing?: string }

const MOST_FORM_BYTES = 65_536
const MOST_FIELDS = 100
const MOST_SAMPLING_BYTES = 4_194_304
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A person's browser opens it: http(s) only, without user info that hides the host. */
function leadsSomewhereSafe(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 8_192 || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length

function elicitation(params: JsonRecord, declared: unknown): string | undefined {
  const modes = isRecord(declared) ? declared : {}
  if (params.mode === 'url') {
    if (!isRecord(modes.url)) return 'The client takes no URLs'
    return leadsSomewhereSafe(params.url) ? undefined : 'Its URL is not one that may be opened'
  }
  if (params.mode !== undefined && params.mode !== 'form') return 'The client does not know this mode'
  // A client without a mode means the original one.
  if (isRecord(modes.url) && !isRecord(modes.form)) return 'The client takes no forms'
  const schema = params.requestedSchema
  if (!isRecord(schema)) return 'It has no requestedSchema'
  const fields = isRecord(schema.properties) ? Object.keys(schema.properties).length : 0
  return fields > MOST_FIELDS || sizeOf(params) > MOST_FORM_BYTES ? 'Its form is too large' : undefined
}

const KINDS: Readonly<
  Record<
    string,
    { readonly capability: string; readonly check: (params: JsonRecord, declared: unknown) => string | undefined }
  >
> = {
  'elicitation/create': { capability: 'elicitation', check: elicitation },
  'sampling/createMessage': {
    capability: 'sampling',
    check: (params) => (sizeOf(params) > MOST_SAMPLING_BYTES ? 'It is too large' : undefined),
  },
  'roots/list': { capability: 'roots', check: () => undefined },
}

/** Returns cleaned `params` without hop-by-hop fields. */
export function checkAsked(method: string, params: JsonRecord, capabilities: JsonRecord, withheld: Withheld): Checked {
  const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined
  if (!kind) return { problem: `${foreignText(method, withheld, 128)} is not a request that clients accept` }
  const declared = capabilities[kind.capability]
  if (!isRecord(declared)) return { problem: `The client has no ${kind.capability}`, missing: kind.capability }
  const problem = kind.check(params, declared)
  if (problem !== undefined) return { problem }
  const { _meta, task: _task, ...own } = params
  const meta = isRecord(_meta) ? Object.entries(_meta).filter(([key]) => key !== 'progressToken') : []
  const whole = meta.length > 0 ? { ...own, _meta: Object.fromEntries(meta) } : own
  // The shape stays; only strings are cleaned.
  return { params: foreignMessage(whole, withheld) as JsonRecord }
}

export const refusedAsk = ({ problem, missing }: { problem: string; missing?: string }): ServerAnswer => ({
  error: { code: missing === undefined ? -32_602 : -32_601, message: problem },
})

/** Capabilities forwarded from client to upstream; others end at the gateway. */
export function carriedCapabilities(declared: unknown): JsonRecord {
  if (!isRecord(declared)) return {}
  const carried = ['sampling', 'elicitation', 'roots'].flatMap((name) => {
    const value = declared[name]
    if (!isRecord(value) || sizeOf(value) > 1_024) return []
    // Only the modern era has sampling with tasks, which the gateway does not support.
    const { tasks: _tasks, ...own } = value
    return [[name, own]]
  })
  const ui = isRecord(declared.extensions) ? declared.extensions['io.modelcontextprotocol/ui'] : undefined
  const extensions = isRecord(ui) && sizeOf(ui) <= 1_024 ? { extensions: { 'io.modelcontextprotocol/ui': ui } } : {}
  // Names and records, by construction.
  return { ...(Object.fromEntries(carried) as JsonRecord), ...extensions }
}

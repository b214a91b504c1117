// The list of live calls: newest first, limited, filtered. Pure.
import type { CallRow } from '#contract'

export type LiveCall = {
  /** Numbered by arrival, because a request may make several calls. */
  readonly key: number
  readonly at: string
  readonly requestId: string
  readonly principal: string
  readonly surface: string
  readonly client: string | null
  /** Empty for a request without a tool. */
  readonly tool: string
  readonly calledAs: string
  readonly outcome: string
  readonly denyCode: string | null
  readonly failureKind: string | null
  readonly durationMs: number
  /** Whether the answer was cached, and who gave it. */
  readonly cache: string | null
  readonly target: string | null
  readonly traceId: string | null
}

/** The same from a row of the call log. */
export const callOfRow = ({ id, ...row }: CallRow): LiveCall => ({ key: -id, ...row })

/** A shell command that repeats the call with its captured arguments; the key is a placeholder. */
export function curlOf(
  { client, tool }: Pick<LiveCall, 'client' | 'tool'>,
  gatewayUrl: string,
  args: Readonly<Record<string, unknown>> = {},
): string {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
  return [
    `curl -X POST ${quoted(`${gatewayUrl}/mcp/${client ?? ''}`)}`,
    `-H ${quoted('Authorization: Bearer <MCP_KEY>')}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-H ${quoted('Accept: application/json, text/event-stream')}`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** Quoted for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export type CallFilter = { readonly q: string; readonly outcome: string; readonly client: string }

export const KEPT = 2000

/** The call of an event; undefined for other events. */
export function callOf(data: unknown, key: number): LiveCall | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const given: Readonly<Record<string, unknown>> = { ...data }
  const text = (name: string): string | null => {
    const value = given[name]
    return typeof value === 'string' ? value : null
  }
  const [at, requestId, tool, outcome] = [text('at'), text('requestId'), text('tool'), text('outcome')]
  const calledAs = text('calledAs') ?? tool
  if (given.type !== 'call' || !at || !requestId || tool === null || !calledAs || !outcome) return undefined
  return {
    key,
    at,
    requestId,
    tool,
    calledAs,
    outcome,
    principal: text('principal') ?? '',
    surface: text('surface') ?? '',
    client: text('client'),
    denyCode: text('denyCode'),
    failureKind: text('failureKind'),
    cache: text('cache'),
    target: text('target'),
    traceId: text('traceId'),
    durationMs: typeof given.durationMs === 'number' ? given.durationMs : 0,
  }
}

/** The number of calls the gateway dropped because of its rate limit of events. */
export function droppedOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'dropped' in data && typeof data.dropped === 'number'
    ? data.dropped
    : 0
}

export function withNewest(calls: readonly LiveCall[], fresh: readonly LiveCall[]): readonly LiveCall[] {
  return [...fresh.toReversed(), ...calls].slice(0, KEPT)
}

/** The tool, or the method of another request. */
export const nameOf = ({ tool, calledAs }: Pick<LiveCall, 'tool' | 'calledAs'>): string => tool || calledAs

/** Matches an event with a row: neither names the other. */
const sameness = ({ requestId, client, calledAs, outcome, durationMs }: LiveCall): string =>
  JSON.stringify([requestId, client, calledAs, outcome, durationMs])

/** Merges log rows and events, each call once; hides calls that ended before `cleared`. */
export function withRead(calls: readonly LiveCall[], read: readonly LiveCall[], cleared: string): readonly LiveCall[] {
  const known = new Set(calls.map(sameness))
  const others = read.filter((call) => call.at > cleared && !known.has(sameness(call)))
  if (others.length === 0) return calls
  return [...calls, ...others].toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, KEPT)
}

export function matches({ q, outcome, client }: CallFilter, call: LiveCall): boolean {
  if (outcome !== '' && call.outcome !== outcome) return false
  if (client !== '' && call.client !== client) return false
  if (q === '') return true
  const wanted = q.toLowerCase()
  return [nameOf(call), call.client, call.principal, call.denyCode, call.failureKind, call.requestId].some((text) =>
    text?.toLowerCase().includes(wanted),
  )
}

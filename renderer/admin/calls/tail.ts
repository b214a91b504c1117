// The live calls as a list: the newest first, a bounded number, filtered. Pure.
import type { CallRow } from '#contract'

export type LiveCall = {
  /** Numbered by arrival; a request may make several calls. */
  readonly key: number
  readonly at: string
  readonly requestId: string
  readonly principal: string
  readonly surface: string
  readonly client: string | null
  /** Empty for a request that calls no tool. */
  readonly tool: string
  readonly calledAs: string
  readonly outcome: string
  readonly denyCode: string | null
  readonly failureKind: string | null
  readonly durationMs: number
  /** Whether the answer was kept, and who gave it. */
  readonly cache: string | null
  readonly target: string | null
  readonly traceId: string | null
}

/** The same of a row of the call log. */
export const callOfRow = ({ id, ...row }: CallRow): LiveCall => ({ key: -id, ...row })

/** Calls its tool again, from a shell, with what was kept of its arguments; its key is known to its caller alone. */
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

/** As a shell takes it: nothing in single quotes means anything to it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export type CallFilter = { readonly q: string; readonly outcome: string; readonly client: string }

export const KEPT = 2000

/** What an event says of a call; undefined when it says something else. */
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

/** How many calls the gateway left out, because it sends a limited number per second. */
export function droppedOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'dropped' in data && typeof data.dropped === 'number'
    ? data.dropped
    : 0
}

export function withNewest(calls: readonly LiveCall[], fresh: readonly LiveCall[]): readonly LiveCall[] {
  return [...fresh.toReversed(), ...calls].slice(0, KEPT)
}

/** The tool, or the request that calls none. */
export const nameOf = ({ tool, calledAs }: Pick<LiveCall, 'tool' | 'calledAs'>): string => tool || calledAs

/** The same call as an event and as a row: neither names the other. */
const sameness = ({ requestId, client, calledAs, outcome, durationMs }: LiveCall): string =>
  JSON.stringify([requestId, client, calledAs, outcome, durationMs])

/** Adds the rows of the log to the events, each call once; calls that ended before `cleared` are hidden. */
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

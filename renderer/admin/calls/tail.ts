// The live calls as a list: the newest first, a bounded number, filtered. Pure.
export type LiveCall = {
  /** Told apart by when they came; a request may make several calls. */
  readonly key: number
  readonly at: string
  readonly requestId: string
  readonly principal: string
  readonly surface: string
  readonly client: string | null
  readonly tool: string
  readonly outcome: string
  readonly denyCode: string | null
  readonly failureKind: string | null
  readonly durationMs: number
}

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
  const [at, requestId, tool, outcome] = ['at', 'requestId', 'tool', 'outcome'].map(text)
  if (given.type !== 'call' || !at || !requestId || !tool || !outcome) return undefined
  return {
    key,
    at,
    requestId,
    tool,
    outcome,
    principal: text('principal') ?? '',
    surface: text('surface') ?? '',
    client: text('client'),
    denyCode: text('denyCode'),
    failureKind: text('failureKind'),
    durationMs: typeof given.durationMs === 'number' ? given.durationMs : 0,
  }
}

/** How many calls the gateway left out, because it tells at most so many in a second. */
export function droppedOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'dropped' in data && typeof data.dropped === 'number'
    ? data.dropped
    : 0
}

export function withNewest(calls: readonly LiveCall[], fresh: readonly LiveCall[]): readonly LiveCall[] {
  return [...fresh.toReversed(), ...calls].slice(0, KEPT)
}

export function matches({ q, outcome, client }: CallFilter, call: LiveCall): boolean {
  if (outcome !== '' && call.outcome !== outcome) return false
  if (client !== '' && call.client !== client) return false
  if (q === '') return true
  const wanted = q.toLowerCase()
  return [call.tool, call.client, call.principal, call.denyCode, call.failureKind, call.requestId].some((text) =>
    text?.toLowerCase().includes(wanted),
  )
}

// A second change of a record is one of what the first left, though the page has not read that yet: it waits for the
// answer of the first and sends the revision in it, with the fields that it changes. A change by another user in between is
// still refused.
import type { ClientRequest, ClientResponse, Transport } from '#contract'

/** A record whose parts share its revision: `/users/ada/team` is a change of `/users/ada`. */
const PARTS = /^(\/admin-api\/(?:users\/[^/?]+(?=\/team)|clients\/[^/?]+\/lb(?=\/upstreams)))\/[^?]*/
/** These send whole records: over the result of another change they would take it back. */
const WHOLE = /\/(?:layout|canary|lb|settings)(?:\?|$)/

const recordOf = (path: string): string => path.replace(PARTS, '$1')

export function afterOwnChanges(send: Transport): Transport {
  /** The last change under way, by record. */
  const underWay = new Map<string, Promise<unknown>>()
  /** Which revision an own change made of which. */
  const made = new Map<string, Map<number, number>>()

  const latest = (record: string, revision: number): number => {
    const next = made.get(record)?.get(revision)
    return next === undefined ? revision : latest(record, next)
  }
  function note(record: string, from: number, to: number): void {
    const known = made.get(record) ?? new Map<number, number>()
    known.delete(to)
    if (from !== to) known.set(from, to)
    made.set(record, known)
  }

  async function change(record: string, request: ClientRequest, named: number): Promise<ClientResponse> {
    const revision = latest(record, named)
    const response = await send(withRevision(request, revision))
    // Deleted and created again since, it counts from 1.
    if (response.status === 412 && revision !== named) {
      made.delete(record)
      return send(request)
    }
    if (response.status >= 400) return response
    if (request.method === 'DELETE' && record === request.path) made.delete(record)
    else note(record, revision, numberIn(parsed(response.body)) ?? revision + 1)
    return response
  }

  return async (request) => {
    const named = WHOLE.test(request.path) ? undefined : revisionOf(request)
    if (named === undefined) return send(request)
    const record = recordOf(request.path)
    const before = underWay.get(record)
    const work = (async () => {
      await before
      return change(record, request, named)
    })()
    // Whether the one before was refused is its own caller's matter.
    const ended = work.then(
      () => undefined,
      () => undefined,
    )
    underWay.set(record, ended)
    void ended.then(() => underWay.get(record) === ended && underWay.delete(record))
    return work
  }
}

const IF_MATCH = /^"(\d{1,15})"$/

function revisionOf({ method, headers, body }: ClientRequest): number | undefined {
  if (method === 'GET') return undefined
  const header = IF_MATCH.exec(headers['if-match'] ?? '')?.[1]
  if (header !== undefined) return Number(header)
  return numberIn(parsed(body))
}

function withRevision(request: ClientRequest, revision: number): ClientRequest {
  if (request.headers['if-match'] !== undefined)
    return { ...request, headers: { ...request.headers, 'if-match': `"${revision}"` } }
  return { ...request, body: JSON.stringify({ ...parsed(request.body), revision }) }
}

const numberIn = (record: Readonly<Record<string, unknown>> | undefined): number | undefined =>
  typeof record?.revision === 'number' ? record.revision : undefined

function parsed(body: string | undefined): Record<string, unknown> | undefined {
  if (!body?.startsWith('{')) return undefined
  try {
    return { ...(JSON.parse(body) as object) } // it starts as an object
  } catch {
    return undefined
  }
}

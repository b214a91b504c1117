// The forms of answer a client takes: one JSON object, or a stream of events. Contract 5.4.
import { GatewayError } from '../contract/error.ts'

export type Forms = { readonly json: boolean; readonly sse: boolean }

export const BOTH_FORMS: Forms = { json: true, sse: true }
/** Clients send one of a handful of spellings; what they sent last time need not be read again. */
const read = new Map<string, Forms>()
const MOST_KEPT = 100

const refused = (range: string): boolean => /;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range)

function admits(ranges: readonly string[], type: string, family: string): boolean {
  const accepted = (wanted: string): boolean | undefined => {
    const range = ranges.find((each) => each.split(';', 1)[0]?.trim() === wanted)
    return range === undefined ? undefined : !refused(range)
  }
  // The most exact range decides.
  return accepted(type) ?? accepted(family) ?? accepted('*/*') ?? false
}

/** Throws when the client takes neither. */
export function formsOf(accept: string | undefined): Forms {
  if (accept === undefined || accept.trim() === '') return BOTH_FORMS
  const known = read.get(accept)
  if (known) return known
  const ranges = accept.toLowerCase().split(',')
  const forms = {
    json: admits(ranges, 'application/json', 'application/*'),
    sse: admits(ranges, 'text/event-stream', 'text/*'),
  }
  if (!forms.json && !forms.sse)
    throw new GatewayError('NOT_ACCEPTABLE', 'Accept must admit application/json or text/event-stream')
  if (read.size >= MOST_KEPT) read.clear()
  read.set(accept, forms)
  return forms
}

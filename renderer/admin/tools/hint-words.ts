// What the hints of a tool are called. Pure.
import type { Hint } from './listing-draft.ts'

export const HINT_WORDS: Readonly<Record<Hint, { readonly title: string; readonly yes: string; readonly no: string }>> =
  {
    readOnlyHint: { title: 'Reading or writing', yes: 'only reads', no: 'writes' },
    destructiveHint: { title: 'Can it destroy', yes: 'destructive', no: 'harmless' },
    idempotentHint: { title: 'The same call again', yes: 'repeatable', no: 'not repeatable' },
    openWorldHint: { title: 'How far it reaches', yes: 'open world', no: 'closed world' },
  }

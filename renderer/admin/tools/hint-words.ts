// The hints of a tool and their names. Pure.
import type { ToolDetail } from '#contract'

export const HINTS = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const satisfies readonly (keyof ToolDetail['annotations'])[]

type Words = { readonly title: string; readonly yes: string; readonly no: string }
export const HINT_WORDS: Readonly<Record<(typeof HINTS)[number], Words>> = {
  readOnlyHint: { title: 'Reading or writing', yes: 'only reads', no: 'writes' },
  destructiveHint: { title: 'Can it destroy', yes: 'destructive', no: 'harmless' },
  idempotentHint: { title: 'The same call again', yes: 'repeatable', no: 'not repeatable' },
  openWorldHint: { title: 'How far it reaches', yes: 'open world', no: 'closed world' },
}

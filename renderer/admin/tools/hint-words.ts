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
  readOnlyHint: { title: 'Access', yes: 'read-only', no: 'writes' },
  destructiveHint: { title: 'Destructive', yes: 'destructive', no: 'harmless' },
  idempotentHint: { title: 'Repetition', yes: 'repeatable', no: 'not repeatable' },
  openWorldHint: { title: 'Scope', yes: 'open world', no: 'closed world' },
}

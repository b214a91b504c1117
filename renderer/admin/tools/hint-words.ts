// The hints of a tool and their names. Pure.
import type { ToolDetail } from '#contract'
import { t } from '../../language/language.ts'

export const HINTS = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const satisfies readonly (keyof ToolDetail['annotations'])[]

type Words = { readonly title: string; readonly yes: string; readonly no: string }
export const HINT_WORDS: Readonly<Record<(typeof HINTS)[number], Words>> = {
  readOnlyHint: { title: t('Access'), yes: 'read-only', no: 'writes' },
  destructiveHint: { title: t('Destructive'), yes: 'destructive', no: 'harmless' },
  idempotentHint: { title: t('Repetition'), yes: 'repeatable', no: t('not repeatable') },
  openWorldHint: { title: t('Scope'), yes: t('open world'), no: t('closed world') },
}

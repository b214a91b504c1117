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
  readOnlyHint: { title: t('Access'), yes: t('read-only'), no: t('writes') },
  destructiveHint: { title: t('Destructive'), yes: t('destructive'), no: t('harmless') },
  idempotentHint: { title: t('Repetition'), yes: t('repeatable'), no: t('not repeatable') },
  openWorldHint: { title: t('Scope'), yes: t('open world'), no: t('closed world') },
}

// The author of a change: a person, an agent under the name of its client program, or the editor itself.
import { Bot, MonitorCog, UserRound } from 'lucide-react'
import type { PcgChange } from '#contract'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { authorOf } from './turns.ts'

const KINDS = {
  ui: { icon: UserRound, word: t('a person'), look: 'bg-hover text-ink-2' },
  mcp: { icon: Bot, word: t('an agent'), look: 'bg-info-soft text-info' },
  editor: { icon: MonitorCog, word: t('the editor'), look: 'bg-hover text-ink-2' },
} as const

export function Author({ by }: { readonly by: Pick<PcgChange, 'actor' | 'program' | 'source'> }) {
  const { actor, program, source } = by
  const { icon: Icon, word, look } = KINDS[source]
  return (
    <span
      title={program === undefined ? `${actor}, ${word}` : t('{program}, {word} as {actor}', { program, word, actor })}
      className={cx('inline-flex h-5 max-w-40 items-center gap-1 rounded px-1.5 text-2xs font-medium', look)}
    >
      <Icon aria-label={word} className="size-3 shrink-0" />
      <span className="truncate">{authorOf(by)}</span>
    </span>
  )
}

// The author of a change: a person, an agent or the editor itself.
import { Bot, MonitorCog, UserRound } from 'lucide-react'
import type { PcgChange } from '#contract'
import { cx } from '../../ui/cx.ts'

const KINDS = {
  ui: { icon: UserRound, word: 'a person', look: 'bg-hover text-ink-2' },
  mcp: { icon: Bot, word: 'an agent', look: 'bg-info-soft text-info' },
  editor: { icon: MonitorCog, word: 'the editor', look: 'bg-hover text-ink-2' },
} as const

export function Author({ actor, source }: Pick<PcgChange, 'actor' | 'source'>) {
  const { icon: Icon, word, look } = KINDS[source]
  return (
    <span
      title={`${actor}, ${word}`}
      className={cx('inline-flex h-5 max-w-40 items-center gap-1 rounded px-1.5 text-2xs font-medium', look)}
    >
      <Icon aria-label={word} className="size-3 shrink-0" />
      <span className="truncate">{actor}</span>
    </span>
  )
}
